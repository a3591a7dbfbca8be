package pass_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/pass"
)

// step is a pass that is a function.
type step func(op *ir.Operation) error

func (s step) Run(_ *pass.Run, op *ir.Operation) error { return s(op) }

func definition(name string, run func(op *ir.Operation) error) *pass.Definition {
	return &pass.Definition{Argument: name, Name: name, New: func() pass.Pass { return step(run) }}
}

// create appends an operation to the first function.
func create(name string) func(*ir.Operation) error {
	return func(module *ir.Operation) error {
		b := module.Region(0).First().First().Region(0).First()
		ir.BuilderBefore(b.Last()).Build(name, module.Context().UnknownLoc(), nil, nil)
		return nil
	}
}

// spoil makes the first operation of the first function one that does not verify.
func spoil(module *ir.Operation) error {
	op := module.Region(0).First().First().Region(0).First().First()
	op.RemoveAttr("callee")
	return nil
}

func run(t *testing.T, text string, definitions ...*pass.Definition) []*ir.Diagnostic {
	t.Helper()
	sources := &ir.Sources{}
	module, found := parser.Parse(t.Context(), registry.NewContext(), sources.Add("in.mlir", []byte(text)), parser.Options{})
	if len(found) > 0 {
		t.Fatal(found)
	}
	p := pass.NewPipeline("builtin.module")
	for _, d := range definitions {
		p.Add(d, d.New())
	}
	manager := pass.Manager{Pipeline: p, Verify: true}
	return ir.Diagnostics(manager.Run(context.Background(), module))
}

func TestBlame(t *testing.T) {
	nothing := func(*ir.Operation) error { return nil }
	for _, test := range []struct {
		name, text, want string
		passes           []*pass.Definition
	}{
		{"made by the pass", "func.func @f() { return }", "the IR was found broken after pass 'make', which made the operation",
			[]*pass.Definition{definition("first", nothing), definition("make", create("func.call"))}},
		{"from the input", "func.func @f() { call @f() : () -> () return }", "the IR was found broken after pass 'spoil'; the operation stood in the input",
			[]*pass.Definition{definition("first", nothing), definition("spoil", spoil)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := run(t, test.text, test.passes...)
			if len(found) == 0 {
				t.Fatal("no error")
			}
			notes := found[0].Notes
			if diff := cmp.Diff(test.want, notes[len(notes)-1].Message); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCrashIsAnError(t *testing.T) {
	found := run(t, "func.func @f() { return }", definition("crash", func(*ir.Operation) error { panic("out of luck") }))
	if len(found) != 1 || !strings.HasPrefix(found[0].Message, "pass 'crash' crashed, which is a mistake of the program: out of luck") {
		t.Errorf("got %v", found)
	}
}
