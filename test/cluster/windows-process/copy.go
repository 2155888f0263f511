package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The three scripts of src/domain/hostprocess/copy/copy-script.ts, known by the
// hashes in ../copy-scripts.sha256, on files of this machine: C:\ is a folder
// beside the records. What is played is what the scripts say, with names that
// Windows would have; drives, streams, devices and short names are not.

const partSuffix = ".kubectl-win-part"

var errNotPlayed = errors.New("windows-shell: this script is not the one whose hash is in copy-scripts.sha256")

// named runs a script that is the program's own.
func (s *shell) named(kw payload) (int64, bool, error) {
	name := kw.text("m")
	known, err := hashesIn(filepath.Join(filepath.Dir(os.Getenv("SCRIPTS_SHA256")), "copy-scripts.sha256"))
	if err != nil {
		return 0, false, err
	}
	sum := sha256.Sum256([]byte(kw.text("t")))
	if hex.EncodeToString(sum[:]) != known[name] {
		return 0, false, errNotPlayed
	}
	c := copying{in: input, out: os.Stdout, root: filesFolder(), plainPaths: map[string]bool{}}
	var given struct {
		Path, Root    string
		Into          *string
		Walk, Compare bool
	}
	if err := json.Unmarshal([]byte(kw.text("a")), &given); err != nil {
		return 0, false, err
	}
	var thrown error
	switch name {
	case "copy-list.v1":
		into := ""
		if given.Into != nil {
			into = *given.Into
		}
		thrown = c.list(given.Path, into, given.Walk, given.Compare)
	case "copy-send.v1":
		thrown = c.send(given.Root)
	case "copy-receive.v1":
		thrown = c.receive(given.Root)
	default:
		return 0, false, fmt.Errorf("windows-shell: no script %q is played", name)
	}
	if thrown != nil {
		fmt.Fprintln(os.Stderr, thrown)
		return 1, false, nil
	}
	return 0, false, nil
}

// filesFolder is C:\ of all nodes.
func filesFolder() string { return filepath.Join(os.Getenv("RECORD_FOLDER"), "C") }

type copying struct {
	in   io.Reader
	out  io.Writer
	root string
	// sent and taken bytes of files: no more are on the way than may be lost.
	sent, taken int64
	// plainPaths: those on which no link was found.
	plainPaths map[string]bool
}

