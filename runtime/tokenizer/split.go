package tokenizer

// This file is the pre-tokenizers: they split a text into the words that BPE then works on one by one.

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A splitter appends the parts of one piece to words.
type splitter interface {
	split(words []piece, p piece) ([]piece, error)
}

type splitterJSON struct {
	Type             string            `json:"type"`
	PreTokenizers    []json.RawMessage `json:"pretokenizers"`
	Pattern          json.RawMessage   `json:"pattern"`
	Behavior         json.RawMessage   `json:"behavior"`
	Invert           bool              `json:"invert"`
	AddPrefixSpace   *bool             `json:"add_prefix_space"`
	UseRegex         *bool             `json:"use_regex"`
	Replacement      string            `json:"replacement"`
	PrependScheme    string            `json:"prepend_scheme"`
	Split            *bool             `json:"split"`
	IndividualDigits bool              `json:"individual_digits"`
}

// gpt2Pattern is what a ByteLevel pre-tokenizer splits with where use_regex is true.
const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

func newSplitters(data json.RawMessage, field string, depth int) ([]splitter, error) {
	var file splitterJSON
	if ok, err := readStep(data, field, depth, &file); !ok {
		return nil, err
	}
	switch file.Type {
	case "Sequence":
		var all []splitter
		for at, step := range file.PreTokenizers {
			steps, err := newSplitters(step, fmt.Sprintf("%s.pretokenizers[%d]", field, at), depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, steps...)
		}
		return all, nil
	case "ByteLevel":
		return newByteLevelSplitters(file)
	case "Metaspace":
		m, err := newMetaspace(file, field)
		return []splitter{m}, err
	case "Split":
		p, err := newPattern(file.Pattern, field+".pattern")
		if err != nil {
			return nil, err
		}
		return newPatternSplitter(p, file.Behavior, file.Invert, field)
	case "Digits":
		if file.IndividualDigits {
			return []splitter{runeSplitter{match: unicode.IsNumber, each: true}}, nil
		}
		return []splitter{runeSplitter{match: unicode.IsNumber}}, nil
	case "WhitespaceSplit":
		return []splitter{runeSplitter{match: unicode.IsSpace, drop: true}}, nil
	}
	return nil, unsupported(field, file.Type, "Sequence, ByteLevel, Metaspace, Split, Digits, WhitespaceSplit")
}

func newByteLevelSplitters(file splitterJSON) ([]splitter, error) {
	var all []splitter
	if file.AddPrefixSpace == nil || *file.AddPrefixSpace {
		all = append(all, prefixSpace{})
	}
	if file.UseRegex == nil || *file.UseRegex {
		expression, err := compile(gpt2Pattern)
		if err != nil {
			return nil, err
		}
		all = append(all, patternSplitter{pattern: &pattern{expression: expression}, behavior: "Isolated"})
	}
	return append(all, byteLevel{}), nil
}

// prefixSpace puts a space before a text that has none.
type prefixSpace struct{}

func (prefixSpace) split(words []piece, p piece) ([]piece, error) {
	if !strings.HasPrefix(p.text, " ") {
		p.text = " " + p.text
	}
	return append(words, p), nil
}

// byteLevel writes the bytes as characters of the byte alphabet.
type byteLevel struct{}

func (byteLevel) split(words []piece, p piece) ([]piece, error) {
	p.text = toAlphabet(p.text)
	return append(words, p), nil
}

// metaspace writes spaces as another character and splits before them.
type metaspace struct {
	replacement string
	scheme      string // always, first or never: where the replacement is put before the text
	cut         bool
}

func newMetaspace(file splitterJSON, field string) (metaspace, error) {
	m := metaspace{replacement: file.Replacement, scheme: file.PrependScheme, cut: file.Split == nil || *file.Split}
	if utf8.RuneCountInString(m.replacement) != 1 {
		return m, fieldError(field+".replacement", "%q is not one character", m.replacement)
	}
	if m.scheme == "" {
		m.scheme = "always"
		if file.AddPrefixSpace != nil && !*file.AddPrefixSpace {
			m.scheme = "never"
		}
	}
	switch m.scheme {
	case "always", "first", "never":
		return m, nil
	}
	return m, fieldError(field+".prepend_scheme", "%q is not always, first or never", m.scheme)
}

