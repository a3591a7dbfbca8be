package controlflow

// This file makes one of blocks that do the same. Values that differ become arguments.

import (
	"slices"

	"tpuir/dialect/cf"
	"tpuir/ir"
)

// mergeAlikeIn merges blocks in every region inside root, a region again until there is nothing left.
func mergeAlikeIn(root *ir.Operation) (changed bool) {
	for _, region := range regionsOf(root) {
		for mergeAlike(region) {
			changed = true
		}
	}
	return changed
}

// place is an operand of the operation with a number in its block.
type place struct{ operation, operand int }

// cluster is a block with others that do the same but for the operands at some places.
type cluster struct {
	blocks []*ir.Block
	differ []place
}

func mergeAlike(r *ir.Region) (changed bool) {
	if r.Empty() || r.HasOneBlock() {
		return false
	}
	var groups [][]*ir.Block // by the blocks that they lead to
	for block := r.First().Next(); block != nil; block = block.Next() {
		at := slices.IndexFunc(groups, func(group []*ir.Block) bool {
			return slices.Equal(group[0].Successors(), block.Successors())
		})
		if at < 0 {
			groups = append(groups, nil)
			at = len(groups) - 1
		}
		groups[at] = append(groups[at], block)
	}
	for _, group := range groups {
		for _, c := range clusters(group) {
			changed = c.merge() || changed
		}
	}
	return changed
}

func clusters(group []*ir.Block) []*cluster {
	if len(group) < 2 {
		return nil
	}
	var found []*cluster
	for _, block := range group {
		if !isMergeable(block) {
			continue
		}
		if !slices.ContainsFunc(found, func(c *cluster) bool { return c.add(block) }) {
			found = append(found, &cluster{blocks: []*ir.Block{block}})
		}
	}
	return found
}

// isMergeable reports whether a block has no regions and its arguments are used in it alone.
func isMergeable(b *ir.Block) bool {
	for op := range b.Operations() {
		for i := range op.NumRegions() {
			if !op.Region(i).Empty() {
				return false
			}
		}
	}
	return !slices.ContainsFunc(b.Arguments(), func(v *ir.Value) bool { return isUsedOutside(v, b) })
}

func isUsedOutside(v *ir.Value, b *ir.Block) bool {
	for user := range v.Users() {
		if user.Block() != b {
			return true
		}
	}
	return false
}

// add takes a block in where it does the same as the first.
func (c *cluster) add(block *ir.Block) bool {
	first := c.blocks[0]
	if !slices.EqualFunc(first.Arguments(), block.Arguments(), haveSameType) {
		return false
	}
	differ := c.differ
	one, other := first.First(), block.First()
	for n := 0; one != nil && other != nil; n++ {
		if !doSame(one, other) {
			return false
		}
		for i := range one.NumOperands() {
			a, b := one.Operand(i), other.Operand(i)
			if a == b {
				continue
			}
			inside := a.Block() == first
			if !haveSameType(a, b) || inside != (b.Block() == block) {
				return false
			}
			if inside {
				if !standAtSamePlace(a, b) {
					return false
				}
				continue
			}
			if !isValidBefore(a, first) || !isValidBefore(b, block) {
				return false
			}
			if at := (place{n, i}); !slices.Contains(differ, at) {
				differ = append(differ[:len(differ):len(differ)], at)
			}
		}
		for i := range one.NumResults() {
			if isUsedOutside(one.Result(i), first) || isUsedOutside(other.Result(i), block) {
				return false
			}
		}
		one, other = one.Next(), other.Next()
	}
	if one != nil || other != nil {
		return false
	}
	c.blocks, c.differ = append(c.blocks, block), differ
	return true
}

func haveSameType(a, b *ir.Value) bool { return a.Type() == b.Type() }

// doSame reports whether two operations do the same to whatever operands.
func doSame(a, b *ir.Operation) bool {
	return a.Name() == b.Name() && a.NumOperands() == b.NumOperands() && a.NumRegions() == b.NumRegions() &&
		a.Attributes() == b.Attributes() && a.Properties() == b.Properties() &&
		slices.EqualFunc(a.Results(), b.Results(), haveSameType)
}

