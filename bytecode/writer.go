package bytecode

// This file writes a file's frame: the header, the sections, the tables of strings, dialects, operation names and
// properties.

import (
	"fmt"
	"io"
	"strings"

	"tpuir/ir"
)

// Options tells how to write.
type Options struct {
	// Version is the version of the format, [MinVersion] to [CurrentVersion]. Below 5 the inherent attributes of operations
	// are written with the others, which every version of LLVM reads; from 5 on the order in which a registered operation's
	// inherent attributes stand is that of LLVM 22.
	Version int
}

// producer stands in the header and is quoted by a reader that finds an error.
const producer = "tpuir"

// Write writes an operation and everything in it, with the resources that it names. Errors are those of w, a version that
// does not exist, and operations that lack an attribute which the format has no way to leave out.
func Write(w io.Writer, op *ir.Operation, options Options) error {
	if options.Version < MinVersion || options.Version > CurrentVersion {
		return op.PlainErrorf("unsupported version requested %d, must be in range [%d, %d]", options.Version, MinVersion, CurrentVersion)
	}
	b := newWriter(op, options.Version)
	b.number(op)
	var out emitter
	out.current = append(out.current, magic...)
	out.count(options.Version)
	out.terminated(producer)
	b.writeDialects(&out)
	b.writeEntries(&out)
	b.writeIR(&out, op)
	b.writeResources(&out)
	var content emitter
	b.strings.write(&content)
	out.section(sectionStrings, &content)
	if b.version >= versionProperties {
		content = emitter{}
		b.properties.write(&content)
		out.section(sectionProperties, &content)
	}
	if b.err != nil {
		return b.err
	}
	return out.writeTo(w)
}

// writer is the state of writing one file.
type writer struct {
	context *ir.Context
	version int
	err     error // the first

	strings    stringTable
	dialects   stringTable
	names      []*numberedName
	nameOf     map[*ir.OperationName]*numberedName
	entries    []*numbered // attributes and types by their ID
	attributes []*numbered
	types      []*numbered
	resources  resourceTable
	properties propertyTable

	order   map[*ir.Operation]int // the place of operations that use values of several uses
	count   int                   // operations numbered so far
	scopes  []map[*ir.Value]int   // spare ones
	blocks  map[*ir.Block]int     // the places of successors in their regions
	scratch emitter
}

func newWriter(op *ir.Operation, version int) *writer {
	return &writer{
		context: op.Context(), version: version,
		strings:    stringTable{numbers: map[string]int{}},
		dialects:   stringTable{numbers: map[string]int{}},
		nameOf:     map[*ir.OperationName]*numberedName{},
		properties: propertyTable{numbers: map[string]int{}},
		resources:  resourceTable{stringTable{numbers: map[string]int{}}},
		order:      map[*ir.Operation]int{},
		blocks:     map[*ir.Block]int{},
	}
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// stringTable gives strings, such as the names of dialects, numbers in the order they come.
type stringTable struct {
	list    []string
	numbers map[string]int
}

func (t *stringTable) number(s string) int {
	n, ok := t.numbers[s]
	if !ok {
		n = len(t.list)
		t.numbers[s] = n
		t.list = append(t.list, s)
	}
	return n
}

func (t *stringTable) write(e *emitter) {
	e.count(len(t.list))
	for i := len(t.list) - 1; i >= 0; i-- {
		e.count(len(t.list[i]) + 1)
	}
	for _, s := range t.list {
		e.terminated(s)
	}
}

// propertyTable holds the encoded properties of operations, each once.
type propertyTable struct {
	list    []string
	numbers map[string]int
}

func (t *propertyTable) number(encoded []byte) int {
	n, ok := t.numbers[string(encoded)]
	if !ok {
		n = len(t.list)
		s := string(encoded)
		t.numbers[s] = n
		t.list = append(t.list, s)
	}
	return n
}

func (t *propertyTable) write(e *emitter) {
	e.count(len(t.list))
	for _, s := range t.list {
		e.count(len(s))
		e.current = append(e.current, s...)
	}
}

func (w *writer) writeDialects(out *emitter) {
	var e emitter
	e.count(len(w.dialects.list))
	for _, namespace := range w.dialects.list {
		n := uint64(w.strings.number(namespace))
		if w.version < versionDialects {
			e.varint(n)
		} else {
			e.flagged(n, false)
		}
	}
	if w.version >= versionElidedLocations {
		e.count(len(w.names))
	}
	grouped(&e, len(w.names), func(i int) int { return w.names[i].dialect }, func(i int) {
		n := uint64(w.strings.number(w.names[i].text))
		if w.version < versionProperties {
			e.varint(n)
		} else {
			e.flagged(n, writtenAsRegistered(w.names[i].name))
		}
	})
	out.section(sectionDialects, &e)
}

// grouped writes n entries, those of one dialect that stand together as a group.
func grouped(e *emitter, n int, dialect func(i int) int, entry func(i int)) {
	for i := 0; i < n; {
		end := i + 1
		for end < n && dialect(end) == dialect(i) {
			end++
		}
		e.count(dialect(i))
		e.count(end - i)
		for ; i < end; i++ {
			entry(i)
		}
	}
}

// writeEntries writes the attributes and types, and how long each is.
func (w *writer) writeEntries(out *emitter) {
	var content, offsets emitter
	offsets.count(len(w.attributes))
	offsets.count(len(w.types))
	for _, list := range [][]*numbered{w.attributes, w.types} {
		grouped(&offsets, len(list), func(i int) int { return list[i].dialect }, func(i int) {
			before := content.size()
			custom := w.encode(list[i], &content)
			offsets.flagged(uint64(content.size()-before), custom)
		})
	}
	out.section(sectionAttributeOffsets, &offsets)
	out.section(sectionAttributes, &content)
}

// encode writes an attribute or type in the builtin dialect's encoding or, where that has none, as text.
func (w *writer) encode(n *numbered, content *emitter) (custom bool) {
	e := &encoder{writer: w, out: content}
	text := ""
	if n.attribute != nil {
		if e.encodeAttribute(n.attribute) {
			return true
		}
		text = n.attribute.String()
	} else {
		if e.encodeType(n.typ) {
			return true
		}
		text = n.typ.String()
	}
	if strings.IndexByte(text, 0) >= 0 {
		w.fail(fmt.Errorf("no bytecode for a text with a NUL: %q", clip(text)))
	}
	content.terminated(text)
	return false
}
