package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// How command lines are made and taken apart on Windows, as far as it is
// written down. Each function names where; none of it has run on Windows.

// escapeArg is windows.EscapeArg of golang.org/x/sys, by the rules that its
// comment gives: backslashes before a quote are doubled, a quote gets one, and
// blanks or tabs put quotes around the whole.
// https://pkg.go.dev/golang.org/x/sys/windows#EscapeArg, read 2026-11-30.
func escapeArg(arg string) string {
	if arg == "" {
		return `""`
	}
	isQuoted := strings.ContainsAny(arg, " \t")
	var out strings.Builder
	slashes := 0
	for _, unit := range []byte(arg) {
		if unit == '"' {
			out.WriteString(strings.Repeat(`\`, slashes+1))
		}
		if unit == '\\' {
			slashes++
		} else {
			slashes = 0
		}
		out.WriteByte(unit)
	}
	if !isQuoted {
		return out.String()
	}
	return `"` + out.String() + strings.Repeat(`\`, slashes) + `"`
}

// joinArgs is what the shim makes of the words of an exec: internal/cmd/cmd.go
// and internal/jobcontainers/jobcontainer.go of
// https://github.com/microsoft/hcsshim at 7c9ff7f48 (2026-08-20), on hosts with
// bind filters, read 2026-11-30.
func joinArgs(args []string) string {
	escaped := make([]string, len(args))
	for i, arg := range args {
		escaped[i] = escapeArg(arg)
	}
	return "cmd /c " + mountPointIn.Replace(strings.Join(escaped, " "))
}

const mountPoint = `C:\hpc`

var mountPointIn = strings.NewReplacer("%CONTAINER_SANDBOX_MOUNT_POINT%", mountPoint, "$env:CONTAINER_SANDBOX_MOUNT_POINT", mountPoint)

// units counts as Windows does.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// Longest lines: of CreateProcess (32,767 with the NUL) and of cmd.exe.
// https://learn.microsoft.com/windows/win32/api/processthreadsapi/nf-processthreadsapi-createprocessw,
// https://support.microsoft.com/help/830473, read 2026-11-30.
const (
	mostOfCreateProcess = 32766
	mostOfCmd           = 8191
)

// wordsOf takes a command line apart as programs do: by CommandLineToArgvW and
// by the C runtime, which do not agree on everything. A line on which they
// disagree means one thing to one program and another to the next.
func wordsOf(line string) ([]string, error) {
	shell, runtime := commandLineToArgv(line), runtimeArgv(line)
	if strings.Join(shell, "\x00") != strings.Join(runtime, "\x00") || len(shell) != len(runtime) {
		return nil, fmt.Errorf("CommandLineToArgvW reads %q, the C runtime %q", shell, runtime)
	}
	return shell, nil
}

// commandLineToArgv follows
// https://learn.microsoft.com/windows/win32/api/shellapi/nf-shellapi-commandlinetoargvw;
// of quotes in a row, each third is a quote itself:
// https://daviddeley.com/autohotkey/parameters/parameters.htm#WINNOTE. Read 2026-11-30.
func commandLineToArgv(line string) []string {
	program, rest := programName(line, false)
	words := []string{program}
	var word strings.Builder
	inWord, quotes, slashes := false, 0, 0
	flush := func() {
		word.WriteString(strings.Repeat(`\`, slashes))
		slashes = 0
	}
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case (c == ' ' || c == '\t') && quotes == 0:
			flush()
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case c == '\\':
			inWord = true
			slashes++
		case c == '"':
			inWord = true
			word.WriteString(strings.Repeat(`\`, slashes/2))
			isLiteral := slashes%2 == 1
			slashes = 0
			if isLiteral {
				word.WriteByte('"')
			} else {
				quotes++
			}
			for i+1 < len(rest) && rest[i+1] == '"' {
				i++
				if quotes++; quotes == 3 {
					word.WriteByte('"')
					quotes = 0
				}
			}
			if quotes == 2 {
				quotes = 0
			}
		default:
			inWord = true
			flush()
			word.WriteByte(c)
		}
	}
	flush()
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// runtimeArgv follows
// https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
// (runtimes since 2008: two quotes inside quotes are one, and the quotes go on),
// read 2026-11-30.
func runtimeArgv(line string) []string {
	program, rest := programName(line, true)
	words := []string{program}
	for i := 0; ; {
		for i < len(rest) && (rest[i] == ' ' || rest[i] == '\t') {
			i++
		}
		if i >= len(rest) {
			return words
		}
		var word strings.Builder
		inQuotes := false
		for i < len(rest) {
			slashes := 0
			for i < len(rest) && rest[i] == '\\' {
				slashes++
				i++
			}
			if i < len(rest) && rest[i] == '"' {
				word.WriteString(strings.Repeat(`\`, slashes/2))
				switch {
				case slashes%2 == 1:
					word.WriteByte('"')
				case inQuotes && i+1 < len(rest) && rest[i+1] == '"':
					word.WriteByte('"')
					i++
				default:
					inQuotes = !inQuotes
				}
				i++
				continue
			}
			word.WriteString(strings.Repeat(`\`, slashes))
			if i >= len(rest) || (!inQuotes && (rest[i] == ' ' || rest[i] == '\t')) {
				break
			}
			word.WriteByte(rest[i])
			i++
		}
		words = append(words, word.String())
	}
}

// programName takes the first word off, in which backslashes mean nothing. To
// the C runtime quotes may stand anywhere in it, to CommandLineToArgvW at its
// beginning.
func programName(line string, anywhere bool) (name, rest string) {
	inQuotes := false
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"' && (anywhere || i == 0 || inQuotes):
			if inQuotes && !anywhere {
				return out.String(), line[i+1:]
			}
			inQuotes = !inQuotes
		case (c == ' ' || c == '\t') && !inQuotes:
			return out.String(), line[i:]
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), ""
}

// cmdStart is what cmd.exe was started with.
type cmdStart struct {
	text       string
	hasS, goOn bool
}

// cmdSwitches takes that line apart: the switches, and the text behind /c, or
// behind /k, after which cmd.exe goes on to read what is typed.
func cmdSwitches(line string) (cmdStart, error) {
	start := cmdStart{}
	_, rest := programName(line, false)
	for {
		rest = strings.TrimLeft(rest, " \t")
		if len(rest) < 2 || rest[0] != '/' {
			return start, errors.New("windows-shell: cmd.exe without /c or /k is not played")
		}
		switch rest[1] | 0x20 {
		case 'c', 'k':
			start.goOn = rest[1]|0x20 == 'k'
			start.text = cmdText(strings.TrimLeft(rest[2:], " \t"), start.hasS)
			return start, nil
		case 's':
			start.hasS = true
		}
		rest = strings.TrimLeft(rest[2:], ":abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
	}
}

var specialBetweenQuotes = regexp.MustCompile(`[&<>()@^|]`)

// cmdText drops the outer quotes as `cmd /?` says: the first one, if the text
// begins with it, and the last one; unless there is no /s, and between exactly
// two quotes stands the name of a program with a blank and nothing special.
func cmdText(text string, hasS bool) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	last := strings.LastIndexByte(text, '"')
	if last == 0 {
		return text[1:]
	}
	between := text[1:last]
	if !hasS && strings.Count(text, `"`) == 2 && strings.Contains(between, " ") && !specialBetweenQuotes.MatchString(between) && isProgram(between) {
		return text
	}
	return between + text[last+1:]
}

// command is one of a line of cmd.exe, and how it hangs on the one before it.
type command struct {
	Joined string `json:"joined"`
	// Line is as CreateProcess gets it, without carets.
	Line string `json:"line"`
}

// A redirection to nul, which takes nothing from a test but output.
var toNul = regexp.MustCompile(`(?i)^[12]?>\s*nul(?:\s|$)`)

var errRedirected = errors.New("windows-shell: pipes, redirections and blocks of cmd.exe are not played")

// cmdCommands reads a line as cmd.exe does one of `cmd /c` (not of a batch
// file): variables; then carets, quotes and operators; what follows a line
// break is dropped. Delayed expansion is off.
// https://stackoverflow.com/questions/4094699 (dbenham), read 2026-11-30.
func cmdCommands(line string, environment map[string]string) ([]command, error) {
	line = strings.ReplaceAll(expandPercent(line, environment), "\r", "")
	if units(line) > mostOfCmd {
		return nil, errors.New("The input line is too long.")
	}
	commands := []command{}
	joined := ""
	var out strings.Builder
	inQuotes := false
	next := func(how string) {
		if text := strings.TrimLeft(out.String(), " \t"); text != "" {
			commands = append(commands, command{joined, text})
		}
		out.Reset()
		joined = how
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\n':
			next("")
			return commands, nil
		case c == '"':
			inQuotes = !inQuotes
			out.WriteByte(c)
		case inQuotes:
			out.WriteByte(c)
		case c == '^':
			i++
			if i < len(line) && line[i] == '\n' {
				i++
			}
			if i < len(line) {
				out.WriteByte(line[i])
			}
		case c == '&' || c == '|':
			if i+1 < len(line) && line[i+1] == c {
				i++
				next(string([]byte{c, c}))
			} else if c == '|' {
				return nil, errRedirected
			} else {
				next("&")
			}
		case c == '>' && toNul.MatchString(line[i:]):
			i += len(toNul.FindString(line[i:])) - 1
		case c == '<' || c == '>', c == '(' && strings.TrimLeft(out.String(), " \t") == "":
			return nil, errRedirected
		default:
			out.WriteByte(c)
		}
	}
	next("")
	return commands, nil
}

// expandPercent replaces variables that are set. Others stay, with their percent
// signs, and so do two percent signs.
func expandPercent(line string, environment map[string]string) string {
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] != '%' {
			out.WriteByte(line[i])
			continue
		}
		end := strings.IndexByte(line[i+1:], '%')
		if end < 0 {
			out.WriteString(line[i:])
			break
		}
		name, modifier, hasModifier := strings.Cut(line[i+1:i+1+end], ":")
		value, found := environment[strings.ToUpper(name)]
		if !found || name == "" {
			out.WriteByte('%')
			continue
		}
		if hasModifier {
			value = modified(value, modifier)
		}
		out.WriteString(value)
		i += end + 1
	}
	return out.String()
}

