package parser

// This file reads locations. The alias right inside an operation's or argument's own loc(…) may be defined later in the
// file; such locations are filled in at the end.

import (
	"math"
	"slices"

	"tpuir/ir"
)

// laterLoc is an operation or block argument that waits for its location.
type laterLoc struct {
	op       *ir.Operation // nil for an argument
	block    *ir.Block
	argument int
	alias    *alias
}

// parseTrailingLoc reads `loc(…)` if it is next, else it returns nil.
func (p *parser) parseTrailingLoc() (ir.Location, error) {
	if p.token.kind != tokenBare || !p.acceptWord("loc") {
		return nil, nil
	}
	if err := p.expect(tokenLeftParen, "expected '(' in location"); err != nil {
		return nil, err
	}
	var loc ir.Location
	var err error
	if p.token.kind == tokenHash && !hasDot(p.spelling()) {
		loc, err = p.parseLocAlias()
	} else {
		loc, err = p.parseLocation()
	}
	if err != nil {
		return nil, err
	}
	return loc, p.expect(tokenRightParen, "expected ')' in location")
}

func (p *parser) parseLocAlias() (ir.Location, error) {
	at := p.token.start
	a := p.attributeAliases.find(p.spelling()[1:])
	p.advance()
	if a.value != nil {
		return p.asLocation(a.value, at)
	}
	if a.at == 0 {
		a.at = at
	}
	return a, nil
}

func (p *parser) asLocation(a ir.Attribute, at int) (ir.Location, error) {
	loc, ok := a.(ir.Location)
	if !ok {
		return nil, p.errorAt(at, "expected location, but found '"+a.String()+"'")
	}
	return loc, nil
}

// setLoc gives an operation its location, now or when the alias is known.
func (p *parser) setLoc(op *ir.Operation, loc ir.Location) {
	if later, ok := loc.(*alias); ok {
		if len(p.laterLocs) == cap(p.laterLocs) { // doubled, where append would leave more garbage than there is list
			p.laterLocs = slices.Grow(p.laterLocs, max(64, len(p.laterLocs)))
		}
		p.laterLocs = append(p.laterLocs, laterLoc{op: op, alias: later})
		return
	}
	op.SetLoc(loc)
}

func (p *parser) setArgumentLoc(b *ir.Block, argument int, loc ir.Location) {
	if later, ok := loc.(*alias); ok {
		p.laterLocs = append(p.laterLocs, laterLoc{block: b, argument: argument, alias: later})
		loc = p.context.UnknownLoc()
	}
	b.SetArgumentLoc(argument, loc)
}

// resolveLocs fills in the locations whose aliases were not known.
func (p *parser) resolveLocs() error {
	for i := range p.laterLocs {
		later := &p.laterLocs[i]
		if later.alias.value == nil {
			return p.errorAt(later.alias.at, "operation location alias was never defined")
		}
		loc, err := p.asLocation(later.alias.value, later.alias.at)
		if err != nil {
			return err
		}
		if later.op != nil {
			later.op.SetLoc(loc)
		} else {
			later.block.SetArgumentLoc(later.argument, loc)
		}
	}
	return nil
}

// parseLocationAttr reads a location that stands as an attribute.
func (p *parser) parseLocationAttr() (ir.Attribute, error) {
	p.advance()
	if err := p.expect(tokenLeftParen, "expected '(' in inline location"); err != nil {
		return nil, err
	}
	loc, err := p.parseLocation()
	if err != nil {
		return nil, err
	}
	return loc, p.expect(tokenRightParen, "expected ')' in inline location")
}

// parseLocation reads what stands inside loc(…).
func (p *parser) parseLocation() (ir.Location, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch p.token.kind {
	case tokenString:
		return p.parseNameOrFileLoc()
	case tokenHash:
		a, err := p.parseExtendedAttr(nil)
		if err != nil {
			return nil, err
		}
		if loc, ok := a.(ir.Location); ok {
			return loc, nil
		}
		return nil, p.error("expected location attribute, but got" + a.String())
	case tokenBare:
		switch string(p.spelling()) {
		case "unknown":
			p.advance()
			return p.context.UnknownLoc(), nil
		case "callsite":
			return p.parseCallSiteLoc()
		case "fused":
			return p.parseFusedLoc()
		}
	}
	return nil, p.wrongToken("expected location instance")
}

