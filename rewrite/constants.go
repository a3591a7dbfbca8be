package rewrite

// This file knows constants: which value one is, and where it stands.

import (
	"slices"

	"tpuir/ir"
)

// ConstantValue returns what a value is where a constant makes it, otherwise nil.
func ConstantValue(v *ir.Value) ir.Attribute {
	if source := v.DefiningOp(); source != nil && source.HasTrait(ir.ConstantLike) {
		return source.Attr("value")
	}
	return nil
}

type constantKey struct {
	region *ir.Region
	name   *ir.OperationName
	value  ir.Attribute
	typ    ir.Type
}

// constantTable holds the constants that were met, and whether they are kept.
type constantTable struct {
	known map[constantKey]*ir.Operation
	kept  map[*ir.Operation]bool
}

// know moves a constant to the others at the start of its region, and reports whether it is there already: then it goes.
func (t *constantTable) know(op *ir.Operation) bool {
	region := regionForConstants(op.Block())
	if region == nil {
		return false
	}
	key := constantKey{region, op.Name(), op.Attr("value"), op.Result(0).Type()}
	if first := t.known[key]; first != nil {
		op.Result(0).ReplaceAllUsesWith(first.Result(0))
		first.SetLoc(op.Context().UnknownLoc())
		op.Erase()
		return true
	}
	start := region.First()
	if moved := op.Block() != start; moved || op.Prev() != nil && !t.kept[op.Prev()] {
		if first := start.First(); first != op {
			op.MoveBefore(first)
		}
		if moved {
			op.SetLoc(op.Context().UnknownLoc()) // it stands for what other blocks compute, too
		}
	}
	if t.known == nil {
		t.known, t.kept = map[constantKey]*ir.Operation{}, map[*ir.Operation]bool{}
	}
	t.known[key], t.kept[op] = op, true
	return false
}

// regionForConstants returns the outermost region whose values the block may use.
func regionForConstants(b *ir.Block) *ir.Region {
	for b != nil {
		region := b.Region()
		parent := region.Parent()
		if parent == nil || parent.MightHaveTrait(ir.IsolatedFromAbove) || parent.Block() == nil {
			return region
		}
		b = parent.Block()
	}
	return nil
}

// nested returns what is inside an operation, the outer before the inner.
func nested(root *ir.Operation) []*ir.Operation {
	var all []*ir.Operation
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if op != root {
			all = append(all, op)
		}
		return ir.Advance
	})
	return slices.Clip(all)
}
