// What the structural verifier says, word for word as TPU-MLIR does (its tpuc-opt was asked).

package definition_test

import (
	"context"
	"strings"
	"testing"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// bench makes values and ops of both dialects in no block.
type bench struct {
	*ir.Builder
	c   *ir.Context
	loc ir.Location
}

func newBench() *bench {
	c := ir.NewContext()
	top.Register(c)
	tpu.Register(c)
	return &bench{ir.NewBuilder(c), c, c.UnknownLoc()}
}

func (b *bench) tensor(element ir.Type, dims ...int64) ir.Type {
	return b.c.RankedTensorType(dims, element, nil)
}

func (b *bench) f32(dims ...int64) ir.Type { return b.tensor(b.c.F32(), dims...) }

func (b *bench) value(t ir.Type) *ir.Value {
	block := new(ir.Block)
	return block.AddArgument(t, b.loc)
}

func (b *bench) op(name string, operands, results []ir.Type, attributes ...ir.NamedAttribute) *ir.Operation {
	var values []*ir.Value
	for _, t := range operands {
		values = append(values, b.value(t))
	}
	return b.Create(&ir.OperationState{Name: b.c.OperationName(name), Loc: b.loc, Operands: values, Types: results,
		Attributes: b.c.Dictionary(attributes...)})
}

func verify(op *ir.Operation) string {
	var text []string
	for _, d := range ir.VerifySerially(context.Background(), op) {
		text = append(text, d.Message)
	}
	return strings.Join(text, "\n")
}

func TestStructure(t *testing.T) {
	b := newBench()
	c := b.c
	matrix, none := b.f32(4, 4), ir.Type(c.NoneType())
	mm := func(name string, value ir.Attribute) *ir.Operation {
		return b.op("top.MatMul", []ir.Type{matrix, matrix, none}, []ir.Type{matrix}, ir.NamedAttribute{Name: name, Value: value})
	}
	eps := ir.NamedAttribute{Name: "eps", Value: c.FloatBits(c.F64(), 0x3ff0000000000000, 0)}
	norm := func(operands, results []ir.Type) *ir.Operation { return b.op("top.RMSNorm", operands, results, eps) }
	for _, test := range []struct {
		op   *ir.Operation
		want string
	}{
		{norm([]ir.Type{matrix, none}, []ir.Type{matrix}), ""},
		{mm("right_transpose", c.I64Attr(1)), "'top.MatMul' op attribute 'right_transpose' failed to satisfy constraint: bool attribute"},
		{mm("q_group_size", c.Int(c.I32(), 1)), "'top.MatMul' op attribute 'q_group_size' failed to satisfy constraint: 64-bit signless integer attribute"},
		{mm("relu_limit", c.FloatBits(c.F32(), 0, 0)), "'top.MatMul' op attribute 'relu_limit' failed to satisfy constraint: 64-bit float attribute"},
		{mm("dq_type", c.StringAttr("XX")), "'top.MatMul' op attribute 'dq_type' failed to satisfy constraint: string attribute whose value is NONE, or F16, or BF16, or INT8, or INT4, or F8E4M3, or F4, or MXF4"},
		{mm("weight_bits", c.Int(c.I32(), 4)), "'top.MatMul' op attribute 'weight_bits' failed to satisfy constraint: 64-bit signless integer attribute"},
		{b.op("top.RMSNorm", []ir.Type{matrix, none}, []ir.Type{matrix}), "'top.RMSNorm' op requires attribute 'eps'"},
		{norm([]ir.Type{matrix}, []ir.Type{matrix}), "'top.RMSNorm' op expected 2 operands, but found 1"},
		{norm([]ir.Type{matrix, matrix, matrix}, []ir.Type{matrix}), "'top.RMSNorm' op expected 2 operands, but found 3"},
		{norm([]ir.Type{matrix, none}, nil), "'top.RMSNorm' op requires one result"},
		{norm([]ir.Type{none, matrix}, []ir.Type{matrix}), "'top.RMSNorm' op operand #0 must be tensor of any type values, but got 'none'"},
		{norm([]ir.Type{matrix, c.I32()}, []ir.Type{matrix}), "'top.RMSNorm' op operand #1 must be tensor of any type values or none type, but got 'i32'"},
		{norm([]ir.Type{matrix, matrix}, []ir.Type{none}), "'top.RMSNorm' op result #0 must be tensor of any type values, but got 'none'"},
		{b.op("top.Relu", nil, []ir.Type{matrix}), "'top.Relu' op requires a single operand"},
		{b.op("top.Weight", nil, []ir.Type{c.UnrankedTensorType(c.F32())}), "'top.Weight' op result #0 must be ranked tensor of any type values, but got 'tensor<*xf32>'"},
		{b.op("top.None", nil, []ir.Type{matrix}), "'top.None' op result #0 must be none type, but got 'tensor<4x4xf32>'"},
		{b.op("top.TopK", []ir.Type{matrix}, []ir.Type{matrix}), "'top.TopK' op expected 2 results"},
		{b.op("top.Reshape", []ir.Type{matrix, matrix, matrix}, []ir.Type{matrix}), "'top.Reshape' op operand group starting at #1 requires 0 or 1 element, but found 2"},
		{b.op("top.Reshape", nil, []ir.Type{matrix}), "'top.Reshape' op expected 1 or more operands, but found 0"},
		{b.op("top.Add", []ir.Type{matrix, none}, []ir.Type{matrix}), "'top.Add' op operand #1 must be tensor of any type values, but got 'none'"},
		{b.op("top.AdaptiveAvgPool", []ir.Type{matrix}, []ir.Type{matrix}, ir.NamedAttribute{Name: "output_size", Value: c.Array(c.Int(c.I32(), 1))}), "'top.AdaptiveAvgPool' op attribute 'output_size' failed to satisfy constraint: 64-bit integer array attribute"},
		{b.op("top.Softmax", []ir.Type{matrix}, []ir.Type{matrix}, ir.NamedAttribute{Name: "axis", Value: c.Int(c.I32(), 1)}), "'top.Softmax' op attribute 'axis' failed to satisfy constraint: 32-bit signed integer attribute"},
		{b.op("tpu.Active", []ir.Type{matrix}, []ir.Type{matrix}, ir.NamedAttribute{Name: "mode", Value: c.StringAttr("SILU")}), "'tpu.Active' op attribute 'mode' failed to satisfy constraint: attribute #tpu<active_mode CASE>"},
		{b.op("tpu.Active", []ir.Type{matrix}, []ir.Type{matrix}, ir.NamedAttribute{Name: "mode", Value: tpu.RoundModeHalfUp.Attr(c)}), "'tpu.Active' op attribute 'mode' failed to satisfy constraint: attribute #tpu<active_mode CASE>"},
		{b.op("top.If", []ir.Type{matrix}, []ir.Type{matrix}), "'top.If' op expected 2 regions"},
		{b.op("top.Loop", []ir.Type{none, none}, nil), "'top.Loop' op requires one region"},
		{b.op("top.Yield", []ir.Type{matrix}, nil), "'top.Yield' op expects parent op to be one of 'top.If, top.Loop'"},
		{b.op("tpu.Relu", []ir.Type{matrix}, []ir.Type{b.f32(5)}), "expected input and output with same shape, but got 'tensor<4x4xf32>' and 'tensor<5xf32>'"},
		{b.op("top.Bogus", nil, nil), "unregistered operation 'top.Bogus' found in dialect ('top') that does not allow unknown operations"},
	} {
		if got := verify(test.op); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.op.Name(), got, test.want)
		}
	}
}

