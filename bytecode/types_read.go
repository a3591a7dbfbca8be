package bytecode

// This file decodes the builtin dialect's types.

import (
	"tpuir/ir"
	"tpuir/parser"
)

var floatCodes = map[uint64]ir.FloatKind{
	codeBF16: ir.BF16, codeF16: ir.F16, codeF32: ir.F32, codeF64: ir.F64, codeF80: ir.F80, codeF128: ir.F128,
}

// builtinType decodes a type. It is nil after an error.
func (r *reader) builtinType(c *cursor) ir.Type {
	code := c.varint()
	if c.failed() {
		return nil
	}
	if kind, ok := floatCodes[code]; ok {
		return r.context.FloatType(kind)
	}
	switch code {
	case codeIntegerType:
		return r.integerType(c)
	case codeIndexType:
		return r.context.IndexType()
	case codeNoneType:
		return r.context.NoneType()
	case codeFunctionType:
		inputs, results := r.typeList(c), r.typeList(c)
		if c.failed() {
			return nil
		}
		return r.context.FunctionType(inputs, results)
	case codeTupleType:
		types := r.typeList(c)
		if c.failed() {
			return nil
		}
		return r.context.TupleType(types...)
	case codeComplexType:
		element := r.typ(c)
		switch element.(type) {
		case *ir.IntegerType, *ir.FloatType:
			return r.context.ComplexType(element)
		}
		c.fail("invalid element type for complex")
		return nil
	case codeVectorType, codeScalableVectorType:
		return r.vector(c, code == codeScalableVectorType)
	case codeRankedTensorType, codeRankedTensorTypeWithEncoding, codeUnrankedTensorType:
		return r.tensor(c, code)
	case codeMemRefType, codeMemRefTypeInSpace, codeUnrankedMemRefType, codeUnrankedMemRefTypeInSpace:
		return r.memref(c, code)
	}
	c.fail("unknown type code: %d", code)
	return nil
}

func (r *reader) integerType(c *cursor) ir.Type {
	v := c.varint()
	width, sign := v>>2, ir.Signedness(v&3)
	if width > ir.MaxIntegerWidth || sign > ir.Unsigned {
		c.fail("integer bitwidth is limited to %d bits, but got %d", ir.MaxIntegerWidth, width)
		return nil
	}
	return r.context.IntegerType(uint32(width), sign)
}

func (r *reader) typeList(c *cursor) []ir.Type {
	types := make([]ir.Type, c.count("types"))
	for i := range types {
		if types[i] = r.typ(c); types[i] == nil {
			return nil
		}
	}
	return types
}

// shape reads sizes; dynamic ones are the smallest number there is.
func (r *reader) shape(c *cursor) []int64 {
	shape := make([]int64, c.count("dimensions"))
	for i := range shape {
		if shape[i] = c.signed(); shape[i] < 0 && shape[i] != ir.Dynamic {
			c.fail("invalid dimension size: %d", shape[i])
		}
	}
	return shape
}

func (r *reader) vector(c *cursor, withScalable bool) ir.Type {
	var scalable []bool
	if withScalable {
		scalable = make([]bool, c.count("flags of dimensions"))
		for i := range scalable {
			scalable[i] = c.byte() != 0
		}
	}
	shape, element := r.shape(c), r.typ(c)
	if c.failed() {
		return nil
	}
	for _, size := range shape {
		if size <= 0 {
			c.fail("vector types must have positive constant sizes, but got %d", size)
			return nil
		}
	}
	if _, complex := element.(*ir.ComplexType); complex || !isNumber(element) {
		c.fail("invalid vector element type %s", clip(element.String()))
		return nil
	}
	if withScalable && len(scalable) != len(shape) {
		c.fail("number of dims must match, got %d and %d", len(scalable), len(shape))
		return nil
	}
	return r.context.VectorType(shape, scalable, element)
}

func (r *reader) tensor(c *cursor, code uint64) ir.Type {
	var encoding ir.Attribute
	if code == codeRankedTensorTypeWithEncoding {
		encoding = r.attribute(c)
	}
	var shape []int64
	if code != codeUnrankedTensorType {
		shape = r.shape(c)
	}
	element := r.typ(c)
	switch {
	case c.failed():
	case !parser.ValidTensorElement(element):
		c.fail("invalid tensor element type: %s", clip(element.String()))
	case code == codeUnrankedTensorType:
		return r.context.UnrankedTensorType(element)
	default:
		return r.context.RankedTensorType(shape, element, encoding)
	}
	return nil
}

func (r *reader) memref(c *cursor, code uint64) ir.Type {
	var space, layout ir.Attribute
	if code == codeMemRefTypeInSpace || code == codeUnrankedMemRefTypeInSpace {
		space = r.attribute(c)
	}
	ranked := code == codeMemRefType || code == codeMemRefTypeInSpace
	var shape []int64
	if ranked {
		shape = r.shape(c)
	}
	element := r.typ(c)
	if ranked {
		layout = r.attribute(c)
	}
	if c.failed() {
		return nil
	}
	if !parser.ValidMemRefElement(element) {
		c.fail("invalid memref element type: %s", clip(element.String()))
		return nil
	}
	if number, ok := space.(*ir.IntegerAttr); ok && !number.Bool() {
		space = nil // the default space is not written
	}
	if !ranked {
		return r.context.UnrankedMemRefType(element, space)
	}
	switch l := layout.(type) {
	case *ir.AffineMapAttr:
		if l.Map.Dims != len(shape) {
			c.fail("memref layout mismatch between rank and affine map: %d != %d", len(shape), l.Map.Dims)
			return nil
		}
		if l.Map.IsIdentity() {
			layout = nil
		}
	case *ir.StridedLayoutAttr:
		if len(l.Strides) != len(shape) {
			c.fail("expected the number of strides to match the rank")
			return nil
		}
	}
	return r.context.MemRefType(shape, element, layout, space)
}
