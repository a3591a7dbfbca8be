package bytecode_test

import (
	"bytes"
	"context"
	"testing"

	"tpuir/bytecode"
	"tpuir/ir"
	"tpuir/parser"
)

// FuzzRead reads anything: an error or IR, never a panic. What is read is written to bytes that read back to the same.
func FuzzRead(f *testing.F) {
	names, texts := validCases(f)
	for i, name := range names {
		if i%8 == 0 {
			f.Add(encode(f, parse(f, name, texts[name]), bytecode.CurrentVersion-i/8%2))
		}
	}
	for _, name := range []string{"block-custom-branch", "op-properties", "dominance-forward-reference"} {
		if content, ok := texts[name]; ok {
			f.Add(encode(f, parse(f, name, content), bytecode.CurrentVersion))
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		op, err := read("fuzz", content)
		if err != nil {
			if len(ir.Diagnostics(err)) == 0 {
				t.Fatal("an error without a message")
			}
			return
		}
		if len(ir.Verify(context.Background(), op)) > 0 {
			return
		}
		var out bytes.Buffer
		if err := bytecode.Write(&out, op, bytecode.Options{Version: bytecode.CurrentVersion}); err != nil {
			return
		}
		again, err := read("again", out.Bytes())
		if err != nil {
			t.Fatalf("what was written can't be read: %v", err)
		}
		if first, second := text(op), text(again); first != second {
			t.Fatalf("differs when written and read:\n%s\n%s", first, second)
		}
		var sources ir.Sources
		if _, found := parser.Parse(context.Background(), newContext(), sources.Add("text", []byte(text(op))), parser.Options{}); len(found) > 0 {
			t.Logf("the text of it is refused: %v", found[0])
		}
	})
}
