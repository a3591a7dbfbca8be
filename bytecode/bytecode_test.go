package bytecode_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tpuir/bytecode"
	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

func newContext() *ir.Context {
	c := registry.NewContext()
	c.AllowUnregisteredDialects = true
	return c
}

// parse reads text in a context of its own.
func parse(t testing.TB, name string, text []byte) *ir.Operation {
	t.Helper()
	var sources ir.Sources
	op, found := parser.Parse(context.Background(), newContext(), sources.Add(name, text), parser.Options{})
	if len(found) > 0 {
		t.Fatalf("%s: %v", name, found[0])
	}
	return op
}

func encode(t testing.TB, op *ir.Operation, version int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := bytecode.Write(&out, op, bytecode.Options{Version: version}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// decode reads bytecode in a context of its own.
func decode(t testing.TB, name string, content []byte) *ir.Operation {
	t.Helper()
	op, err := read(name, content)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return op
}

func read(name string, content []byte) (*ir.Operation, error) {
	var sources ir.Sources
	return bytecode.Read(context.Background(), newContext(), sources.Add(name, content), bytecode.ReadOptions{})
}

func text(op *ir.Operation) string {
	return string(printer.Append(nil, op, printer.Options{DebugInfo: true}))
}

// validCases are the texts whose results mlir-opt 22 has recorded.
func validCases(t testing.TB) (names []string, texts map[string][]byte) {
	t.Helper()
	archive, err := txtar.ParseFile("../parser/testdata/valid.txtar")
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string][]byte{}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".mlir"); ok {
			names = append(names, name)
			texts[name] = f.Data
		}
	}
	return names, texts
}

func TestValidCasesComeBack(t *testing.T) {
	names, texts := validCases(t)
	if len(names) != 184 {
		t.Fatalf("%d cases, want 184", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			op := parse(t, name, texts[name])
			for version := bytecode.MinVersion; version <= bytecode.CurrentVersion; version++ {
				if name == "op-properties" && version < 5 {
					continue // properties that are no dictionary: TestWriteErrors
				}
				content := encode(t, op, version)
				got := decode(t, name, content)
				want := text(op)
				if version < 5 { // unregistered operations have no properties then
					want = text(parse(t, name, mlirVersion4(op)))
				}
				if diff := cmp.Diff(want, text(got)); diff != "" {
					t.Errorf("version %d (-want +got):\n%s", version, diff)
				}
				if again := encode(t, op, version); !bytes.Equal(content, again) {
					t.Errorf("version %d: not the same bytes when written again", version)
				}
			}
		})
	}
}

// mlirVersion4 returns the text of an operation whose unregistered operations have all attributes in one dictionary.
func mlirVersion4(op *ir.Operation) []byte {
	clone := op.Clone()
	clone.Walk(func(op *ir.Operation) ir.WalkResult {
		if d, ok := op.Properties().(*ir.DictionaryAttr); ok && op.Definition() == nil {
			op.SetProperties(nil)
			op.SetAttributes(op.Context().Dictionary(append(append([]ir.NamedAttribute{}, d.Entries...), op.Attributes().Entries...)...))
		}
		return ir.Advance
	})
	return []byte(text(clone))
}
