// The cases of testdata: each archive is a subject, each folder in it a case with a check file, an input, perhaps
// options (one a line), and the verdict that LLVM's FileCheck gave (recorded by the test of peer_test.go).

package filecheck

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// testCase is one case. Its want is the status and the headlines of all messages.
type testCase struct {
	name                       string
	options                    []string
	checkFile, input, wantText string
}

// archives reads the archives of testdata.
func archives(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	all := map[string]*txtar.Archive{}
	for _, file := range files {
		if all[file], err = txtar.ParseFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// casesOf gives the cases of an archive, in order.
func casesOf(t testing.TB, archive *txtar.Archive) []*testCase {
	t.Helper()
	var cases []*testCase
	byName := map[string]*testCase{}
	for _, file := range archive.Files {
		name, part := path.Split(file.Name)
		name = strings.TrimSuffix(name, "/")
		c := byName[name]
		if c == nil {
			c = &testCase{name: name}
			byName[name] = c
			cases = append(cases, c)
		}
		data := string(file.Data)
		if quoted, ok := strings.CutSuffix(part, ".quoted"); ok {
			unquoted, err := strconv.Unquote(strings.TrimSpace(data))
			if err != nil {
				t.Fatalf("%s: %v", file.Name, err)
			}
			part, data = quoted, unquoted
		}
		switch part {
		case "options":
			c.options = strings.Split(strings.TrimSuffix(data, "\n"), "\n")
		case "check":
			c.checkFile = data
		case "input":
			c.input = data
		case "want":
			c.wantText = data
		default:
			t.Fatalf("%s: no such part of a case", file.Name)
		}
	}
	return cases
}

// headline is the first line of a message; what follows it (the source line, the caret, the dump) is left out.
var headline = regexp.MustCompile(`(?m)^(?:\S.*:\d+:\d+: )?(?:error|note|remark): .*$`)

// summary gives the status and the headlines of a report.
func summary(status int, stderr string) string {
	lines := append([]string{fmt.Sprintf("status %d", status)}, headline.FindAllString(stderr, -1)...)
	return strings.Join(lines, "\n") + "\n"
}

// runner runs a FileCheck and gives its exit status.
type runner func(arguments []string, stdin []byte, stderr *bytes.Buffer) int

// inFolder runs a case with run, in a folder of its own where the check file is called "check".
func (c *testCase) inFolder(t *testing.T, run runner) (status int, stderrText string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("check", []byte(c.checkFile), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	status = run(append([]string{"check"}, c.options...), []byte(c.input), &stderr)
	return status, stderr.String()
}

// ours runs the command of this package.
func ours(arguments []string, stdin []byte, stderr *bytes.Buffer) int {
	return Main(context.Background(), arguments, bytes.NewReader(stdin), &bytes.Buffer{}, stderr)
}

func TestCases(t *testing.T) {
	t.Setenv("FILECHECK_OPTS", "")
	for file, archive := range archives(t) {
		subject := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, c := range casesOf(t, archive) {
			t.Run(subject+"/"+c.name, func(t *testing.T) {
				if c.wantText == "" {
					t.Fatal("the case has no verdict: record it with go test -tags peer -update")
				}
				status, stderr := c.inFolder(t, ours)
				if diff := cmp.Diff(c.wantText, summary(status, stderr)); diff != "" {
					t.Errorf("verdict (-FileCheck +ours):\n%s", diff)
				}
			})
		}
	}
}
