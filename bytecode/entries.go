package bytecode

// This file holds the tables of attributes and types, whose entries are decoded when they are first asked for.

import (
	"tpuir/ir"
	"tpuir/parser"
)

// entry is what is common to attributes and types: where the encoding lies.
type entry struct {
	data    []byte
	base    int
	dialect int32
	custom  bool  // the dialect's own encoding, not text
	busy    bool  // being decoded
	err     error // why it can't be decoded, where everything was decoded before
}

type attributeEntry struct {
	entry
	value ir.Attribute
	loc   ir.Location // the value where it is a location
}

type typeEntry struct {
	entry
	value ir.Type
}

func (r *reader) readEntries() {
	if r.failed() {
		return
	}
	offsets, content := r.sections[sectionAttributeOffsets], r.sections[sectionAttributes]
	attributes, types := offsets.count("attributes"), offsets.count("types")
	if attributes+types > offsets.left() {
		offsets.fail("%d attributes and types in %d bytes", attributes+types, offsets.left())
		return
	}
	r.attributes, r.types = make([]attributeEntry, attributes), make([]typeEntry, types)
	r.locateEntries(&offsets, &content, attributes, func(i int) *entry { return &r.attributes[i].entry })
	r.locateEntries(&offsets, &content, types, func(i int) *entry { return &r.types[i].entry })
	offsets.end("the Attribute/Type offset section")
}

func (r *reader) locateEntries(offsets, content *cursor, n int, at func(i int) *entry) {
	for i := 0; i < n && !r.failed(); {
		r.grouped(offsets, func(dialect int) {
			if i >= n {
				offsets.fail("more attributes or types than the section promises")
				return
			}
			size, custom := offsets.flagged()
			*at(i) = entry{base: content.base + content.at, data: content.bytes(size), dialect: int32(dialect), custom: custom}
			i++
		})
	}
}

// attribute reads a reference to an attribute. It is nil after an error.
func (r *reader) attribute(c *cursor) ir.Attribute { return r.attributeAt(c, c.varint()) }

func (r *reader) attributeAt(c *cursor, index uint64) ir.Attribute {
	if index >= uint64(len(r.attributes)) {
		c.fail("invalid Attribute index: %d", index)
		return nil
	}
	e := &r.attributes[index]
	if e.value == nil && !c.failed() {
		if content, ok := r.enter(c, &e.entry); ok {
			e.value = r.decodeAttribute(&content, &e.entry)
			if e.value != nil && !r.bounded(&content, e.value.Depth(), r.expansion.Attribute(e.value)) {
				e.value = nil
			}
			r.leave(&content, &e.entry, "attribute entry")
			e.loc, _ = e.value.(ir.Location)
		}
	}
	if c.failed() {
		return nil
	}
	return e.value
}

// optionalAttribute reads a reference to an attribute that may be absent.
func (r *reader) optionalAttribute(c *cursor) ir.Attribute {
	index, present := c.flagged()
	if !present {
		return nil
	}
	return r.attributeAt(c, index)
}

// location reads a reference to an attribute that has to be a location. It is nil after an error.
func (r *reader) location(c *cursor) ir.Location {
	index := c.varint()
	if a := r.attributeAt(c, index); a == nil {
		return nil
	}
	loc := r.attributes[index].loc
	if loc == nil {
		c.fail("expected attribute of type: LocationAttr, but got: %s", clip(r.attributes[index].value.String()))
	}
	return loc
}

// typ reads a reference to a type. It is nil after an error.
func (r *reader) typ(c *cursor) ir.Type { return r.typeAt(c, c.varint()) }

func (r *reader) typeAt(c *cursor, index uint64) ir.Type {
	if index >= uint64(len(r.types)) {
		c.fail("invalid Type index: %d", index)
		return nil
	}
	e := &r.types[index]
	if e.value == nil && !c.failed() {
		if content, ok := r.enter(c, &e.entry); ok {
			e.value = r.decodeType(&content, &e.entry)
			if e.value != nil && !r.bounded(&content, e.value.Depth(), r.expansion.Type(e.value)) {
				e.value = nil
			}
			r.leave(&content, &e.entry, "type entry")
		}
	}
	if c.failed() {
		return nil
	}
	return e.value
}

// enter starts to decode an entry: its dialect has to be known, it must not hold itself, and depth is bounded.
func (r *reader) enter(c *cursor, e *entry) (content cursor, ok bool) {
	if r.resolved {
		if c.failure.err = e.err; e.err == nil {
			c.fail("an entry that was not decoded")
		}
		return cursor{}, false
	}
	r.depth++
	switch {
	case e.busy:
		c.fail("an attribute or type refers to itself")
	case r.depth > ir.MaxDepth:
		c.fail("nested deeper than %d levels", ir.MaxDepth)
	}
	if c.failed() || !r.use(c, int(e.dialect)) {
		r.depth--
		return cursor{}, false
	}
	e.busy = true
	return cursor{data: e.data, base: e.base, failure: &r.failure}, true
}

// bounded refuses what other entries made deeper or longer than can be written. As in package parser, locations are shared in
// the text; what is longer than the file is because of entries that are used more than once.
func (r *reader) bounded(c *cursor, depth int, size int64) bool {
	switch {
	case depth > ir.MaxDepth:
		c.fail("nested deeper than %d levels", ir.MaxDepth)
	case size > max(64<<20, 16*int64(len(r.source.Text))):
		c.fail("an entry stands for too long a text")
	}
	return !c.failed()
}

func (r *reader) leave(content *cursor, e *entry, what string) {
	r.depth--
	e.busy = false
	content.end(what)
}

func (r *reader) decodeAttribute(c *cursor, e *entry) ir.Attribute {
	if !e.custom {
		text := c.terminated()
		if c.failed() {
			return nil
		}
		a, err := parser.ParseAttribute(r.context, text)
		if err != nil {
			c.fail("attribute '%s': %s", clip(text), textError(err))
			return nil
		}
		return a
	}
	if r.dialects[e.dialect].name != builtinDialect {
		c.fail("dialect '%s' does not implement the bytecode interface", r.dialects[e.dialect].name)
		return nil
	}
	return r.builtinAttribute(c)
}

func (r *reader) decodeType(c *cursor, e *entry) ir.Type {
	if !e.custom {
		text := c.terminated()
		if c.failed() {
			return nil
		}
		t, err := parser.ParseType(r.context, text)
		if err != nil {
			c.fail("type '%s': %s", clip(text), textError(err))
			return nil
		}
		return t
	}
	switch name := r.dialects[e.dialect].name; name {
	case builtinDialect:
		return r.builtinType(c)
	case quantDialect:
		return r.quantType(c)
	default:
		c.fail("dialect '%s' does not implement the bytecode interface", name)
		return nil
	}
}

// textError returns the message of an error in an entry's text.
func textError(err error) string {
	if d, ok := err.(*ir.Diagnostic); ok {
		return d.Message
	}
	return err.Error()
}

// clip bounds the text that a message quotes.
func clip(s string) string {
	const limit = 200
	if len(s) > limit {
		return s[:limit] + "…"
	}
	return s
}
