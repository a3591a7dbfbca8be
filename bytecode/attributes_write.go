package bytecode

// This file encodes attributes and types as the builtin dialect does. The same code finds what an attribute refers to, when
// numbers are given, and writes the references, when they are known.

import (
	"math/big"
	"math/bits"

	"tpuir/ir"
)

// encoder writes one attribute or type. Without out it visits what is referred to; without a writer it does nothing but tell
// whether there is an encoding.
type encoder struct {
	writer *writer
	out    *emitter
}

func (e *encoder) attribute(a ir.Attribute) {
	switch {
	case e.out != nil:
		e.out.count((*e.writer.entry(a.ID())).number)
	case e.writer != nil:
		e.writer.visitAttribute(a)
	}
}

func (e *encoder) typ(t ir.Type) {
	switch {
	case e.out != nil:
		e.out.count((*e.writer.entry(t.ID())).number)
	case e.writer != nil:
		e.writer.visitType(t)
	}
}

func (e *encoder) types(types []ir.Type) {
	e.count(len(types))
	for _, t := range types {
		e.typ(t)
	}
}

func (e *encoder) count(n int) { e.varint(uint64(n)) }

func (e *encoder) varint(v uint64) {
	if e.out != nil {
		e.out.varint(v)
	}
}

func (e *encoder) byte(b byte) {
	if e.out != nil {
		e.out.byte(b)
	}
}

func (e *encoder) signed(v int64) {
	if e.out != nil {
		e.out.signed(v)
	}
}

func (e *encoder) string(s string) {
	if e.out != nil {
		e.out.count(e.writer.strings.number(s))
	}
}

// named writes a reference to a string attribute.
func (e *encoder) named(s string) {
	if e.writer != nil {
		e.attribute(e.writer.context.StringAttr(s))
	}
}

// encodeAttribute reports whether the builtin dialect has an encoding for an attribute, and writes it.
func (e *encoder) encodeAttribute(a ir.Attribute) bool {
	switch a := a.(type) {
	case *ir.ArrayAttr:
		e.varint(codeArray)
		e.count(len(a.Elements))
		for _, element := range a.Elements {
			e.attribute(element)
		}
	case *ir.DictionaryAttr:
		e.varint(codeDictionary)
		e.count(len(a.Entries))
		for _, entry := range a.Entries {
			e.named(entry.Name)
			e.attribute(entry.Value)
		}
	case *ir.StringAttr:
		e.stringAttr(a)
	case *ir.SymbolRefAttr:
		e.symbolRef(a)
	case *ir.TypeAttr:
		e.varint(codeTypeAttr)
		e.typ(a.Value)
	case *ir.UnitAttr:
		e.varint(codeUnit)
	case *ir.IntegerAttr:
		e.varint(codeInteger)
		e.typ(a.Type)
		e.integer(a)
	case *ir.FloatAttr:
		e.varint(codeFloat)
		e.typ(a.Type)
		e.float(a)
	case *ir.DistinctAttr:
		e.varint(codeDistinct)
		e.attribute(a.Referenced)
	case ir.Location:
		return e.location(a)
	default:
		return e.elements(a)
	}
	return true
}

func (e *encoder) stringAttr(a *ir.StringAttr) {
	if _, none := a.Type.(*ir.NoneType); none {
		e.varint(codeString)
		e.string(a.Value)
		return
	}
	e.varint(codeTypedString)
	e.string(a.Value)
	e.typ(a.Type)
}

func (e *encoder) symbolRef(a *ir.SymbolRefAttr) {
	if len(a.Nested) == 0 {
		e.varint(codeFlatSymbolRef)
		e.named(a.Root)
		return
	}
	e.varint(codeSymbolRef)
	e.named(a.Root)
	e.count(len(a.Nested))
	for _, name := range a.Nested {
		if e.writer != nil {
			e.attribute(e.writer.context.SymbolRef(name))
		}
	}
}