func TestRegions(t *testing.T) {
	b := newBench()
	matrix := b.f32(4, 4)
	group := b.Create(&ir.OperationState{Name: b.c.OperationName("tpu.GroupParallel"), Loc: b.loc, Types: []ir.Type{matrix}, Regions: 1})
	if got, want := verify(group), "'tpu.GroupParallel' op region #0 ('parallel') failed to verify constraint: region with 1 blocks"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	block := new(ir.Block)
	group.Region(0).Append(block)
	inner := ir.BuilderAtEnd(b.c, block)
	x := tpu.NewBuffer(inner, b.loc, tpu.BufferAttributes{}, b.f32(4, 5))
	tpu.NewYield(inner, b.loc, []*ir.Value{x.Output()})
	if got, want := verify(group), "'tpu.GroupParallel' op region #0 yields shape 4x5 for result #0 of shape 4x4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	x.Output().SetType(matrix)
	if got := verify(group); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestDefaults(t *testing.T) {
	b := newBench()
	matrix := b.f32(4, 4)
	op := top.NewMatMul(b.Builder, b.loc, b.value(matrix), b.value(matrix), b.value(b.c.NoneType()),
		top.MatMulAttributes{RightTranspose: new(true), WeightBits: new(int64(4))}, matrix)
	want := `{do_relu = false, dq_type = "NONE", hdim_is_batch = false, is_lora = false, keep_dims = true, left_transpose = false, ` +
		`output_transpose = false, q_group_size = 0 : i64, relu_limit = -1.000000e+00 : f64, right_transpose = true, weight_bits = 4 : i64}`
	if got := op.Operation.Attributes().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	bits, ok := op.WeightBits()
	if !op.RightTranspose() || op.LeftTranspose() || !op.KeepDims() || bits != 4 || !ok || op.DqType() != top.DqTypeNONE || op.ReluLimit() != -1 {
		t.Errorf("accessors disagree with %s", op.Operation.Attributes())
	}
	op.SetKeepDims(false)
	op.Operation.RemoveAttr("weight_bits")
	if _, ok := op.WeightBits(); op.KeepDims() || ok {
		t.Errorf("setters disagree with %s", op.Operation.Attributes())
	}
	group := b.op("tpu.Rope", []ir.Type{matrix, matrix, matrix}, []ir.Type{matrix})
	rope, ok := tpu.AsRope(group)
	if !ok || rope.RopeMode() != tpu.RopeModeInterleavedPairs || rope.Operation.Attr("rope_mode").String() != "#tpu<rope_mode interleaved_pairs>" {
		t.Errorf("tpu.Rope has %s", group.Attributes())
	}
	if _, ok := tpu.AsRope(op.Operation); ok {
		t.Error("a MatMul passes for a Rope")
	}
}

func TestLayerGroup(t *testing.T) {
	b := newBench()
	layout := tpu.LayerGroup{OutAddr: 64, OutSize: 128, EuAlign: true, NIdx: []int64{0}, NSlice: []int64{1, 2}, Stage: 1, GroupType: 4}
	attribute := layout.Attr(b.c)
	want := "#tpu.lg<out_addr = 64, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, can_merge = false, " +
		"in_hslice_offset = [], n_idx = [0], n_slice = [1, 2], c_idx = [], c_slice = [], d_idx = [], d_slice = [], h_idx = [], " +
		"h_slice = [], w_idx = [], w_slice = [], id = 0, stage = 1, slice_idx = 0, group_type = 4>"
	if got := attribute.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if attribute != layout.Attr(b.c) {
		t.Error("equal attributes are two")
	}
	back, ok := tpu.AsLayerGroup(attribute)
	if !ok || back.OutSize != 128 || !back.EuAlign || back.CanMerge || len(back.NSlice) != 2 || back.GroupType != 4 {
		t.Errorf("read back %+v", back)
	}
	if _, ok := tpu.AsLayerGroup(tpu.Compress{}.Attr(b.c)); ok {
		t.Error("a Compress passes for a LayerGroup")
	}
	if mode, ok := tpu.ParseActiveMode("SILU"); !ok || mode != tpu.ActiveModeSILU || mode.String() != "SILU" || mode != 19 {
		t.Errorf("SILU reads as %d, %t", mode, ok)
	}
	if got := tpu.ActiveMode(99).String(); got != "ActiveMode(99)" {
		t.Errorf("got %q", got)
	}
}

// TestGroups reads operand groups of open size.
func TestGroups(t *testing.T) {
	b := newBench()
	v := func() *ir.Value { return b.value(b.f32(1)) }
	one, two, three, buffer := v(), v(), v(), v()
	tile := tpu.NewTile(b.Builder, b.loc, one, nil, buffer, tpu.TileAttributes{}, one.Type())
	if tile.TileT() != nil || tile.Buffer() != buffer || tile.Operation.NumOperands() != 2 {
		t.Error("tpu.Tile without tileT is read wrong")
	}
	tile = tpu.NewTile(b.Builder, b.loc, one, two, buffer, tpu.TileAttributes{}, one.Type())
	if tile.TileT() != two || tile.Buffer() != buffer {
		t.Error("tpu.Tile with tileT is read wrong")
	}
	custom := tpu.NewCustom(b.Builder, b.loc, []*ir.Value{one, two, three}, buffer, tpu.CustomAttributes{NameAttr: "x"}, nil)
	if in := custom.Inputs(); len(in) != 3 || in[2] != three || custom.Buffer() != buffer || custom.NameAttr() != "x" {
		t.Error("tpu.Custom is read wrong")
	}
	loop := top.NewLoop(b.Builder, b.loc, one, two, []*ir.Value{three, buffer}, nil)
	if loop.M() != one || loop.Cond() != two || len(loop.VInitial()) != 2 || loop.VInitial()[1] != buffer || loop.Operation.NumRegions() != 1 {
		t.Error("top.Loop is read wrong")
	}
}

func BenchmarkRegister(b *testing.B) {
	for b.Loop() {
		c := ir.NewContext()
		top.Register(c)
		tpu.Register(c)
	}
}

// BenchmarkAllDefinitions meets every op once, more than any file does.
func BenchmarkAllDefinitions(b *testing.B) {
	for b.Loop() {
		c := ir.NewContext()
		top.Register(c)
		tpu.Register(c)
		for _, d := range c.Dialects() {
			for _, name := range d.OperationNames() {
				c.OperationName(name)
			}
		}
	}
}

func BenchmarkFillDefaults(b *testing.B) {
	bench := newBench()
	op := bench.op("tpu.Rope", []ir.Type{bench.f32(1), bench.f32(1), bench.f32(1)}, []ir.Type{bench.f32(1)})
	attributes, def := op.Attributes(), op.Definition()
	for b.Loop() {
		def.FillDefaults(attributes)
	}
}

func BenchmarkVerify(b *testing.B) {
	bench := newBench()
	matrix := bench.f32(4, 4)
	op := bench.op("top.MatMul", []ir.Type{matrix, matrix, bench.c.NoneType()}, []ir.Type{matrix})
	for b.Loop() {
		if err := op.Definition().Verify(op); err != nil {
			b.Fatal(err)
		}
	}
}
