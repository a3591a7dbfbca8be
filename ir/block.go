package ir

// This file holds blocks and regions: the lists that operations live in.

import "iter"

// Region is a list of blocks that belongs to an operation.
type Region struct {
	parent      *Operation
	first, last *Block
}

// Parent returns the operation that the region belongs to.
func (r *Region) Parent() *Operation { return r.parent }

// Empty reports whether the region has no block.
func (r *Region) Empty() bool { return r.first == nil }

// First returns the entry block, or nil.
func (r *Region) First() *Block { return r.first }

// Last returns the last block, or nil.
func (r *Region) Last() *Block { return r.last }

// HasOneBlock reports whether the region has exactly one block.
func (r *Region) HasOneBlock() bool { return r.first != nil && r.first == r.last }

// Blocks yields the blocks in order. The current one may be removed meanwhile.
func (r *Region) Blocks() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for b := r.first; b != nil; {
			next := b.next
			if !yield(b) {
				return
			}
			b = next
		}
	}
}

// Append adds a block at the end; the block must be in no region.
func (r *Region) Append(b *Block) { r.InsertBefore(b, nil) }

// InsertBefore adds a block before another of the region, or at the end for nil. The block must be in no region.
func (r *Region) InsertBefore(b, before *Block) {
	b.region = r
	b.next = before
	if before == nil {
		b.prev, r.last = r.last, b
	} else {
		b.prev, before.prev = before.prev, b
	}
	if b.prev == nil {
		r.first = b
	} else {
		b.prev.next = b
	}
}

// TakeBody moves all blocks of another region to the end of this one.
func (r *Region) TakeBody(other *Region) {
	if other.first == nil {
		return
	}
	for b := other.first; b != nil; b = b.next {
		b.region = r
	}
	if r.last == nil {
		r.first = other.first
	} else {
		r.last.next, other.first.prev = other.first, r.last
	}
	r.last = other.last
	other.first, other.last = nil, nil
}

// IsAncestor reports whether other is r or lies within it.
func (r *Region) IsAncestor(other *Region) bool {
	for other != nil {
		if other == r {
			return true
		}
		if other.parent == nil || other.parent.block == nil {
			return false
		}
		other = other.parent.block.region
	}
	return false
}

// Block is a list of operations with arguments. The zero value is an empty block in no region.
type Block struct {
	region      *Region
	prev, next  *Block
	first, last *Operation
	arguments   []*Value
	locations   []Location
	uses        *BlockOperand
	ordered     bool // the operations' order numbers are valid
}

// Region returns the region that the block is in, or nil.
func (b *Block) Region() *Region { return b.region }

// ParentOp returns the operation that the block is nested in, or nil.
func (b *Block) ParentOp() *Operation {
	if b.region == nil {
		return nil
	}
	return b.region.parent
}

// Next returns the following block of the region, or nil.
func (b *Block) Next() *Block { return b.next }

// Prev returns the preceding block of the region, or nil.
func (b *Block) Prev() *Block { return b.prev }

// IsEntry reports whether the block is the first of its region.
func (b *Block) IsEntry() bool { return b.region != nil && b.region.first == b }

// Empty reports whether the block has no operation.
func (b *Block) Empty() bool { return b.first == nil }

// First returns the first operation, or nil.
func (b *Block) First() *Operation { return b.first }

// Last returns the last operation, or nil.
func (b *Block) Last() *Operation { return b.last }

// Terminator returns the last operation if it is a terminator or may be one (it is unregistered), else nil.
func (b *Block) Terminator() *Operation {
	if b.last == nil || !b.last.MightBeTerminator() {
		return nil
	}
	return b.last
}

// Operations yields the operations in order. The current one may be erased or moved meanwhile.
func (b *Block) Operations() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for op := b.first; op != nil; {
			next := op.next
			if !yield(op) {
				return
			}
			op = next
		}
	}
}

// Backward yields the operations from the last to the first. The current one may be erased or moved meanwhile.
func (b *Block) Backward() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for op := b.last; op != nil; {
			prev := op.prev
			if !yield(op) {
				return
			}
			op = prev
		}
	}
}

// NumArguments returns the number of arguments.
func (b *Block) NumArguments() int { return len(b.arguments) }

// Argument returns an argument.
func (b *Block) Argument(i int) *Value { return b.arguments[i] }

// Arguments returns the arguments; the slice is for reading.
func (b *Block) Arguments() []*Value { return b.arguments }

// ArgumentLoc returns the location of an argument.
func (b *Block) ArgumentLoc(i int) Location { return resolved(b.locations[i]) }

// SetArgumentLoc changes the location of an argument.
func (b *Block) SetArgumentLoc(i int, l Location) { b.locations[i] = l }

// AddArgument adds an argument at the end.
func (b *Block) AddArgument(t Type, l Location) *Value {
	return b.appendArgument(new(Value), t, l)
}

func (b *Block) appendArgument(v *Value, t Type, l Location) *Value {
	*v = Value{typ: t, block: b, index: int32(len(b.arguments))}
	b.arguments = append(b.arguments, v)
	b.locations = append(b.locations, l)
	return v
}

