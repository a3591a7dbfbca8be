package ir

// This file writes types, attributes and locations as MLIR's text: what String returns, and what package printer puts
// into a file. Everything is appended to a byte slice, because a printed module holds millions of these pieces.

import (
	"math"
	"strconv"
	"strings"
)

// TextWriter writes types, attributes and locations. Its zero value is not useful: see [NewTextWriter]. It is for one
// goroutine.
type TextWriter struct {
	// Type and Attribute, where they are not nil, may write another text for an object: its alias, or text kept from
	// before. They report whether they have written any. They are asked for nested objects, too.
	Type      func(dst []byte, t Type) ([]byte, bool)
	Attribute func(dst []byte, a Attribute) ([]byte, bool)
	// Resource, where it is not nil, is told of every resource whose key is written.
	Resource func(a *DenseResourceElementsAttr)
	// Flush, where it is not nil, may take away what is written and return the rest: it is called within large constants.
	Flush func(dst []byte) []byte
	// Through, where Flush is not nil, takes away what is written and then text, which it does not keep, and returns the rest.
	Through func(dst, text []byte) []byte
	// ElideElementsLargerThan is the number of elements above which those of a constant are left out; splats never are.
	ElideElementsLargerThan int64
	// PrettyLocations writes locations for people, not for the parser.
	PrettyLocations bool
	// HexElementsLargerThan is the number of elements above which a constant is written as one hex string.
	HexElementsLargerThan int64

	distinct map[*DistinctAttr]int
}

// DefaultHexElements is the number of elements of a constant above which MLIR writes one hex string.
const DefaultHexElements = 100

// NewTextWriter returns a writer of full text, as MLIR writes it by default.
func NewTextWriter() *TextWriter {
	return &TextWriter{ElideElementsLargerThan: math.MaxInt64, HexElementsLargerThan: DefaultHexElements}
}

// TextAppender is implemented by types and attributes of dialects whose text holds other types or attributes, so that
// these can be written as aliases. The text is whole: `!quant.any<…>`. Without it String is used.
type TextAppender interface {
	AppendText(dst []byte, w *TextWriter) []byte
}

func typeString(t Type) string {
	var buf [64]byte
	return string(NewTextWriter().appendTypeBody(buf[:0], t))
}

func attributeString(a Attribute) string {
	var buf [128]byte
	return string(NewTextWriter().appendAttributeBody(buf[:0], a, false))
}

// AppendType writes a type, by its alias where it has one. A nil type gives `<<NULL TYPE>>`, as in MLIR.
func (w *TextWriter) AppendType(dst []byte, t Type) []byte {
	if t == nil {
		return append(dst, "<<NULL TYPE>>"...)
	}
	if w.Type != nil {
		if out, ok := w.Type(dst, t); ok {
			return out
		}
	}
	return w.appendTypeBody(dst, t)
}

// AppendTypeBody writes a type in full: only what is nested in it may be written by alias.
func (w *TextWriter) AppendTypeBody(dst []byte, t Type) []byte { return w.appendTypeBody(dst, t) }

// AppendTypes writes types with commas between.
func (w *TextWriter) AppendTypes(dst []byte, types []Type) []byte {
	for i, t := range types {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = w.AppendType(dst, t)
	}
	return dst
}

func (w *TextWriter) appendTypeBody(dst []byte, t Type) []byte {
	switch t := t.(type) {
	case *IntegerType:
		switch t.Signedness {
		case Signed:
			dst = append(dst, 's')
		case Unsigned:
			dst = append(dst, 'u')
		}
		return strconv.AppendUint(append(dst, 'i'), uint64(t.Width), 10)
	case *IndexType:
		return append(dst, "index"...)
	case *NoneType:
		return append(dst, "none"...)
	case *FloatType:
		return append(dst, t.Name()...)
	case *RankedTensorType:
		dst = appendShape(append(dst, "tensor<"...), t.Shape)
		dst = w.AppendType(dst, t.Element)
		if t.Encoding != nil {
			dst = w.AppendAttribute(append(dst, ", "...), t.Encoding)
		}
		return append(dst, '>')
	case *UnrankedTensorType:
		return append(w.AppendType(append(dst, "tensor<*x"...), t.Element), '>')
	case *FunctionType:
		return w.AppendFunctionType(dst, t.Inputs, t.Results)
	case *TupleType:
		return append(w.AppendTypes(append(dst, "tuple<"...), t.Types), '>')
	case *ComplexType:
		return append(w.AppendType(append(dst, "complex<"...), t.Element), '>')
	case *VectorType:
		return append(w.AppendType(appendVectorShape(append(dst, "vector<"...), t), t.Element), '>')
	case *MemRefType:
		return w.appendMemRef(dst, t)
	case *UnrankedMemRefType:
		dst = w.AppendType(append(dst, "memref<*x"...), t.Element)
		return append(w.appendTrailing(dst, t.MemorySpace), '>')
	case *OpaqueType:
		return AppendDialectSymbol(dst, '!', t.Namespace, w.joined(t.Text, t.Parts))
	case TextAppender:
		return t.AppendText(dst, w)
	}
	return append(dst, t.String()...)
}

