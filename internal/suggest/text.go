package suggest

// This file finds what a misspelt word in a text was meant to be, where the error stands on it and does not name it: a type
// or an attribute of the builtin dialect, the name of an operation whose dialect is not known.

import (
	"bytes"
	"slices"
	"strings"

	"tpuir/ir"
	"tpuir/pass"
)

// The words that types and attributes begin with.
var (
	typeWords = []string{"bf16", "complex", "f128", "f16", "f32", "f64", "f80", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3",
		"f8E4M3B11FNUZ", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "i1", "i16", "i32", "i64", "i8", "index",
		"memref", "none", "si32", "si64", "si8", "tensor", "tf32", "tuple", "ui32", "ui64", "ui8", "vector"}
	attributeWords = []string{"affine_map", "affine_set", "array", "dense", "dense_resource", "distinct", "false", "loc", "opaque",
		"sparse", "strided", "true", "unit"}
)

// word is what was meant by the word that an error about a type or an attribute stands on, or "".
func word(d *ir.Diagnostic, sources *ir.Sources) string {
	var known []string
	switch {
	case d.Message == "expected type", strings.HasPrefix(d.Message, "expected non-function type"):
		known = typeWords
	case d.Message == "expected attribute value":
		known = attributeWords
	default:
		return ""
	}
	found := wordAt(d, sources)
	if found == "" || slices.Contains(known, found) {
		return ""
	}
	return pass.Closest(found, known)
}

// around returns the text before and behind the place of an error.
func around(d *ir.Diagnostic, sources *ir.Sources) (before, behind []byte) {
	if sources == nil {
		return nil, nil
	}
	source, offset := sources.Find(d.Position)
	if source == nil || offset > len(source.Text) {
		return nil, nil
	}
	return source.Text[:offset], source.Text[offset:]
}

// wordAt returns the word that an error stands on, or that follows: what is missing is reported behind what comes before.
func wordAt(d *ir.Diagnostic, sources *ir.Sources) string {
	_, text := around(d, sources)
	text = bytes.TrimLeft(text, " \t")
	end := 0
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	return string(text[:end])
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// nameBefore returns the string that ends where an error stands: the name of an operation in the generic form.
func nameBefore(d *ir.Diagnostic, sources *ir.Sources) string {
	before, _ := around(d, sources)
	before = bytes.TrimRight(before, " \t")
	if !bytes.HasSuffix(before, []byte{'"'}) {
		return ""
	}
	before = before[:len(before)-1]
	return string(before[bytes.LastIndexByte(before, '"')+1:])
}

// namespaceBefore returns the dialect of a type or an attribute whose name an error stands on: `!cmath.` or `#cmath<`.
func namespaceBefore(d *ir.Diagnostic, sources *ir.Sources) string {
	before, _ := around(d, sources)
	before = bytes.TrimRight(before, ".<")
	start := len(before)
	for start > 0 && isWordByte(before[start-1]) {
		start--
	}
	return string(before[start:])
}
