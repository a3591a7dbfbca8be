package lowering

// This file quantizes the weights of A16MatMul.

import (
	"context"
	"encoding/binary"
	"fmt"

	moduledialect "tpuir/dialect/module"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/rewrite"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
	"tpuir/weight/quantize"
)

// quantizer quantizes the weights in one module.
type quantizer struct {
	weights   *weightfile.Session
	module    *ir.Operation // the innermost one that says how
	groupSize int64
	symmetric bool
}

// newQuantizer reads how weights are quantized from the module around root, or from root.
func newQuantizer(weights *weightfile.Session, root *ir.Operation) *quantizer {
	q := &quantizer{weights: weights}
	for op := root; op != nil; op = op.Parent() {
		if size, ok := op.IntAttribute(moduledialect.GroupSize); ok {
			q.module, q.groupSize = op, size
			q.symmetric, _ = op.BoolAttribute(moduledialect.Symmetric)
			break
		}
	}
	return q
}

// rewrite gives a product whose weight is f32 a quantized one, with scales and zero points.
func (q *quantizer) rewrite(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	m, _ := tpu.AsA16MatMul(op)
	shape := shapeOf(m.Weight())
	half := elementOf(m.Output())
	if q.module == nil || m.WTranspose() || !isWeight(m.Weight()) || elementOf(m.Weight()) != op.Context().F32() || len(shape) != 2 {
		return false, nil
	}
	k, n, bits := shape[0], shape[1], m.WeightBits()
	if q.groupSize > 0 && k%q.groupSize != 0 || bits != 4 && bits != 8 || bits == 4 && k%2 != 0 {
		return false, op.Errorf("has a weight of %d rows; expected whole groups of %d, for %d bits", k, q.groupSize, bits)
	}
	r.SetBefore(op)
	bias := m.Bias()
	if isWeight(bias) && elementOf(bias) != half {
		bias = roundWeight(&r.Builder, q.weights, bias, half)
	}
	made := q.newWeights(r, m, k, n)
	r.Modify(op, func() {
		op.SetOperands([]*ir.Value{m.Input(), made.codes, made.scale, made.zeroPoint, bias})
		m.SetQGroupSize(made.groupSize)
		m.SetWTranspose(true)
	})
	if q.groupSize == 0 {
		q.module.SetAttr(moduledialect.GroupSize, op.Context().I64Attr(quantize.PerChannelGroup))
	}
	return true, nil
}

// quantized is the operands of a product with a quantized weight.
type quantized struct {
	codes, scale, zeroPoint *ir.Value
	groupSize               int64
}

// newWeights makes the weights that take the place of a product's, in TPU-MLIR's order.
func (q *quantizer) newWeights(r *rewrite.Rewriter, m tpu.A16MatMulOp, k, n int64) quantized {
	c, half, bits := m.Context(), elementOf(m.Output()), m.WeightBits()
	p := &parts{b: &r.Builder, weights: q.weights, name: ir.LocationName(m.Loc()), k: k, n: n,
		read: q.weights.Reader(m.Weight().DefiningOp()), options: quantize.Options{Bits: int(bits), GroupSize: int(q.groupSize),
			Symmetric: q.symmetric, Scale: format(half)}}
	unsigned := c.IntegerType(8, ir.Unsigned)
	codes := func(m *quantize.Matrix) []byte { return m.Codes }
	zeroPoints := func(m *quantize.Matrix) []byte { return m.ZeroPoint }
	scales := func(m *quantize.Matrix) []byte { return littleEndian(m.Scale) }
	if q.groupSize > 0 {
		made, groups := quantized{groupSize: q.groupSize}, k/q.groupSize
		p.addUnroundedScale(groups)
		made.scale = p.add("_scale_"+half.String(), groups, half, storage(half), scales)
		made.zeroPoint = p.add("_zp", groups, unsigned, weight.Uint8, zeroPoints)
		made.codes = p.add("_uint", k*bits/8, unsigned, weight.Uint8, codes)
		return made
	}
	made, groups := quantized{groupSize: quantize.PerChannelGroup}, k/quantize.PerChannelGroup
	p.addUnroundedScale(1)
	if bits == 8 {
		made.codes = p.add("_int", k, c.IntegerType(8, ir.Signed), weight.Int8, codes)
	} else {
		made.codes = p.add("_uint", k/2, unsigned, weight.Uint8, codes)
	}
	made.scale = p.add("_scale_new", groups, half, storage(half), scales)
	made.zeroPoint = p.add("_zp_new", groups, unsigned, weight.Uint8, zeroPoints)
	return made
}

// parts makes the weights that one quantization gives.
type parts struct {
	b       *ir.Builder
	weights *weightfile.Session
	name    string // of the product
	k, n    int64
	read    weightfile.Read
	options quantize.Options
}

// add makes a weight [n, width] of a part of the quantized matrix.
func (p *parts) add(suffix string, width int64, element ir.Type, stored weight.DType, part func(*quantize.Matrix) []byte) *ir.Value {
	name, shape := p.name+suffix, []int64{p.n, width}
	own := *p
	return newWeight(p.b, p.weights, name, shape, element, func(ctx context.Context, _ []int64) (weight.Tensor, error) {
		matrix, err := own.quantize(ctx)
		if err != nil {
			return weight.Tensor{}, err
		}
		return weight.FromBytes(name, stored, shape, part(matrix))
	})
}

// addUnroundedScale makes the weight that TPU-MLIR makes on its way to the scale. Nothing uses it.
func (p *parts) addUnroundedScale(groups int64) {
	name, shape := p.name+"_scale", []int64{p.n, groups}
	own := *p
	newWeight(p.b, p.weights, name, shape, p.b.Context().F32(), func(ctx context.Context, _ []int64) (weight.Tensor, error) {
		rows, err := own.rows(ctx)
		if err != nil {
			return rows, err
		}
		scales, err := quantize.Scales(ctx, rows, int(own.n), int(own.k), own.options)
		if err != nil {
			return rows, err
		}
		return weight.FromFloat32s(name, shape, scales)
	})
}

// rows returns the weight as [n, k].
func (p *parts) rows(ctx context.Context) (weight.Tensor, error) {
	t, err := p.read(ctx, nil)
	if err != nil {
		return t, err
	}
	return t.Transpose()
}

// quantize quantizes the weight, once for all parts that are read one after the other.
func (p *parts) quantize(ctx context.Context) (*quantize.Matrix, error) {
	return weightfile.Recent(p.weights, fmt.Sprintf("%s %+v", p.name, p.options), func() (*quantize.Matrix, error) {
		rows, err := p.rows(ctx)
		if err != nil {
			return nil, err
		}
		return quantize.Quantize(ctx, rows, int(p.n), int(p.k), p.options)
	})
}

func littleEndian(values []uint16) []byte {
	data := make([]byte, 0, 2*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint16(data, v)
	}
	return data
}
