package lowering

// This file holds the rewrites of Tpu IR that TPU-MLIR has in its canonicalizer: casts that undo each other, weights of
// products quantized, and sums taken into the product before them.

import (
	"context"

	"tpuir/dialect/definition"
	moduledialect "tpuir/dialect/module"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/rewrite"
	"tpuir/transforms/weightfile"
)

// Patterns returns the rewrites for the canonicalizer. Quantized weights become known to the session.
func Patterns(weights *weightfile.Session, root *ir.Operation) []rewrite.Pattern {
	q := newQuantizer(weights, root)
	return []rewrite.Pattern{
		{Name: "SimplifyCastOfCast", Root: "tpu.Cast", Benefit: 1, Rewrite: simplifyCast},
		{Name: "QuantizeA16MatMul", Root: "tpu.A16MatMul", Benefit: 1, Rewrite: q.rewrite},
		{Name: "FoldAddIntoMatMul", Root: "tpu.Add", Benefit: 1, Rewrite: foldAdd},
	}
}

// FoldStatic does those rewrites that need static shapes: the stage split runs it on nets that were lowered before their
// shapes were known.
func FoldStatic(ctx context.Context, root *ir.Operation) error {
	g := rewrite.Greedy{Patterns: []rewrite.Pattern{{Name: "FoldAddIntoMatMul", Root: "tpu.Add", Benefit: 1, Rewrite: foldAdd}}}
	_, err := g.Apply(ctx, root)
	return err
}

// simplifyCast takes what a chain of two casts begins with where it ends in the same type: integers that were only counted
// in f32, and 16 bits that were widened.
func simplifyCast(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	second, _ := tpu.AsCast(op)
	first, ok := tpu.AsCast(second.Input().DefiningOp())
	if !ok {
		return false, nil
	}
	source := first.Input()
	from, to := elementOf(source), elementOf(second.Output())
	integers := is32BitInteger(from) && is32BitInteger(to)
	widened := from == to && elementOf(first.Output()) == op.Context().F32()
	if !integers && !widened {
		return false, nil
	}
	r.Replace(op, source)
	if first.Operation.Unused() {
		r.Erase(first.Operation)
	}
	return true, nil
}

// foldAdd makes the other operand of a sum the bias of the product before it, which then rounds once. The product has one
// row, so that the operand has a bias's shape.
func foldAdd(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	add, _ := tpu.AsAdd(op)
	if op.NumOperands() != 2 || add.DoRelu() || add.Coeff() != nil || chipOf(op) != chipBM1684X && elementOf(op.Result(0)) != op.Context().F32() {
		return false, nil
	}
	for i := range 2 {
		product, ok := tpu.AsMatMul(op.Operand(i).DefiningOp())
		other := op.Operand(1 - i)
		if !ok || !product.Output().HasOneUse() || !definition.IsNone(product.Bias()) || product.DoRelu() || product.OutputTranspose() {
			continue
		}
		if other.Type() != op.Result(0).Type() || product.Output().Type() != other.Type() || !isRow(shapeOf(other)) {
			continue
		}
		r.SetBefore(op)
		operands := product.Operation.Operands()
		operands[2] = other
		folded := r.Build("tpu.MatMul", op.Loc(), operands, product.Operation.Attributes(), op.Result(0).Type())
		r.ReplaceWith(op, folded)
		r.Erase(product.Operation)
		return true, nil
	}
	return false, nil
}

// isRow reports whether a shape has one dimension at most that is not 1, and that is the last.
func isRow(shape []int64) bool {
	if len(shape) == 0 {
		return false
	}
	for _, n := range shape[:len(shape)-1] {
		if n != 1 {
			return false
		}
	}
	return shape[len(shape)-1] != ir.Dynamic
}

// chipOf returns the chip that the module around an operation is for.
func chipOf(op *ir.Operation) string {
	for ; op != nil; op = op.Parent() {
		if chip, ok := op.StringAttribute(moduledialect.Chip); ok {
			return chip
		}
	}
	return ""
}
