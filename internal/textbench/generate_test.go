package textbench

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
)

func TestInputsAreValid(t *testing.T) {
	for _, input := range Inputs {
		size := map[string]int{"wide": 20, "deep": 20, "empty": 0}[input.Kind]
		if input.Size >= 1e6 {
			size = 100000
		}
		path := filepath.Join(t.TempDir(), "in.mlir")
		if err := Generate(path, input.Kind, size); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c := registry.NewContext()
		c.AllowUnregisteredDialects = true
		source := (&ir.Sources{}).Add(path, text)
		module, found := parser.Parse(context.Background(), c, source, parser.Options{})
		if module != nil {
			found = ir.Verify(context.Background(), module)
		}
		if len(found) > 0 {
			t.Errorf("%s: %v", input.Kind, found[0])
		}
	}
}
