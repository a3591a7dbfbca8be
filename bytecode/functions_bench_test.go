package bytecode_test

import (
	"os"
	"path/filepath"
	"testing"

	"tpuir/bytecode"
	"tpuir/internal/registry"
	"tpuir/internal/textbench"
	"tpuir/ir"
	"tpuir/parser"
)

// BenchmarkAgainstText reads the inputs of docs/performance.md as text and as bytecode, each on one goroutine.
func BenchmarkAgainstText(b *testing.B) {
	for kind, size := range map[string]int{"wide": 10000, "ops": 20e6, "top": 20e6} {
		path := filepath.Join(b.TempDir(), kind+".mlir")
		if err := textbench.Generate(path, kind, size); err != nil {
			b.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		encoded := encode(b, parse(b, path, content), bytecode.CurrentVersion)
		newContext := func() *ir.Context {
			c := registry.NewContext()
			c.AllowUnregisteredDialects = true
			return c
		}
		b.Run(kind+"/text", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var sources ir.Sources
				if _, found := parser.Parse(b.Context(), newContext(), sources.Add(path, content), parser.Options{Workers: 1}); len(found) > 0 {
					b.Fatal(found[0])
				}
			}
		})
		b.Run(kind+"/bytecode", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var sources ir.Sources
				if _, err := bytecode.Read(b.Context(), newContext(), sources.Add("bytecode", encoded), bytecode.ReadOptions{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
