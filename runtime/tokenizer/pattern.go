package tokenizer

// This file is the patterns of tokenizer.json: a literal string, or a regular expression of the Perl kind with
// look-ahead, which Go's own regexp does not have. Both find matches in bytes of the original text.

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

const (
	// patternTimeout bounds the search for one match; a pattern may need exponential time.
	patternTimeout = 5 * time.Second
	// textTimeout bounds the search for all matches in one text.
	textTimeout = 60 * time.Second
	// maxPatternLength bounds a pattern in bytes; the published ones are shorter than 500.
	maxPatternLength = 1 << 14
)

type pattern struct {
	literal    string
	expression *regexp2.Regexp
}

type patternJSON struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

// span is a part of a text in bytes; match tells whether the pattern matched it.
type span struct {
	start, end int
	match      bool
}

func newPattern(data json.RawMessage, field string) (*pattern, error) {
	var file patternJSON
	var text string
	switch {
	case json.Unmarshal(data, &text) == nil:
		file.String = &text
	case json.Unmarshal(data, &file) != nil || file.String == nil && file.Regex == nil:
		return nil, fieldError(field, "has neither String nor Regex")
	}
	if file.Regex == nil {
		return &pattern{literal: *file.String}, nil
	}
	expression, err := compile(*file.Regex)
	if err != nil {
		return nil, fieldError(field, "%w", err)
	}
	return &pattern{expression: expression}, nil
}

// compile turns a panic of the regular expression library into an error: the pattern comes from a file.
func compile(text string) (expression *regexp2.Regexp, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("cannot compile %q: %v", text, cause)
		}
	}()
	if len(text) > maxPatternLength {
		return nil, fmt.Errorf("a pattern of %d bytes is too long", len(text))
	}
	if expression, err = regexp2.Compile(text, regexp2.None); err != nil {
		return nil, fmt.Errorf("cannot compile the pattern: %w", err)
	}
	expression.MatchTimeout = patternTimeout
	return expression, nil
}

// spans cuts text into matches and the parts between them, in order and without empty parts.
func (p *pattern) spans(text string) ([]span, error) {
	var spans []span
	done := 0
	add := func(start, end int) {
		if done < start {
			spans = append(spans, span{start: done, end: start})
		}
		if start < end {
			spans = append(spans, span{start: start, end: end, match: true})
		}
		done = end
	}
	if p.expression == nil {
		for at := 0; p.literal != ""; {
			found := strings.Index(text[at:], p.literal)
			if found < 0 {
				break
			}
			add(at+found, at+found+len(p.literal))
			at = done
		}
	} else if err := p.match(text, add); err != nil {
		return nil, err
	}
	if done < len(text) {
		spans = append(spans, span{start: done, end: len(text)})
	}
	return spans, nil
}

// match calls add with each match of the expression. The library counts in characters; a cursor over the text, which
// only moves forward, turns that into bytes, also where the text is not valid UTF-8.
func (p *pattern) match(text string, add func(start, end int)) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("tokenizer: pattern %q: %v", p.expression, cause)
		}
	}()
	runes := make([]rune, 0, len(text))
	for _, r := range text {
		runes = append(runes, r)
	}
	cursor := runeCursor{text: text}
	deadline := time.Now().Add(textTimeout)
	found, err := p.expression.FindRunesMatch(runes)
	for ; found != nil && err == nil; found, err = p.expression.FindNextMatch(found) {
		start := cursor.byteAt(found.Index)
		add(start, cursor.byteAt(found.Index+found.Length))
		if time.Now().After(deadline) {
			return fmt.Errorf("tokenizer: pattern %q needs more than %v", p.expression, textTimeout)
		}
	}
	if err != nil {
		return fmt.Errorf("tokenizer: pattern %q: %w", p.expression, err)
	}
	return nil
}

// runeCursor gives the byte offsets of rising character offsets.
type runeCursor struct {
	text         string
	bytes, runes int
}

func (c *runeCursor) byteAt(index int) int {
	for width := 0; c.runes < index && c.bytes < len(c.text); c.runes++ {
		width = 1
		if c.text[c.bytes] >= 0x80 {
			width = runeWidth(c.text[c.bytes:])
		}
		c.bytes += width
	}
	return c.bytes
}

// replace puts content in place of every match.
func (p *pattern) replace(text, content string) (string, error) {
	if p.expression == nil {
		if p.literal == "" {
			return text, nil
		}
		return strings.ReplaceAll(text, p.literal, content), nil
	}
	spans, err := p.spans(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, s := range spans {
		if s.match {
			out.WriteString(content)
		} else {
			out.WriteString(text[s.start:s.end])
		}
	}
	return out.String(), nil
}
