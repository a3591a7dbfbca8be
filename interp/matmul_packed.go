package interp

// This file holds matrix products with packed weights: 4- or 8-bit codes with a scale and a zero point for each group.

import (
	"context"
	"errors"
	"fmt"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/weight"
)

func buildTpuA16MatMul(b *builder, op tpu.A16MatMulOp) (kernel, error) {
	if q := op.DqType(); q != "NONE" {
		return nil, fmt.Errorf("has dq_type %q, which the evaluator lacks", q)
	}
	q := quantized{weight: op.Weight(), scale: op.Scale(), zeroPoint: op.Zp(), bits: op.WeightBits(), group: op.QGroupSize()}
	if kind, _ := KindOf(op.Weight().Type()); kind.IsFloat() { // before the weight is quantized
		return b.buildLinear(op.Input(), op.Bias(), op.Output(), func() (*matrix, error) {
			rows, _, err := b.constantRows(op.Weight(), !op.WTranspose(), false)
			return rows, err
		})
	}
	if !op.WTranspose() {
		return nil, errors.New("has packed weights that are not transposed, which the evaluator lacks")
	}
	return b.buildLinear(op.Input(), op.Bias(), op.Output(), func() (*matrix, error) { return b.packedRows(q) })
}

func buildTopA16MatMul(b *builder, op top.A16MatMulOp) (kernel, error) {
	if !op.RightTranspose() || op.DqType() != "NONE" {
		return nil, errors.New("has packed weights in an order that the evaluator lacks")
	}
	q := quantized{weight: op.Weight(), scale: op.Scale(), zeroPoint: op.Zp(), bits: op.WeightBits(), group: op.QGroupSize()}
	return b.buildLinear(op.Input(), op.Bias(), op.Output(), func() (*matrix, error) { return b.packedRows(q) })
}

// buildLinear is the product of rows with a constant matrix, plus bias.
func (b *builder) buildLinear(input, bias, output *ir.Value, rows func() (*matrix, error)) (kernel, error) {
	p := &productOp{right: noSlot, keepDims: true, limit: func([]float32) {}}
	var err error
	if p.rightRows, err = rows(); err != nil {
		return nil, err
	}
	if p.rightRows == nil {
		return nil, errors.New("multiplies by what is no constant matrix")
	}
	if p.left, err = b.required(input); err != nil {
		return nil, err
	}
	if p.bias, err = b.in(bias); err != nil {
		return nil, err
	}
	if p.out, _, err = b.out(output); err != nil {
		return nil, err
	}
	return p.run, nil
}

// quantized is a weight in 4 or 8 bits with a scale and a zero point for each group of a row.
type quantized struct {
	weight, scale, zeroPoint *ir.Value
	bits, group              int64
}

// packedRows returns the matrix of a quantized weight [N, K·bits/8]: (q − z)·s, exact in float32.
func (b *builder) packedRows(q quantized) (*matrix, error) {
	codes, ok, err := b.weightOf(q.weight)
	if err != nil {
		return nil, err
	}
	if !ok || len(codes.Shape()) < 2 {
		return nil, errors.New("multiplies by packed weights that are no constant matrix")
	}
	scale, zeroPoint, err := b.scales(q)
	if err != nil {
		return nil, err
	}
	key := matrixKey{name: codes.Name(), typ: q.weight.Type(), scale: scale.Name(), bits: q.bits, group: q.group}
	if zeroPoint != nil {
		key.zeroPoint = zeroPoint.Name()
	}
	return b.program.cache.matrix(key, func() (*matrix, error) { return newPackedRows(b.ctx, q, codes, scale, zeroPoint) })
}

// scales returns the constants that go with a quantized weight; the zero point may be absent.
func (b *builder) scales(q quantized) (scale weight.Tensor, zeroPoint *weight.Tensor, err error) {
	scale, ok, err := b.weightOf(q.scale)
	if err == nil && !ok {
		err = errors.New("has a scale that is no constant")
	}
	if err != nil || q.zeroPoint == nil {
		return scale, nil, err
	}
	if kind, _ := KindOf(q.zeroPoint.Type()); kind == None {
		return scale, nil, nil
	}
	z, ok, err := b.weightOf(q.zeroPoint)
	if err == nil && !ok {
		err = errors.New("has a zero point that is no constant")
	}
	return scale, &z, err
}

