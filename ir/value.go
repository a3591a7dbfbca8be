package ir

// This file holds values and their use lists.

import "iter"

// Value is the result of an operation or an argument of a block. It is used through its pointer, which is its identity.
type Value struct {
	typ   Type
	uses  *OpOperand // the first of a list, the most recent use first
	op    *Operation // the defining operation, nil for a block argument
	block *Block     // the owner of a block argument, nil for a result
	index int32
}

// Type returns the type.
func (v *Value) Type() Type { return v.typ }

// SetType changes the type in place.
func (v *Value) SetType(t Type) { v.typ = t }

// DefiningOp returns the operation whose result this is, or nil for a block argument.
func (v *Value) DefiningOp() *Operation { return v.op }

// IsBlockArgument reports whether the value is an argument of a block.
func (v *Value) IsBlockArgument() bool { return v.op == nil }

// Index returns the number of the result, or of the argument.
func (v *Value) Index() int { return int(v.index) }

// Block returns the block that defines the value: the one of the defining operation, or the argument's owner.
func (v *Value) Block() *Block {
	if v.op != nil {
		return v.op.block
	}
	return v.block
}

// Loc returns the location of the defining operation or of the argument.
func (v *Value) Loc() Location {
	if v.op != nil {
		return v.op.Loc()
	}
	return v.block.ArgumentLoc(int(v.index))
}

// Region returns the region that the value is defined in.
func (v *Value) Region() *Region {
	if b := v.Block(); b != nil {
		return b.region
	}
	return nil
}

// HasUses reports whether any operation uses the value.
func (v *Value) HasUses() bool { return v.uses != nil }

// HasOneUse reports whether exactly one operand refers to the value.
func (v *Value) HasOneUse() bool { return v.uses != nil && v.uses.next == nil }

// Uses yields the operands that refer to the value, the most recent first. The current one may be changed meanwhile.
func (v *Value) Uses() iter.Seq[*OpOperand] {
	return func(yield func(*OpOperand) bool) {
		for use := v.uses; use != nil; {
			next := use.next
			if !yield(use) {
				return
			}
			use = next
		}
	}
}

// Users yields the operations that use the value, the most recent use first, an operation once for every use.
func (v *Value) Users() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for use := range v.Uses() {
			if !yield(use.owner) {
				return
			}
		}
	}
}

// ReplaceAllUsesWith makes every user of v use other instead.
func (v *Value) ReplaceAllUsesWith(other *Value) {
	if v == other {
		return
	}
	for v.uses != nil {
		v.uses.Set(other)
	}
}

// ReplaceUsesIf is [Value.ReplaceAllUsesWith] for the uses that the function accepts.
func (v *Value) ReplaceUsesIf(other *Value, accept func(*OpOperand) bool) {
	if v == other {
		return
	}
	for use := range v.Uses() {
		if accept(use) {
			use.Set(other)
		}
	}
}

// OpOperand is one use of a value: an operand of an operation.
type OpOperand struct {
	value      *Value
	owner      *Operation
	next, prev *OpOperand
	index      int32
}

// Value returns the value that is used.
func (o *OpOperand) Value() *Value { return o.value }

// Owner returns the operation that the operand belongs to.
func (o *OpOperand) Owner() *Operation { return o.owner }

// Index returns the number of the operand.
func (o *OpOperand) Index() int { return int(o.index) }

// Set makes the operand refer to another value.
func (o *OpOperand) Set(v *Value) {
	if o.value == v {
		return
	}
	o.unlink()
	o.link(v)
}

func (o *OpOperand) link(v *Value) {
	o.value = v
	if v == nil {
		return
	}
	o.prev = nil
	o.next = v.uses
	if v.uses != nil {
		v.uses.prev = o
	}
	v.uses = o
}

func (o *OpOperand) unlink() {
	if o.value == nil {
		return
	}
	if o.prev != nil {
		o.prev.next = o.next
	} else {
		o.value.uses = o.next
	}
	if o.next != nil {
		o.next.prev = o.prev
	}
	o.value, o.next, o.prev = nil, nil, nil
}
