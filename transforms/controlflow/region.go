package controlflow

// This file simplifies regions: blocks that nothing reaches go, and all that the other files of this package find.

import (
	"tpuir/ir"
)

// Simplify simplifies every region in root and reports whether it changed anything. Where it is aggressive it also makes
// one of blocks that do the same.
func Simplify(root *ir.Operation, aggressive bool) (changed bool) {
	changed = EraseUnreachable(root)
	changed = eraseDead(root) || changed
	if aggressive {
		changed = mergeAlikeIn(root) || changed
		for _, region := range regionsOf(root) {
			for block := range region.Blocks() {
				changed = dropCommonArguments(block) || changed
			}
		}
	}
	return changed
}

// EraseUnreachable erases the blocks that no path from the first of their region leads to, and reports whether there were.
func EraseUnreachable(root *ir.Operation) (changed bool) {
	for _, region := range regionsOf(root) {
		changed = eraseUnreachableBlocks(region) || changed
	}
	return changed
}

// regionsOf returns all regions of an operation and of those in it, the outer before the inner. Where a block is erased
// the regions in it are empty.
func regionsOf(root *ir.Operation) []*ir.Region {
	var all []*ir.Region
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		for i := range op.NumRegions() {
			all = append(all, op.Region(i))
		}
		return ir.Advance
	})
	return all
}

func eraseUnreachableBlocks(r *ir.Region) bool {
	if r.Empty() || r.HasOneBlock() {
		return false
	}
	reached := map[*ir.Block]bool{}
	for _, block := range r.PostOrder() {
		reached[block] = true
	}
	var dead []*ir.Block
	for block := range r.Blocks() {
		if !reached[block] {
			dead = append(dead, block)
		}
	}
	// Dead blocks may use each other's values and name each other, from inside of nested regions, too: the uses go first.
	for _, block := range dead {
		for op := range block.Backward() {
			op.Walk(func(inner *ir.Operation) ir.WalkResult {
				inner.SetOperands(nil)
				return ir.Advance
			})
		}
	}
	for _, block := range dead {
		block.Erase()
	}
	return len(dead) > 0
}