// InsertArgument adds an argument before the i-th.
func (b *Block) InsertArgument(i int, t Type, l Location) *Value {
	b.AddArgument(t, l)
	v := b.arguments[len(b.arguments)-1]
	copy(b.arguments[i+1:], b.arguments[i:])
	copy(b.locations[i+1:], b.locations[i:])
	b.arguments[i], b.locations[i] = v, l
	b.renumberArguments()
	return v
}

// EraseArgument removes an argument, which must have no uses.
func (b *Block) EraseArgument(i int) {
	if b.arguments[i].HasUses() {
		panic("ir: erased a block argument that is in use")
	}
	b.arguments = append(b.arguments[:i:i], b.arguments[i+1:]...)
	b.locations = append(b.locations[:i:i], b.locations[i+1:]...)
	b.renumberArguments()
}

// EraseArguments removes the arguments for which dead says so, which must have no uses, in one go.
func (b *Block) EraseArguments(dead func(*Value) bool) {
	var arguments []*Value
	var locations []Location
	for i, v := range b.arguments {
		switch {
		case !dead(v):
			arguments, locations = append(arguments, v), append(locations, b.locations[i])
		case v.HasUses():
			panic("ir: erased a block argument that is in use")
		}
	}
	b.arguments, b.locations = arguments, locations
	b.renumberArguments()
}

func (b *Block) renumberArguments() {
	for i, v := range b.arguments {
		v.index = int32(i)
	}
}

// Append adds an operation at the end; it must be in no block.
func (b *Block) Append(op *Operation) { b.InsertBefore(op, nil) }

// Prepend adds an operation at the start; it must be in no block.
func (b *Block) Prepend(op *Operation) { b.InsertBefore(op, b.first) }

// InsertBefore adds an operation before another of the block, or at the end for nil. It must be in no block.
func (b *Block) InsertBefore(op, before *Operation) {
	op.block = b
	op.next = before
	if before == nil {
		op.prev, b.last = b.last, op
	} else {
		op.prev, before.prev = before.prev, op
	}
	if op.prev == nil {
		b.first = op
	} else {
		op.prev.next = op
	}
	b.ordered = false
}

func (b *Block) unlinkOp(op *Operation) {
	if op.prev == nil {
		b.first = op.next
	} else {
		op.prev.next = op.next
	}
	if op.next == nil {
		b.last = op.prev
	} else {
		op.next.prev = op.prev
	}
	op.block, op.prev, op.next = nil, nil, nil
}

func (b *Block) number() {
	if b.ordered {
		return
	}
	n := int32(0)
	for op := b.first; op != nil; op = op.next {
		op.order = n
		n++
	}
	b.ordered = true
}

// Remove takes the block out of its region and leaves it whole.
func (b *Block) Remove() {
	r := b.region
	if r == nil {
		return
	}
	if b.prev == nil {
		r.first = b.next
	} else {
		b.prev.next = b.next
	}
	if b.next == nil {
		r.last = b.prev
	} else {
		b.next.prev = b.prev
	}
	b.region, b.prev, b.next = nil, nil, nil
}

// Erase removes the block and destroys its operations.
func (b *Block) Erase() {
	b.dropReferences()
	for op := range b.Backward() {
		op.Erase()
	}
	b.Remove()
}

func (b *Block) dropReferences() {
	for op := range b.Operations() {
		op.dropReferences()
	}
}

// Uses yields the successor operands that name the block, the most recent first.
func (b *Block) Uses() iter.Seq[*BlockOperand] {
	return func(yield func(*BlockOperand) bool) {
		for use := b.uses; use != nil; {
			next := use.next
			if !yield(use) {
				return
			}
			use = next
		}
	}
}

// HasPredecessors reports whether any terminator names the block.
func (b *Block) HasPredecessors() bool { return b.uses != nil }

// Predecessors returns the blocks whose terminators name this one, the most recent use first; a block that names it
// twice stands twice, as in MLIR's comments.
func (b *Block) Predecessors() []*Block {
	var blocks []*Block
	for use := range b.Uses() {
		blocks = append(blocks, use.owner.block)
	}
	return blocks
}

// Successors returns the blocks that the last operation names.
func (b *Block) Successors() []*Block {
	if b.last == nil {
		return nil
	}
	blocks := make([]*Block, b.last.NumSuccessors())
	for i := range blocks {
		blocks[i] = b.last.Successor(i)
	}
	return blocks
}

// BlockOperand is a successor of an operation: one use of a block.
type BlockOperand struct {
	block      *Block
	owner      *Operation
	next, prev *BlockOperand
	index      int32
}

// Block returns the block that is named.
func (o *BlockOperand) Block() *Block { return o.block }

// Owner returns the operation that the successor belongs to.
func (o *BlockOperand) Owner() *Operation { return o.owner }

// Index returns the number of the successor.
func (o *BlockOperand) Index() int { return int(o.index) }

// Set makes the successor another block.
func (o *BlockOperand) Set(b *Block) {
	o.unlink()
	o.block = b
	if b == nil {
		return
	}
	o.next = b.uses
	if b.uses != nil {
		b.uses.prev = o
	}
	b.uses = o
}

func (o *BlockOperand) unlink() {
	if o.block == nil {
		return
	}
	if o.prev != nil {
		o.prev.next = o.next
	} else {
		o.block.uses = o.next
	}
	if o.next != nil {
		o.next.prev = o.prev
	}
	o.block, o.next, o.prev = nil, nil, nil
}
