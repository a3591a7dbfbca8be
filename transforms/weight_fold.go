package transforms

// This file holds the pass weight-fold: what is computed of weights alone becomes a weight.
//
//	%1 = "top.Weight"() : () -> tensor<4x2xbf16>                  %1 = "top.Weight"() : () -> tensor<2x4xbf16> loc("w")
//	%2 = "tpu.Reshape"(%1) : … -> tensor<2x4xbf16> loc("w")   =>

import (
	"context"
	"slices"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

func weightFoldDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "weight-fold",
		Name:     "WeightFold",
		Summary:  "make weights of what is computed of weights alone",
		Description: `Evaluates what gives a weight another shape. In
the nets of language models there is nothing to fold. Any state is taken, and left as it is.

    %1 = "top.Weight"() : () -> tensor<4x2xbf16>
    %2 = "tpu.Reshape"(%1) {…} : (tensor<4x2xbf16>) -> tensor<2x4xbf16> loc("w")
    =>  %1 = "top.Weight"() : () -> tensor<2x4xbf16> loc("w")`,
		Anchor: "builtin.module",
		Peer:   true,
		Model:  true,
		New:    func() pass.Pass { return weightFold{} },
	}
}

type weightFold struct{}

// Run folds.
func (weightFold) Run(run *pass.Run, root *ir.Operation) error {
	weights := weightfile.Of(run.Session)
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if reshaped(op) {
			foldReshape(weights, op)
			return ir.Skip
		}
		return ir.Advance
	})
	return run.Context.Err()
}

// reshaped reports whether an op gives a weight another shape.
func reshaped(op *ir.Operation) bool {
	_, isTop := top.AsReshape(op)
	_, isTpu := tpu.AsReshape(op)
	if !isTop && !isTpu || !ir.HasStaticShape(op.Result(0).Type()) {
		return false
	}
	_, ok := top.AsWeight(op.Operand(0).DefiningOp())
	return ok
}

func foldReshape(weights *weightfile.Session, op *ir.Operation) {
	t := op.Result(0).Type().(*ir.RankedTensorType)
	read, shape := weights.Reader(op.Operand(0).DefiningOp()), slices.Clone(t.Shape)
	weights.Define(ir.LocationName(op.Loc()), weightfile.Recipe{Type: t, Make: func(ctx context.Context, _ []int64) (weight.Tensor, error) {
		source, err := read(ctx, nil)
		if err != nil {
			return source, err
		}
		return source.Reshape(shape...)
	}})
	folded := top.NewWeight(ir.BuilderBefore(op), op.Loc(), top.WeightAttributes{}, t)
	op.Result(0).ReplaceAllUsesWith(folded.Output())
	op.Erase()
}
