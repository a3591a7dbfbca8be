package ir

// This file counts how deep types and attributes are nested. Texts bound the depth of their brackets, but a chain of aliases,
// and that of a bytecode file's entries, has no brackets: whoever follows such a chain looks here before it becomes
// recursion that no stack holds.

// MaxDepth is how deep types, attributes and locations may be nested in each other. Readers refuse what is deeper.
const MaxDepth = 100_000

// Depth returns how many types and attributes are nested in the object, at the deepest place; 0 for one that is made of no
// other.
func (b *base) Depth() int { return int(b.depth) }

// nesting is what types and attributes have in common.
type nesting interface{ Depth() int }

// enclose makes the object deeper than a part, which must not be nil.
func (b *base) enclose(part nesting) { b.depth = max(b.depth, uint32(part.Depth())+1) }

// overTypes notes that the object is made of these types.
func (b TypeBase) overTypes(types ...Type) TypeBase {
	for _, t := range types {
		if t != nil {
			b.enclose(t)
		}
	}
	return b
}

// OverAttributes notes that a type is made of these attributes, of which some may be nil.
func (b TypeBase) OverAttributes(attributes ...Attribute) TypeBase {
	for _, a := range attributes {
		if a != nil {
			b.enclose(a)
		}
	}
	return b
}

func (b TypeBase) overParts(parts []Part) TypeBase {
	for i := range parts {
		b = b.overTypes(parts[i].Type).OverAttributes(parts[i].Attribute)
	}
	return b
}

// overTypes notes that the object is made of these types.
func (b AttributeBase) overTypes(types ...Type) AttributeBase {
	b.base = TypeBase(b).overTypes(types...).base
	return b
}

// OverAttributes notes that an attribute is made of these attributes, of which some may be nil.
func (b AttributeBase) OverAttributes(attributes ...Attribute) AttributeBase {
	b.base = TypeBase(b).OverAttributes(attributes...).base
	return b
}

func (b AttributeBase) overParts(parts []Part) AttributeBase {
	b.base = TypeBase(b).overParts(parts).base
	return b
}

func (b AttributeBase) overEntries(entries []NamedAttribute) AttributeBase {
	for i := range entries {
		b.enclose(entries[i].Value)
	}
	return b
}

func (b AttributeBase) overLocations(locations []Location) AttributeBase {
	for _, l := range locations {
		b.enclose(l)
	}
	return b
}
