package printer

// This file is what a dialect's custom forms are written with.

import (
	"slices"
	"strings"

	"tpuir/ir"
)

// customName writes the name of an operation in custom form: without the namespace where the region implies it.
func (p *printer) customName(op *ir.Operation) {
	name := op.Name().String()
	if dialect := p.defaultDialects[len(p.defaultDialects)-1]; dialect != "" {
		if rest, ok := strings.CutPrefix(name, dialect+"."); ok && !strings.Contains(rest, ".") {
			name = rest
		}
	}
	p.buf = append(p.buf, name...)
}

// customPrinter is the printer as dialects see it: an [ir.OpAsmPrinter].
type customPrinter printer

// Context returns the context.
func (p *customPrinter) Context() *ir.Context { return p.context }

// Text writes text as it is.
func (p *customPrinter) Text(s string) { p.buf = append(p.buf, s...) }

// Newline ends the line and starts the next as far in as the operation.
func (p *customPrinter) Newline() {
	p.buf = append(p.buf, '\n')
	(*printer)(p).writeIndent()
}

// Keyword writes a bare identifier, quoted where it is none.
func (p *customPrinter) Keyword(s string) { p.buf = ir.AppendKeyword(p.buf, s) }

// SymbolName writes `@name`.
func (p *customPrinter) SymbolName(s string) { p.buf = ir.AppendSymbolName(p.buf, s) }

// Type writes a type.
func (p *customPrinter) Type(t ir.Type) { (*printer)(p).writeType(t) }

// Attribute writes an attribute.
func (p *customPrinter) Attribute(a ir.Attribute) { p.buf = p.text.AppendAttribute(p.buf, a) }

// AttributeWithoutType writes a typed attribute without its type.
func (p *customPrinter) AttributeWithoutType(a ir.Attribute) {
	p.buf = p.text.AppendAttributeWithoutType(p.buf, a)
}

// Value writes `%name`.
func (p *customPrinter) Value(v *ir.Value) { p.buf = p.names.appendValue(p.buf, v, true) }

// Values writes values with commas between.
func (p *customPrinter) Values(values []*ir.Value) {
	for i, v := range values {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		p.Value(v)
	}
}

// Types writes types with commas between.
func (p *customPrinter) Types(types []ir.Type) { p.buf = p.text.AppendTypes(p.buf, types) }

// Successor writes `^bb1`.
func (p *customPrinter) Successor(b *ir.Block) { p.buf = p.names.appendBlock(p.buf, b) }

// AttrDict writes ` {…}` without the elided names.
func (p *customPrinter) AttrDict(d *ir.DictionaryAttr, elide ...string) {
	if left := without(d, elide); len(left) > 0 {
		p.buf = p.text.AppendDictionary(append(p.buf, ' '), left)
	}
}

// AttrDictWithKeyword writes ` attributes {…}` without the elided names.
func (p *customPrinter) AttrDictWithKeyword(d *ir.DictionaryAttr, elide ...string) {
	if left := without(d, elide); len(left) > 0 {
		p.buf = p.text.AppendDictionary(append(p.buf, " attributes "...), left)
	}
}

func without(d *ir.DictionaryAttr, names []string) []ir.NamedAttribute {
	if len(names) == 0 || len(d.Entries) == 0 {
		return d.Entries
	}
	var left []ir.NamedAttribute // most often nothing is
	for _, e := range d.Entries {
		if !slices.Contains(names, e.Name) {
			left = append(left, e)
		}
	}
	return left
}

// Region writes `{…}`.
func (p *customPrinter) Region(r *ir.Region, entryArguments, terminators bool) {
	(*printer)(p).region(r, entryArguments, terminators, false)
}

// Argument writes `%name: type {attributes} loc(…)`.
func (p *customPrinter) Argument(v *ir.Value, d *ir.DictionaryAttr, omitType bool) {
	p.Value(v)
	if !omitType {
		p.Text(": ")
		p.Type(v.Type())
	}
	if d != nil {
		p.AttrDict(d)
	}
	(*printer)(p).location(v.Loc(), false)
}

// OptionalLoc writes ` loc(…)` where locations are printed.
func (p *customPrinter) OptionalLoc(l ir.Location) { (*printer)(p).location(l, true) }
