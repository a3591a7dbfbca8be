// Package parser reads MLIR's textual form into IR: the whole grammar of the builtin dialect and of the generic form of
// operations; custom forms, and types and attributes of dialects, are read by the dialects.
//
// It is a hand-written recursive descent over bytes with one token of lookahead. What makes it fast: tokens are offsets,
// numbered values are found in a table, repeated types and attribute dictionaries are found by their text, operations come
// from slabs. Large constants stay views of the text, which must not change afterwards.
package parser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"

	"tpuir/ir"
)

// Options tells how to parse. The zero value is the usual way.
type Options struct {
	// Workers is the number of goroutines that read independent parts of a large text; 0 means as many as processors, 1
	// reads it from start to end. The result is the same.
	Workers int
	// NoImplicitModule refuses a text that is not one operation, and puts no module around that.
	NoImplicitModule bool
}

// parser is the state of reading one text.
type parser struct {
	context *ir.Context
	cancel  context.Context
	source  *ir.Source
	text    []byte

	token   token
	last    int            // where the token before the current one ended
	lexical *ir.Diagnostic // the error of the current token, if it is an error token
	hexRun  [2]int         // the digits behind `"0x` that were seen last
	depth   int
	count   int // operations read
	typeAt  int // where the type of the operation starts

	// Stacks that nested readers share, so that lists cost no allocation.
	types      []ir.Type
	attributes []ir.Attribute
	entries    []ir.NamedAttribute
	uses       []use
	values     []*ir.Value
	groups     []resultGroup
	successors []*ir.Block
	regions    []*ir.Region

	errors []error // of operations after which reading went on
	slab   ir.Slab
	memo   memo
	block  *ir.Block // where operations are put

	names       *nameTable
	scopes      []nameScope
	defined     []*binding // the names of all scopes
	blocks      []blockScope
	blockNames  []namedBlock      // of all regions
	defaults    []string          // the default dialects of the enclosing operations
	forward     map[*ir.Value]int // placeholders, and where each was first used
	placeholder *ir.OperationName

	attributeAliases aliasTable
	typeAliases      map[string]ir.Type
	bodyEnds         map[int]int // of dialects' bodies inside others, by where they start
	expansion        ir.Expansion
	laterLocs        []laterLoc
	shared           *shared

	workers int
	tail    chan *tail // the aliases at the end of the text, read at the same time; nil where they are not
	endTail func()     // waits for it: nobody reads the text when parsing has ended
	parts   []*aliasTable

	// The last line start before counted, the offset up to which line ends were counted.
	lineStart, line, counted int
}

func newParser(ctx context.Context, c *ir.Context, src *ir.Source) *parser {
	return &parser{
		context: c, cancel: ctx, source: src, text: src.Text, endTail: func() {},
		memo: newMemo(), names: &nameTable{}, forward: map[*ir.Value]int{},
		defaults:    []string{"builtin"},
		placeholder: c.OperationName("builtin.unrealized_conversion_cast"),
		typeAliases: map[string]ir.Type{}, line: 1, lineStart: -len(src.Head), workers: 1,
		shared: &shared{distinct: map[uint64]*ir.DistinctAttr{}, resources: map[string]string{}},
	}
}

// Parse reads a text and returns its module: the only top-level operation if that is a module, else a module around what
// there is, if options allow. Dialects have to be registered in the context before. Where there are errors the module is
// nil. The IR is not verified. The text of the source must not change afterwards: large constants are views of it.
func Parse(ctx context.Context, c *ir.Context, src *ir.Source, options Options) (*ir.Operation, []*ir.Diagnostic) {
	p := newParser(ctx, c, src)
	p.workers = options.Workers
	if p.workers <= 0 {
		p.workers = runtime.GOMAXPROCS(0)
	}
	defer func() { p.endTail() }()
	p.begin()
	p.advance()
	if err := p.parseTopLevel(); err != nil || len(p.errors) > 0 {
		return nil, ir.Diagnostics(errors.Join(append(p.errors, err)...))
	}
	if options.NoImplicitModule {
		return p.only()
	}
	return p.module(), nil
}

