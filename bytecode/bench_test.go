package bytecode_test

// This file measures reading against reading the same module as text: `go test -bench . ./bytecode`.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"tpuir/bytecode"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
)

// manyTop returns the text of a module with copies of a real Top function of 39 operations, locations kept.
func manyTop(t testing.TB, copies int) []byte {
	t.Helper()
	content, err := os.ReadFile("../parser/testdata/block_0_top.mlir")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimRight(string(content), "\n")+"\n", "\n")
	end := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "} loc(") {
			end = i
		}
	}
	body := strings.Join(lines[2:end], "")
	var out bytes.Buffer
	out.WriteString(strings.Join(lines[:2], ""))
	for i := range copies {
		out.WriteString(strings.ReplaceAll(body, "@main", fmt.Sprintf("@main%d", i)))
	}
	out.WriteString(strings.Join(lines[end:], ""))
	return out.Bytes()
}

func BenchmarkReadTextTop39k(b *testing.B) {
	content := manyTop(b, 1000)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		var sources ir.Sources
		if _, found := parser.Parse(context.Background(), registry.NewContext(), sources.Add("top.mlir", content), parser.Options{}); len(found) > 0 {
			b.Fatal(found[0])
		}
	}
}

func BenchmarkReadTop39k(b *testing.B) {
	content := encode(b, parse(b, "top.mlir", manyTop(b, 1000)), bytecode.CurrentVersion)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		var sources ir.Sources
		if _, err := bytecode.Read(context.Background(), registry.NewContext(), sources.Add("top.mlirbc", content), bytecode.ReadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestWorkersGiveTheSame(t *testing.T) {
	content := encode(t, parse(t, "top.mlir", manyTop(t, 200)), bytecode.CurrentVersion)
	var texts []string
	for _, workers := range []int{1, 2, 5} {
		var sources ir.Sources
		op, err := bytecode.Read(context.Background(), newContext(), sources.Add("top.mlirbc", content), bytecode.ReadOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text(op))
	}
	if texts[1] != texts[0] || texts[2] != texts[0] {
		t.Error("several workers read something else than one")
	}
	for at := len(content) / 2; at < len(content); at += 997 {
		content[at] ^= 2
		survives(t, content)
		content[at] ^= 2
	}
}

func BenchmarkWriteTop39k(b *testing.B) {
	op := parse(b, "top.mlir", manyTop(b, 1000))
	b.ReportAllocs()
	for b.Loop() {
		if err := bytecode.Write(io.Discard, op, bytecode.Options{Version: bytecode.CurrentVersion}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadLarge reads a 64 MB constant and a 64 MB resource, which stay where they are.
func BenchmarkReadLarge(b *testing.B) {
	c := newContext()
	data := bytes.Repeat([]byte("0123456789abcdef"), 4<<20)
	key := c.DeclareResource("weights")
	c.SetResource(key, ir.NewResource(64, data))
	t := c.RankedTensorType([]int64{int64(len(data))}, c.IntegerType(8, ir.Signless), nil)
	module := ir.NewOperation(&ir.OperationState{Name: c.OperationName("builtin.module"), Loc: c.UnknownLoc(), Regions: 1,
		Attributes: c.Dictionary(ir.NamedAttribute{Name: "t.a", Value: c.Dense(t, false, data)},
			ir.NamedAttribute{Name: "t.b", Value: c.DenseResource(t, key)})})
	module.Region(0).Append(&ir.Block{})
	content := encode(b, module, bytecode.CurrentVersion)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		decode(b, "large.mlirbc", content)
	}
}