func (m metaspace) split(words []piece, p piece) ([]piece, error) {
	text := strings.ReplaceAll(p.text, " ", m.replacement)
	if (m.scheme == "always" || m.scheme == "first" && p.first) && !strings.HasPrefix(text, m.replacement) {
		text = m.replacement + text
	}
	if !m.cut {
		return append(words, piece{text: text, id: -1, first: p.first}), nil
	}
	spans, err := (&pattern{literal: m.replacement}).spans(text)
	if err != nil {
		return nil, err
	}
	return appendSpans(words, piece{text: text, id: -1, first: p.first}, mergeWithNext(spans)), nil
}

// patternSplitter splits at the matches of a pattern; the behavior says to which side a match goes.
type patternSplitter struct {
	pattern  *pattern
	behavior string
	invert   bool
}

func newPatternSplitter(p *pattern, behavior json.RawMessage, invert bool, field string) ([]splitter, error) {
	var name string
	if err := json.Unmarshal(behavior, &name); err != nil {
		return nil, fieldError(field+".behavior", "is not a string")
	}
	switch name {
	case "Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous":
		return []splitter{patternSplitter{pattern: p, behavior: name, invert: invert}}, nil
	}
	return nil, fieldError(field+".behavior",
		"%q is not Isolated, Removed, MergedWithPrevious, MergedWithNext or Contiguous", name)
}

func (s patternSplitter) split(words []piece, p piece) ([]piece, error) {
	spans, err := s.pattern.spans(p.text)
	if err != nil {
		return nil, err
	}
	if s.invert {
		for i := range spans {
			spans[i].match = !spans[i].match
		}
	}
	switch s.behavior {
	case "Removed":
		spans = dropMatches(spans)
	case "MergedWithPrevious":
		spans = mergeWithPrevious(spans)
	case "MergedWithNext":
		spans = mergeWithNext(spans)
	case "Contiguous":
		spans = mergeEqual(spans)
	}
	return appendSpans(words, p, spans), nil
}

func appendSpans(words []piece, p piece, spans []span) []piece {
	for _, s := range spans {
		words = append(words, piece{text: p.text[s.start:s.end], id: -1, first: p.first && s.start == 0})
	}
	return words
}

func dropMatches(spans []span) []span {
	kept := spans[:0]
	for _, s := range spans {
		if !s.match {
			kept = append(kept, s)
		}
	}
	return kept
}

// mergeWithPrevious appends each match to the text before it; of matches in a row only the first finds one.
func mergeWithPrevious(spans []span) []span {
	merged := spans[:0]
	previousMatch := false
	for _, s := range spans {
		match := s.match
		if match && !previousMatch && len(merged) > 0 {
			merged[len(merged)-1].end = s.end
		} else {
			merged = append(merged, s)
		}
		previousMatch = match
	}
	return merged
}

// mergeWithNext puts each match before the text after it; of matches in a row only the last finds one.
func mergeWithNext(spans []span) []span {
	merged := spans[:0]
	previousMatch := false
	for _, s := range spans {
		match := s.match
		if !match && previousMatch {
			merged[len(merged)-1].end = s.end
		} else {
			merged = append(merged, s)
		}
		previousMatch = match
	}
	return merged
}

// mergeEqual joins matches in a row.
func mergeEqual(spans []span) []span {
	merged := spans[:0]
	for _, s := range spans {
		if last := len(merged) - 1; last >= 0 && merged[last].match == s.match {
			merged[last].end = s.end
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// runeSplitter isolates the characters that match: each on its own, in runs, or left out.
type runeSplitter struct {
	match      func(rune) bool
	each, drop bool
}

func (s runeSplitter) split(words []piece, p piece) ([]piece, error) {
	var spans []span
	for at, r := range p.text {
		match := s.match(r)
		end := at + runeWidth(p.text[at:])
		if last := len(spans) - 1; last >= 0 && spans[last].match == match && !(match && s.each) {
			spans[last].end = end
		} else {
			spans = append(spans, span{start: at, end: end, match: match})
		}
	}
	if s.drop {
		spans = dropMatches(spans)
	}
	return appendSpans(words, p, spans), nil
}
