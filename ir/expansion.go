package ir

// This file measures how long the text of an attribute or type is with nothing shared. Equal parts are one object, so a few
// lines of aliases, each naming the one before twice, are a small graph whose text is longer than any memory.

import "math"

// Expansion measures expanded texts, remembering what it has seen. The zero value is ready; it is for one goroutine.
type Expansion struct {
	// Locations says that locations count. Where they are written as aliases they are shared in the text, too.
	Locations bool

	sizes  map[uint32]int64
	writer *TextWriter // visits what the texts of dialects' own objects hold
	inText int64
}

// leafSize is what a part counts besides the parts that it is made of, in characters.
const leafSize = 8

// Attribute returns about how many characters the text of an attribute has where no alias is used: at most
// [math.MaxInt64] where there are more.
func (e *Expansion) Attribute(a Attribute) int64 {
	switch a := a.(type) {
	case nil:
		return 0
	case *StringAttr:
		return int64(len(a.Value)) + leafSize
	case Location:
		if !e.Locations {
			return leafSize
		}
	}
	if a.Depth() == 0 {
		return leafSize
	}
	return e.remembered(a.ID(), func() int64 { return e.attributeParts(a) })
}

func (e *Expansion) attributeParts(a Attribute) (size int64) {
	switch a := a.(type) {
	case *ArrayAttr:
		for _, element := range a.Elements {
			size = add(size, e.Attribute(element))
		}
	case *DictionaryAttr:
		for i := range a.Entries {
			size = add(size, add(int64(len(a.Entries[i].Name)), e.Attribute(a.Entries[i].Value)))
		}
	case *TypeAttr:
		return e.Type(a.Value)
	case *OpaqueAttr:
		return e.text(a.Text, a.Parts)
	case *DistinctAttr:
		return e.Attribute(a.Referenced)
	case *NameLoc:
		return add(int64(len(a.Name)), e.Attribute(a.Child))
	case *CallSiteLoc:
		return add(e.Attribute(a.Callee), e.Attribute(a.Caller))
	case *FusedLoc:
		size = e.Attribute(a.Metadata)
		for _, l := range a.Locations {
			size = add(size, e.Attribute(l))
		}
	case TextAppender:
		return e.appended(a)
	case TypedAttribute:
		return e.Type(a.AttributeType())
	}
	return size
}

// Type is [Expansion.Attribute] for a type.
func (e *Expansion) Type(t Type) int64 {
	if t == nil || t.Depth() == 0 {
		return leafSize
	}
	return e.remembered(t.ID(), func() int64 { return e.typeParts(t) })
}

func (e *Expansion) typeParts(t Type) int64 {
	switch t := t.(type) {
	case *TupleType:
		return e.types(t.Types)
	case *FunctionType:
		return add(e.types(t.Inputs), e.types(t.Results))
	case *ComplexType:
		return e.Type(t.Element)
	case *RankedTensorType:
		return add(e.Type(t.Element), e.Attribute(t.Encoding))
	case *MemRefType:
		return add(e.Type(t.Element), add(e.Attribute(t.Layout), e.Attribute(t.MemorySpace)))
	case *UnrankedMemRefType:
		return add(e.Type(t.Element), e.Attribute(t.MemorySpace))
	case *OpaqueType:
		return e.text(t.Text, t.Parts)
	case TextAppender:
		return e.appended(t)
	case ShapedType:
		return e.Type(t.ElementType())
	}
	return 0
}

func (e *Expansion) types(types []Type) (size int64) {
	for _, t := range types {
		size = add(size, e.Type(t))
	}
	return size
}

// text measures a text and the aliases in it.
func (e *Expansion) text(text string, parts []Part) int64 {
	size := int64(len(text))
	for i := range parts {
		if t := parts[i].Type; t != nil {
			size = add(size, e.Type(t))
		} else {
			size = add(size, e.Attribute(parts[i].Attribute))
		}
	}
	return size
}

// appended measures what a dialect's own object writes.
func (e *Expansion) appended(object TextAppender) int64 {
	if e.writer == nil {
		e.writer = NewTextWriter()
		e.writer.Type = func(dst []byte, t Type) ([]byte, bool) {
			e.inText = add(e.inText, e.Type(t))
			return dst, true
		}
		e.writer.Attribute = func(dst []byte, a Attribute) ([]byte, bool) {
			e.inText = add(e.inText, e.Attribute(a))
			return dst, true
		}
	}
	outer := e.inText
	e.inText = 0
	own := object.AppendText(nil, e.writer)
	size := add(e.inText, int64(len(own)))
	e.inText = outer
	return size
}

// remembered returns the size of an object that is made of others, measured once.
func (e *Expansion) remembered(id uint32, measure func() int64) int64 {
	if size, ok := e.sizes[id]; ok {
		return size
	}
	size := add(measure(), leafSize)
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