// AppendFunctionType writes `(inputs) -> results`; one result stands without parentheses, unless it is a function.
func (w *TextWriter) AppendFunctionType(dst []byte, inputs, results []Type) []byte {
	dst = w.AppendTypes(append(dst, '('), inputs)
	dst = append(dst, ") -> "...)
	if len(results) == 1 {
		if _, isFunction := results[0].(*FunctionType); !isFunction {
			return w.AppendType(dst, results[0])
		}
	}
	return append(w.AppendTypes(append(dst, '('), results), ')')
}

func appendShape(dst []byte, shape []int64) []byte {
	for _, size := range shape {
		if size == Dynamic {
			dst = append(dst, '?')
		} else {
			dst = strconv.AppendInt(dst, size, 10)
		}
		dst = append(dst, 'x')
	}
	return dst
}

func appendVectorShape(dst []byte, t *VectorType) []byte {
	for i, size := range t.Shape {
		if t.Scalable != nil && t.Scalable[i] {
			dst = append(strconv.AppendInt(append(dst, '['), size, 10), ']')
		} else {
			dst = strconv.AppendInt(dst, size, 10)
		}
		dst = append(dst, 'x')
	}
	return dst
}

func (w *TextWriter) appendMemRef(dst []byte, t *MemRefType) []byte {
	dst = w.AppendType(appendShape(append(dst, "memref<"...), t.Shape), t.Element)
	dst = w.appendTrailing(dst, t.Layout)
	return append(w.appendTrailing(dst, t.MemorySpace), '>')
}

// appendTrailing writes `, attribute` where there is one.
func (w *TextWriter) appendTrailing(dst []byte, a Attribute) []byte {
	if a == nil {
		return dst
	}
	return w.appendElided(append(dst, ", "...), a)
}

// AppendAttribute writes an attribute with its type, by its alias where it has one.
func (w *TextWriter) AppendAttribute(dst []byte, a Attribute) []byte {
	if a == nil {
		return append(dst, "<<NULL ATTRIBUTE>>"...)
	}
	if w.Attribute != nil {
		if out, ok := w.Attribute(dst, a); ok {
			return out
		}
	}
	return w.appendAttributeBody(dst, a, false)
}

// AppendAttributeBody writes an attribute in full: only what is nested in it may be written by alias.
func (w *TextWriter) AppendAttributeBody(dst []byte, a Attribute) []byte {
	return w.appendAttributeBody(dst, a, false)
}

// AppendAttributeWithoutType writes an attribute and leaves its type away.
func (w *TextWriter) AppendAttributeWithoutType(dst []byte, a Attribute) []byte {
	if a == nil {
		return append(dst, "<<NULL ATTRIBUTE>>"...)
	}
	if w.Attribute != nil {
		if out, ok := w.Attribute(dst, a); ok {
			return out
		}
	}
	dst, _ = w.appendValue(dst, a)
	return dst
}

// appendElided writes an attribute where i64 and f64 need not be named: in arrays and in memref types.
func (w *TextWriter) appendElided(dst []byte, a Attribute) []byte {
	if w.Attribute != nil {
		if out, ok := w.Attribute(dst, a); ok {
			return out
		}
	}
	return w.appendAttributeBody(dst, a, true)
}

