package bytecode

// This file holds the properties of operations: their inherent attributes. An operation that the writer has no definition
// of has them as one attribute; a registered one as a list that only its definition explains. The lists of the operations
// that this project knows stand here, in every form that a version of MLIR has written; the number of references in the
// file tells which one it is.

import (
	"slices"

	"tpuir/ir"
)

// slot is one inherent attribute of a list.
type slot struct {
	name     string
	optional bool
}

// layout is the list of an operation's properties.
type layout struct {
	slots []slot
	// segments is how many groups of operands there are, 0 for an operation without operandSegmentSizes.
	segments int
}

const segmentsAttribute = "operandSegmentSizes"

func optional(name string) slot { return slot{name, true} }

func required(name string) slot { return slot{name: name} }

// layouts lists the newest form of an operation first: the one that is written.
var layouts = map[string][]layout{
	"builtin.module": {{slots: []slot{optional("sym_name"), optional("sym_visibility")}}},
	"func.func": {
		{slots: []slot{optional("arg_attrs"), required("function_type"), optional("no_inline"), optional("res_attrs"),
			required("sym_name"), optional("sym_visibility")}},
		{slots: []slot{optional("arg_attrs"), required("function_type"), optional("res_attrs"), required("sym_name"),
			optional("sym_visibility")}}, // LLVM 17 to 20
	},
	"func.call": {
		{slots: []slot{optional("arg_attrs"), required("callee"), optional("no_inline"), optional("res_attrs")}},
		{slots: []slot{optional("arg_attrs"), required("callee"), optional("res_attrs")}},
		{slots: []slot{required("callee")}}, // LLVM 17 to 19
	},
	"func.call_indirect": {{slots: []slot{optional("arg_attrs"), optional("res_attrs")}}},
	"func.constant":      {{slots: []slot{required("value")}}},
	"arith.constant":     {{slots: []slot{required("value")}}},
	"cf.assert":          {{slots: []slot{required("msg")}}},
	"cf.cond_br": {
		{slots: []slot{optional("branch_weights")}, segments: 3},
		{segments: 3}, // LLVM 17 to 19
	},
	"cf.switch": {{slots: []slot{required("case_operand_segments"), optional("case_values")}, segments: 3}},

	"irdl.attribute":  {{slots: []slot{required("sym_name")}}},
	"irdl.attributes": {{slots: []slot{required("attributeValueNames")}}},
	"irdl.base":       {{slots: []slot{optional("base_name"), optional("base_ref")}}},
	"irdl.c_pred":     {{slots: []slot{required("pred")}}},
	"irdl.dialect":    {{slots: []slot{required("sym_name")}}},
	"irdl.is":         {{slots: []slot{required("expected")}}},
	"irdl.operands":   namedValues,
	"irdl.operation":  {{slots: []slot{required("sym_name")}}},
	"irdl.parameters": {{slots: []slot{required("names")}}, {}},
	"irdl.parametric": {{slots: []slot{required("base_type")}}},
	"irdl.region":     {{slots: []slot{optional("constrainedArguments"), optional("numberOfBlocks")}}},
	"irdl.regions":    {{slots: []slot{required("names")}}, {}},
	"irdl.results":    namedValues,
	"irdl.type":       {{slots: []slot{required("sym_name")}}},
}

var namedValues = []layout{
	{slots: []slot{required("names"), required("variadicity")}},
	{slots: []slot{required("variadicity")}}, // up to LLVM 19
}

// inVersion returns the references of a list. Segment sizes are one of them in version 5, in alphabetical order as all are.
func (l *layout) inVersion(version int) []slot {
	if l.segments == 0 || version >= versionSegmentSizes {
		return l.slots
	}
	at := 0
	for at < len(l.slots) && l.slots[at].name < segmentsAttribute {
		at++
	}
	return slices.Insert(slices.Clone(l.slots), at, required(segmentsAttribute))
}

