// Package printer writes IR as MLIR text: the form that mlir-opt and TPU-MLIR's tools print, byte for byte.
//
// A print has three steps: values and blocks get their names (names.go), attributes, types and locations that are
// written once and referred to get their aliases (aliases.go), then the operations are written (operation.go), in the
// custom form of their dialect (custom.go) or in the generic one.
package printer

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"

	"tpuir/ir"
)

// Options says how IR is written. The zero value writes as mlir-opt does without flags.
type Options struct {
	// DebugInfo writes the locations of operations and block arguments.
	DebugInfo bool
	// PrettyDebugInfo writes them, where DebugInfo is set, in a form for people, which can't be parsed.
	PrettyDebugInfo bool
	// Generic writes every operation in the generic form.
	Generic bool
	// LocalScope writes types, attributes and locations in place, without aliases, and no end of line after the last.
	LocalScope bool
	// ElideElementsLargerThan leaves out the elements of constants that have more; nil leaves out none.
	ElideElementsLargerThan *int64
	// HexElementsLargerThan writes constants with more elements as one hex string; nil means 100, -1 never.
	HexElementsLargerThan *int64
	// ElideResourcesLargerThan leaves out resources whose text has more characters; nil leaves out none.
	ElideResourcesLargerThan *int64
	// UniqueSSAIDs gives no number to two values, wherever they stand.
	UniqueSSAIDs bool
	// ValueUsers adds a comment about the users of each value.
	ValueUsers bool
	// SkipRegions writes `{...}` for every region.
	SkipRegions bool
	// NameLocAsPrefix names values after their name locations.
	NameLocAsPrefix bool
	// AssumeVerified leaves out the verification before: an operation that does not verify is written in the generic
	// form.
	AssumeVerified bool
	// Serial writes on the calling goroutine alone; the text is the same.
	Serial bool
	// Track, where it is not nil, is told the line of every operation, from 1, and how far it is indented.
	Track func(op *ir.Operation, line, column int)
	// NoExternalResources leaves out those sections of external tools that the context holds, as dumps do.
	NoExternalResources bool
	// ExternalResources are written behind those of the context.
	ExternalResources []*ir.ExternalResource
}

// Print writes an operation. An operation in no block is written as a file, with aliases and resources, and ends in an
// end of line; another one as it stands in its file, without. mlir-opt writes one end of line more.
func Print(w io.Writer, op *ir.Operation, options Options) error {
	p := newPrinter(op, options)
	p.out = w
	p.print(op)
	p.flush()
	return p.err
}

// Append is Print to the end of a slice.
func Append(dst []byte, op *ir.Operation, options Options) []byte {
	p := newPrinter(op, options)
	p.buf = dst
	p.print(op)
	return p.buf
}

// String returns an operation as it prints with the options of the zero value.
func String(op *ir.Operation) string { return string(Append(nil, op, Options{})) }

// flushSize is the amount of text that is held back before it goes to the writer.
const flushSize = 1 << 20

// printer is the state of one print.
type printer struct {
	options Options
	context *ir.Context
	names   *names
	aliases *aliases
	text    *ir.TextWriter
	memo    memo
	buf     []byte
	indent  int
	// defaultDialects holds, for every open region, the namespace that operations in it are written without.
	defaultDialects []string
	resources       resources
	expanded        expanded  // locations in local scope
	snapshot        *Snapshot // that this print is one of, or nil
	// broken is why the operation does not verify, where it is written in the generic form for that reason.
	broken string

	workers int       // goroutines that may write a block
	out     io.Writer // nil where the text stays in buf
	err     error
	flushes int // a text that was flushed in between is nowhere as a whole

	// lines is the number of lines before counted, an offset in buf; only where operations are tracked.
	lines, counted int
}

func newPrinter(op *ir.Operation, options Options) *printer {
	p := &printer{options: options, context: op.Context(), aliases: &aliases{}, defaultDialects: []string{"builtin"}}
	if !options.Generic && !options.AssumeVerified {
		verify := ir.Verify
		if options.Serial {
			verify = ir.VerifySerially
		}
		if found := verify(context.Background(), op); len(found) > 0 {
			p.options.Generic = true
			p.broken = found[0].Message
		}
	}
	p.setText()
	return p
}

