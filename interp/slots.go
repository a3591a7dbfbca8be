package interp

// This file gives the values of a function their slots while it is compiled.

import (
	"errors"
	"fmt"

	"tpuir/ir"
)

func (b *builder) newSlot(kind Kind, owned bool) slot {
	s := slot(len(b.program.kinds))
	b.program.kinds = append(b.program.kinds, kind)
	b.storage = append(b.storage, storage{root: s, owned: owned, lastUse: len(b.program.steps)})
	return s
}

// in returns the slot of an operand of the op being compiled, and noSlot where it is none or nil. A weight is decoded.
func (b *builder) in(v *ir.Value) (slot, error) {
	if v == nil {
		return noSlot, nil
	}
	s, ok := b.slots[v]
	if !ok {
		weightOp, isWeight := b.weights[v]
		if !isWeight {
			return noSlot, fmt.Errorf("uses %q, which has no value here", ir.ValueName(v))
		}
		value, err := b.decode(weightOp)
		if err != nil {
			return noSlot, located(weightOp.Operation, err)
		}
		s = b.newSlot(value.Kind, false)
		b.slots[v] = s
		b.program.constants = append(b.program.constants, constant{s, value})
	}
	b.use(s)
	return s, nil
}

// use notes that the step being compiled reads a slot.
func (b *builder) use(s slot) {
	if s != noSlot {
		b.storage[b.storage[s].root].lastUse = len(b.program.steps)
	}
}

// ins is in for several operands.
func (b *builder) ins(values ...*ir.Value) ([]slot, error) {
	slots := make([]slot, len(values))
	for i, v := range values {
		var err error
		if slots[i], err = b.in(v); err != nil {
			return nil, err
		}
	}
	return slots, nil
}

// required is in for an operand that must not be none.
func (b *builder) required(v *ir.Value) (slot, error) {
	s, err := b.in(v)
	if err == nil && s == noSlot {
		err = errors.New("lacks an operand")
	}
	return s, err
}

// out makes the slot of a result, and returns it with the kind of its elements.
func (b *builder) out(v *ir.Value) (slot, Kind, error) {
	kind, ok := KindOf(v.Type())
	if !ok {
		return noSlot, None, fmt.Errorf("has a result of type %v, which the evaluator lacks", v.Type())
	}
	if kind == None {
		b.slots[v] = noSlot
		return noSlot, None, nil
	}
	s := b.newSlot(kind, true)
	b.slots[v] = s
	return s, kind, nil
}

// inOut is required and out for an op of one operand and one result.
func (b *builder) inOut(input, output *ir.Value) (in, out slot, err error) {
	if in, err = b.required(input); err != nil {
		return noSlot, noSlot, err
	}
	out, _, err = b.out(output)
	return in, out, err
}

// outs is out for several results.
func (b *builder) outs(values []*ir.Value) ([]slot, error) {
	slots := make([]slot, len(values))
	for i, v := range values {
		var err error
		if slots[i], _, err = b.out(v); err != nil {
			return nil, err
		}
	}
	return slots, nil
}

// alias makes the slot of a result that has the memory of an operand.
func (b *builder) alias(v *ir.Value, of slot) (slot, error) {
	s, kind, err := b.out(v)
	if err == nil && kind != b.program.kinds[of] {
		err = fmt.Errorf("changes %v to %v", b.program.kinds[of], kind)
	}
	if s != noSlot {
		b.storage[s] = storage{root: b.storage[of].root, lastUse: len(b.program.steps)}
	}
	return s, err
}
