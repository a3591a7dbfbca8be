// Each shape rule on ops of both dialects: what it lets through and what it says of the rest.

package shape_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"tpuir/dialect/definition"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// attributes are given by name, as Go values.
type attributes map[string]any

// check is an op described in short: types are dimensions and a type, 1x?x4xbf16 (f32 is left out), or none.
type check struct {
	op       string
	operands string
	given    attributes
	results  string
	want     string // the message, "" for none
}

func newContext() *ir.Context {
	c := ir.NewContext()
	top.Register(c)
	tpu.Register(c)
	return c
}

func parseType(t *testing.T, c *ir.Context, text string) ir.Type {
	t.Helper()
	if text == "none" {
		return c.NoneType()
	}
	var element ir.Type = c.F32()
	var dims []int64
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.ParseInt(part, 10, 64)
		switch {
		case part == "?":
			dims = append(dims, ir.Dynamic)
		case err == nil:
			dims = append(dims, n)
		case part == "ui8":
			element = c.IntegerType(8, ir.Unsigned)
		case part == "si32":
			element = c.IntegerType(32, ir.Signed)
		case c.FloatTypeNamed(part) != nil:
			element = c.FloatTypeNamed(part)
		default:
			t.Fatalf("no type: %s", text)
		}
	}
	return c.RankedTensorType(dims, element, nil)
}

func parseTypes(t *testing.T, c *ir.Context, text string) []ir.Type {
	var types []ir.Type
	for one := range strings.FieldsSeq(text) {
		types = append(types, parseType(t, c, one))
	}
	return types
}

func build(t *testing.T, c *ir.Context, test *check) *ir.Operation {
	t.Helper()
	block := new(ir.Block)
	var values []*ir.Value
	for _, typ := range parseTypes(t, c, test.operands) {
		values = append(values, block.AddArgument(typ, c.UnknownLoc()))
	}
	op := ir.NewOperation(&ir.OperationState{Name: c.OperationName(test.op), Loc: c.UnknownLoc(), Operands: values,
		Types: parseTypes(t, c, test.results)})
	for _, a := range definition.Of(op).Attributes {
		if value, ok := test.given[a.Name]; ok {
			set(t, op, &a, value)
		}
	}
	return op
}

func set(t *testing.T, op *ir.Operation, a *definition.Attribute, value any) {
	t.Helper()
	switch value := value.(type) {
	case bool:
		definition.SetBool(op, a.Name, value)
	case int:
		definition.SetInt(op, a.Name, a.Kind, int64(value))
	case float64:
		definition.SetFloat(op, a.Name, a.Kind, value)
	case string:
		definition.SetString(op, a.Name, value)
	case []int64:
		definition.SetInts(op, a.Name, a.Kind, value)
	case []float64:
		definition.SetFloats(op, a.Name, value)
	default:
		t.Fatalf("attribute %s of %T", a.Name, value)
	}
}

func run(t *testing.T, checks []check) {
	t.Helper()
	c := newContext()
	for i := range checks {
		test := &checks[i]
		var got []string
		for _, d := range ir.VerifySerially(context.Background(), build(t, c, test)) {
			got = append(got, strings.TrimPrefix(d.Message, "'"+test.op+"' op "))
		}
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%s (%s) %v -> (%s)\n got %s\nwant %s", test.op, test.operands, test.given, test.results, text, test.want)
		}
	}
}

