package bytecode

// This file decodes the builtin dialect's attributes and locations.

import (
	"math/big"
	"math/bits"

	"tpuir/ir"
)

// builtinAttribute decodes an attribute. It is nil after an error.
func (r *reader) builtinAttribute(c *cursor) ir.Attribute {
	code := c.varint()
	if c.failed() {
		return nil
	}
	switch code {
	case codeArray:
		return r.array(c)
	case codeDictionary:
		return r.dictionary(c)
	case codeString:
		return r.context.StringAttr(r.string(c))
	case codeTypedString:
		value, t := r.string(c), r.typ(c)
		if c.failed() {
			return nil
		}
		return r.context.TypedString(value, t)
	case codeFlatSymbolRef, codeSymbolRef:
		return r.symbolRef(c, code == codeSymbolRef)
	case codeTypeAttr:
		if t := r.typ(c); t != nil {
			return r.context.TypeAttr(t)
		}
		return nil
	case codeUnit:
		return r.context.Unit()
	case codeInteger:
		return r.integer(c)
	case codeFloat:
		return r.float(c)
	case codeDistinct:
		if referenced := r.attribute(c); referenced != nil {
			return r.context.NewDistinct(referenced)
		}
		return nil
	}
	if a, ok := r.builtinLocation(c, code); ok {
		return a
	}
	return r.elements(c, code)
}

// builtinLocation decodes a location; ok is false for a code of something else.
func (r *reader) builtinLocation(c *cursor, code uint64) (a ir.Attribute, ok bool) {
	switch code {
	case codeCallSiteLoc:
		callee, caller := r.location(c), r.location(c)
		if c.failed() {
			return nil, true
		}
		return r.context.CallSiteLoc(callee, caller), true
	case codeFileLoc:
		file, line, column := r.plainString(c), c.varint(), c.varint()
		return r.context.FileLoc(file, uint32(line), uint32(column)), true
	case codeFileRangeLoc:
		return r.fileRange(c), true
	case codeFusedLoc, codeFusedLocWithMetadata:
		return r.fused(c, code == codeFusedLocWithMetadata), true
	case codeNameLoc:
		name, child := r.plainString(c), r.location(c)
		if c.failed() {
			return nil, true
		}
		return r.context.NameLoc(name, child), true
	case codeUnknownLoc:
		return r.context.UnknownLoc(), true
	}
	return nil, false
}

func (r *reader) array(c *cursor) ir.Attribute {
	base := len(r.elementStack)
	defer func() { r.elementStack = r.elementStack[:base] }()
	for range c.count("elements of an array") {
		a := r.attribute(c)
		if a == nil {
			return nil
		}
		r.elementStack = append(r.elementStack, a)
	}
	return r.context.Array(r.elementStack[base:]...)
}

func (r *reader) dictionary(c *cursor) ir.Attribute {
	base := len(r.namedStack)
	defer func() { r.namedStack = r.namedStack[:base] }()
	for range c.count("entries of a dictionary") {
		entry := ir.NamedAttribute{Name: r.plainString(c), Value: r.attribute(c)}
		if c.failed() {
			return nil
		}
		if entry.Name == "" {
			c.fail("an attribute without a name")
			return nil
		}
		r.namedStack = append(r.namedStack, entry)
	}
	return r.context.Dictionary(r.namedStack[base:]...)
}

// plainString reads a reference to a string attribute and returns its value. That of an entry that nobody has asked for as an
// attribute is taken as it stands: the names of locations are as many as the operations.
func (r *reader) plainString(c *cursor) string {
	index := c.varint()
	if index < uint64(len(r.attributes)) && r.attributes[index].value == nil {
		if s, ok := r.quietStringAt(index, c.failure); ok {
			return s
		}
	}
	s, ok := r.attributeAt(c, index).(*ir.StringAttr)
	if !ok {
		c.fail("expected attribute of type: StringAttr")
		return ""
	}
	return s.Value
}

