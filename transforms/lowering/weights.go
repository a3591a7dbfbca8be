package lowering

// This file makes weights out of weights. Nothing is computed here: each new weight is a recipe, carried out when the
// weights are written or evaluated.

import (
	"context"
	"math"

	"tpuir/dialect/top"
	"tpuir/ir"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

func weightName(v *ir.Value) string { return ir.LocationName(v.DefiningOp().Loc()) }

// newWeight makes a top.Weight of a shape, and what it holds known under its name.
func newWeight(b *ir.Builder, weights *weightfile.Session, name string, shape []int64, element ir.Type,
	compute weightfile.Read) *ir.Value {
	c := b.Context()
	t := c.RankedTensorType(shape, element, nil)
	weights.Define(name, weightfile.Recipe{Type: t, Make: compute})
	return top.NewWeight(b, c.NameLoc(name, nil), top.WeightAttributes{}, t).Output()
}

// roundWeight returns a copy of a weight in a 16-bit type, made before the operation that is being lowered.
func (l *lowerer) roundWeight(v *ir.Value, element ir.Type) *ir.Value {
	key := conversion{v, element}
	if made := l.rounded[key]; made != nil {
		return made
	}
	made := roundWeight(l.at, l.weights, v, element)
	l.rounded[key] = made
	return made
}

func roundWeight(b *ir.Builder, weights *weightfile.Session, v *ir.Value, element ir.Type) *ir.Value {
	read := weights.Reader(v.DefiningOp())
	return newWeight(b, weights, weightName(v)+"_"+element.String(), shapeOf(v), element,
		func(ctx context.Context, shape []int64) (weight.Tensor, error) {
			t, err := read(ctx, shape)
			if err != nil {
				return t, err
			}
			return t.Convert(storage(element))
		})
}

// integerWeight returns a copy of a weight of whole numbers as 32-bit integers.
func (l *lowerer) integerWeight(v *ir.Value, name string) *ir.Value {
	key := conversion{v, l.context.I32()}
	if made := l.rounded[key]; made != nil {
		return made
	}
	read := l.weights.Reader(v.DefiningOp())
	made := newWeight(l.at, l.weights, name, shapeOf(v), l.context.I32(), func(ctx context.Context, shape []int64) (weight.Tensor, error) {
		t, err := read(ctx, shape)
		if err != nil {
			return t, err
		}
		values, err := t.Float32s(ctx)
		if err != nil {
			return t, err
		}
		integers := make([]int32, len(values))
		for i, x := range values {
			integers[i] = int32(math.RoundToEven(float64(x)))
		}
		return weight.FromInt32s(name, t.Shape(), integers)
	})
	l.rounded[key] = made
	return made
}

// columns returns the weight of some columns of a weight: positions from up to end of its last dimension. It stands before
// the whole weight.
func (l *lowerer) columns(v *ir.Value, name string, from, end int64) *ir.Value {
	shape := append([]int64(nil), shapeOf(v)...)
	last := len(shape) - 1
	columns := shape[last]
	shape[last] = end - from
	read := l.weights.Reader(v.DefiningOp())
	return newWeight(ir.BuilderBefore(v.DefiningOp()), l.weights, name, shape, elementOf(v), func(ctx context.Context, _ []int64) (weight.Tensor, error) {
		t, err := read(ctx, nil)
		if err != nil {
			return t, err
		}
		if t, err = t.Reshape(t.Len()/max(columns, 1), columns); err != nil {
			return t, err
		}
		if t, err = t.Columns(from, end); err != nil {
			return t, err
		}
		return t.Reshape(shape...)
	})
}

// shapeOf returns the shape of a ranked tensor, nil of anything else.
func shapeOf(v *ir.Value) []int64 {
	if t, ok := v.Type().(*ir.RankedTensorType); ok {
		return t.Shape
	}
	return nil
}
