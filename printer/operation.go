package printer

// This file writes operations, their regions and blocks.

import (
	"cmp"
	"slices"
	"strconv"

	"tpuir/ir"
)

const indentWidth = 2

const blanks = "                                                                                                "

func (p *printer) writeIndent() {
	n := p.indent
	for ; n > len(blanks); n -= len(blanks) {
		p.buf = append(p.buf, blanks...)
	}
	p.buf = append(p.buf, blanks[:n]...)
}

// operation writes an operation from its results to what comes before its location.
func (p *printer) operation(op *ir.Operation) {
	if p.options.Track != nil {
		p.countLines()
		p.options.Track(op, p.lines+1, p.indent)
	}
	p.results(op)
	if def := op.Definition(); def != nil && def.Print != nil && !p.options.Generic {
		p.customName(op)
		def.Print((*customPrinter)(p), op)
		return
	}
	p.generic(op)
}

// results writes `%0:2, %name = `.
func (p *printer) results(op *ir.Operation) {
	n := op.NumResults()
	if n == 0 {
		return
	}
	groups, ok := p.names.groups[op]
	if !ok {
		p.buf = p.names.appendValue(p.buf, op.Result(0), false)
		p.groupSize(n)
	}
	for i, first := range groups {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		end := n
		if i+1 < len(groups) {
			end = groups[i+1]
		}
		p.buf = p.names.appendValue(p.buf, op.Result(first), false)
		p.groupSize(end - first)
	}
	p.buf = append(p.buf, " = "...)
}

func (p *printer) groupSize(n int) {
	if n > 1 {
		p.buf = strconv.AppendInt(append(p.buf, ':'), int64(n), 10)
	}
}

// generic writes an operation in the generic form.
func (p *printer) generic(op *ir.Operation) {
	p.buf = ir.AppendQuoted(p.buf, op.Name().String())
	p.buf = append(p.buf, '(')
	for i := range op.NumOperands() {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		p.buf = p.names.appendValue(p.buf, op.Operand(i), true)
	}
	p.buf = append(p.buf, ')')
	if op.NumSuccessors() > 0 {
		p.successors(op)
	}
	if properties := op.Properties(); properties != nil {
		p.buf = append(p.text.AppendAttribute(append(p.buf, " <"...), properties), '>')
	}
	for i := range op.NumRegions() {
		if i == 0 {
			p.buf = append(p.buf, " ("...)
		} else {
			p.buf = append(p.buf, ", "...)
		}
		p.region(op.Region(i), true, true, true)
	}
	if op.NumRegions() > 0 {
		p.buf = append(p.buf, ')')
	}
	p.writeDictionary(op.Attributes())
	p.signature(op)
}

func (p *printer) successors(op *ir.Operation) {
	p.buf = append(p.buf, '[')
	for i := range op.NumSuccessors() {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		p.buf = p.names.appendBlock(p.buf, op.Successor(i))
	}
	p.buf = append(p.buf, ']')
}

// signature writes ` : (T, T) -> T`.
func (p *printer) signature(op *ir.Operation) {
	p.buf = append(p.buf, " : ("...)
	for i := range op.NumOperands() {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		if v := op.Operand(i); v != nil {
			p.writeType(v.Type())
		} else {
			p.buf = append(p.buf, "<<NULL TYPE>>"...)
		}
	}
	p.buf = append(p.buf, ") -> "...)
	n := op.NumResults()
	if n == 1 {
		if _, isFunction := op.Result(0).Type().(*ir.FunctionType); !isFunction {
			p.writeType(op.Result(0).Type())
			return
		}
	}
	p.buf = append(p.buf, '(')
	for i := range n {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		p.writeType(op.Result(i).Type())
	}
	p.buf = append(p.buf, ')')
}

// trailing writes what follows an operation on its line: location and users.
func (p *printer) trailing(op *ir.Operation) {
	p.location(op.Loc(), true)
	if p.options.ValueUsers {
		p.usersComment(op)
	}
}

