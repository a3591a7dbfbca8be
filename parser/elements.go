package parser

// This file reads dense attributes. A literal is read as tokens first, because its type follows.

import (
	"bytes"
	"slices"

	"tpuir/ir"
)

// element is a token of a literal with its sign.
type element struct {
	token    token
	negative bool
}

// literal is what stands between the brackets of dense<…>.
type literal struct {
	elements []element
	shape    []int64 // nil for a single element
	hex      token   // a string that stands for all, if its kind is that
}

func (l *literal) isHex() bool { return l.hex.kind == tokenString }

func (p *parser) parseLiteral(allowHex bool) (*literal, error) {
	var l literal
	if allowHex && p.token.kind == tokenString {
		l.hex = p.token
		p.advance()
		return &l, nil
	}
	if p.token.kind != tokenLeftSquare {
		return &l, p.parseElement(&l)
	}
	var err error
	l.shape, err = p.parseElementList(&l)
	slices.Reverse(l.shape)
	return &l, err
}

func (p *parser) parseElement(l *literal) error {
	switch p.token.kind {
	case tokenInteger, tokenFloat, tokenString:
	case tokenBare:
		if !p.is("true") && !p.is("false") {
			return p.error("expected element literal of primitive type")
		}
	case tokenMinus:
		p.advance()
		if p.token.kind != tokenInteger && p.token.kind != tokenFloat {
			return p.error("expected integer or floating point literal")
		}
		l.elements = append(l.elements, element{p.token, true})
		p.advance()
		return nil
	case tokenLeftParen:
		return p.parseComplexElement(l)
	default:
		return p.error("expected element literal of primitive type")
	}
	l.elements = append(l.elements, element{p.token, false})
	p.advance()
	return nil
}

func (p *parser) parseComplexElement(l *literal) error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	p.advance()
	if err := p.parseElement(l); err != nil {
		return err
	}
	if err := p.expect(tokenComma, "expected ',' between complex elements"); err != nil {
		return err
	}
	if err := p.parseElement(l); err != nil {
		return err
	}
	return p.expect(tokenRightParen, "expected ')' after complex elements")
}

// parseElementList reads `[…]` and returns its shape, the innermost size first.
func (p *parser) parseElementList(l *literal) ([]int64, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.advance()
	var inner []int64
	size := int64(0)
	err := p.listOrNone(tokenRightSquare, "expected ']'", func() error {
		var shape []int64
		var err error
		if p.token.kind == tokenLeftSquare {
			shape, err = p.parseElementList(l)
		} else {
			err = p.parseElement(l)
		}
		if err != nil {
			return err
		}
		if size > 0 && !slices.Equal(shape, inner) {
			return p.error("tensor literal is invalid; ranks are not consistent between elements")
		}
		inner = shape
		size++
		return nil
	})
	if err != nil {
		return nil, err
	}
	return append(inner, size), nil
}

func (p *parser) parseDense(t ir.Type) (ir.Attribute, error) {
	start := p.token.start
	p.advance()
	if err := p.expect(tokenLess, "expected '<' after 'dense'"); err != nil {
		return nil, err
	}
	l := &literal{}
	if !p.accept(tokenGreater) {
		var err error
		if l, err = p.parseLiteral(true); err != nil {
			return nil, err
		}
		if err := p.expect(tokenGreater, "expected '>'"); err != nil {
			return nil, err
		}
	}
	shaped, err := p.elementsType(start, t)
	if err != nil {
		return nil, err
	}
	return p.dense(start, l, shaped)
}

// elementsType reads the type behind a literal, if it is not known, and checks it.
func (p *parser) elementsType(at int, t ir.Type) (ir.ShapedType, error) {
	if t == nil {
		if err := p.expect(tokenColon, "expected ':'"); err != nil {
			return nil, err
		}
		var err error
		if t, err = p.parseType(); err != nil {
			return nil, err
		}
	}
	shaped, ok := t.(ir.ShapedType)
	if !ok {
		return nil, p.errorAt(at, "elements literal must be a shaped type")
	}
	if !ir.HasStaticShape(shaped) {
		return nil, p.errorAt(at, "elements literal type must have static shape")
	}
	return shaped, nil
}

// dense makes the attribute of a literal and a static type; errors of the whole stand at the offset.
func (p *parser) dense(at int, l *literal, t ir.ShapedType) (ir.Attribute, error) {
	element := t.ElementType()
	size := ir.DenseElementBytes(element)
	if l.isHex() && isNumeric(element) {
		return p.denseHex(at, l, t)
	}
	shape, _ := t.Dims()
	if l.shape != nil && !slices.Equal(l.shape, shape) {
		return nil, p.errorfAt(at, "inferred shape of elements literal ([%s]) does not match type ([%s])",
			joinSizes(l.shape), joinSizes(shape))
	}
	count, fits := ir.NumElements(shape)
	if !l.isHex() && len(l.elements) == 0 && (count != 0 || !fits) {
		return nil, p.errorfAt(at, "parsed zero elements, but type ('%s') expected at least 1", t)
	}
	if c, ok := element.(*ir.ComplexType); ok {
		if err := p.checkComplex(at, l, t, c, count); err != nil {
			return nil, err
		}
		element = c.Element
	}
	if !isNumeric(element) {
		return p.denseStrings(at, l, t)
	}
	data, err := p.elementBytes(l, element)
	if err != nil {
		return nil, err
	}
	if len(data) == size && l.shape == nil {
		return p.context.Dense(t, true, data), nil
	}
	if !fits || count > 0 && size > 0 && int64(len(data))/int64(size) < count {
		return nil, p.errorfAt(at, "parsed %d elements, but type ('%s') expected more", len(l.elements), t)
	}
	// Parentheses may have brought in too many.
	data = data[:count*int64(size)]
	return p.denseData(t, size, count, data), nil
}

