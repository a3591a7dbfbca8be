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
	at              int // where an error about the namespace stands: at the body, or at the sigil where brackets follow
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
		return dialectSymbol{namespace: spelling, body: p.text[open+1 : end-1], start: open + 1, at: name.start}, nil
	}
	s = dialectSymbol{namespace: spelling[:dot], body: spelling[dot+1:], start: name.start + 1 + dot + 1}
	s.at = s.start
	if trailing {
		end, err := p.skipSymbolBody()
		if err != nil {
			return s, err
		}
		s.body = p.text[s.start:end]
	}
	return s, nil
}

// longBody is the length in bytes from which on the brackets inside a body are remembered.
const longBody = 256

// skipSymbolBody goes to the bracket that closes the current `<` and returns the offset behind it.
func (p *parser) skipSymbolBody() (int, error) {
	at := p.token.start
	if end := p.bodyEnds[at]; end > 0 {
		p.reset(end)
		return end, nil
	}
	var open []byte
	var starts []int // of the open <, as deep as what is nested in them may be
	unbalanced := func() error {
		return p.error("unbalanced '" + string(open[len(open)-1]) + "' character in pretty dialect name")
	}
	for at < len(p.text) {
		c := p.text[at]
		at++
		switch c {
		case 0:
			return 0, unbalanced()
		case '<', '[', '(', '{':
			open = append(open, c)
			if c == '<' && len(open) <= ir.MaxDepth {
				starts = append(starts, at-1)
			}
		case '-':
			if at < len(p.text) && p.text[at] == '>' {
				at++
			}
		case '>', ']', ')', '}':
			if open[len(open)-1] != opening(c) {
				return 0, unbalanced()
			}
			open = open[:len(open)-1]
			if c == '>' && len(open) < ir.MaxDepth {
				last := len(starts) - 1
				if last > 0 && at-starts[last] > longBody {
					p.rememberBody(starts[last], at)
				}
				starts = starts[:last]
			}
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

// rememberBody keeps the end of a body within another: a dialect that reads its text itself asks for what is nested in it level
// by level, and each would be looked through once more for every level around it.
func (p *parser) rememberBody(start, end int) {
	if p.bodyEnds == nil {
		p.bodyEnds = map[int]int{}
	}
	p.bodyEnds[start] = end
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
		return nil, p.errorAt(s.at, invalidNamespace(namespace))
	}
	d := p.context.Dialect(namespace)
	partly := d != nil && d.AllowsUnknownOperations
	if d != nil && (d.ParseType != nil || !partly) {
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
	if !p.context.AllowUnregisteredDialects && !partly {
		return nil, p.errorAt(s.at, "`!\""+namespace+`"<"`+string(s.body)+"\">` type created with unregistered dialect. "+
			"If this is intended, please call allowUnregisteredDialects() on the MLIRContext, or use "+
			"-allow-unregistered-dialect with the MLIR opt tool used")
	}
	body, parts := p.withoutAliases(namespace, s.body)
	return p.context.OpaqueType(namespace, p.memo.name(body), parts...), nil
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
		return nil, p.errorAt(s.at, invalidNamespace(namespace))
	}
	d := p.context.Dialect(namespace)
	partly := d != nil && d.AllowsUnknownOperations
	if d != nil && (d.ParseAttribute != nil || !partly) {
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
	if !p.context.AllowUnregisteredDialects && !partly {
		return nil, p.errorAt(s.at, `#"`+namespace+`"<"`+string(s.body)+`"> : '`+t.String()+"' attribute created with "+
			"unregistered dialect. If this is intended, please call allowUnregisteredDialects() on the MLIRContext, or use "+
			"-allow-unregistered-dialect with the MLIR opt tool used")
	}
	body, parts := p.withoutAliases(namespace, s.body)
	return p.context.OpaqueAttr(namespace, string(body), t, parts...), nil
}

// withoutAliases takes the aliases out of the text of a dialect that is not registered here but in MLIR, and returns what
// they stand for: MLIR prints such texts with aliases. What looks like an alias elsewhere may be anything.
func (p *parser) withoutAliases(namespace string, body []byte) (text []byte, parts []ir.Part) {
	if !ir.IsMLIRDialect(namespace) || bytes.IndexByte(body, '#') < 0 && bytes.IndexByte(body, '!') < 0 {
		return body, nil
	}
	last := 0
	for at := 0; at < len(body); at++ {
		switch body[at] {
		case '"':
			at += quotedLength(body[at:]) - 1
		case '#', '!':
			end := at + 1 + suffixLength(body[at+1:])
			if part, ok := p.aliasPart(body[at:end]); ok && (end == len(body) || body[end] != '<') {
				text = append(text, body[last:at]...)
				part.At = len(text)
				parts, last = append(parts, part), end
			}
			at = end - 1
		}
	}
	return append(text, body[last:]...), parts
}

// aliasPart returns what an alias, with its sigil, stands for, if it is one.
func (p *parser) aliasPart(spelling []byte) (part ir.Part, ok bool) {
	if spelling[0] == '!' {
		part.Type = p.typeAliases[string(spelling[1:])]
	} else if a := p.attributeAliases.defined(spelling[1:]); a != nil {
		part.Attribute = a.value
	}
	return part, part.Type != nil || part.Attribute != nil
}

// quotedLength returns the length of the string that a text begins with.
func quotedLength(text []byte) int {
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// suffixLength returns the length of the name, as of an alias, that a text begins with.
func suffixLength(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	kind := byte(isSuffixTail)
	if class[text[0]]&isDigit != 0 {
		kind = isDigit
	}
	end := 0
	for end < len(text) && class[text[end]]&kind != 0 {
		end++
	}
	return end
}
