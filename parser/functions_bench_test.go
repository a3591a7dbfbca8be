package parser_test

import (
	"os"
	"path/filepath"
	"testing"

	"tpuir/internal/textbench"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

// BenchmarkFunctions reads, verifies and prints 10,000 functions with blocks, most attributes and locations unlike all others.
func BenchmarkFunctions(b *testing.B) {
	path := filepath.Join(b.TempDir(), "wide.mlir")
	if err := textbench.Generate(path, "wide", 10000); err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var sources ir.Sources
			if _, found := parser.Parse(b.Context(), newContext(), sources.Add("wide.mlir", text), parser.Options{Workers: 1}); len(found) > 0 {
				b.Fatal(found[0])
			}
		}
	})
	var sources ir.Sources
	op, found := parser.Parse(b.Context(), newContext(), sources.Add("wide.mlir", text), parser.Options{Workers: 1})
	if len(found) > 0 {
		b.Fatal(found[0])
	}
	b.Run("verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if found := ir.VerifySerially(b.Context(), op); len(found) > 0 {
				b.Fatal(found[0])
			}
		}
	})
	b.Run("print", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			printer.Append(nil, op, printer.Options{Serial: true, AssumeVerified: true})
		}
	})
}
