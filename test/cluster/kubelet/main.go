// Command kubelet stands in for the streaming half of a kubelet: it serves
// exec, attach and container logs to a real API server with the streaming
// library that containerd uses (k8s.io/cri-streaming), and runs one local
// program in place of the process on the Windows node. kwok plays the other
// half, the status of nodes and pods.
//
// The program gets what the client sent as its arguments; KUBELET_VERB (exec,
// attach, logs), POD_NAMESPACE, POD_NAME, CONTAINER and TTY in its environment;
// and file descriptor 3, on which it may write a decimal exit code, because
// exit codes have 32 bits on Windows and 8 on Linux, or `error` and why the
// process could not be started.
//
// As with a real kubelet, a program goes on when its client goes away. All of
// them end with this command, and each ends with its pod (with --api-server).
//
// With --connect-socket it also plays the nodes behind an egress proxy, and
// answers what they are asked by nodes/NAME/proxy; see node.go.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// The kubelet's own figures: streamingConnectionIdleTimeout of KubeletConfiguration,
// and DefaultStreamCreationTimeout of the streaming library.
const (
	idleTimeout           = 4 * time.Hour
	streamCreationTimeout = 30 * time.Second
)

type runner struct {
	program string
	// stopping is done when this command is to end; the programs end with it.
	stopping context.Context
	running  *sync.WaitGroup
	// pods may be nil: then nothing ends with its pod.
	pods *podWatch
}

// request is one call of the API server: what runs, for which container.
type request struct {
	verb, namespace, pod, container string
	args                            []string
}

func (r runner) run(q request, in io.Reader, out, errOut io.Writer, tty bool, resize <-chan remotecommand.TerminalSize) error {
	r.running.Add(1)
	err := r.runToEnd(q, in, out, errOut, tty, resize)
	if errors.Is(err, errPodGone) {
		err = utilexec.CodeExitError{Err: err, Code: 1}
	}
	r.running.Done()
	if r.stopping.Err() != nil {
		// A kubelet that goes tells its clients nothing of what ends with it.
		select {}
	}
	return err
}

func (r runner) runToEnd(q request, in io.Reader, out, errOut io.Writer, tty bool, resize <-chan remotecommand.TerminalSize) error {
	ctx, stop := r.pods.contextOf(r.stopping, q.namespace, q.pod)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, r.program, q.args...)
	cmd.Env = append(os.Environ(), "KUBELET_VERB="+q.verb, "POD_NAMESPACE="+q.namespace, "POD_NAME="+q.pod, "CONTAINER="+q.container, fmt.Sprintf("TTY=%t", tty))
	codeRead, codeWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	defer codeRead.Close()
	cmd.ExtraFiles = []*os.File{codeWrite}
	code := make(chan string, 1)
	go func() { text, _ := io.ReadAll(codeRead); code <- string(text) }()

	if tty {
		terminal, err := pty.Start(cmd)
		codeWrite.Close()
		if err != nil {
			return err
		}
		defer terminal.Close()
		go func() {
			for size := range resize {
				_ = pty.Setsize(terminal, &pty.Winsize{Rows: size.Height, Cols: size.Width})
			}
		}()
		if in != nil {
			go io.Copy(terminal, in)
		}
		if out == nil {
			out = io.Discard
		}
		io.Copy(out, terminal) // ends with EIO when the program has closed its side
		return orGone(ctx, exitError(cmd.Wait(), <-code))
	}

	if in != nil {
		stdin, err := cmd.StdinPipe()
		if err != nil {
			codeWrite.Close()
			return err
		}
		go func() { io.Copy(stdin, in); stdin.Close() }()
	}
	// A nil interface, not a nil pointer, means "no such stream" to os/exec.
	if out != nil {
		cmd.Stdout = out
	}
	if errOut != nil {
		cmd.Stderr = errOut
	}
	err = cmd.Start()
	codeWrite.Close()
	if err != nil {
		return err
	}
	return orGone(ctx, exitError(cmd.Wait(), <-code))
}

// orGone is errPodGone for a program that was ended with its pod.
func orGone(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errPodGone) {
		return errPodGone
	}
	return err
}

