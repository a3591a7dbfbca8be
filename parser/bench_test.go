package parser_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

// manyTop returns a module with copies of a real Top function of 39 operations, locations kept.
func manyTop(t testing.TB, copies int) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/block_0_top.mlir")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	end := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "} loc(") {
			end = i
		}
	}
	var out bytes.Buffer
	write := func(lines []string) { out.WriteString(strings.Join(lines, "\n") + "\n") }
	write(lines[:2])
	body := strings.Join(lines[2:end], "\n") + "\n"
	for i := range copies {
		out.WriteString(strings.ReplaceAll(body, "@main", fmt.Sprintf("@main%d", i)))
	}
	write(lines[end:])
	return out.Bytes()
}

func BenchmarkParseTop39k(b *testing.B) {
	text := manyTop(b, 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var sources ir.Sources
		_, found := parser.Parse(context.Background(), newContext(), sources.Add("top.mlir", text), parser.Options{})
		if len(found) > 0 {
			b.Fatal(found[0])
		}
	}
}

func BenchmarkParseVerifyPrintTop39k(b *testing.B) {
	text := manyTop(b, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		op, _, found := read("top.mlir", text)
		if len(found) > 0 {
			b.Fatal(found[0])
		}
		if got := printer.Append(nil, op, printer.Options{DebugInfo: true}); len(got) < len(text) {
			b.Fatal("printed text is too short")
		}
	}
}
