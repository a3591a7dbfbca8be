package printer

// This file decides which types, attributes and locations are written once, under an alias. It walks the IR in the
// order in which it will be written, with the same custom forms: aliases are numbered by that order, after those that
// they are made of.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tpuir/ir"
)

// aliases holds the aliases of one print.
type aliases struct {
	// texts holds `#loc3` by the ID of the type or attribute.
	texts []string
	named []*aliasEntry
	// distinct says that there are distinct attributes, which are numbered as they are written.
	distinct bool
}

// text returns the alias of a type or attribute, "" where it has none.
func (a *aliases) text(id uint32) string {
	if int(id) < len(a.texts) {
		return a.texts[id]
	}
	return ""
}

// aliasEntry is a type or attribute that has an alias or contains something that has one.
type aliasEntry struct {
	object interface{ ID() uint32 }
	name   string // without number; "" for what only contains others
	text   string
	// depth is 1 for an alias that needs no other, else one more than the deepest within.
	depth    int
	isType   bool
	deferred bool // may be defined behind its use
	children []*aliasEntry
}

// collector finds aliases. It is an [ir.OpAsmPrinter] that writes nothing.
type collector struct {
	options *Options
	context *ir.Context
	// seen holds, by ID, what was visited: an entry, or nothing for what contains no alias.
	seen    []*aliasEntry
	visited []bool
	order   []*aliasEntry
	spare   []*aliasEntry // of objects without aliases, for use again
	// writer visits what the text of a dialect's own type or attribute refers to.
	writer *ir.TextWriter
	// open is the entry whose text is being visited.
	open         *aliasEntry
	openDeferred bool
	distinct     bool // a distinct attribute was visited
}

// collectAliases finds the aliases of an operation that is written as a file.
func collectAliases(op *ir.Operation, options *Options) *aliases {
	ids := op.Context().MaxID() + 1
	c := &collector{options: options, context: op.Context(), writer: ir.NewTextWriter(), seen: make([]*aliasEntry, ids),
		visited: make([]bool, ids)}
	c.writer.Type = func(dst []byte, t ir.Type) ([]byte, bool) {
		c.nested(c.open, c.visitType(t, c.openDeferred))
		return dst, true
	}
	c.writer.Attribute = func(dst []byte, a ir.Attribute) ([]byte, bool) {
		c.nested(c.open, c.visitAttribute(a, c.openDeferred, false))
		return dst, true
	}
	c.operation(op)
	return c.numbered()
}

