package printer

// This file finds the number of a value or a block. A print looks up every operand, so that a general map would be a tenth
// of its time: this table keeps what lies together in memory together, holds nothing for the garbage collector to look at,
// and forgets nothing.

import (
	"math/bits"
	"unsafe"
)

// addressTable maps objects of the IR to numbers: open addressing with linear probing, at most half full. They live as long
// as the IR, which outlives the table, so that it need not keep them.
type addressTable struct {
	slots []addressSlot
	count int
	shift uint // of the hash, to get one of the groups
}

type addressSlot struct {
	address uintptr // 0: none
	number  uint32
}

const (
	groupBits  = 4 // objects of 1<<(groupBits+strideBits) bytes of memory start in one group of slots
	strideBits = 5 // an object takes more than this many bits' bytes
	firstGroup = 4 // groups at first, as a power of two
)

// slot returns where an object is, or where it would be put.
func (t *addressTable) slot(address uintptr) *addressSlot {
	hash := uint64(address>>(groupBits+strideBits)) * 0x9E3779B97F4A7C15
	at := int(hash>>t.shift)<<groupBits | int(address>>strideBits)&(1<<groupBits-1)
	for {
		s := &t.slots[at]
		if s.address == address || s.address == 0 {
			return s
		}
		if at++; at == len(t.slots) {
			at = 0
		}
	}
}

// get returns the number of an object.
func (t *addressTable) get(object unsafe.Pointer) (number uint32, ok bool) {
	if t.count == 0 {
		return 0, false
	}
	s := t.slot(uintptr(object))
	return s.number, s.address != 0
}

// set gives an object its number.
func (t *addressTable) set(object unsafe.Pointer, number uint32) {
	if 2*t.count >= len(t.slots) {
		t.grow()
	}
	s := t.slot(uintptr(object))
	if s.address == 0 {
		t.count++
	}
	*s = addressSlot{uintptr(object), number}
}

// reserve makes an empty table large enough for that many objects.
func (t *addressTable) reserve(count int) {
	if count == 0 {
		return
	}
	group := max(firstGroup, bits.Len(uint(2*count))-groupBits)
	t.shift = uint(64 - group)
	t.slots = make([]addressSlot, 1<<(group+groupBits))
}

func (t *addressTable) grow() {
	old := t.slots
	if old == nil {
		t.reserve(1)
		return
	}
	t.shift--
	t.slots = make([]addressSlot, 2*len(old))
	for _, s := range old {
		if s.address != 0 {
			*t.slot(s.address) = s
		}
	}
}
