// Package lowering turns Top IR into Tpu IR: it decides for every operation the type it is computed in, puts casts where
// types meet, and rounds and quantizes weights. The families of operations have a file each, named as in dialect/; the
// passes that TPU-MLIR cuts the way into have one each, too, and lower.go goes it in one.
package lowering

// This file holds the conversion of a function, and the table of what can be converted.

import (
	"context"
	"slices"

	"tpuir/dialect/definition"
	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/top"
	"tpuir/ir"
	"tpuir/transforms/weightfile"
)

// lowering replaces one Top operation by Tpu operations. Its operands are lowered already. Where it fails, the error is a
// diagnostic at the operation.
type lowering func(l *lowerer, op *ir.Operation) error

// lowerings is the table of what can be lowered, by the name of the Top operation.
var lowerings = map[string]lowering{
	"top.Add":             lowerAdd,
	"top.Compare":         lowerCompare,
	"top.CompareConst":    lowerCompareConst,
	"top.Concat":          lowerConcat,
	"top.CumSum":          lowerCumSum,
	"top.Div":             lowerDiv,
	"top.FAttention":      lowerFAttention,
	"top.Gather":          lowerGather,
	"top.GatherElements":  lowerGatherElements,
	"top.Input":           lowerInput,
	"top.MatMul":          lowerMatMul,
	"top.Mul":             lowerMul,
	"top.None":            keep,
	"top.Permute":         lowerPermute,
	"top.RMSNorm":         lowerRMSNorm,
	"top.Reshape":         lowerReshape,
	"top.Rope":            lowerRope,
	"top.ScatterElements": lowerScatterElements,
	"top.ScatterND":       lowerScatterND,
	"top.SiLU":            lowerSiLU,
	"top.Softmax":         lowerSoftmax,
	"top.TopK":            lowerTopK,
	"top.Weight":          keep,
	"top.Where":           lowerWhere,
}

// keep is for what both dialects share.
func keep(*lowerer, *ir.Operation) error { return nil }

// lowerer lowers one function.
type lowerer struct {
	settings
	context *ir.Context
	weights *weightfile.Session
	fn      funcdialect.Func
	// at stands before the operation that is being lowered.
	at *ir.Builder
	// half is the type that most operations are computed in: f32 in mode F32.
	half ir.Type
	// casts and rounded are the casts and the converted weights that there are already.
	casts, rounded map[conversion]*ir.Value
}

// conversion is a value in another element type.
type conversion struct {
	value   *ir.Value
	element ir.Type
}

// lowerFunction lowers the body of a function and gives it the type that its return has then.
func lowerFunction(ctx context.Context, fn funcdialect.Func, s settings, weights *weightfile.Session) error {
	c := fn.Context()
	l := &lowerer{settings: s, context: c, weights: weights, fn: fn, half: s.mode.Element(c),
		casts: map[conversion]*ir.Value{}, rounded: map[conversion]*ir.Value{}}
	// Weights are made before the operations that use them, casts behind those that they cast: neither is to be visited.
	for _, op := range slices.Collect(fn.Entry().Operations()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.lower(op); err != nil {
			return err
		}
	}
	return nil
}

func (l *lowerer) lower(op *ir.Operation) error {
	if op.Is("func.return") {
		l.lowerReturn(op)
		return nil
	}
	if op.Name().Namespace() == "tpu" {
		return nil
	}
	lower := lowerings[op.Name().String()]
	if lower == nil {
		return op.Errorf("has no lowering in mode %s", l.mode)
	}
	l.at = ir.BuilderBefore(op)
	return lower(l, op)
}

// replace puts an operation in another's place. It takes over the attributes that it does not define itself and those
// whose spelling is the same in both dialects; attributes named in except keep the value that they were made with.
func (l *lowerer) replace(op, made *ir.Operation, except ...string) {
	l.carry(op, made, except...)
	op.ReplaceAllUsesWith(made.Results())
	op.Erase()
}

// carry gives an operation the attributes of the one that it stands for.
func (l *lowerer) carry(op, made *ir.Operation, except ...string) {
	entries := slices.DeleteFunc(slices.Clone(op.Attributes().Entries), func(e ir.NamedAttribute) bool {
		return slices.Contains(except, e.Name)
	})
	for _, e := range made.Attributes().Entries {
		if !slices.ContainsFunc(entries, func(own ir.NamedAttribute) bool { return own.Name == e.Name }) {
			entries = append(entries, e)
		}
	}
	made.SetAttributes(l.context.Dictionary(entries...))
}

// none returns the function's top.None, which stands for operands that are not there.
func (l *lowerer) none() *ir.Value {
	if first := l.fn.Entry().First(); first != nil {
		if none, ok := top.AsNone(first); ok {
			return none.Output()
		}
	}
	b := ir.NewBuilder(l.context)
	b.SetToStart(l.fn.Entry())
	return top.NewNone(b, l.context.UnknownLoc(), l.context.NoneType()).Output()
}

// isWeight reports whether a value is a weight's.
func isWeight(v *ir.Value) bool {
	_, ok := top.AsWeight(v.DefiningOp())
	return ok
}

// isNone reports whether an operand is not there.
func isNone(v *ir.Value) bool { return v == nil || definition.IsNone(v) }
