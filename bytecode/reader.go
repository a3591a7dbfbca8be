package bytecode

// This file reads a file's frame: the header, the sections, and the tables of strings, dialects and operation names.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tpuir/ir"
)

// ReadOptions tells how to read. The zero value is the usual way.
type ReadOptions struct {
	// NoImplicitModule refuses a file that does not hold one operation, and puts no module around that.
	NoImplicitModule bool
	// Workers is the number of goroutines that read the functions of a large module; 0 means as many as processors. The
	// result is the same.
	Workers int
}

// Read reads a bytecode file and returns its module: the only top-level operation if that is a module, else a module around
// what there is, if options allow. Dialects have to be registered in the context before. The error is a *[ir.Diagnostic]
// that names the file and its producer; it is ctx's own where that is cancelled. The IR is not verified. The content of the source must
// not change afterwards: large constants and resources are views of it.
func Read(ctx context.Context, c *ir.Context, src *ir.Source, options ReadOptions) (*ir.Operation, error) {
	r := &reader{ctx: ctx, context: c, source: src, placeholder: c.OperationName("builtin.unrealized_conversion_cast")}
	block := r.read(options.Workers)
	if r.failure.err != nil {
		return nil, r.diagnostic()
	}
	only := block.First()
	switch single := only != nil && only.Next() == nil; {
	case single && (options.NoImplicitModule || only.Is(moduleName)):
		only.Remove()
		return only, nil
	case options.NoImplicitModule:
		r.failure.err = errors.New("source must contain a single top-level operation")
		return nil, r.diagnostic()
	}
	module := ir.NewOperation(&ir.OperationState{Name: c.OperationName(moduleName), Loc: r.loc(), Regions: 1})
	module.Region(0).Append(block)
	return module, nil
}

const moduleName = "builtin.module"

// reader is the state of reading one file.
type reader struct {
	ctx     context.Context
	context *ir.Context
	source  *ir.Source
	failure failure

	version    uint64
	producer   string
	sections   [sectionCount]cursor
	present    [sectionCount]bool
	strings    []string
	dialects   []dialect
	names      []operationName
	resources  []string // the context's keys
	properties [][]byte
	attributes []attributeEntry
	types      []typeEntry
	depth      int
	size       int64 // of the text of the entry that is being decoded, so far

	slab        ir.Slab
	placeholder *ir.OperationName
	operations  int // read so far
	values      int // promised by the regions so far
	forward     map[*ir.Value]bool
	orders      []valueOrder

	collecting bool // isolated regions are put aside as jobs
	jobs       []job
	resolved   bool             // all entries are decoded
	broken     map[*entry]error // then: why some can't be

	// Buffers that operations share.
	operandBuffer   []*ir.Value
	typeBuffer      []ir.Type
	successorBuffer []*ir.Block
	// Stacks of the parts of attributes that hold each other.
	elementStack []ir.Attribute
	namedStack   []ir.NamedAttribute
}

// dialect is an entry of the dialect table.
type dialect struct {
	name    string
	checked bool
}

// operationName is an entry of the table of operation names.
type operationName struct {
	dialect    int
	name       string
	registered bool
	resolved   *ir.OperationName
	layouts    []layout
}

func (r *reader) loc() ir.Location { return r.context.FileLoc(r.source.Name, 0, 0) }

// diagnostic makes the error that the caller gets.
func (r *reader) diagnostic() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	d := &ir.Diagnostic{Loc: r.loc(), Message: r.failure.err.Error(), Cause: r.failure.err}
	place := ""
	if c, ok := r.failure.err.(*corruption); ok {
		place = fmt.Sprintf(", at byte %d", c.offset)
	}
	if r.producer != "" {
		d.Note(nil, "in bytecode version %d produced by: %s%s", r.version, r.producer, place)
	}
	return d
}

func (r *reader) cursor(data []byte) cursor { return cursor{data: data, failure: &r.failure} }

