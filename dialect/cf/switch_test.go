package cf_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/dialect/builtin"
	"tpuir/dialect/cf"
	funcdialect "tpuir/dialect/func"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

func read(t *testing.T, text string) (*ir.Operation, []*ir.Diagnostic) {
	t.Helper()
	c := ir.NewContext()
	builtin.Register(c)
	funcdialect.Register(c)
	cf.Register(c)
	var sources ir.Sources
	op, found := parser.Parse(context.Background(), c, sources.Add("f.mlir", []byte(text)), parser.Options{})
	if len(found) == 0 {
		found = ir.Verify(context.Background(), op)
	}
	return op, found
}

func TestSwitch(t *testing.T) {
	op, found := read(t, `func.func @f(%flag: i32, %a: i32, %b: f32) {
  cf.switch %flag : i32, [
    default: ^bb1(%a : i32),
    42: ^bb1(%a : i32),
    -43: ^bb2(%b, %a : f32, i32)
  ]
^bb1(%x: i32):
  return
^bb2(%y: f32, %z: i32):
  cf.switch %flag : i32, [
    default: ^bb1(%a : i32)
  ]
}
`)
	if len(found) > 0 {
		t.Fatal(found)
	}
	const want = `module {
  func.func @f(%arg0: i32, %arg1: i32, %arg2: f32) {
    cf.switch %arg0 : i32, [
      default: ^bb1(%arg1 : i32),
      42: ^bb1(%arg1 : i32),
      4294967253: ^bb2(%arg2, %arg1 : f32, i32)
    ]
  ^bb1(%0: i32):  // 3 preds: ^bb0, ^bb0, ^bb2
    return
  ^bb2(%1: f32, %2: i32):  // pred: ^bb0
    cf.switch %arg0 : i32, [
      default: ^bb1(%arg1 : i32)]
  }
}
`
	got := printer.String(op)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, found := read(t, got)
	if len(found) > 0 {
		t.Fatal(found)
	}
	if diff := cmp.Diff(got, printer.String(again)); diff != "" {
		t.Errorf("read again (-first +second):\n%s", diff)
	}
}

func TestSwitchIsRefused(t *testing.T) {
	for operation, want := range map[string]string{
		`"cf.switch"(%flag)[^a] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()`:                                                                                    "requires attribute 'case_operand_segments'",
		`"cf.switch"(%flag)[^a, ^a] <{case_operand_segments = array<i32: 0>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()`:                                         "expects number of case values",
		`"cf.switch"(%flag)[^a, ^a] <{case_operand_segments = array<i32: 0>, case_values = dense<1> : vector<1xi8>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()`:  "should match case value type",
		`"cf.switch"(%flag)[^a, ^a] <{case_operand_segments = array<i32: 0>, case_values = dense<1> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()`: "should match number of case destinations",
		`"cf.switch"(%flag, %flag)[^a] <{case_operand_segments = array<i32>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()`:                                    "branch has 1 operands for successor #0",
		`"cf.switch"(%flag)[^a] <{case_operand_segments = array<i32: -1>, operandSegmentSizes = array<i32: 1, 0, -1>}> : (i32) -> ()`:                                           "attribute cannot have negative elements",
		`cf.switch %flag : i32, [1: ^a]`: "expected 'default'",
	} {
		_, found := read(t, "func.func @f(%flag: i32) {\n  "+operation+"\n^a:\n  return\n}\n")
		if len(found) == 0 || !strings.Contains(found[0].Message, want) {
			t.Errorf("%s: %v, want %q", operation, found, want)
		}
	}
}