func (e *encoder) integer(a *ir.IntegerAttr) {
	width := uint32(64) // of index
	if t, ok := a.Type.(*ir.IntegerType); ok {
		width = t.Width
	}
	if width > 64 {
		value := a.Big()
		if value.Sign() < 0 {
			value.Add(value, new(big.Int).Lsh(big.NewInt(1), uint(width)))
		}
		e.words(value)
		return
	}
	e.bits(uint64(a.Int()), width)
}

// bits writes a number of a known width of at most 64 bits.
func (e *encoder) bits(v uint64, width uint32) {
	if width < 64 {
		v &= 1<<width - 1
	}
	if width <= 8 {
		e.byte(byte(v))
		return
	}
	e.signed(int64(v))
}

// words writes a number of more than 64 bits without the zero words at the high end.
func (e *encoder) words(v *big.Int) {
	n := max((v.BitLen()+63)/64, 1)
	e.count(n)
	parts := v.Bits()
	for i := range n {
		var word uint64
		for shift := 0; shift < 64; shift += bits.UintSize {
			if at := (i*64 + shift) / bits.UintSize; at < len(parts) {
				word |= uint64(parts[at]) << shift
			}
		}
		e.signed(int64(word))
	}
}

func (e *encoder) float(a *ir.FloatAttr) {
	if width := a.Type.Width(); width <= 64 {
		e.bits(a.Low, width)
		return
	}
	v := new(big.Int).SetUint64(a.High)
	e.words(v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(a.Low)))
}

func (e *encoder) location(l ir.Location) bool {
	switch l := l.(type) {
	case *ir.UnknownLoc:
		e.varint(codeUnknownLoc)
	case *ir.FileLoc:
		e.fileLoc(l)
	case *ir.NameLoc:
		e.varint(codeNameLoc)
		e.named(l.Name)
		switch {
		case l.Child != nil:
			e.attribute(l.Child)
		case e.writer != nil:
			e.attribute(e.writer.context.UnknownLoc())
		}
	case *ir.CallSiteLoc:
		e.varint(codeCallSiteLoc)
		e.attribute(l.Callee)
		e.attribute(l.Caller)
	case *ir.FusedLoc:
		if l.Metadata == nil {
			e.varint(codeFusedLoc)
		} else {
			e.varint(codeFusedLocWithMetadata)
		}
		e.count(len(l.Locations))
		for _, inner := range l.Locations {
			e.attribute(inner)
		}
		if l.Metadata != nil {
			e.attribute(l.Metadata)
		}
	default:
		return false
	}
	return true
}

func (e *encoder) fileLoc(l *ir.FileLoc) {
	var numbers []uint32
	switch l.Parts {
	case ir.FileLineColumn:
		e.varint(codeFileLoc)
		e.named(l.File)
		e.varint(uint64(l.Line))
		e.varint(uint64(l.Column))
		return
	case ir.FileLine:
		numbers = []uint32{l.Line}
	case ir.FileColumns:
		numbers = []uint32{l.Line, l.Column, l.EndColumn}
	case ir.FileRange:
		numbers = []uint32{l.Line, l.Column, l.EndLine, l.EndColumn}
	}
	e.varint(codeFileRangeLoc)
	e.named(l.File)
	e.count(len(numbers))
	for _, n := range numbers {
		e.varint(uint64(n))
	}
}

// elements encodes dense, sparse and resource attributes.
func (e *encoder) elements(a ir.Attribute) bool {
	switch a := a.(type) {
	case *ir.DenseElementsAttr:
		e.varint(codeDenseElements)
		e.typ(a.Type)
		e.denseData(a)
	case *ir.DenseArrayAttr:
		e.varint(codeDenseArray)
		e.typ(a.Element)
		e.count(len(a.Data) / max(ir.DenseElementBytes(a.Element), 1))
		e.blob(a.Data)
	case *ir.DenseStringElementsAttr:
		e.varint(codeDenseStrings)
		e.typ(a.Type)
		if a.Splat {
			e.varint(1)
		} else {
			e.varint(0)
		}
		for _, s := range a.Strings {
			e.string(s)
		}
	case *ir.SparseElementsAttr:
		e.varint(codeSparse)
		e.typ(a.Type)
		e.attribute(a.Indices)
		e.attribute(a.Values)
	case *ir.DenseResourceElementsAttr:
		e.varint(codeDenseResource)
		e.typ(a.Type)
		if e.writer != nil {
			e.varint(uint64(e.writer.resources.number(a.Key)))
		}
	default:
		return false
	}
	return true
}

