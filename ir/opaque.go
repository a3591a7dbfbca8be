package ir

// This file holds types and attributes of dialects that are not registered. They are kept as their text.

import (
	"slices"
	"strings"
)

// OpaqueAttr is an attribute of an unregistered dialect, kept as its text: `#d.name<text>` has the Text `name<text>`.
// Type is `none` where no type follows.
type OpaqueAttr struct {
	AttributeBase
	Namespace string
	Text      string
	Type      Type
	// Parts are the aliases in the text, in order, as far as they are understood.
	Parts []Part
}

// OpaqueType is a type of an unregistered dialect, kept as its text: `!d.name<text>` has the Text `name<text>`.
type OpaqueType struct {
	TypeBase
	Namespace string
	Text      string
	// Parts are the aliases in the text, in order, as far as they are understood.
	Parts []Part
}

// Part is what an alias within a text stands for: a type or an attribute. Without it the alias's definition would be lost,
// where nothing else in the IR uses it.
type Part struct {
	// At is the offset in the text at which the alias stood. The text has nothing there.
	At        int
	Type      Type
	Attribute Attribute
}

// AttributeType returns the type, `none` where none is written.
func (a *OpaqueAttr) AttributeType() Type { return a.Type }

// OpaqueAttr returns the attribute `#namespace<text> : type` of a dialect that is not registered.
func (c *Context) OpaqueAttr(namespace, text string, t Type, parts ...Part) *OpaqueAttr {
	var buf [256]byte
	return intern(c, newKey(buf[:], keyOpaqueAttr).Type(t).Text(namespace).Text(text).parts(parts), func() *OpaqueAttr {
		return &OpaqueAttr{AttributeBase: c.newAttributeBase().overTypes(t).overParts(parts), Namespace: strings.Clone(namespace),
			Text: strings.Clone(text), Type: t, Parts: slices.Clone(parts)}
	})
}

// OpaqueType returns the type `!namespace<text>` of a dialect that is not registered.
func (c *Context) OpaqueType(namespace, text string, parts ...Part) *OpaqueType {
	var buf [256]byte
	return intern(c, newKey(buf[:], keyOpaqueType).Text(namespace).Text(text).parts(parts), func() *OpaqueType {
		return &OpaqueType{TypeBase: c.newTypeBase().overParts(parts), Namespace: namespace, Text: text, Parts: slices.Clone(parts)}
	})
}

func (k Key) parts(parts []Part) Key {
	for _, part := range parts {
		k = k.Uint(uint64(part.At)).Type(part.Type).Attribute(part.Attribute)
	}
	return k
}

// joined returns a text with its parts as they are to be written.
func (w *TextWriter) joined(text string, parts []Part) string {
	if len(parts) == 0 {
		return text
	}
	var whole []byte
	last := 0
	for _, part := range parts {
		whole, last = append(whole, text[last:part.At]...), part.At
		if part.Type != nil {
			whole = w.AppendType(whole, part.Type)
		} else {
			whole = w.AppendAttribute(whole, part.Attribute)
		}
	}
	return string(append(whole, text[last:]...))
}

// Mnemonic returns the name that a text begins with, "di_file" of `di_file<…>`; "" where it begins with none.
func Mnemonic(text string) string {
	end := 0
	for end < len(text) && (isLetter(text[end]) || text[end] == '_' || end > 0 && isDigit(text[end])) {
		end++
	}
	return text[:end]
}
