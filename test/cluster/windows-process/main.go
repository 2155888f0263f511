// Command windows-process stands in for a process on a Windows node. There is
// no Windows kernel in the test cluster: the kubelet stand-in runs this program
// for every exec, attach and logs request, and it does on Linux or macOS what a
// test asks of "the Windows process": echo, exit codes of 32 bits, a terminal's
// size. What it answers says nothing about Windows itself.
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// The verbs, first argument of an exec. An attach behaves as `cat`.
const usage = `echo WORD...   prints the words
cat            copies stdin to stdout until it ends
hash           prints length and SHA-256 of stdin
bytes N        writes N bytes
argv WORD...   prints each argument in brackets
env            prints the environment
code N         exits with N, a number of 32 bits as on Windows
err            prints to both streams and exits with 7
sleep SECONDS  prints "started", then waits
size           prints rows and columns of the terminal
sizes N        prints the first N sizes of the terminal, one a line
cmd /c exit N  as code N
`

func main() {
	if verb := os.Getenv("KUBELET_VERB"); verb == "logs" {
		query := ""
		if len(os.Args) > 1 {
			query = os.Args[1]
		}
		fmt.Printf("log of %s/%s/%s (%s)\n", os.Getenv("POD_NAMESPACE"), os.Getenv("POD_NAME"), os.Getenv("CONTAINER"), query)
		return
	} else if verb == "attach" {
		exit(copyInput())
	}
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(127)
	}
	exit(run(os.Args[1], os.Args[2:]))
}

func run(verb string, args []string) error {
	switch verb {
	case "echo":
		fmt.Println(strings.Join(args, " "))
	case "cat":
		return copyInput()
	case "hash":
		sum := sha256.New()
		n, err := io.Copy(sum, os.Stdin)
		fmt.Printf("%d %x\n", n, sum.Sum(nil))
		return err
	case "bytes":
		n, err := number(args)
		if err != nil {
			return err
		}
		_, err = io.CopyN(os.Stdout, pattern{}, n)
		return err
	case "argv":
		for _, arg := range args {
			fmt.Printf("[%s]", arg)
		}
		fmt.Println()
	case "env":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "code":
		n, err := number(args)
		if err != nil {
			return err
		}
		return windowsExit(n)
	case "cmd":
		if len(args) == 3 && strings.EqualFold(args[0], "/c") && args[1] == "exit" {
			return run("code", args[2:])
		}
		return fmt.Errorf("cmd: only \"/c exit N\" is played here, not %q", args)
	case "err":
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
		os.Exit(7)
	case "sleep":
		seconds, err := number(args)
		if err != nil {
			return err
		}
		fmt.Println("started")
		time.Sleep(time.Duration(seconds) * time.Second)
	case "size":
		return printSize()
	case "sizes":
		n, err := number(args)
		if err != nil {
			return err
		}
		return printSizes(n)
	default:
		fmt.Fprintf(os.Stderr, "unknown %s; known are:\n%s", verb, usage)
		os.Exit(127)
	}
	return nil
}

func number(args []string) (int64, error) {
	if len(args) != 1 {
		return 0, fmt.Errorf("one number was expected, not %q", args)
	}
	return strconv.ParseInt(args[0], 10, 64)
}

// windowsExit hands the kubelet stand-in an exit code that Linux has no room for.
func windowsExit(code int64) error {
	_, err := fmt.Fprintln(os.NewFile(3, "exit code"), code)
	return err
}

func copyInput() error {
	_, err := io.Copy(os.Stdout, bufio.NewReader(os.Stdin))
	return err
}

func printSize() error {
	rows, columns, err := pty.Getsize(os.Stdin)
	if err != nil {
		return err
	}
	fmt.Printf("%d %d\n", rows, columns)
	return nil
}

func printSizes(n int64) error {
	changed := make(chan os.Signal, 8)
	signal.Notify(changed, syscall.SIGWINCH)
	for ; n > 1; n-- {
		if err := printSize(); err != nil {
			return err
		}
		<-changed
	}
	return printSize()
}

// pattern yields 0123456789 for ever.
type pattern struct{}

func (pattern) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0' + byte(i%10)
	}
	return len(p), nil
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
