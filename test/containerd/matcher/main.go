// Asks the matchers of github.com/containerd/platforms v1.0.0-rc.1 to rc.5, as containerd vendors them, which entries of
// an index a Windows host takes and in which order: one question a line on stdin, one answer a line on stdout.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	_ "unsafe" // for go:linkname

	specs "github.com/opencontainers/image-spec/specs-go/v1"
	rc1 "kubectl-win/platforms/rc1"
	rc2 "kubectl-win/platforms/rc2"
	rc3 "kubectl-win/platforms/rc3"
	rc4 "kubectl-win/platforms/rc4"
	rc5 "kubectl-win/platforms/rc5"
)

// question: Host and Entries are os.version values; all platforms are windows/amd64. Features are the os.features that
// every entry has.
type question struct {
	Host     string   `json:"host"`
	Entries  []string `json:"entries"`
	Features []string `json:"features"`
}

// answer has the positions in Entries of those that match: as Only() sorts them, which the transfer service uses, and as
// Default() sorts them on Windows, which the pull of CRI uses.
type answer struct {
	Only    []int `json:"only"`
	Default []int `json:"default"`
}

type comparer interface {
	Match(specs.Platform) bool
	Less(specs.Platform, specs.Platform) bool
}

// Default() of defaults_windows.go in rc.2 to rc.5 is &windowsMatchComparer{Matcher: NewMatcher(DefaultSpec())}. That
// file is for Windows alone, but the type and its method, both unexported, are in every build.
type (
	default2 struct{ rc2.Matcher }
	default3 struct{ rc3.Matcher }
	default4 struct{ rc4.Matcher }
	default5 struct{ rc5.Matcher }
)

//go:linkname less2 kubectl-win/platforms/rc2.(*windowsMatchComparer).Less
func less2(c *default2, a, b specs.Platform) bool

//go:linkname less3 kubectl-win/platforms/rc3.(*windowsMatchComparer).Less
func less3(c *default3, a, b specs.Platform) bool

//go:linkname less4 kubectl-win/platforms/rc4.(*windowsMatchComparer).Less
func less4(c *default4, a, b specs.Platform) bool

//go:linkname less5 kubectl-win/platforms/rc5.(*windowsMatchComparer).Less
func less5(c *default5, a, b specs.Platform) bool

func (c *default2) Less(a, b specs.Platform) bool { return less2(c, a, b) }
func (c *default3) Less(a, b specs.Platform) bool { return less3(c, a, b) }
func (c *default4) Less(a, b specs.Platform) bool { return less4(c, a, b) }
func (c *default5) Less(a, b specs.Platform) bool { return less5(c, a, b) }

var versions = []struct {
	name      string
	only      func(specs.Platform) comparer
	byDefault func(specs.Platform) comparer
}{
	// Default() of rc.1 is Only(DefaultSpec()).
	{"rc.1", func(p specs.Platform) comparer { return rc1.Only(p) }, func(p specs.Platform) comparer { return rc1.Only(p) }},
	{"rc.2", func(p specs.Platform) comparer { return rc2.Only(p) }, func(p specs.Platform) comparer { return &default2{rc2.NewMatcher(p)} }},
	{"rc.3", func(p specs.Platform) comparer { return rc3.Only(p) }, func(p specs.Platform) comparer { return &default3{rc3.NewMatcher(p)} }},
	{"rc.4", func(p specs.Platform) comparer { return rc4.Only(p) }, func(p specs.Platform) comparer { return &default4{rc4.NewMatcher(p)} }},
	{"rc.5", func(p specs.Platform) comparer { return rc5.Only(p) }, func(p specs.Platform) comparer { return &default5{rc5.NewMatcher(p)} }},
}

func windows(version string, features []string) specs.Platform {
	return specs.Platform{OS: "windows", Architecture: "amd64", OSVersion: version, OSFeatures: features}
}

// pick does what containerd's images.Manifest does with an index: filter, then sort stably
// (https://github.com/containerd/containerd/blob/v2.4.2/core/images/image.go, read 2026-11-30).
func pick(c comparer, entries []specs.Platform) []int {
	taken := []int{}
	for i, entry := range entries {
		if c.Match(entry) {
			taken = append(taken, i)
		}
	}
	sort.SliceStable(taken, func(i, j int) bool { return c.Less(entries[taken[i]], entries[taken[j]]) })
	return taken
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, "not a question:", err)
			os.Exit(2)
		}
		entries := make([]specs.Platform, len(asked.Entries))
		for i, entry := range asked.Entries {
			entries[i] = windows(entry, asked.Features)
		}
		host := windows(asked.Host, nil)
		answers := make(map[string]answer, len(versions))
		for _, version := range versions {
			answers[version.name] = answer{Only: pick(version.only(host), entries), Default: pick(version.byDefault(host), entries)}
		}
		if err := encoder.Encode(answers); err != nil {
			os.Exit(1)
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out.Flush()
}