// here is where a path of the node is on this machine.
func (c *copying) here(path string) string {
	return filepath.Join(c.root, filepath.FromSlash(strings.ReplaceAll(strings.TrimPrefix(path, `C:\`), `\`, "/")))
}

func below(root, path string) string {
	if path == "" {
		return root
	}
	return strings.TrimSuffix(root, `\`) + `\` + path
}

func (c *copying) say(format string, values ...any) error {
	_, err := fmt.Fprintf(c.out, format+"\n", values...)
	return err
}

func (c *copying) exactly(n int) ([]byte, error) {
	bytes := make([]byte, n)
	if _, err := io.ReadFull(c.in, bytes); err != nil {
		return nil, errors.New("stdin ended within the copy")
	}
	return bytes, nil
}

func (c *copying) length() (int, error) {
	bytes, err := c.exactly(4)
	if err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint32(bytes)), nil
}

func (c *copying) lines() ([]string, error) {
	n, err := c.length()
	if err != nil {
		return nil, err
	}
	text, err := c.exactly(n)
	if err != nil {
		return nil, err
	}
	return strings.Split(string(text), "\n"), nil
}

// kindOf: f, d, l for a link, n for nothing.
func (c *copying) kindOf(path string) (string, os.FileInfo) {
	info, err := os.Lstat(c.here(path))
	if err != nil {
		return "n", nil
	}
	return kindOf(info), info
}

func kindOf(info os.FileInfo) string {
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		return "l"
	case info.IsDir():
		return "d"
	}
	return "f"
}

// plain refuses what a link on the way leads to.
func (c *copying) plain(root, path string) error {
	at := root
	for _, part := range strings.Split(path, `\`) {
		if part == "" {
			continue
		}
		if at = below(at, part); c.plainPaths[at] {
			continue
		}
		switch kind, _ := c.kindOf(at); kind {
		case "l":
			return fmt.Errorf("%s is a link, which is not followed", at)
		case "n":
		default:
			c.plainPaths[at] = true
		}
	}
	return nil
}

func (c *copying) list(root, into string, walk, compare bool) error {
	if kind, _ := c.kindOf(root); into != "" && kind == "d" {
		root = below(root, into)
	}
	kind, info := c.kindOf(root)
	if err := c.say("r\t%s\t%s", kind, root); err != nil {
		return err
	}
	if walk && info != nil {
		if err := c.walk(root, "", kind, info); err != nil {
			return err
		}
	}
	if !compare {
		return nil
	}
	lines, err := c.lines()
	if err != nil {
		return err
	}
	for _, line := range lines {
		size, path, found := strings.Cut(line, "\t")
		if !found {
			continue
		}
		wanted, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return err
		}
		at := below(root, path)
		kind, info := c.kindOf(at)
		sum, part := "-", "-\t-"
		if kind == "f" {
			kind = strconv.FormatInt(info.Size(), 10)
			if info.Size() == wanted {
				_, sum, _ = sumOf(c.here(at))
			}
		}
		if kind, info := c.kindOf(at + partSuffix); kind == "f" && info.Size() <= wanted {
			if n, sum, err := sumOf(c.here(at + partSuffix)); err == nil {
				part = fmt.Sprintf("%d\t%s", n, sum)
			}
		}
		if err := c.say("c\t%s\t%s\t%s\t%s", kind, sum, part, path); err != nil {
			return err
		}
	}
	return nil
}

func (c *copying) walk(root, path, kind string, info os.FileInfo) error {
	size, target := int64(0), ""
	switch kind {
	case "f":
		size = info.Size()
	case "l":
		to, _ := os.Readlink(c.here(below(root, path)))
		target = "\t" + to
	}
	if err := c.say("%s\t%d\t%d\t%s%s", kind, size, info.ModTime().UnixMilli(), path, target); err != nil || kind != "d" {
		return err
	}
	entries, err := os.ReadDir(c.here(below(root, path)))
	if err != nil {
		return c.say("x\t0\t0\t%s\t%s", path, err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if path != "" {
			name = path + `\` + name
		}
		// Not by its name, which a test may have made of what no name on Windows has.
		info, err := entry.Info()
		if err != nil {
			continue
		}
		if err := c.walk(root, name, kindOf(info), info); err != nil {
			return err
		}
	}
	return nil
}

func sumOf(place string) (int64, string, error) {
	file, err := os.Open(place)
	if err != nil {
		return 0, "-", err
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, file)
	if err != nil {
		return 0, "-", err
	}
	return n, hex.EncodeToString(sum.Sum(nil)), nil
}

func (c *copying) send(root string) error {
	lines, err := c.lines()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(c.out, 64<<10)
	for _, line := range lines {
		fields := strings.SplitN(line, "\t", 3)
		if len(fields) < 3 {
			continue
		}
		from, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return err
		}
		if why := c.sendOne(out, root, fields[2], from, fields[1]); why != nil {
			message := strings.Join(strings.Fields(why.Error()), " ")
			out.Write(append(frameOf('F', uint32(len(message))), message...))
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func frameOf(kind byte, length uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{kind}, length)
}

var errShorter = errors.New("it became shorter while it was read")

func (c *copying) sendOne(out *bufio.Writer, root, path string, from int64, prefix string) error {
	if err := c.plain(root, path); err != nil {
		return err
	}
	file, err := os.Open(c.here(below(root, path)))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if from > size {
		from = 0
	}
	whole := sha256.New()
	if n, err := io.CopyN(whole, file, from); err != nil || n < from {
		return errShorter
	}
	if from > 0 && hex.EncodeToString(whole.Sum(nil)) != prefix {
		from, whole = 0, sha256.New()
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	out.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte{'B'}, uint64(from)), uint64(size)))
	buffer := make([]byte, 256<<10)
	for left := size - from; left > 0; {
		next := min(int64(len(buffer)), left)
		for c.sent+next-c.taken > min(8<<20, max(1<<20, (c.sent+next)/32)) {
			if err := out.Flush(); err != nil {
				return err
			}
			n, err := c.length()
			if err != nil {
				return err
			}
			c.taken += int64(n)
		}
		n, err := file.Read(buffer[:next])
		if n == 0 || (err != nil && !errors.Is(err, io.EOF)) {
			return errShorter
		}
		whole.Write(buffer[:n])
		out.Write(frameOf('D', uint32(n)))
		if _, err := out.Write(buffer[:n]); err != nil {
			return err
		}
		left -= int64(n)
		c.sent += int64(n)
	}
	_, err = out.Write(append([]byte{'E'}, whole.Sum(nil)...))
	return err
}

func (c *copying) receive(root string) error {
	lines, err := c.lines()
	if err != nil {
		return err
	}
	for index, line := range lines {
		if line == "" {
			continue
		}
		why := error(nil)
		if path, isFolder := strings.CutPrefix(line, "d\t"); isFolder {
			if why = c.plain(root, path); why == nil {
				why = os.MkdirAll(c.here(below(root, path)), 0o777)
			}
		} else {
			fields := strings.SplitN(line, "\t", 4)
			if len(fields) < 4 {
				return fmt.Errorf("no line of a list: %q", line)
			}
			if why, err = c.receiveOne(root, fields[3], fields[1], fields[2]); err != nil {
				return err
			}
		}
		if why != nil {
			err = c.say("%d\tfailed\t%s", index, strings.Join(strings.Fields(why.Error()), " "))
		} else {
			err = c.say("%d\tok", index)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// receiveOne takes all frames of a file, whatever becomes of it. The second
// error ends the copy.
func (c *copying) receiveOne(root, path, from, modified string) (why, failure error) {
	at := below(root, path)
	file, whole, why := c.openPart(root, path, from)
	sent := ""
	for sent == "" {
		kind, err := c.exactly(1)
		if err != nil {
			return nil, leave(file, err)
		}
		switch kind[0] {
		case 'D':
			n, err := c.length()
			if err != nil {
				return nil, leave(file, err)
			}
			// As it comes: a copy that is killed leaves what has arrived.
			to := io.Writer(io.Discard)
			if why == nil {
				to = io.MultiWriter(file, whole)
			}
			if _, err := io.CopyN(to, c.in, int64(n)); err != nil {
				return nil, leave(file, errors.New("stdin ended within the copy"))
			}
			if c.taken += int64(n); c.taken >= 128<<10 {
				if err := c.say("a\t%d", c.taken); err != nil {
					return nil, leave(file, err)
				}
				c.taken = 0
			}
		case 'E':
			sum, err := c.exactly(32)
			if err != nil {
				return nil, leave(file, err)
			}
			sent = hex.EncodeToString(sum)
		case 'F':
			n, err := c.length()
			if err != nil {
				return nil, leave(file, err)
			}
			message, err := c.exactly(n)
			if err != nil {
				return nil, leave(file, err)
			}
			if why == nil {
				why = errors.New(string(message))
			}
			return leave(file, why), nil
		default:
			return nil, leave(file, errors.New("what comes is no copy"))
		}
	}
	if why = leave(file, why); why != nil {
		return why, nil
	}
	if hex.EncodeToString(whole.Sum(nil)) != sent {
		os.Remove(c.here(at + partSuffix))
		return errors.New("what has arrived has another SHA-256 than what was sent"), nil
	}
	milliseconds, err := strconv.ParseInt(modified, 10, 64)
	if err != nil {
		return err, nil
	}
	time := time.UnixMilli(milliseconds)
	if err := os.Chtimes(c.here(at+partSuffix), time, time); err != nil {
		return err, nil
	}
	return os.Rename(c.here(at+partSuffix), c.here(at)), nil
}

func leave(file *os.File, err error) error {
	if file != nil {
		file.Close()
	}
	return err
}

func (c *copying) openPart(root, path, from string) (*os.File, hash.Hash, error) {
	at := below(root, path)
	for _, one := range []string{path, path + partSuffix} {
		if err := c.plain(root, one); err != nil {
			return nil, nil, err
		}
	}
	switch kind, _ := c.kindOf(at); kind {
	case "d":
		return nil, nil, fmt.Errorf("%s is a folder", at)
	case "l":
		return nil, nil, fmt.Errorf("%s is a link, which is not followed", at)
	}
	if err := os.MkdirAll(filepath.Dir(c.here(at)), 0o777); err != nil {
		return nil, nil, err
	}
	offset, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(c.here(at+partSuffix), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, err
	}
	// FileShare None: whoever has it open has it alone.
	for tries := 0; syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil; tries++ {
		if tries == 40 {
			return nil, nil, leave(file, errors.New("The process cannot access the file because it is being used by another process."))
		}
		time.Sleep(250 * time.Millisecond)
	}
	whole := sha256.New()
	if err := file.Truncate(offset); err != nil {
		return nil, nil, leave(file, err)
	}
	if n, err := io.Copy(whole, file); err != nil || n < offset {
		return nil, nil, leave(file, errors.New("its beginning is gone"))
	}
	return file, whole, nil
}