// location writes ` loc(…)` where locations are printed.
func (p *printer) location(l ir.Location, allowAlias bool) {
	switch {
	case !p.options.DebugInfo:
	case p.options.LocalScope && !p.expanded.take(l):
		p.refuseLocation()
	case p.options.PrettyDebugInfo:
		p.buf = p.text.AppendPrettyLocation(append(p.buf, ' '), l)
	case allowAlias:
		p.buf = p.text.AppendLocation(append(p.buf, ' '), l)
	default:
		p.buf = append(p.text.AppendLocationBody(append(p.buf, " loc("...), l), ')')
	}
}

// region writes `{…}`. The label of the entry block is written if it has arguments and entryArguments is set, or if it
// is empty and emptyBlock is set.
func (p *printer) region(r *ir.Region, entryArguments, terminators, emptyBlock bool) {
	if p.options.SkipRegions {
		p.buf = append(p.buf, "{...}"...)
		return
	}
	p.buf = append(p.buf, "{\n"...)
	if entry := r.First(); entry != nil {
		dialect := ""
		if def := r.Parent().Definition(); def != nil {
			dialect = def.DefaultDialect
		}
		p.defaultDialects = append(p.defaultDialects, dialect)
		label := emptyBlock && entry.Empty() || entryArguments && entry.NumArguments() > 0
		p.block(entry, label, terminators)
		for b := entry.Next(); b != nil; b = b.Next() {
			p.block(b, true, true)
		}
		p.defaultDialects = p.defaultDialects[:len(p.defaultDialects)-1]
	}
	p.writeIndent()
	p.buf = append(p.buf, '}')
}

func (p *printer) block(b *ir.Block, label, terminator bool) {
	if label {
		p.label(b)
	}
	p.indent += indentWidth
	if p.options.ValueUsers {
		for _, argument := range b.Arguments() {
			p.writeIndent()
			p.argumentUsers(argument)
		}
	}
	var end *ir.Operation
	if last := b.Last(); last != nil && !terminator && last.HasTrait(ir.Terminator) {
		end = last
	}
	if p.workers > 1 && isLarge(b) {
		p.inParallel(b, end)
	} else {
		p.operations(b.First(), end)
	}
	p.indent -= indentWidth
}

// operations writes operations of a block up to end, each on its line.
func (p *printer) operations(first, end *ir.Operation) {
	for op := first; op != end; op = op.Next() {
		p.writeIndent()
		p.operation(op)
		p.trailing(op)
		p.buf = append(p.buf, '\n')
		p.flushFull()
	}
}

// label writes `^bb1(%0: i32):  // pred: ^bb0`.
func (p *printer) label(b *ir.Block) {
	p.writeIndent()
	p.buf = p.names.appendBlock(p.buf, b)
	if b.NumArguments() > 0 {
		p.buf = append(p.buf, '(')
		for i, argument := range b.Arguments() {
			if i > 0 {
				p.buf = append(p.buf, ", "...)
			}
			p.buf = append(p.names.appendValue(p.buf, argument, true), ": "...)
			p.writeType(argument.Type())
			p.location(argument.Loc(), false)
		}
		p.buf = append(p.buf, ')')
	}
	p.buf = append(p.buf, ':')
	p.predecessors(b)
	p.buf = append(p.buf, '\n')
}

func (p *printer) predecessors(b *ir.Block) {
	var few [4]*ir.Block
	blocks := few[:0]
	for use := range b.Uses() {
		blocks = append(blocks, use.Owner().Block())
	}
	switch len(blocks) {
	case 0:
		if !b.IsEntry() {
			p.buf = append(p.buf, "  // no predecessors"...)
		}
		return
	case 1:
		p.buf = append(p.buf, "  // pred: "...)
	default:
		p.buf = append(p.buf, "  // "...)
		p.buf = append(strconv.AppendInt(p.buf, int64(len(blocks)), 10), " preds: "...)
	}
	slices.SortStableFunc(blocks, func(a, b *ir.Block) int {
		return cmp.Compare(p.names.blockNumber(a), p.names.blockNumber(b))
	})
	for i, pred := range blocks {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		p.buf = p.names.appendBlock(p.buf, pred)
	}
}