func isNumeric(t ir.Type) bool {
	switch t.(type) {
	case *ir.IntegerType, *ir.IndexType, *ir.FloatType, *ir.ComplexType:
		return true
	}
	return false
}

func (p *parser) checkComplex(at int, l *literal, t ir.ShapedType, c *ir.ComplexType, count int64) error {
	if l.shape == nil && count != 0 && len(l.elements) != 2 {
		return p.errorfAt(at, "parsed %d elements, but type ('%s') expected 2 elements", len(l.elements), c)
	}
	if l.shape != nil && int64(len(l.elements)) != 2*count {
		return p.errorfAt(at, "parsed %d elements, but type ('%s') expected %d elements", len(l.elements), t, 2*count)
	}
	return nil
}

// denseData makes the attribute of elements' bytes: equal ones make a splat.
func (p *parser) denseData(t ir.ShapedType, size int, count int64, data []byte) ir.Attribute {
	switch {
	case count == 0:
		return p.context.Dense(t, false, nil)
	case len(data) > 0 && size > 0 && (len(data) == size || bytes.Equal(data[size:], data[:len(data)-size])):
		return p.context.Dense(t, true, data[:size])
	}
	return p.context.Dense(t, false, data)
}

// An element of more than plainBytes bytes may be written in one digit, so that a short text asks for much memory: such elements
// may take maxWideBytes in all.
const (
	plainBytes   = 16
	maxWideBytes = 1 << 28
)

func (p *parser) elementBytes(l *literal, t ir.Type) ([]byte, error) {
	size := ir.DenseElementBytes(t)
	if size > plainBytes && len(l.elements) > maxWideBytes/size {
		return nil, p.errorfAt(l.elements[0].token.start, "%d elements of type '%s' take more than %d bytes", len(l.elements), t, maxWideBytes)
	}
	data := make([]byte, 0, len(l.elements)*size)
	float, isFloat := t.(*ir.FloatType)
	for _, e := range l.elements {
		if isFloat {
			low, high, err := p.floatLiteral(e.token, e.negative, float)
			if err != nil {
				return nil, err
			}
			data = appendFloat(data, size, low, high)
			continue
		}
		v, err := p.integerElement(e, t)
		if err != nil {
			return nil, err
		}
		data = v.appendLittleEndian(data, t)
	}
	return data, nil
}

func appendFloat(dst []byte, size int, low, high uint64) []byte {
	for i := range size {
		if i < 8 {
			dst = append(dst, byte(low>>(8*i)))
		} else {
			dst = append(dst, byte(high>>(8*(i-8))))
		}
	}
	return dst
}

func (p *parser) integerElement(e element, t ir.Type) (integer, error) {
	at := e.token.start
	it, _ := t.(*ir.IntegerType)
	spelling := p.text[e.token.start:e.token.end]
	switch {
	case e.negative && it != nil && it.Signedness == ir.Unsigned:
		return integer{}, p.errorAt(at, "expected unsigned integer elements, but parsed negative value")
	case e.token.kind == tokenFloat:
		return integer{}, p.errorAt(at, "expected integer elements, but parsed floating-point")
	case e.token.kind == tokenBare:
		if it == nil || it.Width != 1 {
			return integer{}, p.errorAt(at, "expected i1 type for 'true' or 'false' values")
		}
		if spelling[0] == 't' {
			return integer{low: 1}, nil
		}
		return integer{}, nil
	}
	v, ok := integerValue(t, e.negative, spelling)
	if !ok {
		return v, p.errorAt(at, "integer constant out of range for type")
	}
	return v, nil
}

func (p *parser) denseStrings(at int, l *literal, t ir.ShapedType) (ir.Attribute, error) {
	if l.isHex() {
		return p.context.DenseStrings(t, true, []string{p.stringValue(l.hex)}), nil
	}
	values := make([]string, len(l.elements))
	splat := true
	for i, e := range l.elements {
		if e.token.kind != tokenString {
			return nil, p.errorfAt(at, "expected string token, got %s", p.text[e.token.start:e.token.end])
		}
		values[i] = p.stringValue(e.token)
		splat = splat && values[i] == values[0]
	}
	if splat && len(values) > 0 {
		return p.context.DenseStrings(t, true, values[:1]), nil
	}
	return p.context.DenseStrings(t, false, values), nil
}