func (w *TextWriter) appendAttributeBody(dst []byte, a Attribute, elideCommonTypes bool) []byte {
	dst, hex := w.appendValue(dst, a)
	typed, ok := a.(TypedAttribute)
	if !ok {
		return dst
	}
	switch a := a.(type) {
	case *IntegerAttr:
		if a.IsBool() || elideCommonTypes && a.Type == Type(a.context.I64()) {
			return dst
		}
	case *FloatAttr:
		if elideCommonTypes && a.Type.Kind == F64 && !hex {
			return dst
		}
	case TextAppender:
		return dst // a dialect's attribute writes its type itself
	}
	t := typed.AttributeType()
	if t == nil || t == Type(t.Context().none) {
		return dst
	}
	return w.AppendType(append(dst, " : "...), t)
}

// appendValue writes an attribute without its type. It reports whether a float was written as hex.
func (w *TextWriter) appendValue(dst []byte, a Attribute) (out []byte, hex bool) {
	switch a := a.(type) {
	case *IntegerAttr:
		return appendIntegerAttr(dst, a), false
	case *StringAttr:
		return AppendQuoted(dst, a.Value), false
	case *FloatAttr:
		return AppendFloat(dst, a.Type.Kind, a.Low, a.High)
	case *ArrayAttr:
		dst = append(dst, '[')
		for i, e := range a.Elements {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = w.appendElided(dst, e)
		}
		return append(dst, ']'), false
	case *DictionaryAttr:
		return w.AppendDictionary(dst, a.Entries), false
	case *UnitAttr:
		return append(dst, "unit"...), false
	case *TypeAttr:
		return w.AppendType(dst, a.Value), false
	case *SymbolRefAttr:
		dst = AppendSymbolName(dst, a.Root)
		for _, n := range a.Nested {
			dst = AppendSymbolName(append(dst, "::"...), n)
		}
		return dst, false
	case *OpaqueAttr:
		return AppendDialectSymbol(dst, '#', a.Namespace, w.joined(a.Text, a.Parts)), false
	case *StridedLayoutAttr:
		return appendStrided(dst, a), false
	case *DistinctAttr:
		return w.appendDistinct(dst, a), false
	case Location:
		if w.PrettyLocations {
			return w.AppendPrettyLocation(dst, a), false
		}
		return append(w.AppendLocationBody(append(dst, "loc("...), a), ')'), false
	case TextAppender:
		return a.AppendText(dst, w), false
	}
	if out, ok := w.appendElements(dst, a); ok {
		return out, false
	}
	return append(dst, a.String()...), false
}

func appendIntegerAttr(dst []byte, a *IntegerAttr) []byte {
	if a.IsBool() {
		return strconv.AppendBool(dst, a.value != 0)
	}
	if a.wide != nil {
		return a.wide.Append(dst, 10)
	}
	if t, ok := a.Type.(*IntegerType); ok && t.Signedness == Unsigned {
		return strconv.AppendUint(dst, uint64(a.value), 10)
	}
	return strconv.AppendInt(dst, a.value, 10)
}

// AppendDictionary writes `{name = value, unit_name}`.
func (w *TextWriter) AppendDictionary(dst []byte, entries []NamedAttribute) []byte {
	dst = append(dst, '{')
	for i := range entries {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = w.AppendNamedAttribute(dst, &entries[i])
	}
	return append(dst, '}')
}

// AppendNamedAttribute writes `name = value`, or the name alone for a unit attribute.
func (w *TextWriter) AppendNamedAttribute(dst []byte, e *NamedAttribute) []byte {
	dst = AppendKeyword(dst, e.Name)
	if _, isUnit := e.Value.(*UnitAttr); isUnit {
		return dst
	}
	return w.AppendAttribute(append(dst, " = "...), e.Value)
}

func appendStrided(dst []byte, a *StridedLayoutAttr) []byte {
	number := func(v int64) {
		if v == Dynamic {
			dst = append(dst, '?')
		} else {
			dst = strconv.AppendInt(dst, v, 10)
		}
	}
	dst = append(dst, "strided<["...)
	for i, s := range a.Strides {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		number(s)
	}
	dst = append(dst, ']')
	if a.Offset != 0 {
		dst = append(dst, ", offset: "...)
		number(a.Offset)
	}
	return append(dst, '>')
}

// appendDistinct numbers distinct attributes in the order in which they are first written.
func (w *TextWriter) appendDistinct(dst []byte, a *DistinctAttr) []byte {
	number, ok := w.distinct[a]
	if !ok {
		if w.distinct == nil {
			w.distinct = map[*DistinctAttr]int{}
		}
		number = len(w.distinct)
		w.distinct[a] = number
	}
	dst = strconv.AppendInt(append(dst, "distinct["...), int64(number), 10)
	dst = append(dst, "]<"...)
	if _, isUnit := a.Referenced.(*UnitAttr); !isUnit {
		dst = w.AppendAttribute(dst, a.Referenced)
	}
	return append(dst, '>')
}

