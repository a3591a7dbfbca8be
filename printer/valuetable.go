package printer

// This file finds the number of a value. A print looks up every operand, so that a general map would be a tenth of its
// time: this table keeps values that lie together in memory together, holds nothing for the garbage collector to look
// at, and forgets nothing.

import (
	"unsafe"

	"tpuir/ir"
)

// valueTable maps values to numbers: open addressing with linear probing, at most half full. The values live as long as
// the IR, which outlives the table, so that it need not keep them.
type valueTable struct {
	slots []valueSlot
	count int
	shift uint // of the hash, to get one of the groups
}

type valueSlot struct {
	value  uintptr // 0: none
	number uint32
}

const (
	groupBits  = 4 // values of 1<<(groupBits+strideBits) bytes of memory start in one group of slots
	strideBits = 5 // a value takes more than this many bits' bytes
	firstGroup = 4 // groups at first, as a power of two
)

// slot returns where a value is, or where it would be put.
func (t *valueTable) slot(value uintptr) *valueSlot {
	hash := uint64(value>>(groupBits+strideBits)) * 0x9E3779B97F4A7C15
	at := int(hash>>t.shift)<<groupBits | int(value>>strideBits)&(1<<groupBits-1)
	for {
		s := &t.slots[at]
		if s.value == value || s.value == 0 {
			return s
		}
		if at++; at == len(t.slots) {
			at = 0
		}
	}
}

// get returns the number of a value.
func (t *valueTable) get(v *ir.Value) (number uint32, ok bool) {
	if t.count == 0 {
		return 0, false
	}
	s := t.slot(uintptr(unsafe.Pointer(v)))
	return s.number, s.value != 0
}

// set gives a value its number.
func (t *valueTable) set(v *ir.Value, number uint32) {
	if 2*t.count >= len(t.slots) {
		t.grow()
	}
	s := t.slot(uintptr(unsafe.Pointer(v)))
	if s.value == 0 {
		t.count++
	}
	*s = valueSlot{uintptr(unsafe.Pointer(v)), number}
}

func (t *valueTable) grow() {
	old := t.slots
	if old == nil {
		t.shift = 64 - firstGroup
		t.slots = make([]valueSlot, 1<<(firstGroup+groupBits))
		return
	}
	t.shift--
	t.slots = make([]valueSlot, 2*len(old))
	for _, s := range old {
		if s.value != 0 {
			*t.slot(s.value) = s
		}
	}
}