// newPackedRows reads scales and zero points, and makes the matrix that decodes rows of codes.
func newPackedRows(ctx context.Context, q quantized, codes, scale weight.Tensor, zeroPoint *weight.Tensor) (*matrix, error) {
	shape := codes.Shape()
	if q.bits != 4 && q.bits != 8 {
		return nil, fmt.Errorf("has weight_bits = %d, not 4 or 8", q.bits)
	}
	if len(shape) < 2 || product(shape[:len(shape)-2]) != 1 || codes.DType().Size() != 1 {
		return nil, fmt.Errorf("has packed weights of type %v%v", codes.DType(), shape)
	}
	r := &packedRows{n: int(shape[len(shape)-2]), width: int(shape[len(shape)-1]), bits: int(q.bits), group: int(q.group),
		signed: codes.DType() == weight.Int8}
	r.k = r.width * 8 / r.bits
	if r.n == 0 || int(scale.Len())%r.n != 0 || scale.Len() == 0 {
		return nil, fmt.Errorf("has %d scales for %d rows", scale.Len(), r.n)
	}
	r.groups = int(scale.Len()) / r.n
	if r.group <= 0 {
		r.group = (r.k + r.groups - 1) / r.groups
	}
	// The chip's order is [L, N/L, G]: row n lies at lane n mod L.
	r.lanes = 1
	if s := scale.Shape(); len(s) == 3 && int(s[0]*s[1]) == r.n {
		r.lanes = int(s[0])
	}
	var err error
	if r.scales, err = scale.Float32s(ctx); err != nil {
		return nil, unread(err)
	}
	r.zeros = make([]float32, len(r.scales))
	if zeroPoint != nil {
		if zeroPoint.Len() != scale.Len() {
			return nil, fmt.Errorf("has %d zero points for %d scales", zeroPoint.Len(), scale.Len())
		}
		if r.zeros, err = zeroPoint.Float32s(ctx); err != nil {
			return nil, unread(err)
		}
	}
	if r.codes, err = codes.Bytes(ctx); err != nil {
		return nil, unread(err)
	}
	return &matrix{rows: r.n, columns: r.k, decode: r.decode}, nil
}

// packedRows decodes rows of 4- or 8-bit codes.
type packedRows struct {
	n, k, width   int // rows, elements of a row, bytes of a row
	bits, group   int
	groups, lanes int
	signed        bool
	codes         []byte
	scales, zeros []float32
}

// decode writes (q − z)·s of whole rows, the first being row first.
func (r *packedRows) decode(dst []float32, first int) error {
	for row := first; len(dst) >= r.k && r.k > 0; row++ {
		at := row
		if r.lanes > 1 {
			at = row%r.lanes*(r.n/r.lanes) + row/r.lanes
		}
		scales, zeros := r.scales[at*r.groups:][:r.groups], r.zeros[at*r.groups:][:r.groups]
		codes := r.codes[row*r.width:][:r.width]
		for start := 0; start < r.k; start += r.group {
			g := min(start/r.group, r.groups-1)
			r.decodeGroup(dst[start:min(start+r.group, r.k)], codes, start, scales[g], zeros[g])
		}
		dst = dst[r.k:]
	}
	return nil
}

// decodeGroup decodes the elements of a row from start on, which share scale and zero point.
func (r *packedRows) decodeGroup(dst []float32, codes []byte, start int, scale, zero float32) {
	switch {
	case r.bits == 4:
		var values [16]float32
		for q := range values {
			values[q] = (float32(q) - zero) * scale
		}
		if start%2 != 0 {
			dst[0], dst, start = values[codes[start/2]>>4], dst[1:], start+1
		}
		codes = codes[start/2:]
		for i := 0; i+1 < len(dst); i += 2 {
			c := codes[i/2]
			dst[i], dst[i+1] = values[c&15], values[c>>4]
		}
		if last := len(dst) - 1; last%2 == 0 {
			dst[last] = values[codes[last/2]&15]
		}
	case r.signed:
		for i := range dst {
			dst[i] = (float32(int8(codes[start+i])) - zero) * scale
		}
	default:
		for i := range dst {
			dst[i] = (float32(codes[start+i]) - zero) * scale
		}
	}
}
