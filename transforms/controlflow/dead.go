package controlflow

// This file erases what is dead across blocks: operations and arguments of blocks that only each other need, as those of
// a loop that counts and does not tell.

import (
	"tpuir/dialect/cf"
	"tpuir/ir"
	"tpuir/rewrite"
)

// liveness tells which operations and which arguments of blocks are needed.
type liveness struct {
	operations map[*ir.Operation]bool
	arguments  map[*ir.Value]bool
	changed    bool
}

// eraseDead erases what is not needed inside root, and reports whether there were operations to erase.
func eraseDead(root *ir.Operation) bool {
	if !mayHaveCircles(root) {
		return false // the patterns' driver erased all that is dead
	}
	l := &liveness{operations: map[*ir.Operation]bool{}, arguments: map[*ir.Value]bool{}}
	for again := true; again; again = l.changed {
		l.changed = false
		for i := range root.NumRegions() {
			l.region(root.Region(i))
		}
	}
	erased := false
	for i := range root.NumRegions() {
		erased = l.erase(root.Region(i)) || erased
	}
	return erased
}

// mayHaveCircles reports whether values may need each other in a circle: over blocks, or where the order is free.
func mayHaveCircles(root *ir.Operation) bool {
	for _, region := range regionsOf(root) {
		if region.Empty() {
			continue
		}
		if !region.HasOneBlock() {
			return true
		}
		if region.HasSSADominance() {
			continue
		}
		for op := range region.First().Operations() {
			if op.NumOperands() > 0 {
				return true
			}
		}
	}
	return false
}

func (l *liveness) region(r *ir.Region) {
	for _, block := range r.PostOrder() {
		for op := range block.Backward() {
			l.operation(op)
		}
		if block.IsEntry() {
			continue
		}
		for _, argument := range block.Arguments() {
			if !l.arguments[argument] && l.isNeeded(argument) {
				l.arguments[argument], l.changed = true, true
			}
		}
	}
}

func (l *liveness) operation(op *ir.Operation) {
	for i := range op.NumRegions() {
		l.region(op.Region(i))
	}
	if l.operations[op] {
		return
	}
	needed := op.HasTrait(ir.Terminator|ir.Symbol) || !rewrite.HasNoEffect(op)
	for i := 0; i < op.NumResults() && !needed; i++ {
		needed = l.isNeeded(op.Result(i))
	}
	if !needed {
		return
	}
	l.operations[op], l.changed = true, true
	if op.HasTrait(ir.Terminator) && cf.Destinations(op) == nil {
		for i := range op.NumSuccessors() {
			for _, argument := range op.Successor(i).Arguments() {
				l.arguments[argument] = true
			}
		}
	}
}

// isNeeded reports whether a value has a user that is needed, other than a branch that makes it an argument which is not.
func (l *liveness) isNeeded(v *ir.Value) bool {
	for use := range v.Uses() {
		if !l.operations[use.Owner()] {
			continue
		}
		if argument := argumentOf(use); argument == nil || l.arguments[argument] || argument.Block().IsEntry() {
			return true
		}
	}
	return false
}

// argumentOf returns the argument of a block that an operand of a branch becomes, nil where it becomes none.
func argumentOf(use *ir.OpOperand) *ir.Value {
	branch := use.Owner()
	if branch.NumSuccessors() == 0 {
		return nil
	}
	at := branch.NumOperands() - use.Index()
	destinations := cf.Destinations(branch)
	for i := len(destinations) - 1; i >= 0; i-- {
		d := destinations[i]
		if at <= len(d.Values) {
			return d.Block.Argument(len(d.Values) - at)
		}
		at -= len(d.Values)
	}
	return nil
}

func (l *liveness) erase(r *ir.Region) bool {
	erased := false
	order := r.PostOrder()
	for _, block := range order {
		if len(order) > 1 {
			l.eraseSuccessorOperands(block.Last())
		}
		for op := range block.Backward() {
			if !l.operations[op] {
				eraseWithUses(op)
				erased = true
				continue
			}
			for i := range op.NumRegions() {
				erased = l.erase(op.Region(i)) || erased
			}
		}
	}
	for _, block := range order {
		if !block.IsEntry() {
			block.EraseArguments(func(v *ir.Value) bool { return !l.arguments[v] })
		}
	}
	return erased
}

func (l *liveness) eraseSuccessorOperands(branch *ir.Operation) {
	if branch == nil {
		return
	}
	for i, d := range cf.Destinations(branch) {
		var kept []*ir.Value
		for n, v := range d.Values {
			if argument := d.Block.Argument(n); l.arguments[argument] || d.Block.IsEntry() {
				kept = append(kept, v)
			}
		}
		if len(kept) < len(d.Values) {
			cf.SetSuccessorOperands(branch, i, kept)
		}
	}
}

// eraseWithUses erases an operation whose users are dead, too, but still there where they need each other in a circle.
func eraseWithUses(op *ir.Operation) {
	for _, v := range op.Results() {
		for user := range v.Users() {
			if user != op {
				var kept []*ir.Value
				for _, operand := range user.Operands() {
					if operand != v {
						kept = append(kept, operand)
					}
				}
				user.SetOperands(kept)
			}
		}
	}
	op.SetOperands(nil)
	op.Erase()
}
