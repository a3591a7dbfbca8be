package weight

// This file looks for elements that are no numbers, a word at a time.

import (
	"context"
	"encoding/binary"
	"errors"
)

// HasNaN reports whether an element is not a number, and the position of the first one.
func (t Tensor) HasNaN(ctx context.Context) (position int64, found bool, err error) {
	if !t.stored.IsFloat() {
		return 0, false, nil
	}
	if clean, err := t.storedWithoutNaN(ctx); clean || err != nil {
		return 0, false, err
	}
	block := t.blockLen()
	values := make([]float32, min(block, t.Len()))
	for start := int64(0); start < t.Len(); start += block {
		if err := ctx.Err(); err != nil {
			return 0, false, err
		}
		part := values[:min(block, t.Len()-start)]
		if err := t.ReadFloat32s(part, start); err != nil {
			return 0, false, err
		}
		for i, v := range part {
			if v != v {
				return start + int64(i), true, nil
			}
		}
	}
	return 0, false, nil
}

// nanCarry holds, for a word of 8 bytes of some types, what to add to the elements without their signs so that those which
// are no numbers, and only those, carry into the sign. No conversion makes a NaN of a number.
var nanCarry = map[DType]struct{ signs, carry uint64 }{
	BFloat16: {0x8000_8000_8000_8000, 0x007f_007f_007f_007f},
	Float16:  {0x8000_8000_8000_8000, 0x03ff_03ff_03ff_03ff},
	Float32:  {0x80000000_80000000, 0x007fffff_007fffff},
	Float64:  {0x8000000000000000, 0x000fffffffffffff},
}

var errNaN = errors.New("an element is not a number")

// storedWithoutNaN reports that no stored element is a NaN. It looks at the stored bytes in their own order, with all
// processors; it reports false also where it does not know.
func (t Tensor) storedWithoutNaN(ctx context.Context) (bool, error) {
	mask, ok := nanCarry[t.stored]
	stored, err := newTensor(t.file, t.from, t.stored, []int64{t.data.size() / t.stored.Size()}, t.data)
	if !ok || err != nil {
		return false, nil
	}
	size := t.stored.Size()
	err = stored.inBlocks(ctx, func(start, end int64) error {
		raw, err := t.data.bytes(start*size, (end-start)*size)
		if err != nil {
			return t.wrap(err)
		}
		var carried uint64
		for ; len(raw) >= 8; raw = raw[8:] {
			carried |= binary.LittleEndian.Uint64(raw)&^mask.signs + mask.carry
		}
		var rest [8]byte
		copy(rest[:], raw)
		carried |= binary.LittleEndian.Uint64(rest[:])&^mask.signs + mask.carry
		if carried&mask.signs != 0 {
			return errNaN
		}
		return nil
	})
	if errors.Is(err, errNaN) {
		return false, nil
	}
	return err == nil, err
}