// operationProperties reads a reference to an operation's properties.
func (r *reader) operationProperties(c *cursor, name *operationName) ir.Attribute {
	index := c.varint()
	switch {
	case c.failed():
		return nil
	case r.version < versionProperties:
		c.fail("properties of an operation in bytecode version %d", r.version)
		return nil
	case index >= uint64(len(r.properties)):
		c.fail("Properties idx out-of-bound for %s", name.resolved)
		return nil
	}
	data := r.properties[index]
	if !name.registered {
		p := r.cursor(data)
		a := r.attribute(&p)
		p.end("the properties of '" + name.resolved.String() + "'")
		return a
	}
	for _, l := range name.layouts {
		if r.fits(&l, data) {
			return r.readLayout(&l, data)
		}
	}
	c.fail("'%s' was registered where the bytecode was written: its properties can't be read without its definition "+
		"(--emit-bytecode-version=4 writes them as attributes)", name.resolved)
	return nil
}

// fits reports whether properties have as many references as a list.
func (r *reader) fits(l *layout, data []byte) bool {
	probe := cursor{data: data, failure: &failure{}}
	for range l.inVersion(int(r.version)) {
		probe.varint()
	}
	if l.segments > 0 && r.version >= versionSegmentSizes {
		probe.sparse(l.segments)
	}
	return !probe.failed() && probe.empty()
}

func (r *reader) readLayout(l *layout, data []byte) ir.Attribute {
	c := r.cursor(data)
	entries := make([]ir.NamedAttribute, 0, len(l.slots)+1)
	add := func(name string, a ir.Attribute) {
		if a != nil {
			entries = append(entries, ir.NamedAttribute{Name: name, Value: a})
		}
	}
	for _, s := range l.inVersion(int(r.version)) {
		if s.optional {
			add(s.name, r.optionalAttribute(&c))
		} else {
			add(s.name, r.attribute(&c))
		}
	}
	if l.segments > 0 && r.version >= versionSegmentSizes {
		add(segmentsAttribute, r.context.DenseI32Array(c.sparse(l.segments)...))
	}
	if c.failed() {
		return nil
	}
	return r.context.Dictionary(entries...)
}

// sparse reads an array of n small numbers: all of them, or those that are not zero with their places.
func (c *cursor) sparse(n int) []int32 {
	values := make([]int32, n)
	count, sparse := c.flagged()
	if count > uint64(n) {
		c.fail("trying to read an array of %d but only %d storage available", count, n)
		return values
	}
	if !sparse {
		for i := range int(count) {
			values[i] = int32(c.varint())
		}
		return values
	}
	if count == 0 {
		return values
	}
	width := c.varint()
	if width > 8 {
		c.fail("reading sparse array with indexing above 8 bits: %d", width)
		return values
	}
	for range int(count) {
		pair := c.varint()
		if index := pair & (1<<width - 1); index < uint64(n) {
			values[index] = int32(pair >> width)
		} else {
			c.fail("reading a sparse array found index %d but only %d storage available", index, n)
		}
	}
	return values
}

// sparse writes an array of small numbers.
func (e *emitter) sparse(values []int32) {
	used, last := 0, 0
	for i, v := range values {
		if v != 0 {
			used, last = used+1, i
		}
	}
	if last > 256 || used > len(values)/2 {
		e.flagged(uint64(len(values)), false)
		for _, v := range values {
			e.varint(uint64(uint32(v)))
		}
		return
	}
	e.flagged(uint64(used), true)
	if used == 0 {
		return
	}
	width := 0
	for 1<<width < last+1 {
		width++
	}
	e.count(width)
	for i, v := range values {
		if v != 0 {
			e.varint(uint64(uint32(v))<<width | uint64(i))
		}
	}
}

// writtenLayout returns the list that an operation's properties are written as, nil for an operation whose properties are
// one attribute or that has none.
func writtenLayout(op *ir.Operation) *layout {
	if def := op.Definition(); def == nil || !def.UsesProperties {
		return nil
	}
	if l := layouts[op.Name().String()]; l != nil {
		return &l[0]
	}
	return nil
}

// writtenAsRegistered reports whether a reader has to know the operation to understand its properties: an operation whose
// list is not known here is written as one that nobody knows.
func writtenAsRegistered(name *ir.OperationName) bool {
	def := name.Definition()
	return def != nil && (!def.UsesProperties || layouts[name.String()] != nil)
}
