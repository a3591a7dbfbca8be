// Tests that nothing is left without a script: no verifier, no pass, no flag.

package lit_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tpuir/dialect/definition"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/internal/registry"
)

// scripts returns the archives below a folder.
func scripts(t *testing.T, folder string) []*txtar.Archive {
	t.Helper()
	var archives []*txtar.Archive
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		archives = append(archives, archive)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return archives
}

var (
	// expectedError is the comment, and the op on the line below.
	expectedError = regexp.MustCompile(`expected-error@\+1 \{\{(?:'[\w.]+' op )?(.*)\}\}\n[^"\n]*"(\w+\.\w+)"`)
	// structural are the messages of generated verifiers.
	structural = regexp.MustCompile(`^(expected \d+|requires (?:a |one |zero |attribute |\d)|expects parent op |operand #|result #|attribute '\w+' failed)`)
)

// TestEveryVerifierHasAnErrorCase holds for the generated part and the hand-written one of each op's verifier.
func TestEveryVerifierHasAnErrorCase(t *testing.T) {
	structure, shapes := map[string]bool{}, map[string]bool{}
	for _, archive := range scripts(t, "verifiers") {
		for _, file := range archive.Files {
			for _, found := range expectedError.FindAllStringSubmatch(string(file.Data), -1) {
				message, op := found[1], found[2]
				if structural.MatchString(message) {
					structure[op] = true
				} else {
					shapes[op] = true
				}
			}
		}
	}
	for _, op := range slices.Concat(top.Definitions(), tpu.Definitions()) {
		if !structure[op.Name] {
			t.Errorf("%s: no script shows what its generated verifier refuses", op.Name)
		}
		if hasRule(op) && !shapes[op.Name] {
			t.Errorf("%s: no script shows what its own verifier refuses", op.Name)
		}
	}
}

// hasRule reports whether an op has a check beyond its structure. Where operand and result have one type, the shape rule
// cannot fail any more.
func hasRule(op *definition.Op) bool {
	return op.Verify != nil || op.Rule != nil && op.Name != "tpu.AutoIncrease"
}

// TestEveryPassHasAScript looks for the flag of each pass.
func TestEveryPassHasAScript(t *testing.T) {
	var text strings.Builder
	for _, archive := range scripts(t, ".") {
		text.Write(archive.Comment)
	}
	for _, pass := range registry.Passes().All() {
		if !strings.Contains(text.String(), pass.Argument) {
			t.Errorf("no script runs --%s", pass.Argument)
		}
	}
}