// standAtSamePlace reports whether values of two blocks that do the same up to there come from the same place in them.
func standAtSamePlace(a, b *ir.Value) bool {
	if a.Index() != b.Index() || a.IsBlockArgument() != b.IsBlockArgument() {
		return false
	}
	return a.IsBlockArgument() || numberInBlock(a.DefiningOp()) == numberInBlock(b.DefiningOp())
}

func numberInBlock(op *ir.Operation) int {
	n := 0
	for op = op.Prev(); op != nil; op = op.Prev() {
		n++
	}
	return n
}

// isValidBefore reports whether a branch to the block can pass a value: not one that the branch itself makes.
func isValidBefore(v *ir.Value, b *ir.Block) bool {
	source := v.DefiningOp()
	return source == nil || source != source.Block().Last() || !slices.Contains(b.Predecessors(), source.Block())
}

// merge erases all blocks but the first, and makes branches go there.
func (c *cluster) merge() bool {
	if len(c.blocks) < 2 {
		return false
	}
	if len(c.differ) > 0 {
		for _, block := range c.blocks {
			for use := range block.Uses() {
				if cf.Destinations(use.Owner()) == nil {
					return false
				}
			}
		}
		c.makeArguments()
	}
	for _, block := range c.blocks[1:] {
		for use := range block.Uses() {
			use.Set(c.blocks[0])
		}
		for op := range block.Backward() {
			op.SetOperands(nil)
		}
		block.Erase()
	}
	return true
}

// makeArguments makes the operands that differ arguments of the first block, and passes them to all blocks. Places that
// hold the same value in each block share an argument.
func (c *cluster) makeArguments() {
	slices.SortFunc(c.differ, func(a, b place) int {
		if a.operation != b.operation {
			return a.operation - b.operation
		}
		return a.operand - b.operand
	})
	passed := make([][]*ir.Value, len(c.blocks)) // by block
	for i, block := range c.blocks {
		for _, at := range c.differ {
			passed[i] = append(passed[i], operandAt(block, at).Value())
		}
	}
	first := c.blocks[0]
	kept := make([][]*ir.Value, len(c.blocks))
	arguments := make([]*ir.Value, len(c.differ))
	for n, at := range c.differ {
		operand := operandAt(first, at)
		same := slices.Index(passed[0], passed[0][n])
		if same < n && !slices.ContainsFunc(passed, func(values []*ir.Value) bool { return values[same] != values[n] }) {
			arguments[n] = arguments[same]
		} else {
			arguments[n] = first.AddArgument(operand.Value().Type(), operand.Value().Loc())
			for i := range kept {
				kept[i] = append(kept[i], passed[i][n])
			}
		}
		operand.Set(arguments[n])
	}
	for i, block := range c.blocks {
		for use := range block.Uses() {
			values := cf.Destinations(use.Owner())[use.Index()].Values
			cf.SetSuccessorOperands(use.Owner(), use.Index(), slices.Concat(values, kept[i]))
		}
	}
}

func operandAt(b *ir.Block, at place) *ir.OpOperand {
	op := b.First()
	for range at.operation {
		op = op.Next()
	}
	return op.OpOperand(at.operand)
}

// dropCommonArguments takes out the arguments of a block that are the same value from wherever it is reached.
func dropCommonArguments(b *ir.Block) (changed bool) {
	for i := b.NumArguments() - 1; i >= 0; i-- {
		if common := commonValue(b, i); common != nil && common != b.Argument(i) {
			b.Argument(i).ReplaceAllUsesWith(common)
			for use := range b.Uses() {
				cf.EraseSuccessorOperand(use.Owner(), use.Index(), i)
			}
			b.EraseArgument(i)
			changed = true
		}
	}
	return changed
}

// commonValue returns what all branches to a block pass for its argument, nil where they differ.
func commonValue(b *ir.Block, argument int) *ir.Value {
	var common *ir.Value
	for use := range b.Uses() {
		destinations := cf.Destinations(use.Owner())
		if destinations == nil {
			return nil
		}
		value := destinations[use.Index()].Values[argument]
		if common != nil && value != common {
			return nil
		}
		common = value
	}
	return common
}
