package weightfile

// This file gives the weights of a session to the evaluator, which asks for them by name and type.

import (
	"context"
	"fmt"

	"tpuir/dialect/top"
	"tpuir/interp"
	"tpuir/ir"
	"tpuir/weight"
)

// Weights returns the weights that the IR under root names, for the evaluator. The context ends reading them early.
func (s *Session) Weights(ctx context.Context, root *ir.Operation) interp.Weights {
	w := &named{session: s, ctx: ctx, ops: map[nameAndType]*ir.Operation{}}
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if found, ok := top.AsWeight(op); ok {
			w.ops[nameAndType{ir.LocationName(op.Loc()), found.Output().Type()}] = op
		}
		return ir.Advance
	})
	return w
}

type nameAndType struct {
	name string
	typ  ir.Type
}

// named finds the op of a weight, which the session asks for: its place decides about the file.
type named struct {
	session *Session
	ctx     context.Context
	ops     map[nameAndType]*ir.Operation
}

func (w *named) Tensor(name string, t *ir.RankedTensorType) (weight.Tensor, error) {
	op, ok := w.ops[nameAndType{name, t}]
	if !ok {
		return weight.Tensor{}, fmt.Errorf("the IR has no weight %q of type %v", name, t)
	}
	return w.session.Tensor(w.ctx, op)
}