// begin opens the block that top-level operations go into.
func (p *parser) begin() {
	p.block = p.slab.Block()
	p.pushNames(false)
	p.blocks = append(p.blocks, blockScope{})
}

func (p *parser) parseTopLevel() error {
	for {
		var err error
		switch p.token.kind {
		case tokenEOF:
			return p.finalize()
		case tokenError:
			return p.lexical
		case tokenHash:
			if !p.takeTail() {
				err = p.parseAttributeAlias()
			}
		case tokenExclamation:
			err = p.parseTypeAlias()
		case tokenMetadataBegin:
			err = p.parseMetadata()
		default:
			p.startTail()
			m := p.mark()
			if err = p.parseOperation(); err != nil && p.recover(m, err) {
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) finalize() error {
	if err := p.undefinedNames(); err != nil {
		return err
	}
	p.resolveParts()
	if err := p.resolveLocs(); err != nil {
		return err
	}
	return p.popBlocks()
}

const moduleName = "builtin.module"

// module returns the only operation if it is a module, else a module around all.
func (p *parser) module() *ir.Operation {
	if only := p.block.First(); only != nil && only.Next() == nil && only.Is(moduleName) {
		only.Remove()
		return only
	}
	module := ir.NewOperation(&ir.OperationState{
		Name:    p.context.OperationName(moduleName),
		Loc:     p.wholeLoc(),
		Regions: 1,
	})
	module.Region(0).Append(p.block)
	return module
}

// only returns the only operation.
func (p *parser) only() (*ir.Operation, []*ir.Diagnostic) {
	n := 0
	for range p.block.Operations() {
		n++
	}
	if n != 1 {
		return nil, []*ir.Diagnostic{{Loc: p.wholeLoc(),
			Message: fmt.Sprintf("source must contain a single top-level operation, found: %d", n)}}
	}
	op := p.block.First()
	op.Remove()
	return op, nil
}

// wholeLoc returns the location of the whole text: its file, or where it starts in that.
func (p *parser) wholeLoc() ir.Location {
	if len(p.source.Head) == 0 {
		return p.context.FileLoc(p.source.Name, 0, 0)
	}
	line, column := p.source.LineColumn(0)
	return p.context.FileLoc(p.source.Name, uint32(line), uint32(column))
}

// defaultLoc returns the location of an offset in the text.
func (p *parser) defaultLoc(at int) ir.Location {
	if at < p.lineStart { // of an operation whose regions are behind it
		line, column := p.source.LineColumn(at)
		return p.context.FileLoc(p.source.Name, uint32(line), uint32(column))
	}
	p.countLines(at)
	return p.context.FileLoc(p.source.Name, uint32(p.line+p.source.Line), uint32(at-p.lineStart+1))
}

// countLines goes on to the line of an offset, which is not before the present line.
func (p *parser) countLines(at int) {
	if at <= p.counted {
		return
	}
	passed := p.text[p.counted:at]
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		p.line += bytes.Count(passed, []byte{'\n'})
		p.lineStart = p.counted + i + 1
	}
	p.counted = at
}

// ParseType reads a type from a text of its own, without aliases.
func ParseType(c *ir.Context, text string) (ir.Type, error) {
	p := standalone(c, text)
	t, err := p.parseType()
	if err != nil {
		return nil, err
	}
	return t, p.atEnd()
}

// ParseAttribute reads an attribute from a text of its own, without aliases.
func ParseAttribute(c *ir.Context, text string) (ir.Attribute, error) {
	p := standalone(c, text)
	a, err := p.parseAttribute(nil)
	if err != nil {
		return nil, err
	}
	return a, p.atEnd()
}

func standalone(c *ir.Context, text string) *parser {
	p := newParser(context.Background(), c, &ir.Source{Name: "-", Text: []byte(text)})
	p.advance()
	return p
}

func (p *parser) atEnd() error {
	if p.token.kind != tokenEOF {
		return p.error(fmt.Sprintf("found trailing characters: '%s'", p.text[p.token.start:]))
	}
	return nil
}
