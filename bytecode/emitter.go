package bytecode

// This file writes the primitives of the format. Large constants are not copied: they stand as pieces between those that
// were written, and hex text of the input is decoded when its turn comes.

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// largePiece is the size in bytes from which bytes are referred to, not copied.
const largePiece = 4096

// source gives the bytes of a large piece when they are written.
type source interface{ Data() []byte }

// piece is a part of the output: bytes, or something that has them.
type piece struct {
	bytes  []byte
	source source
	size   int
}

// emitter collects output.
type emitter struct {
	pieces    []piece
	current   []byte
	before    int // bytes in pieces
	alignment int
}

func (e *emitter) size() int { return e.before + len(e.current) }

func (e *emitter) byte(b byte) { e.current = append(e.current, b) }

func (e *emitter) bytes(b []byte) {
	if len(b) < largePiece {
		e.current = append(e.current, b...)
		return
	}
	e.split()
	e.pieces = append(e.pieces, piece{bytes: b, size: len(b)})
	e.before += len(b)
}

// lazily adds the n bytes of a source.
func (e *emitter) lazily(n int, s source) {
	if n < largePiece {
		e.bytes(s.Data())
		return
	}
	e.split()
	e.pieces = append(e.pieces, piece{source: s, size: n})
	e.before += n
}

func (e *emitter) split() {
	if len(e.current) > 0 {
		e.pieces = append(e.pieces, piece{bytes: e.current, size: len(e.current)})
		e.before += len(e.current)
		e.current = nil
	}
}

// varint writes an unsigned number in as few bytes as it needs.
func (e *emitter) varint(v uint64) {
	if v < 1<<7 {
		e.current = append(e.current, byte(v<<1|1))
		return
	}
	n := (bits.Len64(v) + 6) / 7
	if n > 8 {
		e.current = binary.LittleEndian.AppendUint64(append(e.current, 0), v)
		return
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], (v<<1|1)<<(n-1))
	e.current = append(e.current, word[:n]...)
}

func (e *emitter) count(n int) { e.varint(uint64(n)) }

func (e *emitter) flagged(v uint64, flag bool) {
	v <<= 1
	if flag {
		v |= 1
	}
	e.varint(v)
}

func (e *emitter) signed(v int64) { e.varint(uint64(v<<1) ^ uint64(v>>63)) }

func (e *emitter) terminated(s string) { e.current = append(append(e.current, s...), 0) }

// align pads to an alignment, which the section around takes, too.
func (e *emitter) align(alignment int) {
	if alignment < 2 {
		return
	}
	for e.size()&(alignment-1) != 0 {
		e.byte(padding)
	}
	e.alignment = max(e.alignment, alignment)
}

// append adds what another emitter collected.
func (e *emitter) append(other *emitter) {
	for _, p := range other.pieces {
		if p.source == nil {
			e.bytes(p.bytes)
			continue
		}
		e.split()
		e.pieces = append(e.pieces, p)
		e.before += p.size
	}
	e.bytes(other.current)
}

// section adds a section with its head.
func (e *emitter) section(id int, content *emitter) {
	head := byte(id)
	if content.alignment > 1 {
		head |= sectionAligned
	}
	e.byte(head)
	e.count(content.size())
	if content.alignment > 1 {
		e.count(content.alignment)
		e.align(content.alignment)
	}
	e.append(content)
}

func (e *emitter) writeTo(w io.Writer) error {
	e.split()
	for _, p := range e.pieces {
		data := p.bytes
		if p.source != nil {
			data = p.source.Data()
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
}
