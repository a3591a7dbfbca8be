package interp

// This file holds normalizations over the last dimensions.

import (
	"fmt"
	"math"

	"tpuir/ir"
	"tpuir/weight/float16"
)

type rmsNorm interface {
	unary
	Gamma() *ir.Value
	Eps() float64
}

func buildRMSNorm[T rmsNorm](b *builder, op T) (kernel, error) {
	slots, err := b.ins(op.Input(), op.Gamma())
	if err != nil {
		return nil, err
	}
	in, gamma := slots[0], slots[1]
	out, kind, err := b.out(op.Output())
	if err != nil {
		return nil, err
	}
	eps := op.Eps()
	return func(f *frame) error {
		x := f.values[in]
		var scale []float32
		width := 1
		if n := len(x.Shape); n > 0 {
			width = int(x.Shape[n-1])
		}
		if gamma != noSlot {
			if scale = f.floats(gamma); len(scale) != width {
				return fmt.Errorf("has %d scales for shape %v", len(scale), x.Shape)
			}
		}
		t, values, err := f.result(out, x.Shape...)
		if err != nil {
			return err
		}
		source := x.AsFloats()
		for start := 0; start < len(values); start += width {
			rmsNormRow(values[start:start+width], source[start:start+width], scale, eps, kind)
		}
		f.finish(t, values)
		return nil
	}, nil
}

// rmsNormRow normalizes one row. In bf16 every step on the way is rounded, as TPU-MLIR does (found by comparing whole
// prefills: all elements are equal).
func rmsNormRow(dst, x, gamma []float32, eps float64, kind Kind) {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	mean := sum / float64(len(x))
	factor := float32(1 / math.Sqrt(mean+eps))
	if kind == BF16 {
		mean = float64(float16.RoundBF16(float32(mean)))
		root := float16.RoundBF16(float32(math.Sqrt(mean + eps)))
		factor = float16.RoundBF16(1 / root)
	}
	for i, v := range x {
		dst[i] = v * factor
	}
	if kind == BF16 {
		roundTo(BF16, dst)
	}
	for i, g := range gamma {
		dst[i] *= g
	}
}

type layerNorm interface {
	unary
	Weight() *ir.Value
	Bias() *ir.Value
	Axis() int64
	Eps() float64
}

func buildLayerNorm[T layerNorm](b *builder, op T) (kernel, error) {
	slots, err := b.ins(op.Input(), op.Weight(), op.Bias())
	if err != nil {
		return nil, err
	}
	out, _, err := b.out(op.Output())
	if err != nil {
		return nil, err
	}
	eps, axisAttribute := op.Eps(), op.Axis()
	return func(f *frame) error {
		x := f.values[slots[0]]
		axis, err := axisOf(axisAttribute, len(x.Shape))
		if err != nil {
			return err
		}
		width := product(x.Shape[axis:])
		var parameters [2][]float32
		for i, s := range slots[1:] {
			if s == noSlot {
				continue
			}
			if parameters[i] = f.floats(s); len(parameters[i]) != width {
				return fmt.Errorf("has %d scales or shifts for shape %v from axis %d on", len(parameters[i]), x.Shape, axis)
			}
		}
		t, values, err := f.result(out, x.Shape...)
		if err != nil {
			return err
		}
		source := x.AsFloats()
		for start := 0; start < len(values); start += width {
			layerNormRow(values[start:start+width], source[start:start+width], parameters[0], parameters[1], eps)
		}
		f.finish(t, values)
		return nil
	}, nil
}

func layerNormRow(dst, x, weight, bias []float32, eps float64) {
	mean := 0.0
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	variance := 0.0
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean)
	}
	factor := 1 / math.Sqrt(variance/float64(len(x))+eps)
	for i, v := range x {
		dst[i] = float32((float64(v) - mean) * factor)
	}
	for i, w := range weight {
		dst[i] *= w
	}
	for i, s := range bias {
		dst[i] += s
	}
}

// axisOf returns the dimension that an axis attribute names: from the end where it is negative.
func axisOf(axis int64, rank int) (int, error) {
	at := axis
	if at < 0 {
		at += int64(rank)
	}
	if at < 0 || at >= int64(rank) {
		return 0, fmt.Errorf("has axis %d, which a value of %d dimensions lacks", axis, rank)
	}
	return int(at), nil
}

// axisSet reports for each of rank dimensions whether it is among axes.
func axisSet(axes []int64, rank int) ([]bool, error) {
	among := make([]bool, rank)
	for _, axis := range axes {
		at, err := axisOf(axis, rank)
		if err != nil {
			return nil, err
		}
		among[at] = true
	}
	return among, nil
}
