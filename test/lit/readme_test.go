// A test that every command of the README runs as it stands there.

package lit_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// errUnclosed is a line whose quotes do not match.
var errUnclosed = errors.New("quote is not closed")

const readme = "../../README.md"

// shellBlock is a fenced block of commands.
var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

func TestREADME(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`    go run ./tools/tpu-run "Once upon a time"`, "    go test ./..."} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the README does not open with %s", strings.TrimSpace(line))
		}
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	script := []string{"symlink examples -> " + quote(examples), `exec tpu-run 'Once upon a time'`, "stdout '^Once upon a time, '"}
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			words, err := shellWords(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if len(words) == 0 {
				continue
			}
			if words[0] != "cd" {
				words = append([]string{"exec"}, words...)
			}
			for i := range words {
				words[i] = quote(words[i])
			}
			script = append(script, strings.Join(words, " "))
		}
		script = append(script, "cd $WORK")
	}
	file := filepath.Join(t.TempDir(), "README.txtar")
	if err := os.WriteFile(file, []byte(strings.Join(script, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}, RequireExplicitExec: true})
}

// quote writes a word so that a script reads it as one.
func quote(word string) string {
	if strings.ContainsAny(word, " '\t$#") {
		return "'" + strings.ReplaceAll(word, "'", "''") + "'"
	}
	return word
}

// shellWords splits a command as a shell does; double quotes are all that the README uses.
func shellWords(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		var word strings.Builder
		for line != "" && line[0] != ' ' {
			if line[0] != '"' {
				word.WriteByte(line[0])
				line = line[1:]
				continue
			}
			quoted, rest, closed := strings.Cut(line[1:], `"`)
			if !closed {
				return nil, errUnclosed
			}
			word.WriteString(quoted)
			line = rest
		}
		words = append(words, word.String())
	}
	return words, nil
}
