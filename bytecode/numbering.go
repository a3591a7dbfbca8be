package bytecode

// This file gives numbers to everything that a module refers to: what is used most gets the smallest number, and within
// the numbers that take equally many bytes the entries of a dialect stand together.

import (
	"cmp"
	"slices"
	"strings"

	"tpuir/ir"
)

// numbered is an attribute or a type with its number.
type numbered struct {
	attribute ir.Attribute
	typ       ir.Type
	dialect   int
	uses      int
	number    int
}

type numberedName struct {
	name    *ir.OperationName
	text    string // without the dialect
	dialect int
	uses    int
	number  int
}

// number numbers an operation and all that is in it.
func (w *writer) number(op *ir.Operation) {
	w.visitOperation(op)
	less := func(a, b *numbered) int { return b.uses - a.uses }
	slices.SortStableFunc(w.attributes, less)
	slices.SortStableFunc(w.types, less)
	slices.SortStableFunc(w.names, func(a, b *numberedName) int { return b.uses - a.uses })
	group(w.attributes, func(n *numbered) int { return n.dialect })
	group(w.types, func(n *numbered) int { return n.dialect })
	group(w.names, func(n *numberedName) int { return n.dialect })
	for i, n := range w.attributes {
		n.number = i
	}
	for i, n := range w.types {
		n.number = i
	}
	for i, n := range w.names {
		n.number = i
	}
	w.resources.finish(w.context)
}

// group puts the entries of a dialect together among those whose numbers take one byte, among those that take two, and so on.
func group[T any](list []T, dialect func(T) int) {
	for bits := 7; len(list) > 0; bits += 7 {
		n := min(len(list), 1<<bits)
		slices.SortStableFunc(list[:n], func(a, b T) int { return cmp.Compare(dialect(a), dialect(b)) })
		list = list[n:]
	}
}

func (w *writer) visitOperation(op *ir.Operation) {
	place := w.count
	w.count++
	w.visitName(op.Name())
	w.visitAttribute(op.Loc())
	discardable, properties := w.attributesOf(op)
	if len(discardable.Entries) > 0 {
		w.visitAttribute(discardable)
	}
	w.visitProperties(op, properties)
	for i := range op.NumResults() {
		w.visitType(op.Result(i).Type())
	}
	if w.version >= versionUseLists {
		for i := range op.NumOperands() {
			if v := op.Operand(i); v != nil && !v.HasOneUse() {
				w.order[op] = place
				break
			}
		}
	}
	for i := range op.NumRegions() {
		for block := range op.Region(i).Blocks() {
			w.visitBlock(block)
		}
	}
}

func (w *writer) visitBlock(block *ir.Block) {
	for i, v := range block.Arguments() {
		w.visitType(v.Type())
		if loc := block.ArgumentLoc(i); w.version < versionElidedLocations || loc != ir.Location(w.context.UnknownLoc()) {
			w.visitAttribute(loc)
		}
	}
	for op := range block.Operations() {
		w.visitOperation(op)
	}
}

// attributesOf returns what is written as an operation's dictionary and what as its properties. Before version 5 there are
// no properties: all attributes are one dictionary. So it is with operations that MLIR itself defines and we do not: it would
// read their properties as a list of which we know nothing, but takes them from the dictionary, too.
func (w *writer) attributesOf(op *ir.Operation) (discardable *ir.DictionaryAttr, properties ir.Attribute) {
	given := op.Properties()
	inherent, ok := given.(*ir.DictionaryAttr)
	if w.version >= versionProperties && !(ok && op.Name().MLIR()) {
		return op.Attributes(), given
	}
	if given != nil && !ok {
		w.fail(op.Errorf("has properties that are no dictionary, which bytecode before version %d can't hold", versionProperties))
	}
	if !ok || len(inherent.Entries) == 0 {
		return op.Attributes(), nil
	}
	all := slices.Concat(op.Attributes().Entries, inherent.Entries)
	return w.context.Dictionary(all...), nil
}

func (w *writer) visitProperties(op *ir.Operation, properties ir.Attribute) {
	l := writtenLayout(op)
	if w.version < versionProperties || l == nil {
		if properties != nil {
			w.visitAttribute(properties)
		}
		return
	}
	for _, s := range l.inVersion(w.version) {
		if a := propertyOf(properties, s.name); a != nil {
			w.visitAttribute(a)
		}
	}
}

func propertyOf(properties ir.Attribute, name string) ir.Attribute {
	if d, ok := properties.(*ir.DictionaryAttr); ok {
		return d.Get(name)
	}
	return nil
}

func (w *writer) visitName(name *ir.OperationName) {
	if n := w.nameOf[name]; n != nil {
		n.uses++
		return
	}
	namespace, text, _ := strings.Cut(name.String(), ".")
	n := &numberedName{name: name, text: text, dialect: w.dialects.number(namespace), uses: 1}
	w.nameOf[name] = n
	w.names = append(w.names, n)
}

// entry returns the place for what is known of an attribute or type.
func (w *writer) entry(id uint32) **numbered {
	if int(id) >= len(w.entries) {
		w.entries = append(w.entries, make([]*numbered, int(id)+1-len(w.entries)+len(w.entries)/2)...)
	}
	return &w.entries[id]
}

func (w *writer) visitAttribute(a ir.Attribute) {
	place := w.entry(a.ID())
	if n := *place; n != nil {
		n.uses++
		return
	}
	n := &numbered{attribute: a, uses: 1, dialect: w.dialects.number(attributeDialect(a))}
	*place = n
	w.attributes = append(w.attributes, n)
	(&encoder{writer: w}).encodeAttribute(a)
}

func (w *writer) visitType(t ir.Type) {
	place := w.entry(t.ID())
	if n := *place; n != nil {
		n.uses++
		return
	}
	n := &numbered{typ: t, uses: 1, dialect: w.dialects.number(typeDialect(t))}
	*place = n
	w.types = append(w.types, n)
	(&encoder{writer: w}).encodeType(t)
}

func attributeDialect(a ir.Attribute) string {
	switch a := a.(type) {
	case *ir.OpaqueAttr:
		return a.Namespace
	case *ir.AffineMapAttr, *ir.IntegerSetAttr, *ir.StridedLayoutAttr:
		return builtinDialect
	}
	if (&encoder{}).encodeAttribute(a) {
		return builtinDialect
	}
	return symbolDialect(a.String())
}

func typeDialect(t ir.Type) string {
	switch t := t.(type) {
	case *ir.OpaqueType:
		return t.Namespace
	case *ir.FloatType:
		return builtinDialect
	}
	if (&encoder{}).encodeType(t) {
		return builtinDialect
	}
	return symbolDialect(t.String())
}

// symbolDialect returns the dialect of `#dialect.name…` or `!dialect<…>`.
func symbolDialect(text string) string {
	text = text[min(1, len(text)):]
	if end := strings.IndexAny(text, ".<"); end >= 0 {
		text = text[:end]
	}
	return text
}
