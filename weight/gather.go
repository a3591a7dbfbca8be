package weight

import "encoding/binary"

// This file reads stored elements in the order of a view, without converting them.

// rawBlock is how many bytes are gathered at a time when a whole tensor is read: small enough for the second-level cache.
const rawBlock = 256 << 10

// blockLen returns how many elements readers take at a time, so that a transposed matrix is read in blocks of whole rows,
// which use every cache line of the source.
func (t Tensor) blockLen() int64 {
	n := rawBlock / t.stored.Size()
	if row := t.innerLen(); row > 1 && row < t.Len() {
		rows := max(n/row, 1)
		if t.transposed() {
			rows = max(rows, 64/t.stored.Size())
		}
		n = rows * row
	}
	return n
}

// innerLen is the number of elements in one round of the outermost loop.
func (t Tensor) innerLen() int64 {
	n := int64(1)
	for _, d := range t.dims[min(1, len(t.dims)):] {
		n *= d.size
	}
	return n
}

// transposed reports whether consecutive elements of a row lie far apart and those of a column side by side.
func (t Tensor) transposed() bool {
	return len(t.dims) == 2 && t.dims[0].stride == 1 && t.dims[0].order == nil
}

// gather fills dst with the stored bytes of the elements from start on.
func (t Tensor) gather(dst []byte, start int64) error {
	size := t.stored.Size()
	if len(dst) == 0 {
		return nil
	}
	if t.contiguous() {
		src, err := t.data.bytes((t.offset+start)*size, int64(len(dst)))
		copy(dst, src)
		return err
	}
	n, row := int64(len(dst))/size, t.innerLen()
	if t.transposed() {
		if head := (row - start%row) % row; head > 0 { // up to the next whole row
			head = min(head, n)
			if err := t.gatherEach(dst[:head*size], start); err != nil {
				return err
			}
			dst, start, n = dst[head*size:], start+head, n-head
		}
		whole := n / row * row
		if err := t.gatherTransposed(dst[:whole*size], start/row); err != nil {
			return err
		}
		dst, start = dst[whole*size:], start+whole
		return t.gatherEach(dst, start)
	}
	return t.gatherRuns(dst, start)
}

// gatherRuns reads one run of the innermost loop at a time, where that is contiguous.
func (t Tensor) gatherRuns(dst []byte, start int64) error {
	last := t.dims[len(t.dims)-1]
	if last.stride != 1 || last.order != nil {
		return t.gatherEach(dst, start)
	}
	size := t.stored.Size()
	for len(dst) > 0 {
		column := start % last.size
		n := min(last.size-column, int64(len(dst))/size)
		src, err := t.data.bytes(t.elementOffset(start)*size, n*size)
		if err != nil {
			return err
		}
		copy(dst, src)
		dst, start = dst[n*size:], start+n
	}
	return nil
}

// gatherEach reads element by element.
func (t Tensor) gatherEach(dst []byte, start int64) error {
	size := t.stored.Size()
	for ; len(dst) > 0; start++ {
		src, err := t.data.bytes(t.elementOffset(start)*size, size)
		if err != nil {
			return err
		}
		copy(dst, src)
		dst = dst[size:]
	}
	return nil
}

// elementOffset returns where element i of the view lies, in elements.
func (t Tensor) elementOffset(i int64) int64 {
	offset := t.offset
	for k := len(t.dims) - 1; k >= 0; k-- {
		d := t.dims[k]
		offset += d.at(i % d.size)
		i /= d.size
	}
	return offset
}

// gatherTransposed reads whole rows of a transposed matrix, from row first on: a strip of each column after the other.
func (t Tensor) gatherTransposed(dst []byte, first int64) error {
	size, columns := t.stored.Size(), t.dims[1].size
	rows := int64(len(dst)) / size / columns
	if rows == 0 {
		return nil
	}
	for column := range columns {
		src, err := t.data.bytes((t.offset+first+t.dims[1].at(column))*size, rows*size)
		if err != nil {
			return err
		}
		scatter(dst[column*size:], src, int(size), int(columns*size))
	}
	return nil
}

// scatter writes the elements of src to dst, a stride of bytes apart.
func scatter(dst, src []byte, size, stride int) {
	switch size {
	case 2:
		for i, at := 0, 0; i+2 <= len(src); i, at = i+2, at+stride {
			binary.LittleEndian.PutUint16(dst[at:], binary.LittleEndian.Uint16(src[i:]))
		}
	case 4:
		for i, at := 0, 0; i+4 <= len(src); i, at = i+4, at+stride {
			binary.LittleEndian.PutUint32(dst[at:], binary.LittleEndian.Uint32(src[i:]))
		}
	default:
		for i, at := 0, 0; i+size <= len(src); i, at = i+size, at+stride {
			copy(dst[at:at+size], src[i:i+size])
		}
	}
}