// AppendLocation writes `loc(…)`, by alias where the location has one.
func (w *TextWriter) AppendLocation(dst []byte, l Location) []byte {
	dst = w.appendNestedLocation(append(dst, "loc("...), l)
	return append(dst, ')')
}

// appendNestedLocation writes a location inside `loc(…)`, by alias where it has one.
func (w *TextWriter) appendNestedLocation(dst []byte, l Location) []byte {
	if w.Attribute != nil {
		if out, ok := w.Attribute(dst, l); ok {
			return out
		}
	}
	return w.AppendLocationBody(dst, l)
}

// AppendLocationBody writes what stands inside `loc(…)` in full; only nested locations may be written by alias.
func (w *TextWriter) AppendLocationBody(dst []byte, l Location) []byte {
	switch l := l.(type) {
	case *UnknownLoc:
		return append(dst, "unknown"...)
	case *FileLoc:
		return appendFileRange(AppendQuoted(dst, l.File), l)
	case *NameLoc:
		dst = AppendQuoted(dst, l.Name)
		if l.Child != nil {
			dst = append(w.appendNestedLocation(append(dst, '('), l.Child), ')')
		}
		return dst
	case *CallSiteLoc:
		dst = w.appendNestedLocation(append(dst, "callsite("...), l.Callee)
		return append(w.appendNestedLocation(append(dst, " at "...), l.Caller), ')')
	case *FusedLoc:
		dst = append(dst, "fused"...)
		if l.Metadata != nil {
			dst = append(w.AppendAttribute(append(dst, '<'), l.Metadata), '>')
		}
		dst = append(dst, '[')
		for i, inner := range l.Locations {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = w.appendNestedLocation(dst, inner)
		}
		return append(dst, ']')
	}
	return append(dst, l.String()...)
}

// appendFileRange writes what follows the file's name.
func appendFileRange(dst []byte, l *FileLoc) []byte {
	number := func(separator string, v uint32) {
		dst = strconv.AppendUint(append(dst, separator...), uint64(v), 10)
	}
	switch l.Parts {
	case FileLineColumn:
		number(":", l.Line)
		number(":", l.Column)
	case FileLine: // as MLIR, which has no form without a column
		number(":", l.Line)
		number(":", 0)
	case FileColumns:
		number(":", l.Line)
		number(":", l.Column)
		number(" to :", l.EndColumn)
	case FileRange:
		number(":", l.Line)
		number(":", l.Column)
		number(" to ", l.EndLine)
		number(":", l.EndColumn)
	}
	return dst
}

// AppendPrettyLocation writes a location for people, as --mlir-pretty-debuginfo does. Nested ones may be written by alias.
func (w *TextWriter) AppendPrettyLocation(dst []byte, l Location) []byte {
	switch l := l.(type) {
	case *UnknownLoc:
		return append(dst, "[unknown]"...)
	case *FileLoc:
		return appendFileRange(append(dst, l.File...), l)
	case *NameLoc:
		dst = AppendQuoted(dst, l.Name)
		if l.Child != nil {
			dst = append(w.appendNestedPretty(append(dst, '('), l.Child), ')')
		}
		return dst
	case *CallSiteLoc:
		dst = w.appendNestedPretty(dst, l.Callee)
		_, named := l.Callee.(*NameLoc)
		if _, file := l.Caller.(*FileLoc); !named || !file {
			dst = append(dst, '\n')
		}
		return w.appendNestedPretty(append(dst, " at "...), l.Caller)
	case *FusedLoc:
		if l.Metadata != nil {
			dst = append(w.AppendAttribute(append(dst, '<'), l.Metadata), '>')
		}
		dst = append(dst, '[')
		for i, inner := range l.Locations {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = w.appendNestedPretty(dst, inner)
		}
		return append(dst, ']')
	}
	return append(dst, l.String()...)
}

func (w *TextWriter) appendNestedPretty(dst []byte, l Location) []byte {
	if w.Attribute != nil {
		if out, ok := w.Attribute(dst, l); ok {
			return out
		}
	}
	return w.AppendPrettyLocation(dst, l)
}

const upperHex = "0123456789ABCDEF"

