package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The way from an exec to a process on a Windows node, played: the shim joins
// the words to a command line of cmd.exe, cmd.exe reads it, PowerShell decodes
// and runs what it is given, and programs take their own line apart again. The
// programs are the verbs of main.go, found with and without .exe, .cmd and .bat.
//
// What PowerShell would do is known for two texts, BOOTSTRAP and RUNNER of
// src/domain/hostprocess/command/scripts.ts, by their hashes (see
// ../scripts.sha256): this program does what they say, and nothing runs them.
// All other PowerShell is a few words of it; see code.

// shell is one exec.
type shell struct {
	record *record
	isTTY  bool
	// isEnded: somebody called `exit`, and with what.
	isEnded bool
	code    int64
	// lastExitCode is PowerShell's variable: of the last program.
	lastExitCode int64
}

// playExec runs the words of an exec request.
func playExec(argv []string) error {
	s := shell{record: openRecord(argv), isTTY: os.Getenv("TTY") == "true"}
	defer s.record.close()
	input = s.record.reader(os.Stdin)
	// Some pods run nothing: what the shim says of an account that may not log on.
	if strings.Contains(os.Getenv("POD_NAME"), "noexec") {
		return s.refuse("failed to start exec: The user name or password is incorrect.: unknown")
	}
	line := joinArgs(argv)
	s.record.Line = line
	if units(line) > mostOfCreateProcess {
		return s.refuse("failed to start exec: CreateProcess: The filename or extension is too long.: unknown")
	}
	if s.isTTY {
		go s.endWithInterrupt()
	}
	code, err := s.start(line)
	if err != nil {
		s.record.Problem = err.Error()
		return err
	}
	if code == 0 {
		return nil
	}
	return ended(code)
}

func (s *shell) refuse(message string) error {
	s.record.Problem = message
	return tellKubelet("error " + message)
}

// endWithInterrupt ends everything by STATUS_CONTROL_C_EXIT, as the default
// handler of a console does, at byte 3 out of the terminal.
func (s *shell) endWithInterrupt() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
	s.record.Problem = "interrupted"
	s.record.close()
	exit(ended(0xC000013A))
}

