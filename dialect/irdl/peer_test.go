//go:build peer

package irdl_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/cli/topopt"
	"tpuir/internal/peer"
)

// Every input of testdata is given to mlir-opt-22 and to top-opt: both accept it and print the same, or both refuse it,
// with the same words at the same place.
func TestPeer(t *testing.T) {
	opt := peer.RequireTool(t, "mlir-opt-22")
	for _, suite := range []struct{ name, dialects, inputs string }{
		{"definitions", "", "definitions.mlir"},
		{"uses", "uses.irdl.mlir", "uses.mlir"},
		{"variables", "variables.irdl.mlir", "variables.mlir"},
		{"predicates", "predicates.irdl.mlir", "predicates.mlir"},
		{"loading", "loading.irdl.mlir", ""},
	} {
		t.Run(suite.name, func(t *testing.T) {
			dir := t.TempDir()
			input := "%0 = \"u.c\"() : () -> i32\n\"d.o\"(%0) : (i32) -> ()\n"
			var dialects, cases string
			if suite.dialects != "" {
				dialects = read(t, suite.dialects)
			}
			if suite.inputs != "" {
				cases = read(t, suite.inputs)
			} else {
				cases = dialects
			}
			count := 0
			for part := range strings.SplitSeq(cases, "// -----\n") {
				if suite.inputs == "" {
					dialects = part
				} else {
					input = part
				}
				args := []string{write(t, dir, "input.mlir", input), "--allow-unregistered-dialect",
					"--mlir-print-op-on-diagnostic=false", "--mlir-disable-threading"}
				if dialects != "" {
					args = append(args, "--irdl-file="+write(t, dir, "dialects.mlir", dialects))
				}
				compare(t, opt, args, dialects, input)
				count++
			}
			t.Logf("%d inputs", count)
		})
	}
}

func compare(t *testing.T, opt string, args []string, dialects, input string) {
	t.Helper()
	want, peerErr := peer.Run(context.Background(), t.TempDir(), opt, args...)
	var stdout, stderr bytes.Buffer
	status := topopt.Main(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
	if (peerErr != nil) != (status != 0) {
		t.Errorf("mlir-opt: %v\ntop-opt: status %d, %s\n%s", peerErr, status, &stderr, input)
		return
	}
	if diff := cmp.Diff(string(want.Stdout), stdout.String()); peerErr == nil && diff != "" {
		t.Errorf("printed (-mlir-opt +top-opt):\n%s\n%s", diff, input)
	}
	if diff := cmp.Diff(firstError(want.Stderr), firstError(stderr.Bytes())); peerErr != nil && diff != "" && !knownDifference(want.Stderr) {
		t.Errorf("first error (-mlir-opt +top-opt):\n%s\n%s\n%s", diff, dialects, input)
	}
}

// different are errors of mlir-opt that top-opt words in another way, or orders differently.
var different = regexp.MustCompile(`block with no terminator|` +
	`'a1\.d'|` + // the parts of the name changed over
	`name of operation should not contain leading`) // a redefinition is found first

func knownDifference(stderr []byte) bool {
	return len(stderr) == 0 || different.Match(stderr) // nothing: the peer fails without a word
}

func firstError(stderr []byte) string {
	line, _, _ := strings.Cut(string(stderr), "\n")
	return line
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
