package parser

// This file remembers what pieces of text stand for. A model repeats the same types and attribute dictionaries thousands
// of times; finding them by their bytes is many times faster than reading them. Aliases can't be redefined, so the same
// text always means the same within a file.

import (
	"bytes"
	"hash/maphash"
	"unsafe"

	"tpuir/ir"
)

// memoLimit is the length in bytes up to which a piece of text is remembered.
const memoLimit = 4096

type memo struct {
	names        map[string]string
	strings      map[string]string // by their text with the quotes
	operations   map[string]*ir.OperationName
	functions    textCache[*ir.FunctionType]
	dictionaries textCache[*ir.DictionaryAttr]
}

func newMemo() memo {
	seed := maphash.MakeSeed()
	return memo{
		names:        map[string]string{},
		strings:      map[string]string{},
		operations:   map[string]*ir.OperationName{},
		functions:    textCache[*ir.FunctionType]{seed: seed},
		dictionaries: textCache[*ir.DictionaryAttr]{seed: seed},
	}
}

// textCache finds objects by their text. It has a fixed size: of two texts that want the same place the later stays. So
// what stands once in a file costs little, and what is repeated comes back.
type textCache[T any] struct {
	seed  maphash.Seed
	slots []cachedText[T]
}

type cachedText[T any] struct {
	text  string // of the source
	value T
}

const cacheSlots = 1 << 12

// slot returns the place of a text, and whether that text is there.
func (c *textCache[T]) slot(text []byte) (s *cachedText[T], found bool) {
	if c.slots == nil {
		c.slots = make([]cachedText[T], cacheSlots)
	}
	s = &c.slots[maphash.Bytes(c.seed, text)%cacheSlots]
	return s, s.text == string(text) && len(text) > 0
}

// view returns bytes of the source text as a string without copying. The text of a source never changes.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// name returns a string of these bytes, the same memory for the same bytes.
func (m *memo) name(text []byte) string {
	if found, ok := m.names[string(text)]; ok {
		return found
	}
	made := string(text)
	m.names[made] = made
	return made
}

// unquoted returns what a string token stands for, the same memory for the same text.
func (m *memo) unquoted(quoted []byte) string {
	if found, ok := m.strings[string(quoted)]; ok {
		return found
	}
	made := unquote(quoted[1 : len(quoted)-1])
	m.strings[string(quoted)] = made
	return made
}

// operation returns the operation name that a string token stands for; name is nil for one with escapes.
func (m *memo) operation(p *parser, quoted []byte) *ir.OperationName {
	if found := m.operations[string(quoted)]; found != nil {
		return found
	}
	found := p.context.OperationName(unquote(quoted[1 : len(quoted)-1]))
	m.operations[string(quoted)] = found
	return found
}

// functionText returns the rest of the line up to a trailing location: what an operation's type usually is.
func functionText(p *parser) []byte {
	line := p.text[p.token.start:]
	if i := bytes.IndexByte(line[:min(len(line), memoLimit)], '\n'); i >= 0 {
		line = line[:i]
	} else if len(line) > memoLimit {
		return nil
	}
	if i := bytes.LastIndex(line, []byte(" loc(")); i >= 0 {
		line = line[:i]
	}
	return bytes.TrimRight(line, " \t\r")
}

// parseFunctionTypeMemo is parseFunctionType that looks for the text in the memo first.
func (p *parser) parseFunctionTypeMemo() (*ir.FunctionType, error) {
	text := functionText(p)
	if len(text) == 0 {
		return p.parseFunctionType()
	}
	start := p.token.start
	slot, found := p.memo.functions.slot(text)
	if found {
		p.reset(start + len(text))
		return slot.value, nil
	}
	t, err := p.parseFunctionType()
	if err == nil && p.last == start+len(text) {
		*slot = cachedText[*ir.FunctionType]{view(text), t}
	}
	return t, err
}

// matchingBrace returns the offset behind the brace that closes the current one, or 0 where that is far away, where there
// are comments, or where no brace is.
func (p *parser) matchingBrace() int {
	if p.token.kind != tokenLeftBrace {
		return 0
	}
	text := p.text[p.token.start:]
	text = text[:min(len(text), memoLimit)]
	depth := 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return p.token.start + at + 1
			}
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '/':
			if at+1 < len(text) && text[at+1] == '/' {
				return 0
			}
		}
	}
	return 0
}
