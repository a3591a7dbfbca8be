package parser

// This file reads dense arrays, `array<i32: 1, 2>`.

import "tpuir/ir"

func (p *parser) parseDenseArray() (ir.Attribute, error) {
	p.advance()
	if err := p.expect(tokenLess, "expected '<' after 'array'"); err != nil {
		return nil, err
	}
	start := p.token.start
	element, err := p.parseType()
	if err != nil {
		return nil, err
	}
	switch t := element.(type) {
	case *ir.IntegerType:
		if t.Width%8 != 0 && !t.IsSignless(1) {
			return nil, p.errorAt(start, "element type bitwidth must be a multiple of 8")
		}
	case *ir.FloatType:
		if t.Width()%8 != 0 {
			return nil, p.errorAt(start, "element type bitwidth must be a multiple of 8")
		}
	case *ir.IndexType:
	default:
		return nil, p.errorfAt(start, "expected integer or float type, got: '%s'", element)
	}
	if p.accept(tokenGreater) {
		return p.context.DenseArray(element, nil), nil
	}
	if err := p.expect(tokenColon, "expected ':' after dense array type"); err != nil {
		return nil, err
	}
	var data []byte
	err = p.list(tokenGreater, "expected '>' to close an array attribute", func() error {
		data, err = p.arrayElement(data, element)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.context.DenseArray(element, data), nil
}

func (p *parser) arrayElement(data []byte, t ir.Type) ([]byte, error) {
	negative := p.accept(tokenMinus)
	literal := p.token
	if f, ok := t.(*ir.FloatType); ok {
		low, high, err := p.floatLiteral(literal, negative, f)
		if err != nil {
			return data, err
		}
		p.advance()
		return appendFloat(data, ir.DenseElementBytes(t), low, high), nil
	}
	it, _ := t.(*ir.IntegerType)
	switch {
	case p.is("true"), p.is("false"):
		if it == nil || it.Width != 1 {
			return data, p.error("expected i1 type for 'true' or 'false' values")
		}
		bit := byte(0)
		if p.is("true") {
			bit = 1
		}
		p.advance()
		return append(data, bit), nil
	case literal.kind == tokenInteger:
		p.advance()
		if it != nil && it.IsSignless(1) {
			return data, p.error("expected 'true' or 'false' values for i1 type")
		}
		v, ok := integerValue(t, negative, p.text[literal.start:literal.end])
		if !ok {
			return data, p.error("integer constant out of range")
		}
		return v.appendLittleEndian(data, t), nil
	}
	return data, p.error("expected integer literal")
}