func baseOf(program string) string {
	name := strings.ToLower(path.Base(strings.TrimRight(strings.ReplaceAll(program, `\`, "/"), ". ")))
	return strings.TrimSuffix(name, ".exe")
}

var verbs = []string{"echo", "cat", "tee", "hash", "bytes", "argv", "env", "code", "err", "sleep", "size", "sizes", "by-index", "die-before-end"}

func isProgram(name string) bool {
	base := baseOf(name)
	return slices.Contains([]string{"cmd", "powershell", "pwsh"}, base) || slices.Contains(verbs, strings.TrimSuffix(strings.TrimSuffix(base, ".cmd"), ".bat"))
}

// isBatch: the file system drops points and blanks at the end.
func isBatch(name string) bool {
	base := strings.ToLower(strings.TrimRight(name, ". "))
	return strings.HasSuffix(base, ".cmd") || strings.HasSuffix(base, ".bat")
}

// start runs a command line to its end: the code is that of a process.
func (s *shell) start(line string) (int64, error) {
	program, _ := programName(line, false)
	switch base := baseOf(program); {
	case base == "cmd":
		start, err := cmdSwitches(line)
		if err != nil {
			return 0, err
		}
		code, err := s.cmd(start.text)
		if start.goOn && err == nil {
			return s.interactive("C:\\hpc>", func(line string) error {
				s.code, err = s.cmd(line)
				return err
			})
		}
		return code, err
	case base == "powershell" || base == "pwsh":
		words, err := wordsOf(line)
		if err != nil {
			return 0, err
		}
		return s.powershell(words[1:])
	case isProgram(program):
		words, err := wordsOf(line)
		if err != nil {
			return 0, err
		}
		s.record.Words = words
		return s.program(words)
	}
	return 0, fmt.Errorf("windows-shell: %q is not played", program)
}

// program runs a verb. What is known of it is on record while it runs.
func (s *shell) program(words []string) (int64, error) {
	s.record.write()
	err := run(baseOf(words[0]), words[1:])
	var code ended
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &code):
		return int64(code), nil
	case errors.Is(err, errDied):
		s.record.close()
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1, nil
}

// cmd runs a line of cmd.exe.
func (s *shell) cmd(text string) (int64, error) {
	commands, err := cmdCommands(text, nodeEnvironment)
	if errors.Is(err, errRedirected) {
		return 0, err
	} else if err != nil {
		fmt.Fprintf(os.Stderr, "%v\r\n", err)
		return 1, nil
	}
	code := int64(0)
	for _, c := range commands {
		if (c.Joined == "&&" && code != 0) || (c.Joined == "||" && code == 0) {
			continue
		}
		program, rest := programName(c.Line, false)
		switch {
		case strings.EqualFold(program, "chcp"):
			code = 0
		case strings.EqualFold(program, "exit"):
			s.isEnded = true
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "/b")), 10, 64)
			return n, nil
		case strings.EqualFold(program, "echo"):
			// One of its own, which takes the rest as it stands.
			s.record.Words = []string{"echo", strings.TrimPrefix(rest, " ")}
			fmt.Printf("%s\r\n", strings.TrimPrefix(rest, " "))
			code = 0
		case isBatch(program):
			if code, err = s.batch(program, rest); err != nil {
				return 0, err
			}
		case isProgram(program):
			if code, err = s.start(c.Line); err != nil {
				return 0, err
			}
		default:
			fmt.Fprintf(os.Stderr, "'%s' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n", program)
			code = 1
		}
	}
	return code, nil
}

// batch is a batch file of one line, which hands all of its arguments to the
// program of its name. They are read once more, as a line of cmd.exe.
func (s *shell) batch(name, arguments string) (int64, error) {
	base := baseOf(name)
	s.record.Batch = name
	return s.cmd(base[:strings.LastIndexByte(base, '.')] + ".exe" + arguments)
}

// record is what a test reads of an exec.
type record struct {
	// Argv as the kubelet got it.
	Argv []string `json:"argv"`
	// Line that the shim made of it.
	Line string `json:"line"`
	// Words that the program itself had at last, its name first; the values that a cmdlet had.
	Words []string `json:"words"`
	// Kind, nonce, error action, name and arguments, as the runner had them; "" where there was none.
	Kind        string  `json:"kind"`
	Nonce       string  `json:"nonce"`
	ErrorAction string  `json:"errorAction"`
	Name        string  `json:"name"`
	Arguments   *string `json:"arguments"`
	// Text of code, of a script, or of a line of cmd.exe.
	Text  string `json:"text"`
	Batch string `json:"batch"`
	// IsFramed: it came at the beginning of stdin.
	IsFramed bool `json:"isFramed"`
	// StdinBytes that the program read, and their hash.
	StdinBytes  int64  `json:"stdinBytes"`
	StdinSHA256 string `json:"stdinSha256"`
	// Problem is what was not played, or why nothing ran.
	Problem string `json:"problem"`
	HasTTY  bool   `json:"hasTerminal"`
	IsEnded bool   `json:"isEnded"`

	// place of the record, and what it is written to first.
	place, draft string
	stdin        *hashed
}

// openRecord takes the next free name POD-N.json in RECORD_FOLDER.
func openRecord(argv []string) *record {
	r := &record{Argv: argv, Words: []string{}, HasTTY: os.Getenv("TTY") == "true"}
	folder := os.Getenv("RECORD_FOLDER")
	if folder == "" {
		return r
	}
	// A link is made only where there is no such name, and has its content at once.
	r.draft = fmt.Sprintf("%s/%d.new", folder, os.Getpid())
	r.write()
	for n := 0; ; n++ {
		place := fmt.Sprintf("%s/%s-%d.json", folder, os.Getenv("POD_NAME"), n)
		err := os.Link(r.draft, place)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		r.place = place
		return r
	}
}

func (r *record) reader(from io.Reader) io.Reader {
	r.stdin = newHashed(from)
	return r.stdin
}

func (r *record) close() {
	r.IsEnded = true
	if r.stdin != nil {
		r.StdinBytes, r.StdinSHA256 = r.stdin.count, r.stdin.sum()
	}
	r.write()
}

func (r *record) write() {
	if r.draft == "" {
		return
	}
	text, _ := json.Marshal(r)
	// Under another name first, since a test may be reading.
	_ = os.Remove(r.draft)
	if err := os.WriteFile(r.draft, text, 0o600); err == nil && r.place != "" {
		_ = os.Rename(r.draft, r.place)
	}
}

// model answers lines of JSON about the reading and making of command lines, so
// that this model can be held against another one.
func model(questions io.Reader, answers io.Writer) error {
	decoder, encoder := json.NewDecoder(questions), json.NewEncoder(answers)
	encoder.SetEscapeHTML(false)
	for {
		var question struct {
			Argv *[]string `json:"argv"`
			Line *string   `json:"line"`
			Cmd  *string   `json:"cmd"`
			// Environment: what cmd.exe finds set here.
			Environment bool `json:"environment"`
		}
		if err := decoder.Decode(&question); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer := map[string]any{}
		switch {
		case question.Environment:
			answer["environment"] = nodeEnvironment
		case question.Argv != nil:
			answer["line"] = joinArgs(*question.Argv)
		case question.Line != nil:
			answer["argv"], answer["runtimeArgv"] = commandLineToArgv(*question.Line), runtimeArgv(*question.Line)
		case question.Cmd != nil:
			commands, err := cmdCommands(*question.Cmd, nodeEnvironment)
			answer["commands"] = commands
			if err != nil {
				answer["error"] = err.Error()
			}
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
}
