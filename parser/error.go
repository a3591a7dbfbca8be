package parser

// This file makes the parser's errors: where they stand and which of two counts.

import (
	"bytes"
	"fmt"

	"tpuir/ir"
)

func (p *parser) diagnosticAt(at int, message string) *ir.Diagnostic {
	line, column := p.source.LineColumn(at)
	return &ir.Diagnostic{
		Loc:      p.context.FileLoc(p.source.Name, uint32(line), uint32(column)),
		Position: p.source.Position(at),
		Message:  message,
	}
}

// errorAt makes an error at an offset. Where the current token could not be read, the error is that one.
func (p *parser) errorAt(at int, message string) error {
	if p.token.kind == tokenError {
		return p.lexical
	}
	return p.diagnosticAt(at, message)
}

func (p *parser) errorfAt(at int, format string, args ...any) error {
	return p.errorAt(at, fmt.Sprintf(format, args...))
}

// error makes an error at the current token; at the end of the text it stands one byte before.
func (p *parser) error(message string) error { return p.errorAt(p.tokenPlace(), message) }

func (p *parser) tokenPlace() int {
	if p.token.kind == tokenEOF {
		return max(p.token.start-1, 0)
	}
	return p.token.start
}

// wrongToken makes an error about a token that is missing: it stands behind what precedes the current one.
func (p *parser) wrongToken(message string) error {
	place := p.tokenPlace()
	before := p.text[:place]
	for {
		before = bytes.TrimRight(before, " \t")
		if len(before) == 0 {
			return p.errorAt(place, message)
		}
		if end := before[len(before)-1]; end != '\n' && end != '\r' {
			return p.errorAt(len(before), message)
		}
		before = before[:len(before)-1]
		line := before[bytes.LastIndexAny(before, "\n\r")+1:]
		if comment := bytes.Index(line, []byte("//")); comment >= 0 {
			before = before[:len(before)-len(line)+comment]
		}
	}
}

// expect consumes a token of a kind, or makes the error that it is missing.
func (p *parser) expect(kind tokenKind, message string) error {
	if p.token.kind != kind {
		return p.wrongToken(message)
	}
	p.advance()
	return nil
}

// accept consumes a token of a kind if it is the current one.
func (p *parser) accept(kind tokenKind) bool {
	if p.token.kind != kind {
		return false
	}
	p.advance()
	return true
}

// acceptWord consumes an identifier if it is the current token.
func (p *parser) acceptWord(word string) bool {
	if !p.is(word) {
		return false
	}
	p.advance()
	return true
}

// list reads elements with commas between and a closing token; it must not be empty.
func (p *parser) list(closing tokenKind, message string, element func() error) error {
	for {
		if err := element(); err != nil {
			return err
		}
		if !p.accept(tokenComma) {
			return p.expect(closing, message)
		}
	}
}

// listOrNone is list for a list that may be empty.
func (p *parser) listOrNone(closing tokenKind, message string, element func() error) error {
	if p.accept(closing) {
		return nil
	}
	return p.list(closing, message, element)
}

// maxRegionDepth is how deep operations may be nested, which are printed with as many blanks before every line. mlir-opt runs
// out of stack before 3000 regions. For types, attributes and locations see [ir.MaxDepth].
const maxRegionDepth = 10_000

// enter counts a level of nesting; leave must follow.
func (p *parser) enter() error {
	p.depth++
	if p.depth > ir.MaxDepth {
		return p.tooDeep(p.tokenPlace())
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) tooDeep(at int) error {
	return p.errorfAt(at, "nested deeper than %d levels", ir.MaxDepth)
}
