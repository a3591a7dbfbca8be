package bytecode_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/bytecode"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/printer"
)

// TestUseListsComeBack shuffles the uses of a result and of a block argument.
func TestUseListsComeBack(t *testing.T) {
	op := parse(t, "in.mlir", []byte(`module {
  func.func @f(%arg0: i32) {
    %0:2 = "t.make"() : () -> (i32, i32)
    "t.a"(%0#0, %arg0, %0#0) : (i32, i32, i32) -> ()
    "t.b"(%0#1, %arg0) : (i32, i32) -> ()
    "t.c"(%0#0, %arg0, %0#1) : (i32, i32, i32) -> ()
    "t.d"(%0#0, %arg0, %0#0, %0#0, %0#0) : (i32, i32, i32, i32, i32) -> ()
    return
  }
}`))
	for _, v := range values(op) {
		uses := slices.Collect(v.Uses())
		for i := 0; i+1 < len(uses); i += 3 { // some of them
			uses[i].Set(nil)
			uses[i].Set(v)
		}
	}
	want := useLists(op)
	for version := 3; version <= bytecode.CurrentVersion; version++ {
		if diff := cmp.Diff(want, useLists(decode(t, "in", encode(t, op, version)))); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", version, diff)
		}
	}
	if diff := cmp.Diff(want, useLists(decode(t, "in", encode(t, op, 2)))); diff == "" {
		t.Error("version 2 has no use-list orders, yet they came back: the test shuffles nothing")
	}
}

func values(op *ir.Operation) []*ir.Value {
	block := op.Region(0).First().First().Region(0).First()
	return append(slices.Clone(block.Arguments()), block.First().Results()...)
}

type use struct {
	Name  string
	Index int
}

func useLists(op *ir.Operation) (lists [][]use) {
	for _, v := range values(op) {
		var list []use
		for u := range v.Uses() {
			list = append(list, use{u.Owner().Name().String(), u.Index()})
		}
		lists = append(lists, list)
	}
	return lists
}

func TestWriteErrors(t *testing.T) {
	withProperties := parse(t, "in", []byte(`"t.d"() <"text"> : () -> ()`))
	function := parse(t, "in", []byte(`func.func private @f()`))
	function.Region(0).First().First().RemoveAttr("sym_name")
	for _, test := range []struct {
		op      *ir.Operation
		version int
		want    string
	}{
		{withProperties, 7, "unsupported version requested 7, must be in range [0, 6]"},
		{withProperties, -1, "unsupported version requested -1, must be in range [0, 6]"},
		{withProperties, 4, "'t.d' op has properties that are no dictionary, which bytecode before version 5 can't hold"},
		{function, 6, "'func.func' op can't be written as bytecode without attribute 'sym_name'"},
	} {
		err := bytecode.Write(io.Discard, test.op, bytecode.Options{Version: test.version})
		if found := ir.Diagnostics(err); len(found) != 1 || found[0].Message != test.want {
			t.Errorf("version %d: error %v, want %s", test.version, err, test.want)
		}
	}
}

// TestPropertiesOfOperationsOfMLIR holds for operations that MLIR defines and we do not: it would read their properties as a
// list, so they are written as attributes. Those that nobody knows have properties.
func TestPropertiesOfOperationsOfMLIR(t *testing.T) {
	op := parse(t, "in", []byte(`module {
  %0 = "memref.alloca"() <{alignment = 8 : i64}> {note} : () -> memref<f32>
  "t.constant"() <{value = 1 : i8}> {note} : () -> ()
}
`))
	want := `module {
  %0 = "memref.alloca"() {alignment = 8 : i64, note} : () -> memref<f32>
  "t.constant"() <{value = 1 : i8}> {note} : () -> ()
}
`
	for version := 5; version <= bytecode.CurrentVersion; version++ {
		if diff := cmp.Diff(want, printer.String(decode(t, "in", encode(t, op, version)))); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", version, diff)
		}
	}
}

// propertyValue returns a value that an operation's property of a name can hold, another for every i where there is more than one.
func propertyValue(c *ir.Context, operation, name string, i int) ir.Attribute {
	if operation == "arith.constant" {
		return c.I64Attr(int64(i))
	}
	switch name {
	case "operandSegmentSizes":
		return c.DenseI32Array(1, 0, 2)
	case "branch_weights", "case_operand_segments":
		return c.DenseI32Array(int32(i))
	case "case_values":
		return c.Dense(c.RankedTensorType([]int64{2}, c.IntegerType(8, ir.Signless), nil), true, []byte{byte(i)})
	case "names", "attributeValueNames":
		return c.Array(c.StringAttr(strconv.Itoa(i)))
	case "variadicity":
		text := `"t.a"() {v = #irdl<variadicity_array[optional]>} : () -> ()`
		op, _ := parser.Parse(context.Background(), c, &ir.Source{Name: "v", Text: []byte(text)}, parser.Options{})
		return op.Region(0).First().First().Attr("v")
	case ir.SymbolNameAttribute, ir.SymbolVisibilityAttribute, "msg", "pred", "base_name":
		return c.StringAttr(strconv.Itoa(i))
	case "callee", "value", "base_ref", "base_type":
		return c.SymbolRef(strconv.Itoa(i))
	case "function_type":
		return c.TypeAttr(c.FunctionType(nil, []ir.Type{c.IntegerType(uint32(i+1), ir.Signless)}))
	case "arg_attrs", "res_attrs":
		return c.Array(c.Dictionary(ir.NamedAttribute{Name: "a", Value: c.I64Attr(int64(i))}))
	case "no_inline", "constrainedArguments":
		return c.Unit()
	}
	return c.I64Attr(int64(i))
}

// TestPropertiesOfEveryOperation holds for the operations that have a list of properties in the format and for those that
// have none: what is set comes back.
func TestPropertiesOfEveryOperation(t *testing.T) {
	c := newContext()
	for _, dialect := range c.Dialects() {
		if dialect.OperationNames == nil {
			continue
		}
		for _, name := range dialect.OperationNames() {
			def := c.OperationName(name).Definition()
			if def == nil || !def.UsesProperties {
				continue
			}
			properties := c.Dictionary()
			for i, inherent := range def.Inherent {
				properties = properties.With(inherent, propertyValue(c, name, inherent, i))
			}
			op := ir.NewOperation(&ir.OperationState{Name: c.OperationName(name), Loc: c.UnknownLoc(), Properties: properties})
			want := op.Properties().String()
			for version := bytecode.MinVersion; version <= bytecode.CurrentVersion; version++ {
				var out bytes.Buffer
				if err := bytecode.Write(&out, op, bytecode.Options{Version: version}); err != nil {
					t.Errorf("%s, version %d: %v", name, version, err)
					continue
				}
				again := decode(t, name, out.Bytes())
				if !again.Is(name) {
					again = again.Region(0).First().First()
				}
				if got := again.Properties(); got == nil || got.String() != want {
					t.Errorf("%s, version %d: %v, want %s", name, version, got, want)
				}
			}
		}
	}
}