// AppendQuoted writes a string in quotes: a quote and every byte that is not printable ASCII as `\XX`.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	plain := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c <= '~' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		plain = i + 1
		if c == '\\' {
			dst = append(dst, `\\`...)
		} else {
			dst = append(dst, '\\', upperHex[c>>4], upperHex[c&15])
		}
	}
	return append(append(dst, s[plain:]...), '"')
}

// IsBareIdentifier reports whether a name may stand without quotes.
func IsBareIdentifier(s string) bool {
	if s == "" || !isLetter(s[0]) && s[0] != '_' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '_' && c != '$' && c != '.' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// AppendKeyword writes a bare identifier, in quotes where it is none.
func AppendKeyword(dst []byte, s string) []byte {
	if IsBareIdentifier(s) {
		return append(dst, s...)
	}
	return AppendQuoted(dst, s)
}

// AppendSymbolName writes `@name`.
func AppendSymbolName(dst []byte, name string) []byte { return AppendKeyword(append(dst, '@'), name) }

// AppendDialectSymbol writes a dialect's type (prefix '!') or attribute ('#'): `!d.name`, `!d.name<…>`, or `!d<…>` where
// the text does not start with a name that goes up to `<`.
func AppendDialectSymbol(dst []byte, prefix byte, namespace, text string) []byte {
	dst = append(append(dst, prefix), namespace...)
	// `!d.x-` is the only spelling of a text that ends in a minus: the end of `!d<x->` would be read as an arrow. mlir-opt
	// writes that, and does not read it back.
	if isPrettySymbol(text) || strings.HasSuffix(text, "-") {
		return append(append(dst, '.'), text...)
	}
	return append(append(append(dst, '<'), text...), '>')
}

func isPrettySymbol(text string) bool {
	if text == "" || !isLetter(text[0]) {
		return false
	}
	end := 1
	for end < len(text) && (isLetter(text[end]) || isDigit(text[end]) || text[end] == '.' || text[end] == '_') {
		end++
	}
	return end == len(text) || text[end] == '<' && text[len(text)-1] == '>'
}

// String returns the type's text.
func (t *IntegerType) String() string { return typeString(t) }

// String returns `index`.
func (t *IndexType) String() string { return typeString(t) }

// String returns `none`.
func (t *NoneType) String() string { return typeString(t) }

// String returns the type's keyword.
func (t *FloatType) String() string { return t.Name() }

// String returns the type's text.
func (t *ComplexType) String() string { return typeString(t) }

// String returns the type's text.
func (t *TupleType) String() string { return typeString(t) }

// String returns the type's text.
func (t *FunctionType) String() string { return typeString(t) }

// String returns the type's text.
func (t *VectorType) String() string { return typeString(t) }

// String returns the type's text.
func (t *RankedTensorType) String() string { return typeString(t) }

// String returns the type's text.
func (t *UnrankedTensorType) String() string { return typeString(t) }

// String returns the type's text.
func (t *MemRefType) String() string { return typeString(t) }

// String returns the type's text.
func (t *UnrankedMemRefType) String() string { return typeString(t) }

// String returns the type's text.
func (t *OpaqueType) String() string { return typeString(t) }

// String returns `unit`.
func (a *UnitAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *IntegerAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *FloatAttr) String() string { return attributeString(a) }

// String returns the attribute's text, in quotes.
func (a *StringAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *ArrayAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *DictionaryAttr) String() string { return attributeString(a) }

// String returns the type's text.
func (a *TypeAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *SymbolRefAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *StridedLayoutAttr) String() string { return attributeString(a) }

// String returns the attribute's text, numbered 0.
func (a *DistinctAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *OpaqueAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *DenseElementsAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *DenseStringElementsAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *DenseArrayAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *SparseElementsAttr) String() string { return attributeString(a) }

// String returns the attribute's text.
func (a *DenseResourceElementsAttr) String() string { return attributeString(a) }

// String returns `loc(unknown)`.
func (l *UnknownLoc) String() string { return locationString(l) }

// String returns `loc("file":line:column)`.
func (l *FileLoc) String() string { return locationString(l) }

// String returns `loc("name")`.
func (l *NameLoc) String() string { return locationString(l) }

// String returns `loc(callsite(…))`.
func (l *CallSiteLoc) String() string { return locationString(l) }

// String returns `loc(fused[…])`.
func (l *FusedLoc) String() string { return locationString(l) }
