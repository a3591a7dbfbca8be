package funcdialect_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/dialect/builtin"
	"tpuir/dialect/cf"
	funcdialect "tpuir/dialect/func"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

func newContext() *ir.Context {
	c := ir.NewContext()
	c.AllowUnregisteredDialects = true
	builtin.Register(c)
	funcdialect.Register(c)
	cf.Register(c)
	return c
}

// TestBuild makes a module through the wrappers.
func TestBuild(t *testing.T) {
	c := newContext()
	module := builtin.NewModule(c, c.UnknownLoc(), "m")
	i32 := ir.Type(c.I32())
	f := funcdialect.NewFunc(c, c.UnknownLoc(), "f", c.FunctionType([]ir.Type{i32}, []ir.Type{i32}))
	if !f.IsDeclaration() {
		t.Error("a new function has a body")
	}
	module.Body().Append(f.Operation)
	b := ir.BuilderAtEnd(c, f.AddEntryBlock())
	funcdialect.NewReturn(b, c.UnknownLoc(), f.Args())
	g := funcdialect.NewFunc(c, c.UnknownLoc(), "g", f.Type())
	module.Body().Append(g.Operation)
	b.SetToEnd(g.AddEntryBlock())
	call := funcdialect.NewCall(b, c.UnknownLoc(), f, g.Args())
	funcdialect.NewReturn(b, c.UnknownLoc(), call.Results())
	if callee, ok := funcdialect.Callee(call, &ir.SymbolTables{}); !ok || callee.Operation != f.Operation {
		t.Error("the call does not find its callee")
	}
	if found := ir.Verify(context.Background(), module.Operation); len(found) > 0 {
		t.Fatal(found[0])
	}
	want := `module @m {
  func.func @f(%arg0: i32) -> i32 {
    return %arg0 : i32
  }
  func.func @g(%arg0: i32) -> i32 {
    %0 = call @f(%arg0) : (i32) -> i32
    return %0 : i32
  }
}
`
	if diff := cmp.Diff(want, printer.String(module.Operation)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestErrors compares messages with those of mlir-opt 22.
func TestErrors(t *testing.T) {
	cases := []struct{ text, want string }{
		{`func.func private @f(i32 {plain = 1})`, "'func.func' op arguments may only have dialect attributes"},
		{`func.func private @f() -> (i32 {plain = 1})`, "'func.func' op results may only have dialect attributes"},
		{`func.func @f()`, "'func.func' op symbol declaration cannot have public visibility"},
		{`func.func private @f() attributes {sym_name = "g"}`, "custom op 'func.func' 'sym_name' is an inferred attribute and " +
			"should not be specified in the explicit attribute dictionary"},
		{`func.func private @f(%x: i32, f32)`, "custom op 'func.func' expected SSA identifier"},
		{`func.func private @f(i32, %x: f32)`, "custom op 'func.func' expected type instead of SSA identifier"},
		{`"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "private", arg_attrs = [{}]}> ({}) : () -> ()`,
			"'func.func' op expects argument attribute array to have the same number of elements as the number of function " +
				"arguments, got 1, but expected 0"},
		{`"func.func"() <{function_type = (i8) -> (), sym_name = "f"}> ({ "func.return"() : () -> () }) : () -> ()`,
			"'func.func' op entry block must have 1 arguments to match function signature"},
		{`func.func @f() { %0 = func.call @g() : () -> i32 return }
func.func private @g() -> i64`, "'func.call' op result type mismatch at index 0"},
		{`func.func @f() { func.call @g() : () -> () return }
func.func private @g(i64)`, "'func.call' op incorrect number of operands for callee"},
		// MLIR knows that gpu.module is a symbol table; of an unknown operation it may be.
		{`"gpu.module"() ({ func.func private @g() func.func @f() { func.call @g() : () -> () return } }) {sym_name = "m"} : () -> ()`,
			"accepted"},
		{`"u.module"() ({ func.func private @g() func.func @f() { func.call @g() : () -> () return } }) {sym_name = "m"} : () -> ()`,
			"'func.call' op 'g' does not reference a valid function"},
		// MLIR looks into the regions met last first.
		{`func.func @f() { func.call @x() : () -> () return } func.func @g() { func.call @y() : () -> () return }`,
			"'func.call' op 'y' does not reference a valid function"},
		{`func.func @f() { %0 = func.constant @g : () -> () return }`, "'func.constant' op reference to undefined function 'g'"},
		{`func.func @f(%a: i32) { cf.assert %a, "x" return }`,
			"use of value '%a' expects different type than prior uses: 'i1' vs 'i32'"},
		{`func.func @f(%a: i1) { cf.br ^b(%a : i1) ^b(%x: i8): return }`, "type mismatch for bb argument #0 of successor #0"},
	}
	for _, c := range cases {
		op, found := parser.Parse(context.Background(), newContext(), &ir.Source{Name: "f", Text: []byte(c.text)}, parser.Options{})
		if len(found) == 0 {
			found = ir.Verify(context.Background(), op)
		}
		got := "accepted"
		if len(found) > 0 {
			got = found[0].Message
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n-want +got:\n%s", c.text, diff)
		}
	}
}
