// Tests that the same input gives the same bytes, however many threads there are.

package lit_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tpuir/internal/race"
)

// manyFunctions is a module with more functions than there are threads, each with something to do in a pass.
func manyFunctions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `func.func @f%d(%%arg0: tensor<%dx4xf32>) -> tensor<4x%dxf32> {
  %%0 = builtin.unrealized_conversion_cast %%arg0 : tensor<%dx4xf32> to i%d
  %%1 = "top.Permute"(%%arg0) {order = [1, 0]} : (tensor<%dx4xf32>) -> tensor<4x%dxf32> loc("permute_%d")
  return %%1 : tensor<4x%dxf32>
}
`, i, i+1, i+1, i+1, i+1, i+1, i+1, i, i+1)
	}
	return b.String()
}

// TestDeterminism runs each command 20 times with 1, 2 and 8 threads and compares all that it writes.
func TestDeterminism(t *testing.T) {
	runs := 20
	if testing.Short() || race.Enabled {
		runs = 2
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "many.mlir"), []byte(manyFunctions(300)), 0o666); err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples/stories")
	if err != nil {
		t.Fatal(err)
	}
	run(t, folder, "", "tpu-translate", "--import-hf", examples, "-o", "stories.mlir")
	tests := []struct {
		name    string
		command []string
		files   []string
	}{
		{"functions", []string{"top-opt", "--mlir-print-debuginfo", "--pass-pipeline=builtin.module(func.func(canonicalize))",
			"--mlir-print-ir-after-change", "many.mlir"}, nil},
		{"generic", []string{"top-opt", "--mlir-print-op-generic", "many.mlir"}, nil},
		{"split and lower", []string{"top-opt", "--split-stages=seq-length=64 chunk-length=16", "--lower-to-tpu", "stories.mlir",
			"-o", "stories.tpu.mlir"}, []string{"stories.tpu.mlir", "stories.tpu_weights.npz"}},
		{"lower and split", []string{"top-opt", "--lower-to-tpu", "--split-stages=seq-length=64", "stories.mlir",
			"-o", "stories.tpu.mlir"}, []string{"stories.tpu.mlir", "stories.tpu_weights.npz"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var first []byte
			for _, threads := range []string{"1", "2", "8"} {
				for i := range runs {
					got := run(t, folder, threads, test.command...)
					for _, name := range test.files {
						text, err := os.ReadFile(filepath.Join(folder, name))
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, text...)
					}
					if first == nil {
						first = got
					}
					if !bytes.Equal(first, got) {
						t.Fatalf("run %d with %s threads wrote something else than the first run", i, threads)
					}
				}
			}
		})
	}
}

// run runs a tool in a process of its own and returns what it prints.
func run(t *testing.T, folder, threads string, command ...string) []byte {
	t.Helper()
	tool := exec.CommandContext(t.Context(), command[0], command[1:]...)
	tool.Dir = folder
	if threads != "" {
		tool.Env = append(os.Environ(), "GOMAXPROCS="+threads)
	}
	output, err := tool.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, output)
	}
	return output
}
