// Command measure runs one command and prints, as one line of JSON on descriptor
// 3, what it cost as a whole process: wall, user and system seconds, the peak
// memory of the largest process of it, the bytes it wrote and its exit code.
// Node can't read the resource usage of a child; the operating system can.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

type counter struct{ bytes int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return len(p), nil
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: measure COMMAND [ARG ...]")
		os.Exit(2)
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	out := &counter{}
	// A pipe that is read, as under a script; a terminal or /dev/null would be another program.
	cmd.Stdout = io.Writer(out)
	cmd.Stderr = os.Stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	_ = json.NewEncoder(os.NewFile(3, "result")).Encode(map[string]any{
		"wallSeconds": wall.Seconds(),
		"cpuSeconds":  (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		"peakBytes":   usage.Maxrss * 1024, // Linux counts in KiB: getrusage(2)
		"stdoutBytes": out.bytes,
		"exitCode":    cmd.ProcessState.ExitCode(),
	})
}
