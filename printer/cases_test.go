package printer_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/dialect/builtin"
	"tpuir/dialect/cf"
	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/quant"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/internal/shareddata"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

func newContext() *ir.Context {
	c := ir.NewContext()
	c.AllowUnregisteredDialects = true
	builtin.Register(c)
	funcdialect.Register(c)
	cf.Register(c)
	quant.Register(c)
	top.Register(c)
	tpu.Register(c)
	return c
}

// parse reads a text and verifies it.
func parse(t *testing.T, name string, text []byte) *ir.Operation {
	t.Helper()
	op, diagnostics := parser.Parse(context.Background(), newContext(), &ir.Source{Name: name, Text: text}, parser.Options{})
	if len(diagnostics) == 0 {
		diagnostics = ir.Verify(context.Background(), op)
	}
	if len(diagnostics) > 0 {
		t.Fatalf("%v", diagnostics[0])
	}
	return op
}

// TestCases prints the inputs of mlir-cases and compares with what mlir-opt 22 printed, in both forms.
func TestCases(t *testing.T) {
	dir := filepath.Join(shareddata.Dir(t), "mlir-cases")
	inputs, err := filepath.Glob(filepath.Join(dir, "*.mlir"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	for _, input := range inputs {
		name := filepath.Base(input)
		text, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		debugInfo := strings.Contains(first, "--mlir-print-debuginfo")
		for extension, generic := range map[string]bool{".expected": true, ".pretty": false} {
			t.Run(name+extension, func(t *testing.T) {
				want, err := os.ReadFile(strings.TrimSuffix(input, ".mlir") + extension)
				if err != nil {
					t.Fatal(err)
				}
				op := parse(t, name, text)
				got := printer.Append(nil, op, printer.Options{Generic: generic, DebugInfo: debugInfo})
				if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}
