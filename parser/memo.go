package parser

// This file remembers what pieces of text stand for. A model repeats the same types and attribute dictionaries thousands
// of times; finding them by their bytes is many times faster than reading them. Aliases can't be redefined, so the same
// text always means the same within a file.

import (
	"bytes"
	"unsafe"

	"tpuir/ir"
)

// memoLimit is the length in bytes up to which a piece of text is remembered.
const memoLimit = 4096

type memo struct {
	names        map[string]string
	operations   map[string]*ir.OperationName
	functions    map[string]*ir.FunctionType
	dictionaries map[string]*ir.DictionaryAttr
}

func newMemo() memo {
	return memo{
		names:        map[string]string{},
		operations:   map[string]*ir.OperationName{},
		functions:    map[string]*ir.FunctionType{},
		dictionaries: map[string]*ir.DictionaryAttr{},
	}
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
	start := p.token.start
	if t := p.memo.functions[string(text)]; t != nil {
		p.reset(start + len(text))
		return t, nil
	}
	t, err := p.parseFunctionType()
	if err == nil && len(text) > 0 && p.last == start+len(text) {
		p.memo.functions[view(text)] = t
	}
	return t, err
}

// dictionary returns the dictionary that the current brace opens, if its text is known, and goes behind it.
func (m *memo) dictionary(p *parser) *ir.DictionaryAttr {
	end := matchingBrace(p.text, p.token.start)
	if end == 0 {
		return nil
	}
	d := m.dictionaries[string(p.text[p.token.start:end])]
	if d != nil {
		p.reset(end)
	}
	return d
}

func (m *memo) addDictionary(p *parser, start int, d *ir.DictionaryAttr) {
	if p.last-start <= memoLimit {
		m.dictionaries[view(p.text[start:p.last])] = d
	}
}

// matchingBrace returns the offset behind the brace that closes the one at an offset, or 0 where that is far away or
// there are comments.
func matchingBrace(text []byte, start int) int {
	limit := min(len(text), start+memoLimit)
	depth := 0
	for at := start; at < limit; at++ {
		switch text[at] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return at + 1
			}
		case '"':
			for at++; at < limit && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '/':
			if at+1 < limit && text[at+1] == '/' {
				return 0
			}
		}
	}
	return 0
}
