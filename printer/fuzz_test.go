package printer_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"tpuir/internal/shareddata"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

// FuzzPrint checks that what was printed reads back, and prints the same again. Run it with -fuzzminimizetime=1x:
// minimising what is merely interesting takes most of the time otherwise.
func FuzzPrint(f *testing.F) {
	seeds, _ := filepath.Glob("testdata/options/*.mlir")
	if dir, ok := shareddata.Find(); ok {
		cases, _ := filepath.Glob(filepath.Join(dir, "mlir-cases", "*.mlir"))
		seeds = append(seeds, cases...)
	}
	for _, seed := range seeds {
		if text, err := os.ReadFile(seed); err == nil {
			f.Add(text, uint8(0))
			f.Add(text, uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, flags uint8) {
		options := printer.Options{DebugInfo: flags&1 != 0, Generic: flags&2 != 0, LocalScope: flags&4 != 0, UniqueSSAIDs: flags&8 != 0}
		if bytes.Contains(text, []byte("f80")) || bytes.Contains(text, []byte("f128")) {
			return // MLIR reads their decimals as doubles, so that not all that is printed reads back
		}
		op := read(text)
		if op == nil {
			return
		}
		first := printer.Append(nil, op, options)
		again := read(first)
		if again == nil {
			t.Fatalf("does not read back:\n%s", first)
		}
		if second := printer.Append(nil, again, options); !bytes.Equal(first, second) {
			t.Fatalf("printed first:\n%s\nthen:\n%s", first, second)
		}
	})
}

// read returns nil for a text that is no valid IR.
func read(text []byte) *ir.Operation {
	op, diagnostics := parser.Parse(context.Background(), newContext(), &ir.Source{Name: "f", Text: text}, parser.Options{})
	if len(diagnostics) > 0 || len(ir.Verify(context.Background(), op)) > 0 {
		return nil
	}
	return op
}