func TestMatMul(t *testing.T) {
	packed := func(bits, group int, more attributes) attributes {
		all := attributes{"weight_bits": bits, "q_group_size": group}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	transposed := attributes{"w_transpose": true}
	run(t, []check{
		{"top.MatMul", "4x8 8x5 none", nil, "4x5", ""},
		{"top.MatMul", "4x8 7x5 none", nil, "4x5", "left of shape 4x8 has 8 columns, but right of shape 7x5 has 7 rows"},
		{"top.MatMul", "4x8 8x5 none", attributes{"right_transpose": true}, "4x5", "left of shape 4x8 has 8 columns, but right of shape 8x5 has 5 rows (transposed)"},
		{"top.MatMul", "128x64 1x64 none", attributes{"right_transpose": true}, "128x1", ""},
		{"top.MatMul", "8x4 8x5 none", attributes{"left_transpose": true}, "4x5", ""},
		{"top.MatMul", "1x?x8 8x5 none", nil, "1x?x5", ""},
		{"top.MatMul", "1x?x8 8x5 none", nil, "1x?x6", "output must have shape 1x?x5, but has 1x?x6"},
		{"top.MatMul", "2x4x8 3x8x5 none", nil, "2x4x5", "batch dimensions of shapes 2x4x8 and 3x8x5 do not broadcast"},
		{"top.MatMul", "2x4x8 8x5 none", attributes{"keep_dims": false}, "8x5", ""},
		{"top.MatMul", "2x4x8 8x5 1x1x5", nil, "2x4x5", ""},
		{"top.MatMul", "2x4x8 8x5 1x1x4", nil, "2x4x5", "bias of shape 1x1x4 does not fit the 5 columns of the result"},
		{"top.MatMul", "2x4x8 8 none", nil, "2x4", ""},
		{"top.MatMul", "4x8 8x5 none", nil, "4x5xbf16", "output must have element type 'f32' as its input, but has 'bf16'"},
		{"tpu.MatMul", "1x1x64xbf16 1x64x64xbf16 1x1x64xbf16 none none", nil, "1x1x64xbf16", ""},
		{"tpu.A16MatMul", "1x4x64xbf16 8x32xui8 8x2xbf16 8x2xui8 none", packed(4, 32, transposed), "1x4x8xbf16", ""},
		{"tpu.A16MatMul", "1x4x64xbf16 8x32xui8 64x1x2xbf16 64x1x2xui8 none", packed(4, 32, transposed), "1x4x8xbf16",
			"8 rows of 2 groups need 16 scales, but there are 128 (shape 64x1x2)"},
		{"tpu.A16MatMul", "1x4x64xbf16 64x32xui8 64x1x1xbf16 64x1x1xui8 none", packed(4, 64, transposed), "1x4x64xbf16", ""},
		{"tpu.A16MatMul", "1x4x64xbf16 8x64xui8 8x1xbf16 8x1xui8 none", packed(8, 64, transposed), "1x4x8xbf16", ""},
		{"tpu.A16MatMul", "1x4x64xbf16 8x64xui8 8x1xbf16 8x1xui8 none", packed(4, 64, transposed), "1x4x8xbf16",
			"input of shape 1x4x64 has 64 columns, but the weight of shape 8x64 holds 128 rows of 4 bits"},
		{"tpu.A16MatMul", "1x4x64xbf16 8x64xui8 8x1xbf16 8x1xui8 none", packed(5, 64, transposed), "1x4x8xbf16", "attribute 'weight_bits' must be 4 or 8, but is 5"},
		{"tpu.A16MatMul", "1x4x64xbf16 8x64xui8 8x1xbf16 8x1xui8 none", packed(8, 48, transposed), "1x4x8xbf16", "attribute 'q_group_size' 48 does not divide the 64 values of a row"},
		{"tpu.A16MatMul", "1x4x64xbf16 8x64xui8 8x1xbf16 8x2xui8 none", packed(8, 64, transposed), "1x4x8xbf16", "scale of shape 8x1 and zero point of shape 8x2 differ"},
		{"tpu.A16MatMul", "1x4x64xbf16 8x64xui8 none none none", packed(8, 64, transposed), "1x4x8xbf16", "a packed weight needs a scale"},
		{"tpu.A16MatMul", "1x4x64xbf16 8x32xui8 8x0xbf16 8x0xui8 none", packed(4, 128, transposed), "1x4x8xbf16", ""}, // per channel
		{"tpu.A16MatMul", "1x4x64xbf16 64x8 none none 1x1x8", packed(4, 0, nil), "1x4x8xbf16", ""},
		{"tpu.A16MatMul", "1x4x64xbf16 64x8 8x1 none none", packed(4, 64, nil), "1x4x8xbf16", "a weight that has a scale must hold bytes, but holds 'f32'"},
	})
}

func TestAttention(t *testing.T) {
	with := func(name string, value any) attributes {
		all := attributes{"batch": 2, "q_head": 4, "kv_head": 2, "dim": 16, "mq": 5, "mk": 7, "scale": 0.25, "keep_dims": false}
		if name != "" {
			all[name] = value
		}
		return all
	}
	queries, keys := "2x5x4x16 ", "2x7x2x16 2x7x2x16 "
	run(t, []check{
		{"top.FAttention", queries + keys + "none none", with("", nil), "2x5x64", ""},
		{"top.FAttention", queries + keys + "2x1x5x7 none", with("", nil), "2x5x64", ""},
		{"top.FAttention", queries + keys + "none none", with("keep_dims", true), "2x5x4x16", ""},
		{"top.FAttention", queries + keys + "none none", with("kv_head", 3), "2x5x64", "attribute 'q_head' 4 is no multiple of 'kv_head' 3"},
		{"top.FAttention", queries + keys + "none none", with("dim", 8), "2x5x64", "queries must have shape 2x5x4x8, but has 2x5x4x16"},
		{"top.FAttention", queries + keys + "none none", with("mk", 9), "2x5x64", "keys must have shape 2x9x2x16, but has 2x7x2x16"},
		{"top.FAttention", queries + keys + "none none", with("mq", 0), "2x5x64", "attribute 'mq' must be at least 1, but is 0"},
		{"top.FAttention", queries + keys + "none none", with("batch", 1), "2x5x64", "queries must have shape 1x5x4x16, but has 2x5x4x16"},
		{"top.FAttention", queries + keys + "2x1x5x8 none", with("", nil), "2x5x64", "mask of shape 2x1x5x8 does not broadcast to 2x4x5x7"},
		{"top.FAttention", queries + keys + "256x256 none", with("mask_size", 256), "2x5x64", ""},
		{"top.FAttention", queries + keys + "256x128 none", with("mask_size", 256), "2x5x64", "mask must have shape 256x256, but has 256x128"},
		{"top.FAttention", queries + "2x7x2x16 2x8x2x16 none none", with("", nil), "2x5x64", "values must have shape 2x7x2x16, but has 2x8x2x16"},
		{"top.FAttention", queries + keys + "none none", with("", nil), "2x5x60", "output must have shape 2x5x64, but has 2x5x60"},
		{"top.FAttention", "2x?x4x16 2x?x2x16 2x?x2x16 2x1x?x? none", attributes{"batch": 2, "q_head": 4, "kv_head": 2, "dim": 16, "mq": -1, "mk": -1,
			"scale": 0.25, "keep_dims": false}, "2x?x64", ""},
		{"top.Rope", "1x8x2x16 1x8x1x16 1x8x1x16", nil, "1x8x2x16", ""},
		{"top.Rope", "1x?x2x16 1x?x1x16 1x?x1x16", nil, "1x?x2x16", ""},
		{"top.Rope", "1x8x2x15 1x8x1x15 1x8x1x15", nil, "1x8x2x15", "input of shape 1x8x2x15 cannot be rotated in pairs along its last dimension"},
		{"top.Rope", "1x8x2x16 1x9x1x16 1x8x1x16", nil, "1x8x2x16", "input2 of shape 1x9x1x16 does not broadcast to the input's 1x8x2x16"},
		{"top.Rope", "1x8x2x16 1x8x1x16 1x8x1x8", nil, "1x8x2x16", "input3 of shape 1x8x1x8 does not broadcast to the input's 1x8x2x16"},
		{"tpu.Rope", "1x8x2x16xbf16 1x8x1x16xbf16 1x8x1x16", nil, "1x8x2x16xbf16", "input3 must have element type 'bf16' as its input, but has 'f32'"},
		{"top.RMSNorm", "1x8x64 1x1x64", attributes{"eps": 1e-6}, "1x8x64", ""},
		{"top.RMSNorm", "1x8x64 1x1x32", attributes{"eps": 1e-6}, "1x8x64", "parameter of shape 1x1x32 does not fit the normalized dimensions of the input 1x8x64 from 2 on"},
		{"top.RMSNorm", "1x8x64 none", attributes{"eps": -1.0}, "1x8x64", "the number added for stability must not be negative, but is -1"},
		{"top.RMSNorm", "1x8x64 none", attributes{"eps": 1e-6}, "1x8x65", "output must have shape 1x8x64, but has 1x8x65"},
		{"top.LayerNorm", "1x8x64 64 64", attributes{"eps": 1e-6, "axis": 2, "normalized_shape": []int64{64}}, "1x8x64", ""},
		{"top.LayerNorm", "1x8x64 64 64", attributes{"eps": 1e-6, "axis": 1, "normalized_shape": []int64{64}}, "1x8x64", "parameter of shape 64 does not fit the normalized dimensions of the input 1x8x64 from 1 on"},
		{"top.GroupNorm", "1x6x4x4 6 6", attributes{"eps": 1e-6, "num_groups": 4}, "1x6x4x4", "attribute 'num_groups' 4 does not divide the 6 channels of the input 1x6x4x4"},
		{"top.Softmax", "1x8", attributes{"axis": 2}, "1x8", "axis 2 is out of range for 2 dimensions"},
		{"top.Softmax", "1x8", attributes{"axis": -1}, "1x8", ""},
	})
}

func TestElementwise(t *testing.T) {
	run(t, []check{
		{"top.Add", "2x3x4 3x1", nil, "2x3x4", ""},
		{"top.Add", "2x3x4 5x1", nil, "2x3x4", "inputs of shapes 2x3x4, 5x1 do not broadcast"},
		{"top.Add", "2x3x4 2x3x4", nil, "2x3x5", "output must have shape 2x3x4, but has 2x3x5"},
		{"top.Add", "2x?x4 2x3x4", nil, "2x3x4", ""},
		{"top.Add", "2x3x4 4", attributes{"coeff": []float64{1}}, "2x3x4", "attribute 'coeff' must hold one value for each of the 2 inputs, but holds 1"},
		{"top.Add", "", nil, "2", "expected at least one input"},
		{"tpu.Add", "2xbf16 2", nil, "2xbf16", "output must have element type 'f32' as its input, but has 'bf16'"},
		{"top.SiLU", "2x3", nil, "2x3", ""},
		{"top.SiLU", "2x3", nil, "3x3", "output must have shape 2x3, but has 3x3"},
		{"top.Input", "1x4xsi32", nil, "1x4", ""},
		{"tpu.Cast", "1x4xbf16", nil, "1x4", ""},
		{"top.Where", "1x50 1x50 none", attributes{"y_is_const": true}, "1x50", ""},
		{"top.Where", "1x50 1x50 none", nil, "1x50", "operand fbrn may only be a none where attribute 'y_is_const' is true"},
		{"top.Where", "2x1 1 4", nil, "2x4", ""},
		{"top.Compare", "1x50 1", attributes{"mode": "Less"}, "1x51", "output must have shape 1x50, but has 1x51"},
	})
}

func TestMoves(t *testing.T) {
	run(t, []check{
		{"top.Concat", "1x64x1x32 1x1x1x32", attributes{"axis": 1}, "1x65x1x32", ""},
		{"top.Concat", "1x?x1x32 1x1x1x32", attributes{"axis": 1}, "1x?x1x32", ""},
		{"top.Concat", "1x64x1x32 1x1x2x32", attributes{"axis": 1}, "1x65x1x32", "input #1 of shape 1x1x2x32 differs from input #0 of shape 1x64x1x32 in dimension 2, which is not the axis 1"},
		{"top.Concat", "1x64x1x32 1x1x1x32", attributes{"axis": 1}, "1x66x1x32", "output must have shape 1x65x1x32, but has 1x66x1x32"},
		{"top.Concat", "2x3 2x3", attributes{"axis": 7}, "2x6", "axis 7 is out of range for 2 dimensions"},
		{"top.Concat", "2x3 2x3xbf16", attributes{"axis": 1}, "2x6", "output must have element type 'bf16' as its input, but has 'f32'"},
		{"top.Reshape", "1x64x64", attributes{"shape": []int64{1, -1, 2, 32}}, "1x64x2x32", ""},
		{"top.Reshape", "1x64x64", attributes{"shape": []int64{0, 0, 2, 32}}, "1x64x2x32", ""},
		{"top.Reshape", "1x64x64", attributes{"shape": []int64{1, -1, 2, 30}}, "1x64x2x32", "the 4096 elements of the input do not fit into shape [1x-1x2x30]"},
		{"top.Reshape", "1x64x64", attributes{"shape": []int64{1, -1, 4, 16}}, "1x64x2x32", "output must have shape 1x64x4x16, but has 1x64x2x32"},
		{"top.Reshape", "1x64x64", nil, "1x64x2x31", "input of shape 1x64x64 has 4096 elements, but output of shape 1x64x2x31 has 3968"},
		{"top.Reshape", "1x?x64", attributes{"shape": []int64{1, -1, 2, 32}}, "1x?x2x32", ""},
		{"top.Reshape", "4", attributes{"shape": []int64{-1, -1}}, "2x2", "attribute 'shape' [-1x-1] holds -1 more than once"},
		{"top.Permute", "2x3x4", attributes{"order": []int64{2, 0, 1}}, "4x2x3", ""},
		{"top.Permute", "2x3x4", attributes{"order": []int64{2, 0, 0}}, "4x2x3", "attribute 'order' must name each of the 3 dimensions once, but entry 2 is 0"},
		{"top.Transpose", "2x3x4", attributes{"dim0": 0, "dim1": 2}, "4x3x2", ""},
		{"top.Slice", "8x9 none none none", attributes{"offset": []int64{1, 0}, "steps": []int64{2, 1}, "ends": []int64{7, 9}}, "3x9", ""},
		{"top.Slice", "8x9 none none none", attributes{"offset": []int64{1}, "steps": []int64{2}, "ends": []int64{7}, "axes": []int64{1}}, "8x3", ""},
		{"top.Slice", "8x9 none none none", attributes{"offset": []int64{1}, "steps": []int64{2, 1}, "ends": []int64{7}}, "8x3",
			"attributes 'offset', 'ends', 'steps' and 'axes' differ in length: 1, 1, 2, 0"},
		{"top.Unsqueeze", "2x3", attributes{"axes": []int64{0, -1}}, "1x2x3x1", ""},
		{"top.Squeeze", "2x1x3x1", attributes{"axes": []int64{1}}, "2x3x1", ""},
		{"top.Squeeze", "2x1x3x1", attributes{"axes": []int64{}}, "2x3", ""},
		{"top.Tile", "2x3", attributes{"tile": []int64{2, 2}}, "4x6", ""},
		{"top.Expand", "1x3", attributes{"shape": []int64{4, 2, 3}}, "4x2x3", ""},
		{"top.Flatten", "2x3x4", attributes{"start_dim": 1}, "2x12", ""},
		{"top.Pad", "2x3", attributes{"paddings": []int64{0, 1, 2, 3}, "mode": "constant"}, "4x7", ""},
		{"top.Split", "4x6", attributes{"axis": 1, "num": 2}, "4x3 4x3", ""},
		{"top.Split", "4x6", attributes{"axis": 1, "num": 2}, "4x3 4x2", "the parts add up to 5 along axis 1, but the input has 6"},
		{"tpu.CoreSplit", "1x128x256", attributes{"axis": 1}, "1x64x256 1x64x255", "result #1 of shape 1x64x255 differs from the input 1x128x256 beside the axis 1"},
		{"top.Upsample", "1x3x4x4", attributes{"scale_h": 2, "scale_w": 3}, "1x3x8x12", ""},
		{"top.Depth2Space", "1x8x4x4", attributes{"block_h": 2, "block_w": 2, "is_CRD": true, "is_inversed": false}, "1x2x8x8", ""},
		{"top.Pack", "2x3 2x3", attributes{"axis": 1, "values_count": 2}, "2x2x3", ""},
		{"top.Unpack", "2x3", attributes{"axis": 0}, "3 3", ""},
		{"top.Weight", "", nil, "1x?", "a weight must have a static shape, but has type 'tensor<1x?xf32>'"},
	})
}

func TestGathers(t *testing.T) {
	run(t, []check{
		{"top.Gather", "64x1x32 1x64", attributes{"axis": 0}, "1x64x1x32", ""},
		{"top.Gather", "5x6x7 2x3", attributes{"axis": -1}, "5x6x2x3", ""},
		{"top.Gather", "5x6x7 1", attributes{"axis": 1, "keepdims": false}, "5x7", ""},
		{"top.Gather", "64x1x32 1x64", attributes{"axis": 1}, "1x64x1x32", "output must have shape 64x1x64x32, but has 1x64x1x32"},
		{"tpu.Gather", "64x1x32xbf16 1x64xsi32 none", nil, "1x64x1x32", "output must have element type 'bf16' as its input, but has 'f32'"},
		{"top.GatherElements", "1x128 1x64", attributes{"axis": 1}, "1x64", ""},
		{"top.GatherElements", "1x128 2x64", attributes{"axis": 1}, "2x64", "indices of shape 2x64 reach beyond the input of shape 1x128 in dimension 0"},
		{"top.GatherND", "4x5x6 2x3x2", nil, "2x3x6", ""},
		{"top.ScatterElements", "1x128 1x64 1x64", attributes{"axis": 1}, "1x128", ""},
		{"top.ScatterElements", "1x128 1x64 1x63", attributes{"axis": 1}, "1x128", "updates must have shape 1x64, but has 1x63"},
		{"top.ScatterND", "1x50 1x5x2 1x5", nil, "1x50", ""},
		{"top.ScatterND", "1x50 1x5x3 1x5", nil, "1x50", "indices of shape 1x5x3 hold positions of 3 dimensions, but the input is 1x50"},
		{"top.A16Gather", "10x32xui8 2x3 10x2 10x2xui8", attributes{"weight_bits": 4, "q_group_size": 32}, "2x3x64", ""},
		{"top.TopK", "1x128", attributes{"axis": 1, "K": 50}, "1x50 1x50", ""},
		{"top.TopK", "1x128", attributes{"axis": 1, "K": 50}, "1x50 1x49", "indices must have shape 1x50, but has 1x49"},
		{"top.TopK", "1x128", attributes{"axis": 1, "K": 129}, "1x129 1x129", "attribute 'K' is 129, but the input of shape 1x128 has 128 elements along axis 1"},
		{"top.Reduce", "2x3x4", attributes{"axes": []int64{1, -1}, "keepdims": true, "mode": "ReduceSum"}, "2x1x1", ""},
		{"top.Reduce", "2x3x4", attributes{"axes": []int64{0, 1, 2}, "keepdims": false, "mode": "ReduceSum"}, "1", ""},
		{"top.Arg", "2x3x4", attributes{"axis": 1, "keepdims": false, "mode": "ArgMax"}, "2x4 none", ""},
		{"top.Conv", "1x3x9x9 8x3x3x3 none", attributes{"kernel_shape": []int64{3, 3}, "strides": []int64{2, 2}, "pads": []int64{1, 1, 1, 1}}, "1x8x5x5", ""},
		{"top.Conv", "1x3x9x9 8x3x3x3 none", attributes{"kernel_shape": []int64{3, 3}, "strides": []int64{2, 2}, "pads": []int64{1, 1, 1, 1}}, "1x8x4x5",
			"output must have shape 1x8x5x5, but has 1x8x4x5"},
		{"top.AvgPool", "1x3x9x9", attributes{"kernel_shape": []int64{2, 2}, "strides": []int64{2, 2}, "pads": []int64{0, 0, 0, 0}, "ceil_mode": true}, "1x3x5x5", ""},
	})
}