func (p *parser) parseCallSiteLoc() (ir.Location, error) {
	p.advance()
	if err := p.expect(tokenLeftParen, "expected '(' in callsite location"); err != nil {
		return nil, err
	}
	callee, err := p.parseLocation()
	if err != nil {
		return nil, err
	}
	if !p.acceptWord("at") {
		return nil, p.wrongToken("expected 'at' in callsite location")
	}
	caller, err := p.parseLocation()
	if err != nil {
		return nil, err
	}
	return p.context.CallSiteLoc(callee, caller), p.expect(tokenRightParen, "expected ')' in callsite location")
}

func (p *parser) parseFusedLoc() (ir.Location, error) {
	p.advance()
	var metadata ir.Attribute
	if p.accept(tokenLess) {
		var err error
		if metadata, err = p.parseAttribute(nil); err != nil {
			return nil, err
		}
		if err := p.expect(tokenGreater, "expected '>' after fused location metadata"); err != nil {
			return nil, err
		}
	}
	if err := p.expect(tokenLeftSquare, "expected '[' in fused location"); err != nil {
		return nil, err
	}
	var parts []ir.Location
	err := p.listOrNone(tokenRightSquare, "expected ']' in fused location", func() error {
		part, err := p.parseLocation()
		parts = append(parts, part)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.context.FusedLoc(parts, metadata), nil
}

func (p *parser) parseNameOrFileLoc() (ir.Location, error) {
	literal := p.token
	p.advance()
	if p.accept(tokenColon) {
		return p.parseFileLoc(p.memo.unquoted(p.text[literal.start:literal.end]))
	}
	name := p.stringValue(literal)
	switch {
	case p.accept(tokenLeftParen):
		child, err := p.parseLocation()
		if err != nil {
			return nil, err
		}
		return p.context.NameLoc(name, child), p.expect(tokenRightParen, "expected ')' after child location of NameLoc")
	}
	return p.context.NameLoc(name, nil), nil
}

func (p *parser) parseFileLoc(name string) (ir.Location, error) {
	line, err := p.locationNumber("expected integer line number in FileLineColRange")
	if err != nil {
		return nil, err
	}
	if !p.accept(tokenColon) {
		return p.context.FileRangeLoc(ir.FileLine, name, line, 0, 0, 0), nil
	}
	column, err := p.locationNumber("expected integer column number in FileLineColRange")
	if err != nil {
		return nil, err
	}
	if !p.acceptWord("to") {
		return p.context.FileLoc(name, line, column), nil
	}
	endLine := line
	if p.token.kind == tokenInteger {
		if endLine, err = p.locationNumber("expected integer line number in FileLineColRange"); err != nil {
			return nil, err
		}
	}
	if !p.accept(tokenColon) {
		return nil, p.wrongToken("expected either integer or `:` post `to` in FileLineColRange")
	}
	endColumn, err := p.locationNumber("expected integer column number in FileLineColRange")
	if err != nil {
		return nil, err
	}
	switch {
	case endLine != line:
		return p.context.FileRangeLoc(ir.FileRange, name, line, column, endLine, endColumn), nil
	case endColumn != column:
		return p.context.FileRangeLoc(ir.FileColumns, name, line, column, line, endColumn), nil
	}
	return p.context.FileLoc(name, line, column), nil
}

func (p *parser) locationNumber(message string) (uint32, error) {
	if p.token.kind == tokenInteger {
		if v, ok := uint64Value(p.spelling()); ok && v <= math.MaxUint32 {
			p.advance()
			return uint32(v), nil
		}
	}
	return 0, p.wrongToken(message)
}
