package parser

// This file cuts a text into the parts that --split-input-file treats as files of their own.

import (
	"bytes"

	"tpuir/ir"
)

// SplitMarker separates two parts by default.
const SplitMarker = "// -----"

// markerEnd is the length of the end of a marker that may be missing or wrong where one is nearly met.
const markerEnd = 2

// Split cuts a text at a marker, which may stand anywhere in a line, and adds the parts to the sources; lines and columns in
// them are those of the whole. As in MLIR the last marker cuts only if something follows it. nearMisses are the offsets
// where a marker breaks off before its last two characters: that is not a cut, but hardly meant.
func Split(sources *ir.Sources, whole *ir.Source, marker string) (parts []*ir.Source, nearMisses []int) {
	if marker == "" {
		marker = SplitMarker
	}
	almost := []byte(marker)
	if len(marker) > markerEnd {
		almost = almost[:len(marker)-markerEnd]
	}
	text := whole.Text
	start, line := 0, 0
	add := func(end int) {
		part := sources.Add(whole.Name, text[start:end])
		part.Line = line + whole.Line
		part.Head = text[bytes.LastIndexByte(text[:start], '\n')+1 : start]
		parts = append(parts, part)
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], almost)
		if i < 0 {
			add(len(text))
			return parts, nearMisses
		}
		from, to := at+i, at+i+len(marker)
		// One that the next follows at once cuts no more than one at the end.
		if bytes.HasPrefix(text[from:], []byte(marker)) && to < len(text) && !bytes.HasPrefix(text[to:], almost) {
			add(from)
			line += bytes.Count(text[start:to], []byte{'\n'})
			start, at = to, to
			continue
		}
		at = from + len(almost)
		nearMisses = append(nearMisses, at)
	}
}
