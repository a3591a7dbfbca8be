package parser

// This file reads attributes, except for elements (elements.go), numbers, locations and affine ones.

import (
	"math"

	"tpuir/ir"
)

// parseAttribute reads any attribute; t is its type where it is known, so that no `: type` follows.
func (p *parser) parseAttribute(t ir.Type) (ir.Attribute, error) {
	switch p.token.kind {
	case tokenInteger:
		return p.parseIntegerAttr(t, false)
	case tokenFloat:
		return p.parseFloatAttr(t, false)
	case tokenMinus:
		p.advance()
		switch p.token.kind {
		case tokenInteger:
			return p.parseIntegerAttr(t, true)
		case tokenFloat:
			return p.parseFloatAttr(t, true)
		}
		return nil, p.wrongToken("expected constant integer or floating point value")
	case tokenString:
		return p.parseStringAttr(t)
	case tokenLeftSquare, tokenLeftBrace:
		return p.parseCollection()
	case tokenHash:
		return p.parseExtendedAttr(t)
	case tokenAt:
		return p.parseSymbolRef()
	case tokenBare:
		if a, found, err := p.parseKeywordAttr(t); found {
			return a, err
		}
	}
	value, err := p.optionalType()
	if err != nil {
		return nil, err
	}
	if value == nil {
		return nil, p.wrongToken("expected attribute value")
	}
	return p.context.TypeAttr(value), nil
}

// optionalAttribute reads an attribute if the current token may start one; nil and no error where it may not.
func (p *parser) optionalAttribute(t ir.Type) (ir.Attribute, error) {
	switch p.token.kind {
	case tokenInteger, tokenFloat, tokenMinus, tokenString, tokenLeftSquare, tokenLeftBrace, tokenHash, tokenAt:
		return p.parseAttribute(t)
	case tokenBare:
		switch string(p.spelling()) {
		case "array", "distinct", "strided": // MLIR reads these only where there has to be an attribute
			return nil, nil
		}
		if a, found, err := p.parseKeywordAttr(t); found {
			return a, err
		}
	}
	value, err := p.optionalType()
	if value == nil || err != nil {
		return nil, err
	}
	return p.context.TypeAttr(value), nil
}

// parseKeywordAttr reads an attribute that starts with a word; found is false where the word starts none.
func (p *parser) parseKeywordAttr(t ir.Type) (a ir.Attribute, found bool, err error) {
	switch string(p.spelling()) {
	case "true":
		p.advance()
		return p.context.Bool(true), true, nil
	case "false":
		p.advance()
		return p.context.Bool(false), true, nil
	case "unit":
		p.advance()
		return p.context.Unit(), true, nil
	case "dense":
		a, err = p.parseDense(t)
	case "dense_resource":
		a, err = p.parseDenseResource(t)
	case "array":
		a, err = p.parseDenseArray()
	case "sparse":
		a, err = p.parseSparse(t)
	case "strided":
		a, err = p.parseStrided()
	case "distinct":
		a, err = p.parseDistinct(t)
	case "affine_map":
		a, err = p.parseAffineMapAttr()
	case "affine_set":
		a, err = p.parseIntegerSetAttr()
	case "loc":
		a, err = p.parseLocationAttr()
	default:
		return nil, false, nil
	}
	return a, true, err
}

func (p *parser) parseStringAttr(t ir.Type) (ir.Attribute, error) {
	value := p.stringValue(p.token)
	p.advance()
	if t == nil && p.accept(tokenColon) {
		var err error
		if t, err = p.parseType(); err != nil {
			return nil, err
		}
	}
	if t == nil {
		return p.context.StringAttr(value), nil
	}
	return p.context.TypedString(value, t), nil
}

