package arith_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

const header = "func.func @f(%c: i1, %v: vector<2xi1>, %a: i32, %b: i32, %x: vector<2xi32>, %y: vector<3xi32>) {\n"

func read(t *testing.T, text string) (*ir.Operation, *ir.Sources, []*ir.Diagnostic) {
	t.Helper()
	sources := &ir.Sources{}
	op, found := parser.Parse(t.Context(), registry.NewContext(), sources.Add("f.mlir", []byte(text)), parser.Options{})
	if len(found) == 0 {
		found = ir.Verify(t.Context(), op)
	}
	return op, sources, found
}

// The expected texts are mlir-opt 22's.
func TestForms(t *testing.T) {
	for in, want := range map[string]string{
		`arith.constant 5`:                                          "%c5_i64 = arith.constant 5 : i64",
		`arith.constant {k = 1 : i32} -7 : i8`:                      "%c-7_i8 = arith.constant {k = 1 : i32} -7 : i8",
		`arith.constant 2.5 : f32`:                                  "%cst = arith.constant 2.500000e+00 : f32",
		`arith.constant true`:                                       "%true = arith.constant true",
		`"arith.constant"() {value = 0 : i1} : () -> i1`:            "%false = arith.constant false",
		`arith.constant dense<[1, 2]> : vector<2xi32>`:              "%cst = arith.constant dense<[1, 2]> : vector<2xi32>",
		`arith.constant dense<1> : vector<[2]xi32>`:                 "%cst = arith.constant dense<1> : vector<[2]xi32>",
		`arith.constant 5 : index`:                                  "%c5 = arith.constant 5 : index",
		`"arith.select"(%c, %a, %b) : (i1, i32, i32) -> i32`:        "%0 = arith.select %arg0, %arg2, %arg3 : i32",
		`arith.select %v, %x, %x : vector<2xi1>, vector<2xi32>`:     "%0 = arith.select %arg1, %arg4, %arg4 : vector<2xi1>, vector<2xi32>",
		`arith.select %c, %x, %x {k = 1 : i32} : i1, vector<2xi32>`: "%0 = arith.select %arg0, %arg4, %arg4 {k = 1 : i32} : vector<2xi32>",
		`"arith.addi"(%a, %b) : (i32, i32) -> i32`:                  `%0 = "arith.addi"(%arg2, %arg3) : (i32, i32) -> i32`,
	} {
		op, _, found := read(t, header+"%r = "+in+"\nreturn }")
		if len(found) > 0 {
			t.Errorf("%s: %v", in, found[0].Message)
			continue
		}
		printed := printer.String(op)
		if diff := cmp.Diff(want, strings.TrimSpace(strings.Split(printed, "\n")[2])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
		if again, _, found := read(t, printed); len(found) > 0 || printer.String(again) != printed {
			t.Errorf("%s reads back as something else: %v", in, found)
		}
	}
}

// Messages and columns are mlir-opt 22's.
func TestRefused(t *testing.T) {
	for _, test := range []struct {
		in      string
		column  int
		message string
	}{
		{`"arith.constant"() : () -> i32`, 6, "'arith.constant' op requires attribute 'value'"},
		{`"arith.constant"() {value = 1 : i64} : () -> i32`, 6, "'arith.constant' op failed to verify that all of {value, result} have same type"},
		{`"arith.constant"() {value = 1 : si32} : () -> si32`, 6, "'arith.constant' op integer return type must be signless"},
		{`"arith.constant"() {value = @f} : () -> i32`, 6, "'arith.constant' op attribute 'value' failed to satisfy constraint: TypedAttr instance"},
		{`arith.constant @f`, 21, "custom op 'arith.constant' invalid kind of attribute specified"},
		{`arith.constant "x"`, 6, "'arith.constant' op value must be an integer, float, or elements attribute"},
		{`arith.constant dense<[1, 2]> : vector<[2]xi32>`, 6, "'arith.constant' op intializing scalable vectors with elements attribute is not supported unless it's a vector splat"},
		{`"arith.select"(%a, %a, %b) : (i32, i32, i32) -> i32`, 6, "'arith.select' op operand #0 must be bool-like, but got 'i32'"},
		{`"arith.select"(%c, %a, %c) : (i1, i32, i1) -> i32`, 6, "'arith.select' op failed to verify that all of {true_value, false_value, result} have same type"},
		{`"arith.select"(%v, %y, %y) : (vector<2xi1>, vector<3xi32>, vector<3xi32>) -> vector<3xi32>`, 6, "'arith.select' op failed to verify that condition is signless i1 or has matching shape"},
		{`arith.select %c, %a : i32`, 19, "custom op 'arith.select' expected 3 operands"},
		{`arith.select %c, %a, %b, %c : i32`, 19, "custom op 'arith.select' expected 3 operands"},
	} {
		_, sources, found := read(t, header+"%0 = "+test.in+"\nreturn }")
		if len(found) == 0 {
			t.Errorf("%s is accepted", test.in)
			continue
		}
		_, line, column := sources.Place(found[0])
		if found[0].Message != test.message || line != 2 || column != test.column {
			t.Errorf("%s: %d:%d: %s; want 2:%d: %s", test.in, line, column, found[0].Message, test.column, test.message)
		}
	}
}