// exitError turns a finished program into what the streaming library reports to
// the client: the number written to descriptor 3 if any, else the exit status.
func exitError(wait error, written string) error {
	if message, isError := strings.CutPrefix(strings.TrimSpace(written), "error "); isError {
		return errors.New(message)
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(written), 10, 64); err == nil {
		if n == 0 {
			return nil
		}
		return utilexec.CodeExitError{Err: fmt.Errorf("exit code %d", n), Code: int(n)}
	}
	var exit *exec.ExitError
	if errors.As(wait, &exit) {
		return utilexec.CodeExitError{Err: wait, Code: exit.ExitCode()}
	}
	return wait
}

func (r runner) ExecInContainer(_ context.Context, name, _, container string, cmd []string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	namespace, pod, _ := strings.Cut(name, "/")
	return r.run(request{"exec", namespace, pod, container, cmd}, in, out, errOut, tty, resize)
}

func (r runner) AttachContainer(_ context.Context, name, _, container string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	namespace, pod, _ := strings.Cut(name, "/")
	return r.run(request{"attach", namespace, pod, container, nil}, in, out, errOut, tty, resize)
}

// flusher sends every write at once, so that followed logs arrive as they are written.
type flusher struct{ http.ResponseWriter }

func (f flusher) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

func (r runner) handler() *http.ServeMux {
	mux := http.NewServeMux()
	pod := func(req *http.Request) string { return req.PathValue("namespace") + "/" + req.PathValue("pod") }
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", func(w http.ResponseWriter, req *http.Request) {
		opts, err := remotecommand.NewOptions(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		remotecommand.ServeExec(w, req, r, pod(req), "", req.PathValue("container"), req.URL.Query()["command"], opts, idleTimeout, streamCreationTimeout, remotecommand.SupportedStreamingProtocols)
	})
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", func(w http.ResponseWriter, req *http.Request) {
		opts, err := remotecommand.NewOptions(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		remotecommand.ServeAttach(w, req, r, pod(req), "", req.PathValue("container"), opts, idleTimeout, streamCreationTimeout, remotecommand.SupportedStreamingProtocols)
	})
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, req *http.Request) {
		out := flusher{w}
		q := request{"logs", req.PathValue("namespace"), req.PathValue("pod"), req.PathValue("container"), []string{req.URL.RawQuery}}
		if err := r.run(q, nil, out, out, false, nil); err != nil {
			log.Print(err)
		}
	})
	return mux
}

func main() {
	addr := flag.String("listen", "127.0.0.1:0", "address to serve on")
	cert := flag.String("tls-cert-file", "", "serving certificate")
	key := flag.String("tls-private-key-file", "", "its key")
	clientCA := flag.String("client-ca-file", "", "CA of the API server's client certificate")
	program := flag.String("program", "", "program to run for every exec, attach and logs request")
	connectSocket := flag.String("connect-socket", "", "Unix socket to take CONNECT requests on")
	apiServer := flag.String("api-server", "", "URL of the API server; with it, programs end with their pods, see pods.go")
	apiCert := flag.String("api-client-certificate", "", "client certificate for it")
	apiKey := flag.String("api-client-key", "", "its key")
	nodes := flag.String("nodes", "", "folder with the answers of each node; see node.go")
	flag.Parse()

	stopping, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := runner{program: *program, stopping: stopping, running: &sync.WaitGroup{}}
	if *apiServer != "" {
		pods, err := newPodWatch(*apiServer, *clientCA, *apiCert, *apiKey)
		if err != nil {
			log.Fatal(err)
		}
		r.pods = pods
		go pods.run(stopping)
	}

	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if *clientCA != "" {
		pem, err := os.ReadFile(*clientCA)
		if err != nil {
			log.Fatal(err)
		}
		config.ClientCAs = x509.NewCertPool()
		config.ClientCAs.AppendCertsFromPEM(pem)
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	handler := r.handler()
	server := &http.Server{Addr: *addr, Handler: handler, TLSConfig: config}
	if *connectSocket != "" {
		(&nodeServer{folder: *nodes}).handle(handler)
		dialed, err := listenForConnect(*connectSocket)
		if err != nil {
			log.Fatal(err)
		}
		go func() { log.Fatal(server.ServeTLS(dialed, *cert, *key)) }()
	}
	go func() { log.Fatal(server.ListenAndServeTLS(*cert, *key)) }()
	<-stopping.Done()
	r.running.Wait()
}
