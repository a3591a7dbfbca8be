package parser

// This file reads regions and blocks.

import (
	"errors"
	"slices"

	"tpuir/ir"
)

// namedBlock is a block of the current region, defined or only named so far.
type namedBlock struct {
	name    []byte
	block   *ir.Block // nil: neither
	at      int
	forward bool
}

// blockScope holds the block names of a region: those of the parser's stack from first on; where there are many, their
// places in a map, too.
type blockScope struct {
	first int
	named map[string]int
}

const manyBlocks = 8

// blockName returns what is known of a block name of the current region, made now if it is new. It is valid until the next
// call.
func (p *parser) blockName(name []byte) *namedBlock {
	s := &p.blocks[len(p.blocks)-1]
	if s.named != nil {
		if i, ok := s.named[string(name)]; ok {
			return &p.blockNames[i]
		}
	} else {
		for i := s.first; i < len(p.blockNames); i++ {
			if string(p.blockNames[i].name) == string(name) {
				return &p.blockNames[i]
			}
		}
	}
	p.blockNames = append(p.blockNames, namedBlock{name: name})
	last := len(p.blockNames) - 1
	if s.named != nil {
		s.named[string(name)] = last
	} else if last-s.first+1 == manyBlocks {
		s.named = make(map[string]int, 2*manyBlocks)
		for i := s.first; i <= last; i++ {
			s.named[string(p.blockNames[i].name)] = i
		}
	}
	return &p.blockNames[last]
}

// argument is an entry argument that the custom form of an operation names.
type argument struct {
	name []byte
	at   int
	typ  ir.Type
	loc  ir.Location // nil: where the name stands
}

// parseRegion reads `{…}`. Named arguments become those of the entry block.
func (p *parser) parseRegion(arguments []argument, isolated bool) (*ir.Region, error) {
	r := p.slab.Region()
	if err := p.expect(tokenLeftBrace, "expected '{' to begin a region"); err != nil {
		return nil, err
	}
	if len(arguments) == 0 && p.accept(tokenRightBrace) {
		return r, nil
	}
	if len(p.blocks) > maxRegionDepth {
		return nil, p.errorfAt(p.tokenPlace(), "regions nested deeper than %d levels", maxRegionDepth)
	}
	outer := p.block
	p.pushNames(isolated)
	p.blocks = append(p.blocks, blockScope{first: len(p.blockNames)})
	err := p.parseRegionBody(r, arguments)
	p.block = outer
	if err != nil {
		return nil, err
	}
	if err := p.popBlocks(); err != nil {
		return nil, err
	}
	p.popNames()
	return r, p.expect(tokenRightBrace, "expected '}' to end a region")
}

func (p *parser) parseRegionBody(r *ir.Region, arguments []argument) error {
	entry := p.slab.Block()
	if len(arguments) > 0 && arguments[0].name != nil {
		if p.token.kind == tokenCaret {
			return p.error("invalid block name in region with named arguments")
		}
		for i, a := range arguments {
			if err := p.defineEntryArgument(entry, i, a); err != nil {
				return err
			}
		}
	}
	named := entry.NumArguments()
	if err := p.parseBlock(r, entry); err != nil {
		return err
	}
	if len(arguments) > 0 && r.First().NumArguments() > max(len(arguments), named) {
		return p.error("entry block arguments were already defined")
	}
	for p.token.kind != tokenRightBrace {
		if err := p.parseBlock(r, nil); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) defineEntryArgument(entry *ir.Block, i int, a argument) error {
	if s := p.names.find(a.name); s.value != nil {
		err := p.errorAt(a.at, "region entry argument '"+string(a.name)+"' is already in use")
		return p.noteAt(err, s.at, "previously referenced here")
	}
	v := p.slab.AddArgument(entry, a.typ, p.context.UnknownLoc())
	loc := a.loc
	if loc == nil {
		loc = p.defaultLoc(a.at)
	}
	p.setArgumentLoc(entry, i, loc)
	return p.define(a.name, 0, a.at, v)
}

// parseBlock reads a block and adds it to the region. The entry block may have no label.
func (p *parser) parseBlock(r *ir.Region, entry *ir.Block) error {
	b := entry
	if entry == nil || p.token.kind == tokenCaret {
		var err error
		if b, err = p.parseBlockLabel(entry); err != nil {
			return err
		}
	}
	r.Append(b)
	p.block = b
	if entry != nil {
		p.parseChunks()
	}
	for p.token.kind != tokenCaret && p.token.kind != tokenRightBrace {
		m := p.mark()
		if err := p.parseOperation(); err != nil && !p.recover(m, err) {
			return err
		}
		p.block = b
	}
	return nil
}

func (p *parser) parseBlockLabel(entry *ir.Block) (*ir.Block, error) {
	at := p.token.start
	name := p.spelling()
	if err := p.expect(tokenCaret, "expected block name"); err != nil {
		return nil, err
	}
	known := p.blockName(name)
	switch {
	case known.block == nil:
		if entry == nil {
			entry = p.slab.Block()
		}
		known.block = entry
	case !known.forward:
		return nil, p.errorAt(at, "redefinition of block '"+string(name)+"'")
	}
	known.at, known.forward = at, false
	block := known.block
	if p.token.kind == tokenLeftParen {
		if err := p.parseBlockArguments(block); err != nil {
			return nil, err
		}
	}
	return block, p.expect(tokenColon, "expected ':' after block name")
}

func (p *parser) parseBlockArguments(b *ir.Block) error {
	existing := b.NumArguments()
	next := 0
	p.advance()
	return p.listOrNone(tokenRightParen, "expected ')'", func() error {
		u, err := p.parseUse(true)
		if err != nil {
			return err
		}
		if err := p.expect(tokenColon, "expected ':' and type for SSA operand"); err != nil {
			return err
		}
		t, err := p.parseType()
		if err != nil {
			return err
		}
		i := next
		next++
		if existing > 0 {
			if i >= existing {
				return p.error("too many arguments specified in argument list")
			}
			if b.Argument(i).Type() != t {
				return p.error("argument and block argument type mismatch")
			}
		} else {
			p.slab.AddArgument(b, t, p.context.UnknownLoc())
		}
		loc, err := p.parseTrailingLoc()
		if err != nil {
			return err
		}
		if loc == nil && existing == 0 {
			loc = p.defaultLoc(u.token.start)
		}
		if loc != nil {
			p.setArgumentLoc(b, i, loc)
		}
		return p.define(p.text[u.token.start:u.token.end], u.number, u.token.start, b.Argument(i))
	})
}

func (p *parser) parseSuccessor() (*ir.Block, error) {
	if p.token.kind != tokenCaret {
		return nil, p.wrongToken("expected block name")
	}
	known := p.blockName(p.spelling())
	if known.block == nil {
		known.block, known.at, known.forward = p.slab.Block(), p.token.start, true
	}
	block := known.block
	p.advance()
	return block, nil
}

// popBlocks ends the block names of a region; those that were never defined are errors.
func (p *parser) popBlocks() error {
	scope := p.blocks[len(p.blocks)-1]
	var undefined []int
	for _, b := range p.blockNames[scope.first:] {
		if b.forward {
			undefined = append(undefined, b.at)
		}
	}
	p.blocks, p.blockNames = p.blocks[:len(p.blocks)-1], p.blockNames[:scope.first]
	if len(undefined) == 0 {
		return nil
	}
	slices.Sort(undefined)
	var errs []error
	for _, at := range undefined {
		errs = append(errs, p.errorAt(at, "reference to an undefined block"))
	}
	return errors.Join(errs...)
}
