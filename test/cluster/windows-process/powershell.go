package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// switches of powershell.exe and pwsh that are known here, with the shortest
// form that each may have: CommandLineParameterParser of
// https://github.com/PowerShell/PowerShell at 9299036 (2026-08-20), read 2026-11-30.
var switches = []struct {
	name, shortest string
	hasValue       bool
}{
	{"nologo", "nol", false}, {"noprofile", "nop", false}, {"noninteractive", "noni", false}, {"noexit", "noe", false},
	{"executionpolicy", "ex", true}, {"inputformat", "i", true}, {"outputformat", "o", true}, {"encodedcommand", "e", true}, {"command", "c", true},
}

func switchOf(word string) (name string, hasValue bool) {
	given := strings.ToLower(strings.TrimLeft(word, "-/"))
	for _, known := range switches {
		if strings.HasPrefix(known.name, given) && strings.HasPrefix(given, known.shortest) {
			return known.name, known.hasValue
		}
	}
	return "", false
}

func (s *shell) powershell(words []string) (int64, error) {
	given := map[string]string{}
	for i := 0; i < len(words); i++ {
		name, hasValue := switchOf(words[i])
		switch {
		case name == "":
			return 0, fmt.Errorf("windows-shell: no switch %q of powershell.exe is played", words[i])
		case name == "command":
			given[name] = strings.Join(words[i+1:], " ")
			i = len(words)
		case hasValue:
			if i++; i >= len(words) {
				return 0, fmt.Errorf("windows-shell: %q has no value", words[i-1])
			}
			given[name] = words[i]
		default:
			given[name] = "yes"
		}
	}
	script, hasScript := given["command"]
	if encoded, isEncoded := given["encodedcommand"]; isEncoded {
		text, err := decodeCommand(encoded)
		if err != nil {
			fmt.Fprintln(os.Stderr, "Cannot process the command because the value specified with -EncodedCommand is not properly encoded.")
			return 1, nil
		}
		script, hasScript = text, true
		// ConsoleHost.cs of the same: stderr that is redirected gets XML, unless it is told otherwise.
		if !s.isTTY && !strings.EqualFold(given["outputformat"], "Text") {
			fmt.Fprint(os.Stderr, "#< CLIXML\r\n")
		}
	}
	// What is redirected is read to its end, as $input.
	if hasScript && !s.isTTY && !strings.EqualFold(given["inputformat"], "None") {
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			return 0, err
		}
	}
	if hasScript {
		if err := s.script(script, false); err != nil || s.isEnded {
			return s.code, err
		}
	}
	if !hasScript || given["noexit"] != "" {
		return s.interactive("PS C:\\hpc>", func(line string) error { return s.statements(line, "Continue") })
	}
	return s.code, nil
}

func decodeCommand(encoded string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw)%2 != 0 {
		return "", errors.New("not UTF-16 in Base64")
	}
	decoded := make([]uint16, len(raw)/2)
	for i := range decoded {
		decoded[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(decoded)), nil
}

// knownScripts are the hashes of the texts that are played, by their names.
func knownScripts() (map[string]string, error) { return hashesIn(os.Getenv("SCRIPTS_SHA256")) }

func hashesIn(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			known[fields[1]] = fields[0]
		}
	}
	return known, nil
}

// script runs a whole text of PowerShell.
func (s *shell) script(text string, isFramed bool) error {
	known, err := knownScripts()
	if err != nil {
		return err
	}
	is := func(name, text string) bool {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:]) == known[name]
	}
	if !isFramed && is("BOOTSTRAP", text) {
		framed, err := readFrame(os.Stdin)
		if err != nil {
			fmt.Fprintln(os.Stderr, "kubectl win: stdin ended within the command")
			s.code = 1
			return nil
		}
		return s.script(framed, true)
	}
	s.record.IsFramed = isFramed
	if strings.HasPrefix(text, "$kw=") {
		kw, rest, err := readPayload(text)
		if err != nil {
			return err
		}
		if !is("RUNNER", rest) {
			return errors.New("windows-shell: this runner is not the one whose hash is in scripts.sha256")
		}
		return s.runner(kw)
	}
	if is("CONSOLE_SETUP", text) {
		return nil
	}
	s.record.Kind, s.record.Text = "own", text
	if thrown := s.statements(text, "Continue"); thrown != nil {
		fmt.Fprintln(os.Stderr, thrown)
		s.code = 1
	}
	return nil
}