// numbered sorts the entries as MLIR does and numbers those of a name.
func (c *collector) numbered() *aliases {
	slices.SortStableFunc(c.order, func(a, b *aliasEntry) int {
		if a.depth != b.depth {
			return cmp.Compare(a.depth, b.depth)
		}
		if a.isType != b.isType {
			if a.isType {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.name, b.name)
	})
	found := &aliases{distinct: c.distinct}
	counts := map[string]int{}
	for _, e := range c.order {
		if e.name == "" {
			continue
		}
		prefix := "#"
		if e.isType {
			prefix = "!"
		}
		e.text = prefix + e.name
		if n := counts[e.name]; n > 0 {
			e.text += strconv.Itoa(n)
		}
		counts[e.name]++
		found.texts = grown(found.texts, e.object.ID())
		found.texts[e.object.ID()] = e.text
		found.named = append(found.named, e)
	}
	return found
}

// enter looks an object up. done is true where it was visited before; e may be nil then.
func (c *collector) enter(id uint32, deferred bool) (e *aliasEntry, done bool) {
	if int(id) < len(c.visited) && c.visited[id] {
		e = c.seen[id]
		if e != nil && !deferred {
			e.neverDefer()
		}
		return e, true
	}
	c.visited, c.seen = grown(c.visited, id), grown(c.seen, id)
	c.visited[id] = true
	return nil, false
}

func (e *aliasEntry) neverDefer() {
	if !e.deferred {
		return
	}
	e.deferred = false
	for _, child := range e.children {
		child.neverDefer()
	}
}

// nested notes that an entry contains another, which may be nil.
func (c *collector) nested(e, child *aliasEntry) {
	if child == nil {
		return
	}
	e.children = append(e.children, child)
	e.depth = max(e.depth, child.depth+1)
}

// begin makes the entry of an object, in the place of the order that it has even if its parts come later.
func (c *collector) begin(object interface{ ID() uint32 }, name string, isType, deferred bool) *aliasEntry {
	var e *aliasEntry
	if last := len(c.spare) - 1; last >= 0 {
		e, c.spare = c.spare[last], c.spare[:last]
	} else {
		e = new(aliasEntry)
	}
	*e = aliasEntry{object: object, name: name, isType: isType, deferred: deferred}
	if name != "" {
		e.depth = 1
		c.order = append(c.order, e)
	}
	return e
}

// end keeps the entry if there is any alias in it.
func (c *collector) end(e *aliasEntry) *aliasEntry {
	if e.depth == 0 {
		c.spare = append(c.spare, e)
		return nil
	}
	c.seen[e.object.ID()] = e
	return e
}

// largeTuple is the number of types above which a tuple gets an alias.
const largeTuple = 16

func (c *collector) visitType(t ir.Type, deferred bool) *aliasEntry {
	if t == nil {
		return nil
	}
	if e, done := c.enter(t.ID(), deferred); done {
		return e
	}
	name := ""
	if tuple, ok := t.(*ir.TupleType); ok && len(tuple.Types) > largeTuple {
		name = "tuple"
	}
	e := c.begin(t, name, true, deferred)
	switch t := t.(type) {
	case *ir.RankedTensorType:
		c.within(e, t.Encoding, t.Element)
	case *ir.UnrankedTensorType:
		c.within(e, nil, t.Element)
	case *ir.VectorType:
		c.within(e, nil, t.Element)
	case *ir.ComplexType:
		c.within(e, nil, t.Element)
	case *ir.TupleType:
		c.within(e, nil, t.Types...)
	case *ir.FunctionType:
		c.within(e, nil, t.Inputs...)
		c.within(e, nil, t.Results...)
	case *ir.MemRefType:
		c.within(e, t.Layout, t.Element)
		c.within(e, t.MemorySpace)
	case *ir.UnrankedMemRefType:
		c.within(e, t.MemorySpace, t.Element)
	case *ir.OpaqueType:
		c.parts(e, t.Parts)
	case ir.TextAppender:
		c.inText(e, t)
	}
	return c.end(e)
}

// parts visits what stands in the text of an unregistered dialect.
func (c *collector) parts(e *aliasEntry, parts []ir.Part) {
	for _, part := range parts {
		if part.Type != nil {
			c.within(e, nil, part.Type)
		} else {
			c.within(e, part.Attribute)
		}
	}
}

// within visits the types, then the attribute (which may be nil) that an entry contains.
func (c *collector) within(e *aliasEntry, a ir.Attribute, types ...ir.Type) {
	for _, t := range types {
		c.nested(e, c.visitType(t, e.deferred))
	}
	if a != nil {
		c.nested(e, c.visitAttribute(a, e.deferred, false))
	}
}

// inText visits what the text of a dialect's object refers to.
func (c *collector) inText(e *aliasEntry, object ir.TextAppender) {
	outer, outerDeferred := c.open, c.openDeferred
	c.open, c.openDeferred = e, e.deferred
	object.AppendText(nil, c.writer)
	c.open, c.openDeferred = outer, outerDeferred
}

func (c *collector) visitAttribute(a ir.Attribute, deferred, elideType bool) *aliasEntry {
	switch a := a.(type) {
	case nil, *ir.IntegerAttr, *ir.FloatAttr, *ir.UnitAttr, *ir.DenseArrayAttr:
		return nil // nothing in them, whatever their types are: as MLIR has it
	case *ir.StringAttr:
		if a.Type == ir.Type(c.context.NoneType()) {
			return nil
		}
	}
	if e, done := c.enter(a.ID(), deferred); done {
		return e
	}
	e := c.begin(a, aliasName(a), false, deferred)
	switch a := a.(type) {
	case *ir.DistinctAttr:
		c.distinct = true
		c.within(e, a.Referenced)
	case *ir.DictionaryAttr:
		for i := range a.Entries {
			c.within(e, a.Entries[i].Value)
		}
	case *ir.ArrayAttr:
		for _, element := range a.Elements {
			c.within(e, element)
		}
	case *ir.TypeAttr:
		c.within(e, nil, a.Value)
	case ir.Location:
		c.locationParts(e, a)
	case *ir.OpaqueAttr:
		c.parts(e, a.Parts)
	case ir.TextAppender:
		c.inText(e, a)
		return c.end(e)
	}
	if typed, ok := a.(ir.TypedAttribute); ok && !elideType {
		c.within(e, nil, typed.AttributeType())
	}
	return c.end(e)
}

func aliasName(a ir.Attribute) string {
	switch a := a.(type) {
	case *ir.AffineMapAttr:
		return "map"
	case *ir.IntegerSetAttr:
		return "set"
	case *ir.DistinctAttr:
		if _, isUnit := a.Referenced.(*ir.UnitAttr); !isUnit {
			return "distinct"
		}
	case ir.Location:
		return "loc"
	case *ir.OpaqueAttr:
		return mlirAliasName(a)
	}
	return ""
}

// mlirAliasName returns the name under which MLIR writes an attribute of its own dialects: it does so with what is large and
// stands everywhere, debug information above all.
func mlirAliasName(a *ir.OpaqueAttr) string {
	name := ir.Mnemonic(a.Text)
	switch a.Namespace {
	case "sparse_tensor":
		if name == "encoding" {
			return "sparse"
		}
	case "llvm":
		for _, family := range []string{"di_", "tbaa_", "loop_", "alias_scope", "access_group"} {
			if strings.HasPrefix(name, family) && !strings.HasPrefix(name, "di_expression") {
				return name
			}
		}
	}
	return ""
}

func (c *collector) locationParts(e *aliasEntry, l ir.Location) {
	switch l := l.(type) {
	case *ir.NameLoc:
		if l.Child != nil {
			c.within(e, l.Child)
		}
	case *ir.CallSiteLoc:
		c.within(e, l.Callee)
		c.within(e, l.Caller)
	case *ir.FusedLoc:
		c.within(e, l.Metadata)
		for _, inner := range l.Locations {
			c.within(e, inner)
		}
	}
}

// operation visits an operation as it will be written.
func (c *collector) operation(op *ir.Operation) {
	if c.options.DebugInfo {
		c.visitAttribute(op.Loc(), true, false)
	}
	if def := op.Definition(); def != nil && def.Print != nil && !c.options.Generic {
		def.Print(c, op)
		return
	}
	for i := range op.NumRegions() {
		c.Region(op.Region(i), true, true)
	}
	for i := range op.NumOperands() {
		if v := op.Operand(i); v != nil {
			c.visitType(v.Type(), false)
		}
	}
	for i := range op.NumResults() {
		c.visitType(op.Result(i).Type(), false)
	}
	c.visitAttribute(op.AllAttributes(), false, false)
}

// block visits a block; its arguments only where they are written in its own label.
func (c *collector) block(b *ir.Block, arguments, terminator bool) {
	if arguments {
		for _, argument := range b.Arguments() {
			c.Argument(argument, nil, false)
		}
	}
	for op := b.First(); op != nil; op = op.Next() {
		if op.Next() == nil && !terminator && op.HasTrait(ir.Terminator) {
			break
		}
		c.operation(op)
	}
}

// Region visits a region.
func (c *collector) Region(r *ir.Region, entryArguments, terminators bool) {
	if c.options.SkipRegions {
		return
	}
	for b := r.First(); b != nil; b = b.Next() {
		first := b == r.First()
		c.block(b, entryArguments || !first, terminators || !first)
	}
}

// Argument visits the argument of a region.
func (c *collector) Argument(v *ir.Value, _ *ir.DictionaryAttr, _ bool) {
	c.visitType(v.Type(), false)
	if c.options.DebugInfo {
		c.visitAttribute(v.Loc(), false, false)
	}
}

// AttrDict visits the values of a dictionary.
func (c *collector) AttrDict(d *ir.DictionaryAttr, elide ...string) {
	if len(elide) == 0 {
		c.visitAttribute(d, false, false)
		return
	}
	for i := range d.Entries {
		if !slices.Contains(elide, d.Entries[i].Name) {
			c.visitAttribute(d.Entries[i].Value, false, false)
		}
	}
}

// AttrDictWithKeyword is AttrDict.
func (c *collector) AttrDictWithKeyword(d *ir.DictionaryAttr, elide ...string) {
	c.AttrDict(d, elide...)
}

// Context returns the context.
func (c *collector) Context() *ir.Context { return c.context }

// Text does nothing: there is no alias in it. So it is with keywords, symbols, values and successors.
func (c *collector) Text(string)           {}
func (c *collector) Newline()              {}
func (c *collector) Keyword(string)        {}
func (c *collector) SymbolName(string)     {}
func (c *collector) Value(*ir.Value)       {}
func (c *collector) Values([]*ir.Value)    {}
func (c *collector) Successor(b *ir.Block) {}

// Type visits a type.
func (c *collector) Type(t ir.Type) { c.visitType(t, false) }

// Types visits types.
func (c *collector) Types(types []ir.Type) {
	for _, t := range types {
		c.visitType(t, false)
	}
}

// Attribute visits an attribute.
func (c *collector) Attribute(a ir.Attribute) { c.visitAttribute(a, false, false) }

// AttributeWithoutType visits an attribute, but not its type.
func (c *collector) AttributeWithoutType(a ir.Attribute) { c.visitAttribute(a, false, true) }

// OptionalLoc visits a location.
func (c *collector) OptionalLoc(l ir.Location) { c.visitAttribute(l, false, false) }