// parseCollection reads `[…]` or `{…}`.
func (p *parser) parseCollection() (ir.Attribute, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if p.token.kind == tokenLeftBrace {
		d, err := p.parseDictionary()
		if err != nil {
			return nil, err
		}
		return d, nil
	}
	p.advance()
	base := len(p.attributes)
	defer func() { p.attributes = p.attributes[:base] }()
	err := p.listOrNone(tokenRightSquare, "expected ',' or ']'", func() error {
		a, err := p.parseAttribute(nil)
		p.attributes = append(p.attributes, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.context.Array(p.attributes[base:]...), nil
}

// parseDictionary reads `{…}`.
func (p *parser) parseDictionary() (*ir.DictionaryAttr, error) {
	var slot *cachedText[*ir.DictionaryAttr]
	start := p.token.start
	end := p.matchingBrace()
	if end > 0 {
		var found bool
		if slot, found = p.memo.dictionaries.slot(p.text[start:end]); found {
			p.reset(end)
			return slot.value, nil
		}
	}
	if err := p.expect(tokenLeftBrace, "expected '{' in attribute dictionary"); err != nil {
		return nil, err
	}
	base := len(p.entries)
	defer func() { p.entries = p.entries[:base] }()
	var seen map[string]bool
	err := p.listOrNone(tokenRightBrace, "expected '}' in attribute dictionary", func() error {
		return p.dictionaryEntry(base, &seen)
	})
	if err != nil {
		return nil, err
	}
	d := p.context.Dictionary(p.entries[base:]...)
	if slot != nil && p.last == end {
		*slot = cachedText[*ir.DictionaryAttr]{view(p.text[start:end]), d}
	}
	return d, nil
}

// manyEntries is the number of entries from which on doubles are looked up in a map.
const manyEntries = 16

func (p *parser) dictionaryEntry(base int, seen *map[string]bool) error {
	var name string
	switch p.token.kind {
	case tokenString:
		name = p.stringValue(p.token)
	case tokenBare, tokenIntType:
		name = p.memo.name(p.spelling())
	default:
		return p.wrongToken("expected attribute name")
	}
	if name == "" {
		return p.error("expected valid attribute name")
	}
	if p.isDouble(base, seen, name) {
		return p.error("duplicate key '" + name + "' in dictionary attribute")
	}
	p.advance()
	if !p.accept(tokenEqual) {
		p.entries = append(p.entries, ir.NamedAttribute{Name: name, Value: p.context.Unit()})
		return nil
	}
	value, err := p.parseAttribute(nil)
	p.entries = append(p.entries, ir.NamedAttribute{Name: name, Value: value})
	return err
}

func (p *parser) isDouble(base int, seen *map[string]bool, name string) bool {
	entries := p.entries[base:]
	if len(entries) < manyEntries {
		for i := range entries {
			if entries[i].Name == name {
				return true
			}
		}
		return false
	}
	if *seen == nil {
		*seen = map[string]bool{}
		for i := range entries {
			(*seen)[entries[i].Name] = true
		}
	}
	double := (*seen)[name]
	(*seen)[name] = true
	return double
}

// parseSymbolRef reads `@root::@nested`.
func (p *parser) parseSymbolRef() (ir.Attribute, error) {
	root := p.stringValue(p.token)
	p.advance()
	var nested []string
	for p.token.kind == tokenColon {
		colon := p.token
		p.advance()
		if p.token.kind != tokenColon { // the colon of a type that follows
			if p.token.kind != tokenEOF && p.token.kind != tokenError {
				p.reset(colon.start)
			}
			break
		}
		p.advance()
		if p.token.kind != tokenAt {
			return nil, p.errorAt(p.token.start, "expected nested symbol reference identifier")
		}
		nested = append(nested, p.stringValue(p.token))
		p.advance()
	}
	return p.context.SymbolRef(root, nested...), nil
}

func (p *parser) parseStrided() (ir.Attribute, error) {
	p.advance()
	if err := p.expect(tokenLess, "expected '<' after 'strided'"); err != nil {
		return nil, err
	}
	if err := p.expect(tokenLeftSquare, "expected '['"); err != nil {
		return nil, err
	}
	var strides []int64
	err := p.listOrNone(tokenRightSquare, "expected ']'", func() error {
		stride, err := p.strideOrOffset()
		strides = append(strides, stride)
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.accept(tokenGreater) {
		return p.context.StridedLayout(0, strides), nil
	}
	if err := p.expect(tokenComma, "expected ','"); err != nil {
		return nil, err
	}
	if !p.acceptWord("offset") {
		return nil, p.wrongToken("expected 'offset' after comma")
	}
	if err := p.expect(tokenColon, "expected ':' after 'offset'"); err != nil {
		return nil, err
	}
	offset, err := p.strideOrOffset()
	if err != nil {
		return nil, err
	}
	if err := p.expect(tokenGreater, "expected '>'"); err != nil {
		return nil, err
	}
	return p.context.StridedLayout(offset, strides), nil
}

func (p *parser) strideOrOffset() (int64, error) {
	if p.accept(tokenQuestion) {
		return ir.Dynamic, nil
	}
	start := p.token.start
	negative := p.accept(tokenMinus)
	if p.token.kind == tokenInteger {
		if v, ok := uint64Value(p.spelling()); ok && v <= math.MaxInt64 {
			p.advance()
			if negative {
				return -int64(v), nil
			}
			return int64(v), nil
		}
	}
	return 0, p.errorAt(start, "expected a 64-bit signed integer or '?'")
}

func (p *parser) parseDistinct(t ir.Type) (ir.Attribute, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	start := p.token.start
	p.advance()
	if err := p.expect(tokenLeftSquare, "expected '[' after 'distinct'"); err != nil {
		return nil, err
	}
	id := p.spelling()
	if err := p.expect(tokenInteger, "expected distinct ID"); err != nil {
		return nil, err
	}
	number, ok := uint64Value(id)
	if !ok {
		return nil, p.error("expected an unsigned 64-bit integer")
	}
	if err := p.expect(tokenRightSquare, "expected ']' to close distinct ID"); err != nil {
		return nil, err
	}
	if err := p.expect(tokenLess, "expected '<' after distinct ID"); err != nil {
		return nil, err
	}
	var referenced ir.Attribute = p.context.Unit()
	if !p.accept(tokenGreater) {
		var err error
		if referenced, err = p.parseAttribute(t); err != nil {
			return nil, err
		}
		if err := p.expect(tokenGreater, "expected '>' to close distinct attribute"); err != nil {
			return nil, err
		}
	}
	known := p.shared.distinctAttr(p.context, number, referenced)
	if known.Referenced != referenced {
		return nil, p.errorAt(start, "referenced attribute does not match previous definition: "+known.Referenced.String())
	}
	return known, nil
}
