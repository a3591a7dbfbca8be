package weight

// This file holds tensors and what makes a view of another: none of it reads an element.

import (
	"fmt"
	"slices"
)

// Tensor is a read-only view of a weight. It is a value: views share the bytes of what they were made from, and reading
// happens in the methods of read.go. Its bytes are valid until the store it came from is closed.
type Tensor struct {
	name       string
	file, from string // where it lies, for errors: the file, and its name there whatever it is called now
	shape      []int64

	data   extent
	stored DType   // of the elements in data
	steps  []DType // floating-point types the elements are converted to, one after the other; see Convert

	// Element i of the view, in row-major order of dims, lies at element offset + Σ position·stride of data. dims describe
	// the order only: sizes of 1 are left out and neighbours that lie in sequence are one, so a contiguous view has at
	// most one. shape is what the view shows of it and has the same number of elements.
	offset int64
	dims   []dimension
}

// dimension is one loop of a view's element order.
type dimension struct {
	size, stride int64
	order        []int // position i stands for order[i], where not nil
}

// at returns the offset in elements of position i.
func (d dimension) at(i int64) int64 {
	if d.order != nil {
		i = int64(d.order[i])
	}
	return i * d.stride
}

// extent is the part of a source that holds one tensor's elements.
type extent interface {
	size() int64
	bytes(offset, n int64) ([]byte, error)
}

// section is a range of a source.
type section struct {
	source source
	start  int64
	length int64
}

func (s section) size() int64                           { return s.length }
func (s section) bytes(offset, n int64) ([]byte, error) { return s.source.bytes(s.start+offset, n) }

// newTensor returns the contiguous tensor held by data, whose size must be that of the elements.
func newTensor(file, name string, dtype DType, shape []int64, data extent) (Tensor, error) {
	n, ok := byteCount(dtype, shape)
	if !ok {
		return Tensor{}, tensorError(file, name, "type %v and shape %v have no size", dtype, shape)
	}
	if n != data.size() {
		return Tensor{}, tensorError(file, name, "type %v and shape %v need %d bytes, the data has %d", dtype, shape, n,
			data.size())
	}
	t := Tensor{name: name, file: file, from: name, shape: shape, data: data, stored: dtype}
	t.dims = contiguousDims(t.Len())
	return t, nil
}

func contiguousDims(n int64) []dimension {
	if n == 1 {
		return nil
	}
	return []dimension{{size: n, stride: 1}}
}

// FromBytes returns a tensor over little-endian elements in memory, which are not copied.
func FromBytes(name string, dtype DType, shape []int64, data []byte) (Tensor, error) {
	return newTensor("", name, dtype, slices.Clone(shape), memorySource(data))
}

// Name returns the tensor's name in its store.
func (t Tensor) Name() string { return t.name }

// File returns the file the tensor lies in, for error messages; empty for one in memory.
func (t Tensor) File() string { return t.file }

// Shape returns the dimensions; the caller leaves them as they are.
func (t Tensor) Shape() []int64 { return t.shape }

// Len returns the number of elements.
func (t Tensor) Len() int64 {
	n, _ := elementCount(t.shape)
	return n
}

// DType returns the type of the elements that readers get.
func (t Tensor) DType() DType {
	if n := len(t.steps); n > 0 {
		return t.steps[n-1]
	}
	return t.stored
}

// Rename returns the tensor under another name.
func (t Tensor) Rename(name string) Tensor {
	t.name = name
	return t
}

// errorf is an error about this tensor.
func (t Tensor) errorf(format string, args ...any) error {
	return t.wrap(fmt.Errorf(format, args...))
}

// Reshape returns a view of the same elements, in the same order, under another shape of as many elements.
func (t Tensor) Reshape(shape ...int64) (Tensor, error) {
	if n, ok := elementCount(shape); !ok || n != t.Len() {
		return Tensor{}, t.errorf("shape %v does not fit %v", shape, t.shape)
	}
	t.shape = slices.Clone(shape)
	return t, nil
}

// Transpose returns the view of a matrix with rows and columns exchanged.
func (t Tensor) Transpose() (Tensor, error) {
	if len(t.shape) != 2 {
		return Tensor{}, t.errorf("cannot transpose shape %v: not a matrix", t.shape)
	}
	rows, columns := t.shape[0], t.shape[1]
	t.shape = []int64{columns, rows}
	if rows <= 1 || columns <= 1 {
		return t, nil // the order of the elements stays
	}
	matrix, ok := t.split(rows)
	if !ok || matrix[1].size != columns {
		return Tensor{}, t.errorf("cannot transpose %d×%d elements that lie in another order", rows, columns)
	}
	t.dims = mergeDims([]dimension{matrix[1], matrix[0]})
	return t, nil
}

