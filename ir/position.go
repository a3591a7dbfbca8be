package ir

// This file holds source texts and positions in them: what a message needs to show the line it is about, even where the
// operation's own location is a tensor's name.

import (
	"bytes"
	"sync"
)

// Position is a place in one of the texts of a [Sources]; 0 is no place.
type Position uint64

const positionOffsetBits = 40

// Source is one text that IR was read from.
type Source struct {
	// Name is the file's name as it stands in messages, "-" for standard input.
	Name string
	Text []byte
	// Line is the number of lines that precede Text in its file, where the text is a part of one; Head is what precedes it
	// in the line that it starts in.
	Line  int
	Head  []byte
	index uint64

	once  sync.Once
	lines []int // offsets of line starts
}

// Position returns the position of a byte offset.
func (s *Source) Position(offset int) Position {
	return Position(s.index<<positionOffsetBits | uint64(offset+1))
}

// Offset returns the byte offset of a position in the source.
func (s *Source) Offset(p Position) int { return int(p&(1<<positionOffsetBits-1)) - 1 }

// LineColumn returns the line and column, both from 1, of a byte offset.
func (s *Source) LineColumn(offset int) (line, column int) {
	s.once.Do(func() {
		s.lines = make([]int, 1, 1+bytes.Count(s.Text, []byte{'\n'}))
		s.lines[0] = -len(s.Head)
		for at := 0; ; {
			i := bytes.IndexByte(s.Text[at:], '\n')
			if i < 0 {
				return
			}
			at += i + 1
			s.lines = append(s.lines, at)
		}
	})
	low, high := 0, len(s.lines)
	for high-low > 1 {
		middle := (low + high) / 2
		if s.lines[middle] <= offset {
			low = middle
		} else {
			high = middle
		}
	}
	return low + 1 + s.Line, offset - s.lines[low] + 1
}

// linePart returns n bytes of the line that holds the offset, or what there is, from a byte of the line on. It looks at no more
// of the text: a line may be the whole file, with an error in every column.
func (s *Source) linePart(offset, from, n int) []byte {
	_, column := s.LineColumn(offset)
	start := offset - (column - 1) + from
	var part []byte
	if start < 0 { // the head of the line
		part = s.Head[len(s.Head)+start:]
		part = part[:min(n, len(part)):min(n, len(part))]
		start, n = 0, n-len(part)
	}
	start = min(start, len(s.Text))
	text := s.Text[start:min(start+n, len(s.Text))]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = bytes.TrimSuffix(text[:i], []byte("\r"))
	} else if start+n >= len(s.Text) {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	if len(part) == 0 {
		return text
	}
	return append(part, text...)
}

// Sources is the list of texts that positions point into. The zero value is ready; it is safe for concurrent use.
type Sources struct {
	mu   sync.Mutex
	list []*Source
}

// Add adds a text.
func (s *Sources) Add(name string, text []byte) *Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	source := &Source{Name: name, Text: text, index: uint64(len(s.list))}
	s.list = append(s.list, source)
	return source
}

// Find returns the text and byte offset of a position, or nil for none.
func (s *Sources) Find(p Position) (*Source, int) {
	if p == 0 || s == nil {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	index := int(p >> positionOffsetBits)
	if index >= len(s.list) {
		return nil, 0
	}
	return s.list[index], int(p&(1<<positionOffsetBits-1)) - 1
}

// Named returns the first text of that name, or nil.
func (s *Sources) Named(name string) *Source {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, source := range s.list {
		if source.Name == name {
			return source
		}
	}
	return nil
}
