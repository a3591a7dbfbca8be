// Texts that diagnostics point into, and pieces of them: a pattern, a variable's name and a captured value all have to
// remember where they stand, because every report of FileCheck shows the line and a caret.

package filecheck

import "strings"

// horizontalSpace holds the bytes that canonicalization folds into one blank.
const horizontalSpace = " \t"

// source is a named text: the check file, the input, or a text made up from the command line.
type source struct {
	name string
	text string
}

// position gives the one-based line and column of a byte offset. A carriage return starts a new column count but not
// a new line, as in LLVM.
func (s *source) position(offset int) (line, column int) {
	before := s.text[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexAny(before, "\n\r")
}

// lineAround gives the bounds of the line that holds offset, without its line break.
func (s *source) lineAround(offset int) (start, end int) {
	start = strings.LastIndexAny(s.text[:offset], "\n\r") + 1
	end = len(s.text)
	if next := strings.IndexAny(s.text[offset:], "\n\r"); next >= 0 {
		end = offset + next
	}
	return start, end
}

// piece is a half-open range of a source.
type piece struct {
	source     *source
	start, end int
}

func (s *source) whole() piece { return piece{s, 0, len(s.text)} }

func (p piece) String() string { return p.source.text[p.start:p.end] }

func (p piece) length() int { return p.end - p.start }

func (p piece) empty() bool { return p.start == p.end }

// from drops the first n bytes.
func (p piece) from(n int) piece { return piece{p.source, p.start + n, p.end} }

// upTo keeps the first n bytes.
func (p piece) upTo(n int) piece { return piece{p.source, p.start, p.start + n} }

// point is the empty piece at the start of p.
func (p piece) point() piece { return piece{p.source, p.start, p.start} }

// until is what lies between the starts of p and rest, where rest is a tail of p.
func (p piece) until(rest piece) piece { return piece{p.source, p.start, rest.start} }

func (p piece) startsWith(prefix string) bool { return strings.HasPrefix(p.String(), prefix) }

func (p piece) trimLeft() piece {
	return p.from(p.length() - len(strings.TrimLeft(p.String(), horizontalSpace)))
}

func (p piece) trimRight() piece {
	return p.upTo(len(strings.TrimRight(p.String(), horizontalSpace)))
}

// take drops prefix from the front of p and reports whether it was there.
func (p *piece) take(prefix string) bool {
	if !p.startsWith(prefix) {
		return false
	}
	*p = p.from(len(prefix))
	return true
}

// canonicalize drops the carriage return of a DOS line break and, unless whitespace is strict, folds each run of
// blanks and tabs into one blank. Offsets and columns of all reports refer to the text that comes out.
func canonicalize(text string, strictWhitespace bool) string {
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case strictWhitespace || (c != ' ' && c != '\t'):
			out.WriteByte(c)
		default:
			out.WriteByte(' ')
			for i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t') {
				i++
			}
		}
	}
	return out.String()
}
