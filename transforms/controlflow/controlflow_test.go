package controlflow_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/cli/topopt"
)

const marker = "// -----\n"

// Every module of testdata comes out of the canonicalizer, at each level, as mlir-opt 22 gives it: the expected files are its
// output, and the peer test compares with it again.
func TestCanonicalize(t *testing.T) {
	t.Chdir("testdata")
	in, err := os.ReadFile("canonicalize.mlir")
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Split(string(in), marker)
	for _, level := range []string{"normal", "aggressive", "disabled"} {
		t.Run(level, func(t *testing.T) {
			expected, err := os.ReadFile(level + ".expected")
			if err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			status := topopt.Main(t.Context(), []string{"canonicalize.mlir", "--allow-unregistered-dialect", "--split-input-file",
				"--output-split-marker=" + strings.TrimSpace(marker), "--mlir-print-debuginfo", "--mlir-print-local-scope",
				"--canonicalize=region-simplify=" + level}, strings.NewReader(""), &stdout, &stderr)
			if status != 0 {
				t.Fatal(stderr.String())
			}
			want, got := strings.Split(string(expected), marker), strings.Split(stdout.String(), marker)
			if len(want) != len(modules) || len(got) != len(modules) {
				t.Fatalf("%d expected and %d written parts for %d modules", len(want), len(got), len(modules))
			}
			for i := range want {
				if diff := cmp.Diff(want[i], got[i]); diff != "" {
					t.Errorf("%s(-want +got):\n%s", modules[i], diff)
				}
			}
		})
	}
}