func (r *reader) symbolRef(c *cursor, withNested bool) ir.Attribute {
	root := r.plainString(c)
	var nested []string
	if withNested {
		nested = make([]string, c.count("nested symbols"))
		for i := range nested {
			reference, ok := r.attribute(c).(*ir.SymbolRefAttr)
			if !ok || len(reference.Nested) > 0 {
				c.fail("expected attribute of type: FlatSymbolRefAttr")
				return nil
			}
			nested[i] = reference.Root
		}
	}
	if c.failed() {
		return nil
	}
	return r.context.SymbolRef(root, nested...)
}

func (r *reader) integer(c *cursor) ir.Attribute {
	t := r.typ(c)
	if t == nil {
		return nil
	}
	switch t := t.(type) {
	case *ir.IndexType:
		return r.context.Int(t, c.signed())
	case *ir.IntegerType:
		if t.Width <= 64 {
			return r.context.Int(t, int64(c.bitsOf(t.Width)))
		}
		return r.context.BigInt(t, c.wide(t.Width))
	}
	c.fail("expected integer or index type for IntegerAttr, but got: %s", clip(t.String()))
	return nil
}

// bitsOf reads a number of a known width of at most 64 bits.
func (c *cursor) bitsOf(width uint32) uint64 {
	if width <= 8 {
		return uint64(c.byte())
	}
	return uint64(c.signed())
}

// wide reads a number of a known width above 64 bits: the words that are not zero at the high end.
func (c *cursor) wide(width uint32) *big.Int {
	n := c.count("words of an integer")
	if n > int(width+63)/64 {
		c.fail("%d words for an integer of %d bits", n, width)
		return new(big.Int)
	}
	words := make([]big.Word, 0, n*64/bits.UintSize)
	for range n {
		word := uint64(c.signed())
		for shift := 0; shift < 64; shift += bits.UintSize {
			words = append(words, big.Word(word>>shift))
		}
	}
	return new(big.Int).SetBits(words)
}

func (r *reader) float(c *cursor) ir.Attribute {
	t, ok := r.typ(c).(*ir.FloatType)
	if !ok {
		c.fail("expected a float type for FloatAttr")
		return nil
	}
	width := t.Width()
	if width > 64 {
		value := c.wide(width)
		low := new(big.Int).And(value, new(big.Int).SetUint64(^uint64(0))).Uint64()
		return r.context.FloatBits(t, low, value.Rsh(value, 64).Uint64()&(1<<(width-64)-1))
	}
	value := c.bitsOf(width)
	if width < 64 {
		value &= 1<<width - 1
	}
	return r.context.FloatBits(t, value, 0)
}

// fileRange decodes a place or a range in a file: as many numbers as were written.
func (r *reader) fileRange(c *cursor) ir.Attribute {
	file := r.plainString(c)
	var n [4]uint32
	count := c.count("numbers of a location")
	if count > len(n) {
		c.fail("%d numbers in a location", count)
	}
	for i := 0; i < count && !c.failed(); i++ {
		n[i] = uint32(c.varint())
	}
	switch count {
	case 0:
		return r.context.FileRangeLoc(ir.FileOnly, file, 0, 0, 0, 0)
	case 1:
		return r.context.FileRangeLoc(ir.FileLine, file, n[0], 0, 0, 0)
	case 2:
		return r.context.FileLoc(file, n[0], n[1])
	case 3:
		return r.context.FileRangeLoc(ir.FileColumns, file, n[0], n[1], 0, n[2])
	}
	return r.context.FileRangeLoc(ir.FileRange, file, n[0], n[1], n[2], n[3])
}

func (r *reader) fused(c *cursor, withMetadata bool) ir.Attribute {
	locations := make([]ir.Location, c.count("fused locations"))
	for i := range locations {
		if locations[i] = r.location(c); locations[i] == nil {
			return nil
		}
	}
	var metadata ir.Attribute
	if withMetadata {
		metadata = r.attribute(c)
	}
	if c.failed() {
		return nil
	}
	if len(locations) == 0 {
		return r.context.FusedLoc(nil, metadata)
	}
	return r.context.RawFusedLoc(locations, metadata)
}