// modified is %NAME:~FROM,LENGTH% and %NAME:OLD=NEW%.
func modified(value, modifier string) string {
	if part, isPart := strings.CutPrefix(modifier, "~"); isPart {
		from, length, hasLength := strings.Cut(part, ",")
		start, _ := strconv.Atoi(from)
		if start < 0 {
			start += len(value)
		}
		start = min(max(start, 0), len(value))
		end := len(value)
		if n, err := strconv.Atoi(length); hasLength && err == nil {
			if end = start + n; n < 0 {
				end = len(value) + n
			}
		}
		return value[start:min(max(end, start), len(value))]
	}
	old, replacement, _ := strings.Cut(modifier, "=")
	if old == "" {
		return value
	}
	return regexp.MustCompile("(?i)"+regexp.QuoteMeta(old)).ReplaceAllLiteralString(value, replacement)
}

// nodeEnvironment is what cmd.exe finds set, by names in capitals.
var nodeEnvironment = map[string]string{
	"PATH":                          `C:\hpc;C:\Windows\system32;C:\Windows;C:\Windows\System32\Wbem;C:\Windows\System32\WindowsPowerShell\v1.0\`,
	"PATHEXT":                       ".COM;.EXE;.BAT;.CMD",
	"SYSTEMROOT":                    `C:\Windows`,
	"WINDIR":                        `C:\Windows`,
	"SYSTEMDRIVE":                   "C:",
	"COMSPEC":                       `C:\Windows\system32\cmd.exe`,
	"TEMP":                          `C:\Windows\TEMP`,
	"TMP":                           `C:\Windows\TEMP`,
	"PROGRAMFILES":                  `C:\Program Files`,
	"PROGRAMFILES(X86)":             `C:\Program Files (x86)`,
	"USERNAME":                      "SYSTEM",
	"COMPUTERNAME":                  "NODE",
	"OS":                            "Windows_NT",
	"CONTAINER_SANDBOX_MOUNT_POINT": mountPoint,
	// Set by cmd.exe itself.
	"CD":            `C:\hpc`,
	"ERRORLEVEL":    "0",
	"CMDEXTVERSION": "2",
	"RANDOM":        "4",
	"DATE":          "Mon 11/30/2026",
	"TIME":          "12:00:00.00",
	"CMDCMDLINE":    "cmd",
}
