package parser

// This file cuts a text into the parts that --split-input-file treats as files of their own.

import "bytes"

// SplitMarker is the line that separates two parts by default.
const SplitMarker = "// -----"

// Chunk is one part of a text.
type Chunk struct {
	Text []byte
	// Line is the number of lines before the part, Offset the number of bytes.
	Line, Offset int
}

// Split cuts a text at the lines that are the marker and nothing else; a text without any is one chunk. A chunk starts with
// the end of its marker's line, as in MLIR, so that its first line is empty.
func Split(text []byte, marker string) []Chunk {
	if marker == "" {
		marker = SplitMarker
	}
	var chunks []Chunk
	start, line := 0, 0
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(marker))
		if i < 0 {
			return append(chunks, Chunk{text[start:], line, start})
		}
		from, to := at+i, at+i+len(marker)
		at = to
		if !isWholeLine(text, from, to) {
			continue
		}
		chunks = append(chunks, Chunk{text[start:from], line, start})
		line += bytes.Count(text[start:from], []byte{'\n'})
		start = to
	}
}

func isWholeLine(text []byte, from, to int) bool {
	rest := bytes.TrimPrefix(text[to:], []byte("\r"))
	return (from == 0 || text[from-1] == '\n') && (len(rest) == 0 || rest[0] == '\n')
}
