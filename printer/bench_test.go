package printer_test

import (
	"os"
	"testing"

	"tpuir/ir"
	"tpuir/printer"
)

// BenchmarkPrint prints the file that TPUIR_BENCH names, or the file of TestOptions.
func BenchmarkPrint(b *testing.B) {
	path := "testdata/options/input.mlir"
	if other := os.Getenv("TPUIR_BENCH"); other != "" {
		path = other
	}
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	op := read(text)
	if op == nil {
		b.Fatal("invalid input")
	}
	for name, options := range map[string]printer.Options{
		"plain":     {AssumeVerified: true},
		"debuginfo": {AssumeVerified: true, DebugInfo: true},
		"verified":  {},
	} {
		b.Run(name, func(b *testing.B) { bench(b, op, options) })
	}
}

func bench(b *testing.B, op *ir.Operation, options printer.Options) {
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = printer.Append(buf[:0], op, options)
	}
	b.SetBytes(int64(len(buf)))
}
