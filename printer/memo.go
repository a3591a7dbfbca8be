package printer

// This file keeps the text of types and dictionaries, since a module writes few of them many times.

import "tpuir/ir"

// memo holds texts by the ID of their type or attribute.
type memo struct {
	spans []span
	arena []byte
}

// span is where a text is in the arena, or seenOnce.
type span struct{ from, to uint32 }

// seenOnce stands for a text that is worth keeping if it comes once more.
var seenOnce = span{1, 0}

const (
	longText    = 1 << 12 // the size from which a text is not kept
	largestSize = 1 << 30 // of the arena
)

func (m *memo) get(id uint32) ([]byte, bool) {
	if int(id) >= len(m.spans) {
		return nil, false
	}
	s := m.spans[id]
	if s.to <= s.from {
		return nil, false
	}
	return m.arena[s.from:s.to], true
}

func (m *memo) put(id uint32, text []byte) {
	if len(text) > longText || len(m.arena) > largestSize {
		return
	}
	m.spans = grown(m.spans, id)
	from := len(m.arena)
	m.arena = append(m.arena, text...)
	m.spans[id] = span{uint32(from), uint32(len(m.arena))}
}

// putRepeated is put for a text that is written the second time: most dictionaries with numbers in them never are.
func (m *memo) putRepeated(id uint32, text []byte) {
	m.spans = grown(m.spans, id)
	if m.spans[id] != seenOnce {
		m.spans[id] = seenOnce
		return
	}
	m.put(id, text)
}

// grown returns a table that has an entry for an ID.
func grown[T any](table []T, id uint32) []T {
	if int(id) < len(table) {
		return table
	}
	if int(id) < cap(table) {
		return table[:int(id)+1]
	}
	larger := make([]T, int(id)+1, 2*int(id)+64)
	copy(larger, table)
	return larger
}

// substituteType writes a type's alias or kept text; it keeps the text of every other type.
func (p *printer) substituteType(dst []byte, t ir.Type) ([]byte, bool) {
	id := t.ID()
	if alias := p.aliases.text(id); alias != "" {
		return append(dst, alias...), true
	}
	if text, ok := p.memo.get(id); ok {
		return append(dst, text...), true
	}
	start, flushes := len(dst), p.flushes
	dst = p.text.AppendTypeBody(dst, t)
	if flushes == p.flushes {
		p.memo.put(id, dst[start:])
	}
	return dst, true
}

// substituteAttribute writes the alias of an attribute that has one.
func (p *printer) substituteAttribute(dst []byte, a ir.Attribute) ([]byte, bool) {
	if alias := p.aliases.text(a.ID()); alias != "" {
		return append(dst, alias...), true
	}
	return dst, false
}

func (p *printer) writeType(t ir.Type) { p.buf = p.text.AppendType(p.buf, t) }

// writeDictionary writes ` {…}`, or nothing where there are no entries.
func (p *printer) writeDictionary(d *ir.DictionaryAttr) {
	if len(d.Entries) == 0 {
		return
	}
	if text, ok := p.memo.get(d.ID()); ok {
		p.buf = append(p.buf, text...)
		return
	}
	start, flushes := len(p.buf), p.flushes
	p.buf = p.text.AppendDictionary(append(p.buf, ' '), d.Entries)
	if flushes == p.flushes {
		p.memo.putRepeated(d.ID(), p.buf[start:])
	}
}
