package bytecode

// This file holds the tables of attributes and types, whose entries are decoded when they are first asked for.

import (
	"math"

	"tpuir/ir"
	"tpuir/parser"
)

// entry is what is common to attributes and types: where the encoding lies.
type entry struct {
	at, end int // within the section
	dialect int32
	custom  bool  // the dialect's own encoding, not text
	busy    bool  // being decoded
	size    int64 // of its text with nothing shared, about; once it is decoded
}

type attributeEntry struct {
	entry
	value ir.Attribute
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
	if r.failed() {
		return
	}
	made := types
	for i := range r.attributes {
		switch r.codeOf(&r.attributes[i].entry) {
		case codeString: // mostly a name in others
		case codeFileLoc, codeNameLoc: // mostly pending
		default:
			made++
		}
	}
	r.context.Reserve(made)
}

func (r *reader) locateEntries(offsets, content *cursor, n int, at func(i int) *entry) {
	for i := 0; i < n && !r.failed(); {
		r.grouped(offsets, func(dialect int) {
			if i >= n {
				offsets.fail("more attributes or types than the section promises")
				return
			}
			size, custom := offsets.flagged()
			start := content.at
			content.bytes(size)
			*at(i) = entry{at: start, end: content.at, dialect: int32(dialect), custom: custom}
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
		if r.resolved {
			if content, ok := r.stringEntry(&e.entry); ok {
				value := r.string(&content)
				content.end("attribute entry")
				return r.context.StringAttr(value)
			}
		}
		if content, ok := r.enter(c, &e.entry); ok {
			outer := r.size
			r.size = int64(e.end - e.at)
			e.value = r.decodeAttribute(&content, &e.entry)
			e.size = r.size
			if _, ok := e.value.(ir.Location); ok {
				e.size = locationSize
			}
			r.size = outer
			if e.value != nil && !r.bounded(&content, e.value.Depth(), e.size) {
				e.value = nil
			}
			r.leave(&content, &e.entry, "attribute entry")
		}
	}
	if c.failed() {
		return nil
	}
	r.add(e.size)
	if pending, ok := e.value.(*ir.PendingLoc); ok {
		return pending.Resolve()
	}
	return e.value
}

// locationSize is what a location counts in the text of an attribute: locations have aliases.
const locationSize = 8

// add counts the text of an entry as part of the text of the one that is being decoded.
func (r *reader) add(size int64) {
	if r.size += size; r.size < 0 {
		r.size = math.MaxInt64
	}
}

// contentOf returns the bytes of an entry.
func (r *reader) contentOf(e *entry) cursor {
	section := &r.sections[sectionAttributes]
	return cursor{data: section.data[e.at:e.end], base: section.base + e.at, failure: &r.failure}
}

// codeOf returns the code of an entry that is an attribute of the builtin dialect, if its number is one byte; else -1.
func (r *reader) codeOf(e *entry) int {
	section := &r.sections[sectionAttributes]
	if !e.custom || e.at == e.end || section.data[e.at]&1 == 0 || r.dialects[e.dialect].name != builtinDialect {
		return -1
	}
	return int(section.data[e.at] >> 1)
}

// stringEntry returns what follows the code in an entry that is a string without a type.
func (r *reader) stringEntry(e *entry) (content cursor, ok bool) {
	if e.busy || r.codeOf(e) != codeString {
		return cursor{}, false
	}
	content = r.contentOf(e)
	content.at = 1
	return content, true
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
func (r *reader) location(c *cursor) ir.Location { return r.locationAt(c, c.varint()) }

func (r *reader) locationAt(c *cursor, index uint64) ir.Location {
	a := r.attributeAt(c, index)
	if a == nil {
		return nil
	}
	loc, ok := a.(ir.Location)
	if !ok {
		c.fail("expected attribute of type: LocationAttr, but got: %s", clip(a.String()))
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
			outer := r.size
			r.size = int64(e.end - e.at)
			e.value = r.decodeType(&content, &e.entry)
			e.size, r.size = r.size, outer
			if e.value != nil && !r.bounded(&content, e.value.Depth(), e.size) {
				e.value = nil
			}
			r.leave(&content, &e.entry, "type entry")
		}
	}
	if c.failed() {
		return nil
	}
	r.add(e.size)
	return e.value
}

// enter starts to decode an entry: its dialect has to be known, it must not hold itself, and depth is bounded.
func (r *reader) enter(c *cursor, e *entry) (content cursor, ok bool) {
	if r.resolved {
		if c.failure.err = r.broken[e]; c.failure.err == nil {
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
	return r.contentOf(e), true
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