func (r *reader) fail(format string, args ...any) {
	if r.failure.err == nil {
		r.failure.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) failed() bool { return r.failure.err != nil }

// read returns a block with the top-level operations.
func (r *reader) read(workers int) *ir.Block {
	r.readFrame()
	r.readStrings()
	r.readProperties()
	r.readDialects()
	r.readResources()
	r.readEntries()
	return r.readIR(r.workers(workers))
}

func (r *reader) readFrame() {
	c := r.cursor(r.source.Text)
	if !IsBytecode(r.source.Text) {
		c.fail("input buffer is not an MLIR bytecode file")
		return
	}
	c.at = len(magic)
	r.version = c.varint()
	if r.version > CurrentVersion {
		c.fail("bytecode version %d is newer than the current version %d", r.version, CurrentVersion)
		return
	}
	r.producer = c.terminated()
	for !c.empty() && !c.failed() {
		id, content := c.section()
		if c.failed() {
			return
		}
		if r.present[id] {
			c.fail("duplicate top-level section: %s", sectionNames[id])
			return
		}
		r.present[id], r.sections[id] = true, content
	}
	for _, id := range []int{sectionStrings, sectionDialects, sectionAttributes, sectionAttributeOffsets, sectionIR} {
		if !r.present[id] {
			c.fail("missing data for top-level section: %s", sectionNames[id])
		}
	}
	if r.version >= versionProperties && !r.present[sectionProperties] {
		c.fail("missing data for top-level section: %s", sectionNames[sectionProperties])
	}
}

// readStrings reads the table of strings: their lengths stand from the last to the first, their text lies together. The
// text is copied in one piece.
func (r *reader) readStrings() {
	c := r.sections[sectionStrings]
	if r.failed() {
		return
	}
	n := c.count("strings")
	r.strings = make([]string, n)
	text := string(c.data)
	end := uint64(len(text))
	for i := n - 1; i >= 0; i-- {
		size := c.varint()
		if size == 0 || size > end {
			c.fail("string size exceeds the available data size")
			return
		}
		end -= size
		r.strings[i] = text[end : end+size-1] // without the NUL
	}
	if !c.failed() && uint64(c.at) != end {
		c.fail("unexpected trailing data between the offsets for strings and their data")
	}
}

// string reads a reference to the table of strings.
func (r *reader) string(c *cursor) string { return r.stringAt(c, c.varint()) }

func (r *reader) stringAt(c *cursor, index uint64) string {
	if c.failed() {
		return ""
	}
	if index >= uint64(len(r.strings)) {
		c.fail("invalid string index: %d", index)
		return ""
	}
	return r.strings[index]
}

// readProperties finds the entries of the properties section.
func (r *reader) readProperties() {
	if r.failed() || !r.present[sectionProperties] {
		return
	}
	c := r.sections[sectionProperties]
	if c.empty() {
		return
	}
	r.properties = make([][]byte, c.count("properties"))
	for i := range r.properties {
		r.properties[i] = c.blob()
	}
	if !c.failed() && !c.empty() {
		c.fail("Broken properties section: didn't exhaust the offsets table")
	}
}

func (r *reader) readDialects() {
	c := r.sections[sectionDialects]
	if r.failed() {
		return
	}
	r.dialects = make([]dialect, c.count("dialects"))
	for i := range r.dialects {
		if r.version < versionDialects {
			r.dialects[i].name = r.string(&c)
			continue
		}
		name, versioned := c.flagged()
		r.dialects[i].name = r.stringAt(&c, name)
		if !versioned {
			continue
		}
		if id, _ := c.section(); id != sectionDialectVersions && !c.failed() {
			c.fail("expected dialect version section")
		}
	}
	if r.version >= versionElidedLocations {
		r.names = make([]operationName, 0, c.count("operation names"))
	}
	for !c.empty() && !c.failed() {
		r.grouped(&c, func(dialect int) {
			name := operationName{dialect: dialect}
			if r.version < versionProperties {
				name.name = r.string(&c)
			} else {
				var index uint64
				index, name.registered = c.flagged()
				name.name = r.stringAt(&c, index)
			}
			r.names = append(r.names, name)
		})
	}
}

// grouped reads a group of entries that belong to one dialect.
func (r *reader) grouped(c *cursor, entry func(dialect int)) {
	dialect := c.varint()
	n := c.count("entries of a dialect")
	if !c.failed() && dialect >= uint64(len(r.dialects)) {
		c.fail("invalid dialect index: %d", dialect)
	}
	for i := 0; i < n && !c.failed(); i++ {
		entry(int(dialect))
	}
}

// use checks that a dialect is known, once.
func (r *reader) use(c *cursor, index int) bool {
	d := &r.dialects[index]
	if d.checked {
		return true
	}
	if d.name != builtinDialect && r.context.Dialect(d.name) == nil && !r.context.AllowUnregisteredDialects {
		c.fail("dialect '%s' is unknown. If this is intended, please call allowUnregisteredDialects() on the MLIRContext, "+
			"or use -allow-unregistered-dialect with the MLIR tool used.", d.name)
		return false
	}
	d.checked = true
	return true
}

// operationName reads a reference to the table of operation names.
func (r *reader) operationName(c *cursor) *operationName {
	index := c.varint()
	if c.failed() {
		return nil
	}
	if index >= uint64(len(r.names)) {
		c.fail("invalid operation name index: %d", index)
		return nil
	}
	name := &r.names[index]
	if name.resolved == nil && !r.resolveName(c, name) {
		return nil
	}
	return name
}

func (r *reader) resolveName(c *cursor, name *operationName) bool {
	if !r.use(c, name.dialect) {
		return false
	}
	full := r.dialects[name.dialect].name
	if name.name != "" { // empty for a name without a dot
		full += "." + name.name
	}
	if strings.IndexByte(full, 0) >= 0 || full == "" {
		c.fail("invalid operation name: %q", full)
		return false
	}
	name.resolved, name.layouts = r.context.OperationName(full), layouts[full]
	return true
}
