package parser

// This file reads types.

import (
	"math"
	"strconv"

	"tpuir/ir"
)

// parseType reads any type, function types included.
func (p *parser) parseType() (ir.Type, error) {
	if p.token.kind == tokenLeftParen {
		t, err := p.parseFunctionType()
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	return p.parseNonFunctionType()
}

// optionalType reads a type if the current token may start one; nil and no error where it may not.
func (p *parser) optionalType() (ir.Type, error) {
	switch p.token.kind {
	case tokenLeftParen, tokenExclamation, tokenIntType:
		return p.parseType()
	case tokenBare:
		if p.startsType() {
			return p.parseType()
		}
	}
	return nil, nil
}

func (p *parser) startsType() bool {
	switch string(p.spelling()) {
	case "memref", "tensor", "complex", "tuple", "vector", "index", "none":
		return true
	}
	return p.context.FloatTypeNamed(string(p.spelling())) != nil
}

func (p *parser) parseFunctionType() (*ir.FunctionType, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	base := len(p.types)
	defer func() { p.types = p.types[:base] }()
	if err := p.typeListInParens(); err != nil {
		return nil, err
	}
	middle := len(p.types)
	if err := p.expect(tokenArrow, "expected '->' in function type"); err != nil {
		return nil, err
	}
	if err := p.resultTypes(); err != nil {
		return nil, err
	}
	return p.context.FunctionType(p.types[base:middle], p.types[middle:]), nil
}

// resultTypes puts what stands behind the arrow of a function type on the stack p.types.
func (p *parser) resultTypes() error {
	if p.token.kind == tokenLeftParen {
		return p.typeListInParens()
	}
	t, err := p.parseNonFunctionType()
	p.types = append(p.types, t)
	return err
}

func (p *parser) typeListInParens() error {
	if err := p.expect(tokenLeftParen, "expected '('"); err != nil {
		return err
	}
	return p.listOrNone(tokenRightParen, "expected ')'", p.pushType)
}

func (p *parser) pushType() error {
	t, err := p.parseType()
	p.types = append(p.types, t)
	return err
}

func (p *parser) parseNonFunctionType() (ir.Type, error) {
	switch p.token.kind {
	case tokenIntType:
		return p.parseIntegerType()
	case tokenExclamation:
		return p.parseExtendedType()
	case tokenBare:
		if t := p.simpleType(); t != nil {
			p.advance()
			return t, nil
		}
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer p.leave()
		switch string(p.spelling()) {
		case "tensor":
			return p.parseTensorType()
		case "memref":
			return p.parseMemRefType()
		case "vector":
			return p.parseVectorType()
		case "complex":
			return p.parseComplexType()
		case "tuple":
			return p.parseTupleType()
		}
	}
	return nil, p.wrongToken("expected non-function type")
}

// simpleType returns the type that is one word, or nil.
func (p *parser) simpleType() ir.Type {
	switch word := p.spelling(); string(word) {
	case "f32":
		return p.context.F32()
	case "f16":
		return p.context.F16()
	case "bf16":
		return p.context.BF16()
	case "f64":
		return p.context.F64()
	case "index":
		return p.context.IndexType()
	case "none":
		return p.context.NoneType()
	default:
		if c := word[0]; c != 'f' && c != 't' {
			return nil
		}
		if t := p.context.FloatTypeNamed(string(word)); t != nil {
			return t
		}
		return nil
	}
}

func (p *parser) parseIntegerType() (ir.Type, error) {
	spelling := p.spelling()
	signedness, digits := ir.Signless, spelling[1:]
	switch spelling[0] {
	case 's':
		signedness, digits = ir.Signed, spelling[2:]
	case 'u':
		signedness, digits = ir.Unsigned, spelling[2:]
	}
	width, err := strconv.ParseUint(string(digits), 10, 32)
	if err != nil {
		return nil, p.error("invalid integer width")
	}
	if width > ir.MaxIntegerWidth {
		return nil, p.error("integer bitwidth is limited to " + strconv.Itoa(ir.MaxIntegerWidth) + " bits")
	}
	p.advance()
	return p.context.IntegerType(uint32(width), signedness), nil
}

func (p *parser) parseTensorType() (ir.Type, error) {
	p.advance()
	if err := p.expect(tokenLess, "expected '<' in tensor type"); err != nil {
		return nil, err
	}
	unranked := p.accept(tokenStar)
	var buf [8]int64
	shape := buf[:0]
	var err error
	if unranked {
		err = p.dimensionX()
	} else {
		shape, err = p.dimensions(shape, true)
	}
	if err != nil {
		return nil, err
	}
	place := p.token.start
	element, err := p.parseType()
	if err != nil {
		return nil, err
	}
	var encoding ir.Attribute
	if p.accept(tokenComma) {
		if encoding, err = p.optionalAttribute(nil); err != nil {
			return nil, err
		}
	}
	if err := p.expect(tokenGreater, "expected '>' in tensor type"); err != nil {
		return nil, err
	}
	if !ValidTensorElement(element) {
		return nil, p.errorAt(place, "invalid tensor element type")
	}
	if !unranked {
		return p.context.RankedTensorType(shape, element, encoding), nil
	}
	if encoding != nil {
		return nil, p.error("cannot apply encoding to unranked tensor")
	}
	return p.context.UnrankedTensorType(element), nil
}

// ValidTensorElement reports whether tensors may have elements of that type.
func ValidTensorElement(t ir.Type) bool {
	switch t.(type) {
	case *ir.NoneType, *ir.TupleType, *ir.FunctionType, *ir.RankedTensorType, *ir.UnrankedTensorType, *ir.MemRefType,
		*ir.UnrankedMemRefType:
		return false
	}
	return true
}

// ValidMemRefElement reports whether memrefs may have elements of that type.
func ValidMemRefElement(t ir.Type) bool {
	switch t.(type) {
	case *ir.IntegerType, *ir.IndexType, *ir.FloatType, *ir.ComplexType, *ir.VectorType, *ir.MemRefType,
		*ir.UnrankedMemRefType:
		return true
	}
	return false
}

// dimensions reads `4x?x`, the trailing x included.
func (p *parser) dimensions(shape []int64, allowDynamic bool) ([]int64, error) {
	shape = p.plainDimensions(shape, allowDynamic)
	for p.token.kind == tokenInteger || p.token.kind == tokenQuestion {
		size, err := p.dimension(allowDynamic)
		if err != nil {
			return shape, err
		}
		shape = append(shape, size)
		if err := p.dimensionX(); err != nil {
			return shape, err
		}
	}
	return shape, nil
}

// plainDimensions reads the sizes that have no blanks between, without tokens: the rest of a shape is one identifier, which
// would be looked at again for every size.
func (p *parser) plainDimensions(shape []int64, allowDynamic bool) []int64 {
	const digits = 18 // fit in an int64 whatever they are
	from := p.token.start
	for at := from; at < len(p.text); from = at {
		size := int64(0)
		if p.text[at] == '?' && allowDynamic {
			size = ir.Dynamic
			at++
		}
		for size != ir.Dynamic && at < len(p.text) && at-from < digits && class[p.text[at]]&isDigit != 0 {
			size = 10*size + int64(p.text[at]-'0')
			at++
		}
		if at == from || at >= len(p.text) || p.text[at] != 'x' {
			break
		}
		at++
		shape = append(shape, size)
	}
	if from > p.token.start {
		p.reset(from)
	}
	return shape
}

func (p *parser) dimension(allowDynamic bool) (int64, error) {
	if p.token.kind == tokenQuestion {
		if !allowDynamic {
			return 0, p.error("expected static shape")
		}
		p.advance()
		return ir.Dynamic, nil
	}
	return p.fixedDimension()
}

func (p *parser) fixedDimension() (int64, error) {
	spelling := p.spelling()
	if len(spelling) > 1 && spelling[1] == 'x' { // 0x4 is a size of 0 and one of 4
		p.reset(p.token.start + 1)
		return 0, nil
	}
	size, err := strconv.ParseUint(string(spelling), 10, 64)
	if err != nil || size > math.MaxInt64 {
		return 0, p.error("invalid dimension")
	}
	p.advance()
	return int64(size), nil
}

// dimensionX reads the x behind a size, which may be the start of a longer identifier.
func (p *parser) dimensionX() error {
	if p.token.kind != tokenBare || p.text[p.token.start] != 'x' {
		return p.wrongToken("expected 'x' in dimension list")
	}
	p.reset(p.token.start + 1)
	return nil
}

func (p *parser) parseVectorType() (ir.Type, error) {
	start := p.token.start
	p.advance()
	if err := p.expect(tokenLess, "expected '<' in vector type"); err != nil {
		return nil, err
	}
	shape := p.plainDimensions(nil, false)
	scalable := make([]bool, len(shape))
	for p.token.kind == tokenInteger || p.token.kind == tokenLeftSquare {
		scales := p.accept(tokenLeftSquare)
		size, err := p.fixedDimension()
		if err != nil {
			return nil, err
		}
		if scales && !p.accept(tokenRightSquare) {
			return nil, p.wrongToken("missing ']' closing scalable dimension")
		}
		shape, scalable = append(shape, size), append(scalable, scales)
		if err := p.dimensionX(); err != nil {
			return nil, err
		}
	}
	element, err := p.parseType()
	if err != nil {
		return nil, err
	}
	if err := p.expect(tokenGreater, "expected '>' in vector type"); err != nil {
		return nil, err
	}
	switch element.(type) {
	case *ir.IntegerType, *ir.IndexType, *ir.FloatType:
	default:
		return nil, p.errorAt(start, "failed to verify 'elementType': VectorElementTypeInterface instance")
	}
	for _, size := range shape {
		if size <= 0 {
			return nil, p.errorfAt(start, "vector types must have positive constant sizes but got %s", joinSizes(shape))
		}
	}
	return p.context.VectorType(shape, scalable, element), nil
}

// joinSizes writes sizes with commas between.
func joinSizes(shape []int64) string {
	var out []byte
	for i, size := range shape {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = strconv.AppendInt(out, size, 10)
	}
	return string(out)
}

func (p *parser) parseComplexType() (ir.Type, error) {
	p.advance()
	if err := p.expect(tokenLess, "expected '<' in complex type"); err != nil {
		return nil, err
	}
	place := p.token.start
	element, err := p.parseType()
	if err != nil {
		return nil, err
	}
	if err := p.expect(tokenGreater, "expected '>' in complex type"); err != nil {
		return nil, err
	}
	switch element.(type) {
	case *ir.IntegerType, *ir.FloatType:
		return p.context.ComplexType(element), nil
	}
	return nil, p.errorAt(place, "invalid element type for complex")
}

func (p *parser) parseTupleType() (ir.Type, error) {
	p.advance()
	if err := p.expect(tokenLess, "expected '<' in tuple type"); err != nil {
		return nil, err
	}
	base := len(p.types)
	defer func() { p.types = p.types[:base] }()
	if err := p.listOrNone(tokenGreater, "expected '>' in tuple type", p.pushType); err != nil {
		return nil, err
	}
	return p.context.TupleType(p.types[base:]...), nil
}

func (p *parser) parseMemRefType() (ir.Type, error) {
	start := p.token.start
	p.advance()
	if err := p.expect(tokenLess, "expected '<' in memref type"); err != nil {
		return nil, err
	}
	unranked := p.accept(tokenStar)
	var shape []int64
	var err error
	if unranked {
		err = p.dimensionX()
	} else {
		shape, err = p.dimensions(nil, true)
	}
	if err != nil {
		return nil, err
	}
	place := p.token.start
	element, err := p.parseType()
	if err != nil {
		return nil, err
	}
	if !ValidMemRefElement(element) {
		return nil, p.errorAt(place, "invalid memref element type")
	}
	layout, space, err := p.memRefParameters(unranked)
	if err != nil {
		return nil, err
	}
	if space != nil && !isMemorySpace(space) {
		return nil, p.errorAt(start, "unsupported memory space Attribute")
	}
	if number, ok := space.(*ir.IntegerAttr); ok && !number.Bool() {
		space = nil // the default space is not written
	}
	if unranked {
		return p.context.UnrankedMemRefType(element, space), nil
	}
	switch l := layout.(type) {
	case *ir.AffineMapAttr:
		if l.Map.Dims != len(shape) {
			return nil, p.errorfAt(start, "memref layout mismatch between rank and affine map: %d != %d", len(shape), l.Map.Dims)
		}
		if l.Map.IsIdentity() {
			layout = nil
		}
	case *ir.StridedLayoutAttr:
		if len(l.Strides) != len(shape) {
			return nil, p.errorAt(start, "expected the number of strides to match the rank")
		}
	}
	return p.context.MemRefType(shape, element, layout, space), nil
}

// memRefParameters reads what may follow the element type: a layout, then a memory space.
func (p *parser) memRefParameters(unranked bool) (layout, space ir.Attribute, err error) {
	if p.accept(tokenGreater) {
		return nil, nil, nil
	}
	if err := p.expect(tokenComma, "expected ',' or '>' in memref type"); err != nil {
		return nil, nil, err
	}
	if p.token.kind == tokenGreater {
		return nil, nil, p.wrongToken("expected list element")
	}
	err = p.list(tokenGreater, "expected ',' or '>'", func() error {
		a, err := p.parseAttribute(nil)
		if err != nil {
			return err
		}
		switch a.(type) {
		case *ir.AffineMapAttr, *ir.StridedLayoutAttr:
			layout = a
		default:
			if space != nil {
				return p.error("multiple memory spaces specified in memref type")
			}
			space = a
			return nil
		}
		if unranked {
			return p.error("cannot have affine map for unranked memref type")
		}
		if space != nil {
			return p.error("expected memory space to be last in memref type")
		}
		return nil
	})
	return layout, space, err
}

// isMemorySpace reports whether an attribute may be a memory space: numbers, strings, dictionaries and the attributes of
// dialects that are known. MLIR's own target dialects count as known although only their text is.
func isMemorySpace(a ir.Attribute) bool {
	switch a := a.(type) {
	case *ir.IntegerAttr, *ir.StringAttr, *ir.DictionaryAttr:
		return true
	case *ir.OpaqueAttr:
		switch a.Namespace {
		case "gpu", "spirv", "llvm", "nvgpu", "amdgpu", "xegpu", "ptr", "rocdl", "nvvm":
			return true
		}
		return false
	case *ir.UnitAttr, *ir.FloatAttr, *ir.ArrayAttr, *ir.TypeAttr, *ir.SymbolRefAttr, *ir.DistinctAttr, *ir.DenseElementsAttr,
		*ir.DenseStringElementsAttr, *ir.DenseArrayAttr, *ir.SparseElementsAttr, *ir.DenseResourceElementsAttr,
		*ir.IntegerSetAttr, ir.Location:
		return false
	}
	return true
}
