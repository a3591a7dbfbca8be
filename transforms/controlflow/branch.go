package controlflow

// This file holds the rewrites of cf.br, cf.cond_br and cf.assert.

import (
	"tpuir/dialect/arith"
	"tpuir/dialect/cf"
	"tpuir/ir"
	"tpuir/rewrite"
)

type rewriteFunc = func(op *ir.Operation, r *rewrite.Rewriter) (bool, error)

// replaceByBranch puts a cf.br in the place of a branch.
func replaceByBranch(op *ir.Operation, r *rewrite.Rewriter, to cf.Destination) (bool, error) {
	r.SetBefore(op)
	cf.NewBranch(&r.Builder, op.Loc(), to)
	r.Erase(op)
	return true, nil
}

// knownInteger returns what a value is where it is an integer constant.
func knownInteger(v *ir.Value) (*ir.IntegerAttr, bool) {
	known, ok := rewrite.ConstantValue(v).(*ir.IntegerAttr)
	return known, ok
}

func eraseTrueAssert(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	known, ok := knownInteger(op.Operand(0))
	if !ok || known.Big().Sign() == 0 {
		return false, nil
	}
	r.Erase(op)
	return true, nil
}

// singlePredecessor returns the block of the only branch to b, nil where there are none or several.
func singlePredecessor(b *ir.Block) *ir.Block {
	var found *ir.Block
	for use := range b.Uses() {
		if found != nil {
			return nil
		}
		found = use.Owner().Block()
	}
	return found
}

// mergeIntoPredecessor appends a block to the only one that goes to it.
func mergeIntoPredecessor(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	next, block := op.Successor(0), op.Block()
	if next == block || singlePredecessor(next) == nil || next.IsEntry() {
		return false, nil
	}
	values := op.Operands()
	for _, v := range values {
		if v.IsBlockArgument() && v.Block() == next {
			return false, nil // blocks that nothing reaches
		}
	}
	r.Erase(op)
	r.MergeBlocks(next, block, values)
	return true, nil
}

// passThrough returns where a block goes that does nothing but go on; ok is false where it does more, or goes in a circle.
func passThrough(to cf.Destination) (further cf.Destination, ok bool) {
	block := to.Block
	branch := block.First()
	if branch == nil || branch.Next() != nil || !branch.Is(cf.BranchName) {
		return to, false
	}
	for _, argument := range block.Arguments() {
		for user := range argument.Users() {
			if user != branch {
				return to, false
			}
		}
	}
	if goesRound(block) {
		return to, false
	}
	further.Block = branch.Successor(0)
	for _, v := range branch.Operands() {
		if v.IsBlockArgument() && v.Block() == block {
			v = to.Values[v.Index()]
		}
		further.Values = append(further.Values, v)
	}
	return further, true
}

// goesRound reports whether a block leads, by branches that have no choice, to one that was there before.
func goesRound(b *ir.Block) bool {
	seen := map[*ir.Block]bool{}
	for b != nil && !b.Empty() {
		branch := b.Last()
		if !branch.Is(cf.BranchName) {
			return false
		}
		if seen[b] {
			return true
		}
		seen[b] = true
		b = branch.Successor(0)
	}
	return false
}

func skipPassThrough(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	to := cf.Destination{Block: op.Successor(0), Values: op.Operands()}
	if to.Block == op.Block() {
		return false, nil
	}
	further, ok := passThrough(to)
	if !ok {
		return false, nil
	}
	return replaceByBranch(op, r, further)
}

func foldCondBranch(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	known, ok := knownInteger(op.Operand(0))
	destinations := cf.Destinations(op)
	if !ok || destinations == nil {
		return false, nil
	}
	if known.Big().Sign() != 0 {
		return replaceByBranch(op, r, destinations[0])
	}
	return replaceByBranch(op, r, destinations[1])
}

func skipPassThroughCondBranch(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	destinations, changed := skipAll(cf.Destinations(op))
	if !changed {
		return false, nil
	}
	r.SetBefore(op)
	cf.NewCondBranch(&r.Builder, op.Loc(), op.Operand(0), cf.Weights(op), destinations[0], destinations[1])
	r.Erase(op)
	return true, nil
}

func skipAll(destinations []cf.Destination) (skipped []cf.Destination, changed bool) {
	for _, d := range destinations {
		further, ok := passThrough(d)
		skipped = append(skipped, further)
		changed = changed || ok
	}
	return skipped, changed
}

// foldIdenticalSuccessors goes to the one block that both ways lead to. What it gets there is selected where only this
// branch goes there; otherwise the values have to be the same.
func foldIdenticalSuccessors(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	destinations := cf.Destinations(op)
	if destinations == nil || destinations[0].Block != destinations[1].Block {
		return false, nil
	}
	if destinations[0].Equal(destinations[1]) {
		return replaceByBranch(op, r, destinations[0])
	}
	for use := range destinations[0].Block.Uses() {
		if use.Owner().Block() != op.Block() {
			return false, nil
		}
	}
	to := cf.Destination{Block: destinations[0].Block}
	for i, v := range destinations[0].Values {
		if other := destinations[1].Values[i]; v != other {
			r.SetBefore(op)
			v = arith.NewSelect(&r.Builder, op.Loc(), op.Operand(0), v, other).Result(0)
		}
		to.Values = append(to.Values, v)
	}
	return replaceByBranch(op, r, to)
}

// propagateTruth makes the condition a constant in the blocks that only one way of the branch leads to.
func propagateTruth(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	condition, changed := op.Operand(0), false
	for i, truth := range []bool{true, false} {
		block := op.Successor(i)
		if singlePredecessor(block) == nil {
			continue
		}
		var known *ir.Value
		for use := range condition.Uses() {
			user := use.Owner()
			if user.Block() != block {
				continue
			}
			if known == nil {
				r.SetBefore(op)
				known = arith.NewConstant(&r.Builder, op.Loc(), op.Context().Bool(truth)).Result(0)
			}
			changed = true
			r.Modify(user, func() { use.Set(known) })
		}
	}
	return changed, nil
}

// foldSameCondition knows the condition from the branch that leads here.
func foldSameCondition(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
	before := branchBefore(op, cf.CondBranchName)
	destinations := cf.Destinations(op)
	if before == nil || destinations == nil {
		return false, nil
	}
	if before.Successor(0) == op.Block() {
		return replaceByBranch(op, r, destinations[0])
	}
	return replaceByBranch(op, r, destinations[1])
}

// branchBefore returns the only branch to the block of op, where it has the name and the condition or flag of op.
func branchBefore(op *ir.Operation, name string) *ir.Operation {
	predecessor := singlePredecessor(op.Block())
	if predecessor == nil {
		return nil
	}
	before := predecessor.Last()
	if before == op || !before.Is(name) || before.Operand(0) != op.Operand(0) {
		return nil
	}
	return before
}

// skipSelectOfSame takes what a select of the same condition gives in the place of that select, an operand of op.
func skipSelectOfSame(operand int) rewriteFunc {
	return func(op *ir.Operation, r *rewrite.Rewriter) (bool, error) {
		inner := op.Operand(operand).DefiningOp()
		if inner == nil || !inner.Is(arith.SelectName) || inner.Operand(0) != op.Operand(0) {
			return false, nil
		}
		operands := op.Operands()
		operands[operand] = inner.Operand(operand)
		r.SetBefore(op)
		loc := op.Context().FusedLoc([]ir.Location{op.Loc(), inner.Loc()}, nil)
		r.ReplaceWith(op, arith.NewSelect(&r.Builder, loc, operands[0], operands[1], operands[2]))
		return true, nil
	}
}
