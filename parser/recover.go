package parser

// This file goes on after an error: with the next function or module that is written like the one with the error, so that one
// run shows the errors of all of them.

import (
	"bytes"
	"context"
	"errors"
)

// maxErrors is the number of operations with errors after which the rest is not read.
const maxErrors = 20

// mark is the state of the parser before an operation.
type mark struct {
	start                                                     int
	token                                                     token
	scopes, blocks, blockNames, defaults, depth, later, parts int
}

func (p *parser) mark() mark {
	return mark{start: p.token.start, token: p.token, scopes: len(p.scopes), blocks: len(p.blocks), blockNames: len(p.blockNames), defaults: len(p.defaults),
		depth: p.depth, later: len(p.laterLocs), parts: len(p.parts)}
}

// recover keeps an error of the operation at the mark and makes the next operation of its kind the current one. It reports
// whether there is one.
func (p *parser) recover(m mark, err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || len(p.errors)+1 >= maxErrors {
		return false
	}
	next := p.nextOfKind(m)
	if next < 0 {
		return false
	}
	p.errors = append(p.errors, err)
	for len(p.scopes) > m.scopes {
		p.popNames()
	}
	p.blocks, p.blockNames = p.blocks[:m.blocks], p.blockNames[:m.blockNames]
	p.defaults, p.depth = p.defaults[:m.defaults], m.depth
	p.laterLocs, p.parts = p.laterLocs[:m.later], p.parts[:m.parts]
	for v, at := range p.forward {
		if at >= m.start {
			delete(p.forward, v)
		}
	}
	p.reset(next)
	return true
}

// nextOfKind returns the offset of the next operation that is a function or module like the one at the mark and indented as
// it is, or -1.
func (p *parser) nextOfKind(m mark) int {
	switch string(p.text[m.token.start:m.token.end]) {
	case "func.func", `"func.func"`, "module", "builtin.module", `"builtin.module"`:
	default:
		return -1
	}
	line := bytes.LastIndexByte(p.text[:m.start], '\n') + 1
	if len(bytes.TrimLeft(p.text[line:m.start], " ")) > 0 {
		return -1
	}
	begin := append([]byte{'\n'}, p.text[line:m.token.end]...)
	from := max(m.token.end, min(p.last, len(p.text)))
	i := bytes.Index(p.text[from:], begin)
	if i < 0 {
		return -1
	}
	return from + i + 1 + m.start - line
}
