package general

// This file holds the pass topological-sort: operations of graph regions come behind what they use.
//
//	%1 = "a"(%0) …          %0 = "b"() …
//	%0 = "b"() …       =>   %1 = "a"(%0) …

import (
	"tpuir/ir"
	"tpuir/pass"
)

func topologicalSortDefinition() *pass.Definition {
	return &pass.Definition{
		Argument:    "topological-sort",
		Name:        "TopologicalSort",
		Summary:     "sort the operations of regions without dominance, so that definitions come before uses",
		Description: `Keeps the order where it can. In a cycle the first operation is put first.`,
		New:         func() pass.Pass { return topologicalSort{} },
	}
}

type topologicalSort struct{}

// Run sorts.
func (topologicalSort) Run(_ *pass.Run, root *ir.Operation) error {
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if !op.HasTrait(ir.GraphRegion) {
			return ir.Advance // of an unknown operation nobody knows what the order means
		}
		for i := range op.NumRegions() {
			for b := range op.Region(i).Blocks() {
				sortBlock(b)
			}
		}
		return ir.Advance
	})
	return nil
}

// sortBlock goes through the operations that are not placed yet, again and again, and places those that are ready.
func sortBlock(b *ir.Block) {
	waiting := map[*ir.Operation]bool{}
	for op := range b.Operations() {
		if !op.HasTrait(ir.Terminator) {
			waiting[op] = true
		}
	}
	next := b.First()
	for len(waiting) > 0 {
		placed := false
		for op := next; op != nil; {
			following := op.Next()
			if waiting[op] && isReady(op, waiting) {
				delete(waiting, op)
				placed = true
				if op == next {
					next = following
				} else {
					op.MoveBefore(next)
				}
			}
			op = following
		}
		if !placed {
			delete(waiting, next)
			next = next.Next()
		}
	}
}

// isReady reports whether nothing that an operation uses, or that is nested in it, waits.
func isReady(op *ir.Operation, waiting map[*ir.Operation]bool) bool {
	return op.Walk(func(nested *ir.Operation) ir.WalkResult {
		for _, v := range nested.Operands() {
			source := v.DefiningOp()
			for source != nil && source.Block() != op.Block() {
				source = source.Parent()
			}
			if source != nil && source != op && waiting[source] {
				return ir.Interrupt
			}
		}
		return ir.Advance
	})
}