// Rows returns the view of the rows from start up to end, that is of those positions of the first dimension.
func (t Tensor) Rows(start, end int64) (Tensor, error) {
	if len(t.shape) == 0 || start < 0 || end < start || end > t.shape[0] {
		return Tensor{}, t.errorf("no rows %d to %d in shape %v", start, end, t.shape)
	}
	return t.selectRows(end-start, func(d *dimension) {
		if d.order != nil {
			d.order = d.order[start:end]
		} else {
			t.offset += start * d.stride
		}
	})
}

// Columns returns the view of the columns of a matrix from start up to end.
func (t Tensor) Columns(start, end int64) (Tensor, error) {
	transposed, err := t.Transpose()
	if err != nil {
		return transposed, err
	}
	if transposed, err = transposed.Rows(start, end); err != nil {
		return transposed, err
	}
	return transposed.Transpose()
}

// PermuteRows returns the view whose row i is row order[i]. Rows may be left out or come twice.
func (t Tensor) PermuteRows(order []int) (Tensor, error) {
	if len(t.shape) == 0 {
		return Tensor{}, t.errorf("a scalar has no rows")
	}
	for _, row := range order {
		if row < 0 || int64(row) >= t.shape[0] {
			return Tensor{}, t.errorf("no row %d in shape %v", row, t.shape)
		}
	}
	return t.selectRows(int64(len(order)), func(d *dimension) {
		composed := slices.Clone(order)
		if d.order != nil {
			for i, row := range order {
				composed[i] = d.order[row]
			}
		}
		d.order = composed
	})
}

// selectRows gives the first dimension another size; choose edits how its positions are found.
func (t *Tensor) selectRows(rows int64, choose func(*dimension)) (Tensor, error) {
	old := t.shape[0]
	t.shape = slices.Clone(t.shape)
	t.shape[0] = rows
	if t.Len() == 0 || old == 0 {
		t.dims = contiguousDims(0)
		return *t, nil
	}
	matrix, ok := t.split(old)
	if !ok {
		return Tensor{}, t.errorf("cannot choose among %d rows of elements that lie in another order", old)
	}
	choose(&matrix[0])
	matrix[0].size = rows
	if rows == 1 { // a single row has no loop that could hold its position
		t.offset += matrix[0].at(0)
	}
	t.dims = mergeDims(matrix)
	return *t, nil
}

// split describes the element order as two or more loops of which the first has the given size; it reports false where
// the order has no such form.
func (t Tensor) split(rows int64) ([]dimension, bool) {
	if rows == 1 {
		return append([]dimension{{size: 1}}, t.dims...), true
	}
	if len(t.dims) == 0 {
		return nil, false
	}
	first := t.dims[0]
	if first.size == rows {
		return append(append([]dimension{first}, t.dims[1:]...), dimension{size: 1}), true
	}
	if first.order != nil || first.size%rows != 0 {
		return nil, false
	}
	inner := first.size / rows
	dims := []dimension{{size: rows, stride: inner * first.stride}, {size: inner, stride: first.stride}}
	return append(dims, t.dims[1:]...), true
}

// mergeDims leaves out loops of one round and joins neighbours that lie in sequence.
func mergeDims(dims []dimension) []dimension {
	var merged []dimension
	for _, d := range dims {
		if d.size == 1 {
			continue
		}
		if last := len(merged) - 1; last >= 0 && d.order == nil && merged[last].order == nil &&
			merged[last].stride == d.size*d.stride {
			merged[last] = dimension{size: merged[last].size * d.size, stride: d.stride}
			continue
		}
		merged = append(merged, d)
	}
	return merged
}

// contiguous reports whether the elements lie one behind the other.
func (t Tensor) contiguous() bool {
	return len(t.dims) == 0 || len(t.dims) == 1 && t.dims[0].stride == 1 && t.dims[0].order == nil || t.Len() == 0
}

// Convert returns the view of floating-point elements in another floating-point type: Float32 widens (or narrows a
// Float64), BFloat16 and Float16 round as package float16 does. Conversions are kept apart: a bfloat16 tensor that is
// widened and rounded again loses its denormals, as it does in TPU-MLIR.
func (t Tensor) Convert(to DType) (Tensor, error) {
	from := t.DType()
	if from == to {
		return t, nil
	}
	if !from.IsFloat() || to != Float32 && to != BFloat16 && to != Float16 {
		return Tensor{}, t.errorf("cannot convert %v to %v", from, to)
	}
	t.steps = append(slices.Clip(t.steps), to)
	return t, nil
}

// Reinterpret returns the view of the same bits as another type of the same size. It is how the Uint16 entries of an npz
// become the BFloat16 or Float16 that the IR says they are.
func (t Tensor) Reinterpret(as DType) (Tensor, error) {
	if len(t.steps) > 0 || as.Size() != t.stored.Size() {
		return Tensor{}, t.errorf("the bits of %v are not those of %v", t.DType(), as)
	}
	t.stored = as
	return t, nil
}

// String describes the tensor: name, type, shape.
func (t Tensor) String() string { return fmt.Sprintf("%s %v%v", t.name, t.DType(), t.shape) }
