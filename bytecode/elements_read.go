package bytecode

// This file decodes the attributes with many elements.

import (
	"bytes"

	"tpuir/ir"
)

// elements decodes a dense, sparse or resource attribute. It is nil after an error.
func (r *reader) elements(c *cursor, code uint64) ir.Attribute {
	switch code {
	case codeDenseResource:
		return r.denseResource(c)
	case codeDenseArray:
		return r.denseArray(c)
	case codeDenseElements:
		return r.denseElements(c)
	case codeDenseStrings:
		return r.denseStrings(c)
	case codeSparse:
		return r.sparse(c)
	}
	c.fail("unknown attribute code: %d", code)
	return nil
}

// shaped reads a reference to a shaped type.
func (r *reader) shaped(c *cursor) ir.ShapedType {
	t, ok := r.typ(c).(ir.ShapedType)
	if !ok {
		c.fail("expected a shaped type")
		return nil
	}
	return t
}

// constant reads a reference to a vector or tensor type of static shape.
func (r *reader) constant(c *cursor) (t ir.ShapedType, count int64) {
	if t = r.shaped(c); t == nil {
		return nil, 0
	}
	shape, ranked := t.Dims()
	if _, memory := t.(*ir.MemRefType); memory || !ranked {
		c.fail("elements of a type that is no vector and no ranked tensor: %s", clip(t.String()))
		return nil, 0
	}
	count, ok := ir.NumElements(shape)
	if !ok {
		c.fail("elements of a type without a static shape: %s", clip(t.String()))
		return nil, 0
	}
	return t, count
}

func (r *reader) denseResource(c *cursor) ir.Attribute {
	t := r.shaped(c)
	index := c.varint()
	if c.failed() {
		return nil
	}
	if index >= uint64(len(r.resources)) {
		c.fail("invalid resource handle index: %d", index)
		return nil
	}
	return r.context.DenseResource(t, r.resources[index])
}

func (r *reader) denseArray(c *cursor) ir.Attribute {
	element, count, data := r.typ(c), c.varint(), c.blob()
	if c.failed() {
		return nil
	}
	size := ir.DenseElementBytes(element)
	if !isArrayElement(element) || uint64(len(data)) != count*uint64(size) || count > uint64(len(data)) {
		c.fail("%d bytes for %d elements of a dense array of %s", len(data), count, clip(element.String()))
		return nil
	}
	return r.context.DenseArray(element, data)
}

// isArrayElement reports whether dense arrays may have elements of that type: whole bytes, or i1.
func isArrayElement(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.IntegerType:
		return t.IsSignless(1) || t.Width%8 == 0 && t.Width > 0
	case *ir.FloatType:
		return t.Width()%8 == 0
	}
	return false
}

func (r *reader) denseElements(c *cursor) ir.Attribute {
	t, count := r.constant(c)
	data := c.blob()
	if c.failed() {
		return nil
	}
	size := ir.DenseElementBytes(t.ElementType())
	if size == 0 && !isNumber(t.ElementType()) {
		c.fail("dense elements of type %s", clip(t.ElementType().String()))
		return nil
	}
	if isBit(t.ElementType()) {
		data = unpackBits(data, count)
	}
	switch {
	case count == 0 && len(data) == 0:
		return r.context.Dense(t, false, nil)
	case len(data) == size:
		return r.context.Dense(t, true, data)
	case size == 0 || uint64(len(data))/uint64(size) != uint64(count) || len(data)%size != 0:
		c.fail("%d bytes for the elements of %s", len(data), clip(t.String()))
		return nil
	case bytes.Equal(data[size:], data[:len(data)-size]): // equal elements are a splat
		return r.context.Dense(t, true, data[:size])
	}
	return r.context.Dense(t, false, data)
}

func isNumber(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.IntegerType, *ir.IndexType, *ir.FloatType:
		return true
	case *ir.ComplexType:
		return isNumber(t.Element)
	}
	return false
}

func isBit(t ir.Type) bool {
	integer, ok := t.(*ir.IntegerType)
	return ok && integer.Width == 1
}

// unpackBits gives each bit a byte, as ir has it. A byte of ones is a splat whatever the number of elements; data of a byte
// an element, which some versions of MLIR wrote, are nearly so.
func unpackBits(data []byte, count int64) []byte {
	switch {
	case len(data) == 1 && (data[0] == 0 || data[0] == 0xFF):
		return []byte{data[0] & 1}
	case int64(len(data)) == count:
		data = bytes.Clone(data)
		for i := range data {
			data[i] &= 1
		}
		return data
	case int64(len(data)) != count/8+min(count%8, 1):
		return data // of the wrong length
	}
	unpacked := make([]byte, count)
	for i := range unpacked {
		unpacked[i] = data[i/8] >> (i % 8) & 1
	}
	return unpacked
}

func (r *reader) denseStrings(c *cursor) ir.Attribute {
	t, count := r.constant(c)
	splat := c.varint() != 0
	if splat {
		count = 1
	}
	values := make([]string, c.checkedCount(uint64(count), "strings"))
	for i := range values {
		values[i] = r.string(c)
	}
	if c.failed() {
		return nil
	}
	if isNumber(t.ElementType()) {
		c.fail("strings as elements of type %s", clip(t.ElementType().String()))
		return nil
	}
	return r.context.DenseStrings(t, splat, values)
}

func (r *reader) sparse(c *cursor) ir.Attribute {
	t, _ := r.constant(c)
	indices, ok := r.attribute(c).(*ir.DenseElementsAttr)
	values := r.attribute(c)
	if c.failed() {
		return nil
	}
	shape, _ := t.Dims()
	if !ok || !sparseFits(shape, t.ElementType(), indices, values) {
		c.fail("indices and values of a sparse attribute do not fit its type %s", clip(t.String()))
		return nil
	}
	return r.context.Sparse(t, indices, values)
}

// sparseFits checks that there are as many values as indices, of the right types, and that the indices are inside.
func sparseFits(shape []int64, element ir.Type, indices *ir.DenseElementsAttr, values ir.Attribute) bool {
	typed, ok := values.(ir.TypedAttribute)
	if !ok {
		return false
	}
	valueType, ok := typed.AttributeType().(ir.ShapedType)
	if !ok || valueType.ElementType() != element {
		return false
	}
	if integer, ok := indices.Type.ElementType().(*ir.IntegerType); !ok || !integer.IsSignless(64) {
		return false
	}
	valueShape, _ := valueType.Dims()
	indexShape, _ := indices.Type.Dims()
	rank := int64(len(shape))
	if len(valueShape) != 1 || len(indexShape) == 0 || indexShape[0] != valueShape[0] {
		return false
	}
	if len(indexShape) > 2 || len(indexShape) == 2 && indexShape[1] != rank || len(indexShape) == 1 && rank != 1 {
		return false
	}
	return indicesInside(shape, indices)
}

func indicesInside(shape []int64, indices *ir.DenseElementsAttr) bool {
	data := indices.Data()
	for at := 0; at+8 <= len(data); at += 8 {
		var index uint64
		for b := range 8 {
			index |= uint64(data[at+b]) << (8 * b)
		}
		limits := shape
		if !indices.Splat {
			limits = shape[at/8%len(shape):][:1]
		}
		for _, limit := range limits {
			if index >= uint64(limit) {
				return false
			}
		}
	}
	return true
}
