package tokenizer

// This file decodes ids one at a time, as a model makes them. A token may hold only a part of a character: its bytes
// wait until the rest is there.

import (
	"strings"
	"unicode/utf8"
)

// maxHeld is how many ids a Stream holds back at most; no character needs more than four.
const maxHeld = 4

// Stream decodes a growing list of ids. The texts of all Push calls and of Flush, joined, are the text of Decode.
// The one exception is a byte fallback whose bytes are no text, where Decode looks at more of them at once. A Stream is
// for one goroutine.
type Stream struct {
	tokenizer   *Tokenizer
	skipSpecial bool

	byteLevel bool
	bytes     []byte // of byte-level tokens: what is not written yet

	context, held []string // of other tokens: what stands before, and what is not written yet
}

// NewStream begins a new text. With skipSpecial, special tokens are left out.
func (t *Tokenizer) NewStream(skipSpecial bool) *Stream {
	s := &Stream{tokenizer: t, skipSpecial: skipSpecial}
	if len(t.decoders) == 1 {
		_, s.byteLevel = t.decoders[0].(byteLevelDecoder)
	}
	return s
}

// Push returns the text that id completes, "" where it has to wait for the next id.
func (s *Stream) Push(id int) string {
	tokens := s.tokenizer.tokens([]int{id}, s.skipSpecial)
	if len(tokens) == 0 {
		return ""
	}
	if s.byteLevel {
		s.bytes = appendBytes(s.bytes, tokens[0])
		return s.takeBytes(false)
	}
	s.held = append(s.held, tokens[0])
	return s.takeTokens(false)
}

// Flush ends the text and returns what was held back.
func (s *Stream) Flush() string {
	if s.byteLevel {
		return s.takeBytes(true)
	}
	text := s.takeTokens(true)
	s.context = nil
	return text
}

// takeTokens decodes the held tokens behind their context, and takes them where they end with a whole character.
func (s *Stream) takeTokens(all bool) string {
	if len(s.held) == 0 {
		return ""
	}
	before := s.decode(s.context)
	after := s.decode(append(append([]string(nil), s.context...), s.held...))
	_, endsInByte := byteToken(s.held[len(s.held)-1])
	if endsInByte && strings.HasSuffix(after, "\uFFFD") && len(s.held) < maxHeld && !all {
		return ""
	}
	// Decoders treat the first token of a text differently, and some the last one. So what follows is decoded behind a
	// letter in place of all the text, and the last token. A byte is not kept, as it would make one run with the next.
	s.context = append(s.context[:0], "a")
	if !endsInByte {
		s.context = append(s.context, s.held[len(s.held)-1])
	}
	s.held = s.held[:0]
	return strings.TrimPrefix(after, before)
}

func (s *Stream) decode(tokens []string) string {
	return string(toValidUTF8([]byte(runDecoders(s.tokenizer.decoders, tokens))))
}

// takeBytes takes whole characters off the waiting bytes, and the rest too at the end of the text.
func (s *Stream) takeBytes(all bool) string {
	end := 0
	for end < len(s.bytes) && (all || utf8.FullRune(s.bytes[end:])) {
		r, width := utf8.DecodeRune(s.bytes[end:])
		if r == utf8.RuneError && width == 1 {
			width = invalidLength(s.bytes[end:])
		}
		end += width
	}
	text := string(toValidUTF8(s.bytes[:end]))
	s.bytes = append(s.bytes[:0], s.bytes[end:]...)
	return text
}