// readFrame reads the script that stdin begins with, and not a byte more.
func readFrame(stdin io.Reader) (string, error) {
	var length uint32
	if err := binary.Read(stdin, binary.LittleEndian, &length); err != nil {
		return "", err
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(stdin, text); err != nil {
		return "", err
	}
	return string(text), nil
}

// runner does what RUNNER says.
func (s *shell) runner(kw payload) error {
	s.record.Kind, s.record.Nonce, s.record.ErrorAction, s.record.Text = kw.text("k"), kw.text("n"), kw.text("e"), kw.text("t")
	s.record.Name, s.record.Arguments = kw.text("m"), kw["a"].text
	if s.record.Kind == "command" && kw["i"].text == nil {
		return errors.New("windows-shell: a command without the call of what is no native program")
	}
	s.sign(kw, fmt.Sprintf("start %d", os.Getpid()))
	// `exit` within it runs `finally`, but the number is not known there.
	code, failed, err := s.runnerBody(kw)
	if err != nil {
		return err
	}
	s.code = code
	if s.isEnded || failed {
		s.sign(kw, "end ")
	} else {
		s.sign(kw, fmt.Sprintf("end %d", int32(code)))
	}
	s.isEnded = true
	return nil
}

func (s *shell) sign(kw payload, text string) {
	if kw.text("n") != "" {
		fmt.Fprintf(os.Stderr, "\x1ekubectl-win %s %s\n", kw.text("n"), text)
	}
}

// fail is the runner's `fail`: 127 is for `exit`.
func (s *shell) fail(kw payload, reason, message string) (int64, bool, error) {
	if kw.text("n") == "" {
		fmt.Fprintln(os.Stderr, message)
	} else {
		s.sign(kw, fmt.Sprintf("failed %s %s", reason, base64.StdEncoding.EncodeToString([]byte(message))))
	}
	return 127, true, nil
}

func (s *shell) runnerBody(kw payload) (code int64, failed bool, err error) {
	switch kind := kw.text("k"); kind {
	case "command":
		words := kw["w"].list
		if len(words) == 0 {
			return 0, false, errors.New("windows-shell: a command without words")
		}
		name := words[0]
		switch {
		case slices.Contains(cmdlets, strings.ToLower(name)):
			values, err := valuesOf(kw.text("i"), words)
			if err != nil {
				return 0, false, err
			}
			s.record.Words = append([]string{name}, values...)
			for _, value := range values {
				fmt.Printf("[%s]", value)
			}
			fmt.Println()
			return 0, false, nil
		case !isProgram(name):
			return s.fail(kw, "NotFound", name+": no such command")
		case isBatch(name):
			line := kw["l"]
			if other, found := kw["b"]; found {
				line = other
			}
			if line.text == nil {
				return s.fail(kw, "Refused", `C:\played\`+name+": a batch file, for which cmd would change these arguments")
			}
			return s.startFromRunner(kw, nodeEnvironment["COMSPEC"], fmt.Sprintf(`/d /v:off /s /c ""C:\played\%s" %s"`, name, *line.text))
		}
		program := name
		if !strings.HasSuffix(strings.ToLower(name), ".exe") {
			program += ".exe"
		}
		if !strings.ContainsAny(program, `\/`) {
			program = `C:\Program Files\played\` + program
		}
		return s.startFromRunner(kw, program, kw.text("l"))
	case "cmd":
		return s.startFromRunner(kw, nodeEnvironment["COMSPEC"], fmt.Sprintf(`/d /v:off /s /c "%s"`, kw.text("t")))
	case "code", "script":
		if kind == "script" {
			values, err := valuesOf(kw.text("i"), kw["w"].list)
			if err != nil {
				return 0, false, err
			}
			s.record.Words = values
		}
		thrown := s.statements(kw.text("t"), kw.text("e"))
		if thrown != nil {
			fmt.Fprintln(os.Stderr, thrown)
			return cmp.Or(s.lastExitCode, 1), false, nil
		}
		if s.isEnded {
			return s.code, false, nil
		}
		return cmp.Or(s.lastExitCode, s.code), false, nil
	case "named":
		if known, err := isRecipe(kw); known || err != nil {
			if err != nil {
				return 0, false, err
			}
			return s.recipe(kw)
		}
		return s.named(kw)
	default:
		return 0, false, fmt.Errorf("windows-shell: nothing of kind %q is played", kind)
	}
}

// startFromRunner is Process.Start: the name gets quotes, the arguments follow
// as they are. https://github.com/dotnet/runtime, ProcessStartInfo and
// PasteArguments, read 2026-11-30.
func (s *shell) startFromRunner(kw payload, program, arguments string) (int64, bool, error) {
	line := fmt.Sprintf(`"%s" %s`, program, arguments)
	if units(line) > mostOfCreateProcess {
		return s.fail(kw, "StartFailed", "The filename or extension is too long")
	}
	code, err := s.start(line)
	return code, false, err
}

// cmdlets that are played: they show the values that they were called with.
var cmdlets = []string{"show-words"}

// statements runs some words of PowerShell, a statement a line or between
// semicolons: verbs with their arguments, `exit N`, `throw TEXT`. It gives what
// was thrown and not caught.
func (s *shell) statements(text, errorAction string) error {
	for _, statement := range statementsOf(text) {
		words := wordsOfStatement(statement)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		switch name := strings.ToLower(words[0]); {
		case name == "exit":
			s.isEnded = true
			if s.code = 0; len(words) > 1 {
				// What is no int of 32 bits is 0: GetExitException of MiscOps.cs, of the same.
				n, err := strconv.ParseInt(words[1], 10, 32)
				if s.code = n; err != nil {
					s.code = 0
				}
			}
			return nil
		case name == "throw":
			return errors.New(strings.Join(words[1:], " "))
		case isProgram(name):
			code, err := s.program(words)
			if err != nil {
				return err
			}
			s.code, s.lastExitCode = min(code, 1), code
		default:
			unknown := fmt.Errorf("%s : The term '%s' is not recognized as the name of a cmdlet, function, script file, or operable program.", words[0], words[0])
			if errorAction != "Continue" {
				return unknown
			}
			fmt.Fprintln(os.Stderr, unknown)
			s.code = 1
		}
	}
	return nil
}

func statementsOf(text string) []string {
	var statements []string
	var out strings.Builder
	quote := rune(0)
	for _, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ';' || c == '\n' || c == '\r':
			statements = append(statements, out.String())
			out.Reset()
			continue
		}
		out.WriteRune(c)
	}
	return append(statements, out.String())
}

func wordsOfStatement(statement string) []string {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	for _, c := range statement + " " {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			inWord, quote = true, c
		case c == ' ' || c == '\t':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			inWord = true
			word.WriteRune(c)
		}
	}
	return words
}

// interactive is the prompt of a shell, which ends with `exit` or with its input.
func (s *shell) interactive(prompt string, run func(line string) error) (int64, error) {
	s.isEnded = false
	lines := bufio.NewScanner(input)
	for fmt.Print(prompt, " "); lines.Scan(); fmt.Print(prompt, " ") {
		if err := run(lines.Text()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		if s.isEnded {
			return s.code, nil
		}
	}
	return 0, lines.Err()
}

// value of a payload is a text, a list of texts, or $null.
type value struct {
	text *string
	list []string
}

type payload map[string]value

func (p payload) text(key string) string {
	if p[key].text == nil {
		return ""
	}
	return *p[key].text
}

// readPayload reads `$kw=@{n='…';w=@('…','…');b=$null}` and a line break, in
// which nothing but literals may stand, and gives what follows.
func readPayload(script string) (payload, string, error) {
	p := parser{rest: script}
	kw := payload{}
	if !p.take("$kw=@{") {
		return nil, "", p.unexpected()
	}
	for !p.take("}") {
		if len(kw) > 0 && !p.take(";") {
			return nil, "", p.unexpected()
		}
		end := strings.IndexByte(p.rest, '=')
		if end < 1 {
			return nil, "", p.unexpected()
		}
		key := p.rest[:end]
		if _, isTwice := kw[key]; isTwice || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") != "" {
			return nil, "", p.unexpected()
		}
		p.rest = p.rest[end+1:]
		v, err := p.value()
		if err != nil {
			return nil, "", err
		}
		kw[key] = v
	}
	if !p.take("\n") {
		return nil, "", p.unexpected()
	}
	return kw, p.rest, nil
}

type parser struct{ rest string }

func (p *parser) take(text string) bool {
	rest, found := strings.CutPrefix(p.rest, text)
	p.rest = rest
	return found
}

func (p *parser) unexpected() error {
	return fmt.Errorf("windows-shell: this is not a payload at %.40q", p.rest)
}

func (p *parser) value() (value, error) {
	switch {
	case p.take("$null"):
		return value{}, nil
	case p.take("@("):
		list := []string{}
		for !p.take(")") {
			if len(list) > 0 && !p.take(",") {
				return value{}, p.unexpected()
			}
			text, err := p.literal()
			if err != nil {
				return value{}, err
			}
			list = append(list, text)
		}
		return value{list: list}, nil
	}
	text, err := p.literal()
	return value{text: &text}, err
}

// isSingleQuote: PowerShell takes five characters for the apostrophe.
// https://github.com/PowerShell/PowerShell at 9299036, CharTraits.cs, read 2026-11-30.
func isSingleQuote(c rune) bool { return strings.ContainsRune("'‘’‚‛", c) }

// literal reads to the quote that closes it; two in a row are the second one.
func (p *parser) literal() (string, error) {
	var out strings.Builder
	isOpen, isPending := false, false
	for at, c := range p.rest {
		switch isQuote := isSingleQuote(c); {
		case !isOpen && !isQuote:
			return "", p.unexpected()
		case !isOpen:
			isOpen = true
		case isPending && !isQuote:
			p.rest = p.rest[at:]
			return out.String(), nil
		case isQuote && !isPending:
			isPending = true
		default:
			out.WriteRune(c)
			isPending = false
		}
	}
	if !isPending {
		return "", p.unexpected()
	}
	p.rest = ""
	return out.String(), nil
}

// valuesOf reads the call of what is no native program, `&$kw.x -Name $kw.w[1];$kw.z=$?`,
// in which values are words of the payload or literals behind a parameter's colon.
func valuesOf(call string, words []string) ([]string, error) {
	p := parser{rest: call}
	values := []string{}
	if !p.take("&$kw.x") {
		return nil, p.unexpected()
	}
	for !p.take(";$kw.z=$?") {
		if !p.take(" ") {
			return nil, p.unexpected()
		}
		if p.take("$kw.w[") {
			end := strings.IndexByte(p.rest, ']')
			index, err := strconv.Atoi(p.rest[:max(end, 0)])
			if err != nil || index < 0 || index >= len(words) {
				return nil, p.unexpected()
			}
			p.rest = p.rest[end+1:]
			values = append(values, words[index])
			continue
		}
		name := p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))]
		if !strings.HasPrefix(name, "-") {
			return nil, p.unexpected()
		}
		p.rest = p.rest[len(name):]
		if p.take(":") {
			name += ":"
			switch {
			case strings.HasPrefix(p.rest, "$"):
				end := strings.IndexAny(p.rest, " ;")
				constant := p.rest[:max(end, 0)]
				if !slices.Contains([]string{"$true", "$false", "$null"}, strings.ToLower(constant)) {
					return nil, p.unexpected()
				}
				name += constant
				p.rest = p.rest[end:]
			case p.rest != "" && !strings.ContainsAny(p.rest[:1], " ;"):
				text, err := p.literal()
				if err != nil {
					return nil, err
				}
				name += text
			}
		}
		values = append(values, name)
	}
	if p.rest != "" {
		return nil, p.unexpected()
	}
	return values, nil
}

// hashed counts and hashes what is read through it.
type hashed struct {
	from  io.Reader
	count int64
	hash  hash.Hash
}

func newHashed(from io.Reader) *hashed { return &hashed{from: from, hash: sha256.New()} }

func (h *hashed) Read(p []byte) (int, error) {
	n, err := h.from.Read(p)
	h.count += int64(n)
	h.hash.Write(p[:n])
	return n, err
}

func (h *hashed) sum() string { return hex.EncodeToString(h.hash.Sum(nil)) }
