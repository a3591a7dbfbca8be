package ir

// This file measures how long the text of an attribute or type is with nothing shared. Equal parts are one object, so a few
// lines of aliases, each naming the one before twice, are a small graph whose text is longer than any memory.

import "math"

// Expansion measures expanded texts, remembering what it has seen. The zero value is ready; it is for one goroutine.
type Expansion struct {
	sizes map[uint32]int64
}

// leafSize is what a part without parts of its own counts, in characters.
const leafSize = 8

// Attribute returns about how many characters the text of an attribute has where no alias is used: at most
// [math.MaxInt64] where there are more. Locations count as nothing: they are shared in the text, too.
func (e *Expansion) Attribute(a Attribute) int64 {
	switch a := a.(type) {
	case *ArrayAttr:
		return e.sum(a.ID(), len(a.Elements), func(i int) int64 { return e.Attribute(a.Elements[i]) })
	case *DictionaryAttr:
		return e.sum(a.ID(), len(a.Entries), func(i int) int64 {
			return add(int64(len(a.Entries[i].Name)), e.Attribute(a.Entries[i].Value))
		})
	case *TypeAttr:
		return e.Type(a.Value)
	case *StringAttr:
		return int64(len(a.Value)) + leafSize
	case *OpaqueAttr:
		return e.opaque(a.ID(), a.Text, a.Parts)
	case *SparseElementsAttr:
		return add(e.Type(a.Type), leafSize)
	case *DenseElementsAttr:
		return add(e.Type(a.Type), leafSize)
	}
	return leafSize
}

// Type is [Expansion.Attribute] for a type.
func (e *Expansion) Type(t Type) int64 {
	switch t := t.(type) {
	case *TupleType:
		return e.sum(t.ID(), len(t.Types), func(i int) int64 { return e.Type(t.Types[i]) })
	case *FunctionType:
		inputs := len(t.Inputs)
		return e.sum(t.ID(), inputs+len(t.Results), func(i int) int64 {
			if i < inputs {
				return e.Type(t.Inputs[i])
			}
			return e.Type(t.Results[i-inputs])
		})
	case *ComplexType:
		return add(e.Type(t.Element), leafSize)
	case *RankedTensorType:
		return add(e.Type(t.Element), e.Attribute(t.Encoding))
	case *MemRefType:
		return add(e.Type(t.Element), add(e.Attribute(t.Layout), e.Attribute(t.MemorySpace)))
	case ShapedType:
		return add(e.Type(t.ElementType()), leafSize)
	case *OpaqueType:
		return e.opaque(t.ID(), t.Text, t.Parts)
	}
	return leafSize
}

// opaque measures a text and the aliases in it.
func (e *Expansion) opaque(id uint32, text string, parts []Part) int64 {
	if len(parts) == 0 {
		return int64(len(text)) + leafSize
	}
	return add(int64(len(text)), e.sum(id, len(parts), func(i int) int64 {
		if t := parts[i].Type; t != nil {
			return e.Type(t)
		}
		return e.Attribute(parts[i].Attribute)
	}))
}

// sum adds the parts of a composite object, once for each.
func (e *Expansion) sum(id uint32, n int, part func(int) int64) int64 {
	if size, ok := e.sizes[id]; ok {
		return size
	}
	size := int64(leafSize)
	for i := range n {
		size = add(size, part(i))
	}
	if e.sizes == nil {
		e.sizes = map[uint32]int64{}
	}
	e.sizes[id] = size
	return size
}

// add adds two sizes, and stops at the largest number.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
