package parser

// This file reads what starts with ! or #: aliases, and the types and attributes of dialects. Those of a registered
// dialect are read by it; others are kept as their text.

import (
	"bytes"
	"strings"

	"tpuir/ir"
)

func hasDot(spelling []byte) bool { return bytes.IndexByte(spelling, '.') >= 0 }

// dialectSymbol is `!namespace.body<…>` or `!namespace<…>`, or an alias, whose body is empty.
type dialectSymbol struct {
	namespace, body []byte
	start           int // where the body starts
	alias           bool
}

// parseDialectSymbol reads the symbol, whose sigil and name are the current token.
func (p *parser) parseDialectSymbol() (s dialectSymbol, err error) {
	name := p.token
	p.advance()
	spelling := p.text[name.start+1 : name.end]
	dot := bytes.IndexByte(spelling, '.')
	trailing := p.token.kind == tokenLess && p.token.start == name.end
	if dot < 0 && !trailing {
		return dialectSymbol{namespace: spelling, alias: true}, nil
	}
	if dot < 0 {
		open := p.token.start
		end, err := p.skipSymbolBody()
		if err != nil {
			return s, err
		}
		return dialectSymbol{namespace: spelling, body: p.text[open+1 : end-1], start: open + 1}, nil
	}
	s = dialectSymbol{namespace: spelling[:dot], body: spelling[dot+1:], start: name.start + 1 + dot + 1}
	if trailing {
		end, err := p.skipSymbolBody()
		if err != nil {
			return s, err
		}
		s.body = p.text[s.start:end]
	}
	return s, nil
}

// skipSymbolBody goes to the bracket that closes the current `<` and returns the offset behind it.
func (p *parser) skipSymbolBody() (int, error) {
	var open []byte
	unbalanced := func() error {
		return p.error("unbalanced '" + string(open[len(open)-1]) + "' character in pretty dialect name")
	}
	at := p.token.start
	for at < len(p.text) {
		c := p.text[at]
		at++
		switch c {
		case 0:
			return 0, unbalanced()
		case '<', '[', '(', '{':
			open = append(open, c)
		case '-':
			if at < len(p.text) && p.text[at] == '>' {
				at++
			}
		case '>', ']', ')', '}':
			if open[len(open)-1] != opening(c) {
				return 0, unbalanced()
			}
			open = open[:len(open)-1]
			if len(open) == 0 {
				p.reset(at)
				return at, nil
			}
		case '"':
			p.token = p.lexString(at - 1)
			if p.token.kind != tokenString {
				return 0, p.lexical
			}
			at = p.token.end
		}
	}
	return 0, unbalanced()
}

// restore goes back to a token that was current before.
func (p *parser) restore(t token, last int) {
	if t.kind == tokenError { // read it again, to have its error
		p.reset(t.start)
	}
	p.token, p.last = t, last
}

func opening(closing byte) byte {
	switch closing {
	case '>':
		return '<'
	case ']':
		return '['
	case ')':
		return '('
	}
	return '{'
}

// validNamespace reports whether a dialect may be called so.
func validNamespace(s string) bool {
	return ir.IsBareIdentifier(s) && !strings.Contains(s, ".")
}

func invalidNamespace(s string) string { return "invalid dialect namespace '\"" + s + "\"'" }

func (p *parser) parseExtendedType() (ir.Type, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	s, err := p.parseDialectSymbol()
	if err != nil {
		return nil, err
	}
	if s.alias {
		if t := p.typeAliases[string(s.namespace)]; t != nil {
			return t, nil
		}
		return nil, p.wrongToken("undefined symbol alias id '" + string(s.namespace) + "'")
	}
	namespace := p.memo.name(s.namespace)
	if !validNamespace(namespace) {
		return nil, p.errorAt(s.start, invalidNamespace(namespace))
	}
	if d := p.context.Dialect(namespace); d != nil {
		if d.ParseType == nil {
			return nil, p.errorAt(s.start, "dialect '"+namespace+"' provides no type parsing hook")
		}
		behind, last := p.token, p.last
		p.reset(s.start)
		t, err := d.ParseType(&dialectParser{p})
		if err != nil {
			return nil, err
		}
		p.restore(behind, last)
		return t, nil
	}
	if !p.context.AllowUnregisteredDialects {
		return nil, p.errorAt(s.start, "`!"+namespace+`<"`+string(s.body)+"\">` type created with unregistered dialect. "+
			"If this is intended, please call allowUnregisteredDialects() on the MLIRContext, or use "+
			"-allow-unregistered-dialect with the MLIR opt tool used")
	}
	return p.context.OpaqueType(namespace, p.memo.name(s.body)), nil
}

func (p *parser) parseExtendedAttr(t ir.Type) (ir.Attribute, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	s, err := p.parseDialectSymbol()
	if err != nil {
		return nil, err
	}
	if s.alias {
		if a := p.attributeAliases.find(s.namespace); a.value != nil {
			return a.value, nil
		}
		return nil, p.wrongToken("undefined symbol alias id '" + string(s.namespace) + "'")
	}
	if p.accept(tokenColon) {
		if t, err = p.parseType(); err != nil {
			return nil, err
		}
	}
	namespace := p.memo.name(s.namespace)
	if !validNamespace(namespace) {
		return nil, p.errorAt(s.start, invalidNamespace(namespace))
	}
	if d := p.context.Dialect(namespace); d != nil {
		if d.ParseAttribute == nil {
			return nil, p.errorAt(s.start, "dialect '"+namespace+"' provides no attribute parsing hook")
		}
		behind, last := p.token, p.last
		p.reset(s.start)
		a, err := d.ParseAttribute(&dialectParser{p}, t)
		if err != nil {
			return nil, err
		}
		p.restore(behind, last)
		return a, nil
	}
	if t == nil {
		t = p.context.NoneType()
	}
	if !p.context.AllowUnregisteredDialects {
		return nil, p.errorAt(s.start, "#"+namespace+`<"`+string(s.body)+`"> : `+t.String()+" attribute created with "+
			"unregistered dialect. If this is intended, please call allowUnregisteredDialects() on the MLIRContext, or use "+
			"-allow-unregistered-dialect with the MLIR opt tool used")
	}
	return p.context.OpaqueAttr(namespace, string(s.body), t), nil
}