func (e *encoder) blob(data []byte) {
	if e.out != nil {
		e.out.count(len(data))
		e.out.bytes(data)
	}
}

func (e *encoder) denseData(a *ir.DenseElementsAttr) {
	switch {
	case e.out == nil:
	case !isBit(a.Type.ElementType()):
		e.out.count(a.Len())
		e.out.lazily(a.Len(), a)
	case a.Splat:
		e.blob([]byte{-(a.Data()[0] & 1)})
	default:
		packed := make([]byte, (a.Len()+7)/8)
		for i, bit := range a.Data() {
			packed[i/8] |= (bit & 1) << (i % 8)
		}
		e.blob(packed)
	}
}

// encodeType reports whether the builtin dialect has an encoding for a type, and writes it.
func (e *encoder) encodeType(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.IntegerType:
		e.varint(codeIntegerType)
		e.varint(uint64(t.Width)<<2 | uint64(t.Signedness))
	case *ir.IndexType:
		e.varint(codeIndexType)
	case *ir.NoneType:
		e.varint(codeNoneType)
	case *ir.FloatType:
		for code, kind := range floatCodes {
			if kind == t.Kind {
				e.varint(code)
				return true
			}
		}
		return false
	case *ir.FunctionType:
		e.varint(codeFunctionType)
		e.types(t.Inputs)
		e.types(t.Results)
	case *ir.TupleType:
		e.varint(codeTupleType)
		e.types(t.Types)
	case *ir.ComplexType:
		e.varint(codeComplexType)
		e.typ(t.Element)
	default:
		return e.shapedType(t)
	}
	return true
}

func (e *encoder) shape(shape []int64) {
	e.count(len(shape))
	for _, size := range shape {
		e.signed(size)
	}
}

func (e *encoder) shapedType(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.VectorType:
		e.vector(t)
	case *ir.RankedTensorType:
		if t.Encoding != nil {
			e.varint(codeRankedTensorTypeWithEncoding)
			e.attribute(t.Encoding)
		} else {
			e.varint(codeRankedTensorType)
		}
		e.shape(t.Shape)
		e.typ(t.Element)
	case *ir.UnrankedTensorType:
		e.varint(codeUnrankedTensorType)
		e.typ(t.Element)
	case *ir.MemRefType:
		e.memref(t)
	case *ir.UnrankedMemRefType:
		if t.MemorySpace != nil {
			e.varint(codeUnrankedMemRefTypeInSpace)
			e.attribute(t.MemorySpace)
		} else {
			e.varint(codeUnrankedMemRefType)
		}
		e.typ(t.Element)
	default:
		return false
	}
	return true
}

func (e *encoder) vector(t *ir.VectorType) {
	if t.Scalable == nil {
		e.varint(codeVectorType)
	} else {
		e.varint(codeScalableVectorType)
		e.count(len(t.Scalable))
		for _, scalable := range t.Scalable {
			if scalable {
				e.byte(1)
			} else {
				e.byte(0)
			}
		}
	}
	e.shape(t.Shape)
	e.typ(t.Element)
}

func (e *encoder) memref(t *ir.MemRefType) {
	if t.MemorySpace != nil {
		e.varint(codeMemRefTypeInSpace)
		e.attribute(t.MemorySpace)
	} else {
		e.varint(codeMemRefType)
	}
	e.shape(t.Shape)
	e.typ(t.Element)
	layout := t.Layout
	if layout == nil && e.writer != nil {
		layout = identityLayout(e.writer.context, len(t.Shape))
	}
	if layout != nil {
		e.attribute(layout)
	}
}

func identityLayout(c *ir.Context, rank int) ir.Attribute {
	dims := make([]*ir.AffineExpr, rank)
	for i := range dims {
		dims[i] = c.AffineDim(i)
	}
	return c.AffineMapAttr(c.AffineMap(rank, 0, dims...))
}
