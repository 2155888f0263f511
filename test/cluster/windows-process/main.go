// Command windows-process stands in for a process on a Windows node. There is
// no Windows kernel in the test cluster: the kubelet stand-in runs this program
// for every exec, attach and logs request, and it does on Linux or macOS what a
// test asks of "the Windows process": echo, exit codes of 32 bits, a terminal's
// size. What it answers says nothing about Windows itself.
//
// With WINDOWS_SHELL in its environment it plays what lies between an exec and
// the process on a node, too; see windows-shell.go.
package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// The verbs, first argument of an exec. An attach behaves as `cat`.
const usage = `echo WORD...   prints the words
cat            copies stdin to stdout until it ends
tee            copies stdin to stdout and to stderr
hash           prints length and SHA-256 of stdin
bytes N        writes N bytes
argv WORD...   prints each argument in brackets
env            prints the environment
code N         exits with N, a number of 32 bits as on Windows
err            prints to both streams and exits with 7
sleep SECONDS  prints "started", then waits
size           prints rows and columns of the terminal
sizes N        prints the first N sizes of the terminal, one a line
by-index N     prints one of N outputs, by the number in the pod's name
die-before-end ends at once and well, and the shell that started it with it
cmd /c exit N  as code N
`

// ended is how a verb ends that does not end with 0.
type ended int64

func (e ended) Error() string { return fmt.Sprintf("exit code %d", int64(e)) }

// errUnknown is a verb that is not played.
var errUnknown = errors.New("unknown")

// input is what verbs read; it is wrapped where somebody counts.
var input io.Reader = os.Stdin

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
	if len(os.Args) == 2 && os.Args[1] == "--model" {
		exit(model(os.Stdin, os.Stdout))
	}
	if os.Getenv("WINDOWS_SHELL") != "" {
		exit(playExec(os.Args[1:]))
	}
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(127)
	}
	err := run(os.Args[1], os.Args[2:])
	if errors.Is(err, errUnknown) {
		fmt.Fprintf(os.Stderr, "unknown %s; known are:\n%s", os.Args[1], usage)
		os.Exit(127)
	}
	exit(err)
}

func run(verb string, args []string) error {
	switch verb {
	case "echo":
		fmt.Println(strings.Join(args, " "))
	case "cat":
		return copyInput()
	case "tee":
		_, err := io.Copy(io.MultiWriter(os.Stdout, os.Stderr), input)
		return err
	case "hash":
		sum := sha256.New()
		n, err := io.Copy(sum, input)
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
		if n == 0 {
			return nil
		}
		return ended(n)
	case "cmd":
		if len(args) == 3 && strings.EqualFold(args[0], "/c") && args[1] == "exit" {
			return run("code", args[2:])
		}
		return fmt.Errorf("cmd: only \"/c exit N\" is played here, not %q", args)
	case "err":
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
		return ended(7)
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
	case "by-index":
		n, err := number(args)
		if err != nil || n < 1 {
			return fmt.Errorf("a number above 0 was expected, not %q", args)
		}
		index, err := indexOf(os.Getenv("POD_NAME"))
		if err != nil {
			return err
		}
		fmt.Printf("output %d of %d\n", index%n, n)
	case "die-before-end":
		return errDied
	default:
		return errUnknown
	}
	return nil
}

// errDied: nobody is left who could say that it has ended.
var errDied = errors.New("died")

// The pod of a Job has five random characters behind the Job's name, which may be digits.
var podOfJob, otherPod = regexp.MustCompile(`-(\d+)-[a-z0-9]{5}$`), regexp.MustCompile(`-(\d+)$`)

func indexOf(pod string) (int64, error) {
	for _, shape := range []*regexp.Regexp{podOfJob, otherPod} {
		if found := shape.FindStringSubmatch(pod); found != nil {
			return strconv.ParseInt(found[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("no number at the end of %s", pod)
}

func number(args []string) (int64, error) {
	if len(args) != 1 {
		return 0, fmt.Errorf("one number was expected, not %q", args)
	}
	return strconv.ParseInt(args[0], 10, 64)
}

// tellKubelet hands the kubelet stand-in what Linux has no room for: an exit
// code, or `error` and why the process could not be started.
func tellKubelet(text string) error {
	_, err := fmt.Fprintln(os.NewFile(3, "exit code"), text)
	return err
}

func copyInput() error {
	_, err := io.Copy(os.Stdout, bufio.NewReader(input))
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
	var code ended
	switch {
	case err == nil, errors.Is(err, errDied):
		os.Exit(0)
	case errors.As(err, &code):
		// Windows has 32 bits, of which programs speak with a sign or without.
		if tellKubelet(strconv.FormatUint(uint64(uint32(code)), 10)) != nil {
			os.Exit(int(code & 0xff))
		}
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
