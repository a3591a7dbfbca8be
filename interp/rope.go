package interp

// This file holds rotary position embedding: pairs of channels turned by the angles of their position.

import (
	"errors"
	"fmt"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

type rope interface {
	Input1() *ir.Value
	Input2() *ir.Value
	Input3() *ir.Value
	Output() *ir.Value
	IsPermuteOptimize() bool
}

func buildTopRope(b *builder, op top.RopeOp) (kernel, error) {
	return buildRope(b, op, op.RopeMode() == "contiguous_halves")
}

func buildTpuRope(b *builder, op tpu.RopeOp) (kernel, error) {
	return buildRope(b, op, op.RopeMode() == tpu.RopeModeContiguousHalves)
}

// buildRope is x·cos + rotated(x)·sin, where rotated exchanges the partners of a pair and negates the first. Partners are
// a channel of the first half and the one at its place in the second half, or neighbours.
func buildRope(b *builder, op rope, halves bool) (kernel, error) {
	if op.IsPermuteOptimize() {
		return nil, errors.New("has permuted operands, which the evaluator lacks")
	}
	slots, err := b.ins(op.Input1(), op.Input2(), op.Input3())
	if err != nil {
		return nil, err
	}
	out, _, err := b.out(op.Output())
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		x, sine, cosine := f.values[slots[0]], f.values[slots[1]], f.values[slots[2]]
		rank := len(x.Shape)
		if rank == 0 || x.Shape[rank-1]%2 != 0 {
			return fmt.Errorf("turns shape %v, which has no pairs", x.Shape)
		}
		d := int(x.Shape[rank-1])
		for _, table := range []*Tensor{sine, cosine} {
			if n := len(table.Shape); n == 0 || int(table.Shape[n-1]) != d {
				return fmt.Errorf("has angles of shape %v for %v", table.Shape, x.Shape)
			}
		}
		steps, err := newBroadcast(x.Shape[:rank-1], sine.Shape[:len(sine.Shape)-1], cosine.Shape[:len(cosine.Shape)-1])
		if err != nil {
			return err
		}
		t, values, err := f.result(out, x.Shape...)
		if err != nil {
			return err
		}
		source, sines, cosines := x.AsFloats(), sine.AsFloats(), cosine.AsFloats()
		turn := turnNeighbours
		if halves {
			turn = turnHalves
		}
		steps.runs(func(at, n int, offsets []int) {
			s, c := offsets[0], offsets[1]
			for i := range n {
				row := (at + i) * d
				turn(values[row:row+d], source[row:row+d], sines[s*d:(s+1)*d], cosines[c*d:(c+1)*d])
				s, c = s+steps.inner(0), c+steps.inner(1)
			}
		})
		f.finish(t, values)
		return nil
	}, nil
}

func turnHalves(dst, x, sine, cosine []float32) {
	half := len(x) / 2
	for i := range half {
		a, b := x[i], x[i+half]
		dst[i] = float32(a*cosine[i]) - float32(b*sine[i])
		dst[i+half] = float32(b*cosine[i+half]) + float32(a*sine[i+half])
	}
}

func turnNeighbours(dst, x, sine, cosine []float32) {
	for i := 0; i+1 < len(x); i += 2 {
		a, b := x[i], x[i+1]
		dst[i] = float32(a*cosine[i]) - float32(b*sine[i])
		dst[i+1] = float32(b*cosine[i+1]) + float32(a*sine[i+1])
	}
}