// setText makes the writer of types and attributes.
func (p *printer) setText() {
	options := &p.options
	p.text = ir.NewTextWriter()
	p.text.PrettyLocations = options.PrettyDebugInfo
	if n := options.ElideElementsLargerThan; n != nil {
		p.text.ElideElementsLargerThan = *n
	}
	if n := options.HexElementsLargerThan; n != nil {
		p.text.HexElementsLargerThan = *n
	}
	p.text.Resource = p.resources.add
	p.text.Flush, p.text.Through = p.flushWithin, p.writeThrough
	p.text.Type = p.substituteType
	p.text.Attribute = p.substituteAttribute
}

func (p *printer) print(op *ir.Operation) {
	if p.broken != "" {
		message, _, _ := strings.Cut(p.broken, "\n")
		p.buf = append(append(append(p.buf, "// in the generic form, since it does not verify: "...), message...), '\n')
	}
	p.prepare(op)
	if op.Block() != nil || p.options.LocalScope {
		p.operation(op)
		p.trailing(op)
		return
	}
	p.writeAliases(false)
	p.operation(op)
	p.trailing(op)
	p.buf = append(p.buf, '\n')
	p.writeAliases(true)
	p.writeResources(op)
}

// prepare gives names and, where the operation is written as a file, aliases.
func (p *printer) prepare(op *ir.Operation) {
	var aliases sync.WaitGroup
	if op.Block() == nil && !p.options.LocalScope {
		collect := func() { p.aliases = collectAliases(op, &p.options) }
		if p.options.Serial {
			collect()
		} else {
			aliases.Go(collect)
		}
	}
	p.names = p.valueNames(op)
	aliases.Wait()
	p.workers = p.goroutines()
}

// numberingRoot returns the operation from which values are numbered: the outermost one, in local scope the innermost
// that uses nothing from outside.
func numberingRoot(op *ir.Operation, local bool) *ir.Operation {
	for !local || !op.HasTrait(ir.IsolatedFromAbove) {
		parent := op.Parent()
		if parent == nil {
			break
		}
		op = parent
	}
	return op
}

// writeAliases writes the definitions of those aliases that may stand behind the operation (deferred), or of the others.
func (p *printer) writeAliases(deferred bool) {
	for _, e := range p.aliases.named {
		if e.deferred != deferred {
			continue
		}
		p.buf = append(p.buf, e.text...)
		p.buf = append(p.buf, " = "...)
		switch object := e.object.(type) {
		case ir.Type:
			p.buf = p.text.AppendTypeBody(p.buf, object)
		case ir.Attribute:
			p.buf = p.text.AppendAttributeBody(p.buf, object)
		}
		p.buf = append(p.buf, '\n')
		p.flushFull()
	}
}

func (p *printer) flushFull() {
	if p.out != nil && len(p.buf) >= flushSize {
		p.flush()
	}
}

// flushWithin is flush for text that is being written and is not in buf yet.
func (p *printer) flushWithin(dst []byte) []byte {
	if p.out == nil {
		return dst
	}
	p.buf = dst
	p.flush()
	return p.buf
}

// writeThrough writes what is being written and then a text that needs no copy.
func (p *printer) writeThrough(dst, text []byte) []byte {
	if p.out == nil {
		return append(dst, text...)
	}
	p.buf = dst
	p.flush()
	if p.err == nil {
		_, p.err = p.out.Write(text)
	}
	return p.buf
}

func (p *printer) flush() {
	if p.out == nil {
		return
	}
	if p.err == nil && len(p.buf) > 0 {
		_, p.err = p.out.Write(p.buf)
	}
	p.countLines()
	p.buf, p.counted = p.buf[:0], 0
	p.flushes++
}

func (p *printer) countLines() {
	if p.options.Track != nil {
		p.lines += bytes.Count(p.buf[p.counted:], []byte{'\n'})
		p.counted = len(p.buf)
	}
}
