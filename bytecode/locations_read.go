package bytecode

// This file reads the locations of operations and block arguments. Nearly every one has its own, a name or a place in a file: it is
// checked, but not uniqued before somebody asks for it.

import "tpuir/ir"

// ownLocation reads a reference to the location of an operation or a block argument. It is nil after an error.
func (r *reader) ownLocation(c *cursor) ir.Location {
	index := c.varint()
	if index < uint64(len(r.attributes)) {
		if e := &r.attributes[index]; r.pendingLocation(e) {
			return e.value.(*ir.PendingLoc)
		}
	}
	return r.locationAt(c, index)
}

// pendingLocation reports whether an entry is a location that nobody has asked for, having decoded it if it is one.
func (r *reader) pendingLocation(e *attributeEntry) bool {
	if e.value != nil {
		_, ok := e.value.(*ir.PendingLoc)
		return ok
	}
	if r.resolved || e.busy {
		return false
	}
	var pending *ir.PendingLoc
	switch r.codeOf(&e.entry) {
	case codeFileLoc:
		pending = r.pendingFileLoc(&e.entry)
	case codeNameLoc:
		pending = r.pendingNameLoc(&e.entry)
	}
	if pending == nil {
		return false
	}
	e.value, e.size = pending, locationSize
	return true
}

// pendingFileLoc decodes a place in a file; nil where anything is wrong, which will be an error when it is decoded.
func (r *reader) pendingFileLoc(e *entry) *ir.PendingLoc {
	var wrong failure
	c := r.afterCode(e, &wrong)
	file, ok := r.quietString(&c)
	line, column := c.varint(), c.varint()
	if !ok || wrong.err != nil || !c.empty() {
		return nil
	}
	return r.slab.PendingFileLoc(r.context, file, uint32(line), uint32(column))
}

// pendingNameLoc is pendingFileLoc for a name; nil, too, for one with a child.
func (r *reader) pendingNameLoc(e *entry) *ir.PendingLoc {
	var wrong failure
	c := r.afterCode(e, &wrong)
	name, ok := r.quietString(&c)
	child := c.varint()
	if !ok || wrong.err != nil || !c.empty() || child >= uint64(len(r.attributes)) {
		return nil
	}
	if e := &r.attributes[child].entry; r.codeOf(e) != codeUnknownLoc || e.end-e.at != 1 {
		return nil
	}
	return r.slab.PendingNameLoc(r.context, name)
}

// afterCode returns the content of an entry behind its code, with a failure of its own.
func (r *reader) afterCode(e *entry, wrong *failure) cursor {
	c := r.contentOf(e)
	c.at, c.failure = 1, wrong
	return c
}

// quietString is plainString that makes no error: ok is false for what is no string.
func (r *reader) quietString(c *cursor) (s string, ok bool) {
	return r.quietStringAt(c.varint(), c.failure)
}

func (r *reader) quietStringAt(index uint64, wrong *failure) (s string, ok bool) {
	if index >= uint64(len(r.attributes)) {
		return "", false
	}
	e := &r.attributes[index]
	if e.value != nil {
		a, ok := e.value.(*ir.StringAttr)
		if !ok {
			return "", false
		}
		return a.Value, true
	}
	if r.codeOf(&e.entry) != codeString {
		return "", false
	}
	content := r.afterCode(&e.entry, wrong)
	s = r.string(&content)
	return s, wrong.err == nil && content.empty()
}
