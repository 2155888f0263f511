package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// nodeServer answers what the API server passes on by nodes/NAME/proxy. One
// stand-in plays many nodes: a connection that came through the CONNECT proxy
// says by its local address which of them was asked.
type nodeServer struct {
	// folder holds a file ADDRESS.json per node that has anything to say (see
	// answers), which is read at each request; and requests.jsonl, what was asked.
	folder string
	record sync.Mutex
}

// answers is what the kubelet of one node says.
type answers struct {
	// IsSilent: it takes requests and answers none.
	IsSilent bool `json:"isSilent"`
	// Summary is the body of /stats/summary; without it there is no such page.
	Summary json.RawMessage `json:"summary"`
	// Logs: "off" is a kubelet whose enableSystemLogQuery is false, which it is by
	// default; else the texts that NodeLogQuery finds, by provider or file. Without
	// it there is no such page.
	Logs json.RawMessage `json:"logs"`
}

func (s *nodeServer) handle(mux *http.ServeMux) {
	mux.HandleFunc("GET /stats/summary", s.serve(func(w http.ResponseWriter, _ *http.Request, a answers) {
		if a.Summary == nil {
			http.Error(w, "404 page not found", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(a.Summary)
	}))
	mux.HandleFunc("GET /logs/", s.serve(serveLogs))
}

func (s *nodeServer) serve(answer func(http.ResponseWriter, *http.Request, answers)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		address, _, _ := net.SplitHostPort(req.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
		s.write(map[string]any{"address": address, "path": req.URL.Path, "query": req.URL.Query()})
		var a answers
		text, err := os.ReadFile(filepath.Join(s.folder, address+".json"))
		if err == nil {
			err = json.Unmarshal(text, &a)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if a.IsSilent {
			<-req.Context().Done()
			return
		}
		answer(w, req, a)
	}
}

func (s *nodeServer) write(request any) {
	s.record.Lock()
	defer s.record.Unlock()
	file, err := os.OpenFile(filepath.Join(s.folder, "requests.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Print(err)
		return
	}
	defer file.Close()
	if err := json.NewEncoder(file).Encode(request); err != nil {
		log.Print(err)
	}
}

// serveLogs follows pkg/kubelet/kubelet_server_journal.go of Kubernetes 1.37 on
// a Windows node, read 2026-11-30: Get-WinEvent takes the newest tailLines
// events, and the pattern is looked for among those.
func serveLogs(w http.ResponseWriter, req *http.Request, a answers) {
	if a.Logs == nil {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	var texts map[string]string
	if err := json.Unmarshal(a.Logs, &texts); err != nil {
		// Switched off: the query is passed over, and the folder is listed.
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n<a href=\"containers/\">containers/</a>\n<a href=\"pods/\">pods/</a>\n</pre>\n")
		return
	}
	q, status, err := readLogQuery(req.URL.Query())
	if err == nil && len(q.files) == 1 {
		if _, found := texts[q.files[0]]; !found {
			status, err = http.StatusNotAcceptable, fmt.Errorf("query: Invalid value: [%q]: statat %s: no such file or directory", q.files[0], q.files[0])
		}
	}
	if err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "text/plain;charset=UTF-8")
	for _, name := range q.files {
		fmt.Fprint(w, texts[name])
	}
	for _, name := range q.services {
		text, found := texts[name]
		switch {
		case found:
			fmt.Fprint(w, q.chosen(text))
		case q.hasOptions():
			fmt.Fprintf(w, "\noptions present and query resolved to log files for [%s]\ntry without specifying options\n", name)
		default:
			fmt.Fprintf(w, "\nlog not found for %s\n", name)
		}
	}
}

type logQuery struct {
	services, files []string
	// tail is -1 where all lines are wanted.
	tail    int
	pattern *regexp.Regexp
	hasTime bool
}

var unsafeInServiceName = regexp.MustCompile(`[^a-zA-Z\-_.:0-9@]+`)

func readLogQuery(values url.Values) (logQuery, int, error) {
	q := logQuery{tail: -1, hasTime: values.Get("sinceTime") != "" || values.Get("untilTime") != ""}
	for _, name := range values["query"] {
		if strings.ContainsAny(name, `/\`) {
			q.files = append(q.files, name)
		} else if strings.TrimSpace(name) != "" {
			q.services = append(q.services, name)
		}
	}
	if len(q.files)+len(q.services) == 0 {
		return q, http.StatusBadRequest, fmt.Errorf("query: Invalid value: %q: may not be empty", values["query"])
	}
	if text := values.Get("tailLines"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return q, http.StatusBadRequest, fmt.Errorf("tailLines: Invalid value: %q: %v", text, err)
		}
		q.tail = n
	}
	if text := values.Get("pattern"); text != "" {
		// PowerShell's -Match does not look at case.
		pattern, err := regexp.Compile("(?i)" + text)
		if err != nil {
			return q, http.StatusNotAcceptable, fmt.Errorf("pattern: Invalid value: %q: %v", text, err)
		}
		q.pattern = pattern
	}
	for _, name := range q.services {
		if unsafeInServiceName.MatchString(name) {
			return q, http.StatusNotAcceptable, fmt.Errorf("query: Invalid value: %q: input contains unsupported characters", name)
		}
	}
	switch {
	case len(q.services) > 4:
		return q, http.StatusNotAcceptable, fmt.Errorf("query: Too many: %d: must have at most 4 items", len(q.services))
	case len(q.files) > 0 && len(q.services) > 0:
		return q, http.StatusNotAcceptable, fmt.Errorf("query: Invalid value: \"%v, %v\": cannot specify a file and service", q.files, q.services)
	case len(q.files) > 1:
		return q, http.StatusNotAcceptable, fmt.Errorf("query: Invalid value: %q: cannot specify more than one file", q.files)
	case len(q.files) == 1 && q.hasOptions():
		return q, http.StatusNotAcceptable, fmt.Errorf("query: Invalid value: %q: cannot specify file with options", q.files)
	case values.Get("boot") != "":
		return q, http.StatusNotAcceptable, fmt.Errorf("boot: Invalid value: %s: not supported on Windows", values.Get("boot"))
	}
	return q, 0, nil
}

func (q logQuery) hasOptions() bool { return q.tail >= 0 || q.pattern != nil || q.hasTime }

func (q logQuery) chosen(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if q.tail >= 0 && q.tail < len(lines) {
		lines = lines[len(lines)-q.tail:]
	}
	var kept strings.Builder
	for _, line := range lines {
		if q.pattern == nil || q.pattern.MatchString(line) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// dialed is a connection that a client of the CONNECT proxy made to a node.
type dialed struct {
	net.Conn
	node net.Addr
}

func (d dialed) LocalAddr() net.Addr { return d.node }

// connectProxy takes CONNECT requests on a Unix socket and is itself the node
// that they ask for, whatever its address: nothing leaves the machine. It
// yields the connections as a listener does.
type connectProxy struct {
	net.Listener
	conns chan net.Conn
}

func listenForConnect(socket string) (*connectProxy, error) {
	// What a stand-in that was killed has left.
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	p := &connectProxy{listener, make(chan net.Conn)}
	go func() { log.Fatal(http.Serve(listener, http.HandlerFunc(p.connect))) }()
	return p, nil
}

func (p *connectProxy) connect(w http.ResponseWriter, req *http.Request) {
	node, err := netip.ParseAddrPort(req.Host)
	if req.Method != http.MethodConnect || err != nil {
		http.Error(w, "CONNECT ADDRESS:PORT is served, nothing else", http.StatusBadRequest)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, err := fmt.Fprint(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		conn.Close()
		return
	}
	p.conns <- dialed{conn, net.TCPAddrFromAddrPort(node)}
}

func (p *connectProxy) Accept() (net.Conn, error) { return <-p.conns, nil }
