package tokenizer

// This file is the alphabet of byte-level BPE: every byte has a printable character, so that a vocabulary can be
// written as text. Printable Latin-1 characters stand for themselves, the other 68 bytes for U+0100 and on (a space is
// U+0120, Ġ).

import (
	"strings"
	"unicode/utf8"
)

// byteAlphabet maps bytes to characters; alphabetByte maps the characters, all below U+0144, back (-1: none).
var byteAlphabet, alphabetByte = makeByteAlphabet()

func makeByteAlphabet() (forward [256]rune, back [324]int16) {
	for i := range back {
		back[i] = -1
	}
	next := rune(256)
	for value := range forward {
		printable := value >= '!' && value <= '~' || value >= 0xA1 && value <= 0xAC || value >= 0xAE
		forward[value] = rune(value)
		if !printable {
			forward[value] = next
			next++
		}
		back[forward[value]] = int16(value)
	}
	return forward, back
}

// toAlphabet writes the bytes of text as characters of the alphabet.
func toAlphabet(text string) string {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] >= '!' && text[i] <= '~'
	}
	if plain {
		return text
	}
	var out strings.Builder
	out.Grow(2 * len(text))
	for i := 0; i < len(text); i++ {
		out.WriteRune(byteAlphabet[text[i]])
	}
	return out.String()
}

// appendBytes appends the bytes that a token stands for. A token with a character outside of the alphabet (an added
// token) stands for itself.
func appendBytes(out []byte, token string) []byte {
	start := len(out)
	for _, r := range token {
		if r >= rune(len(alphabetByte)) || alphabetByte[r] < 0 {
			return append(out[:start], token...)
		}
		out = append(out, byte(alphabetByte[r]))
	}
	return out
}

func runeWidth(text string) int {
	_, width := utf8.DecodeRuneInString(text)
	return width
}

// toValidUTF8 puts U+FFFD in place of what is not UTF-8: one for each longest start of a character, as Unicode advises.
func toValidUTF8(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data)+8)
	for len(data) > 0 {
		r, width := utf8.DecodeRune(data)
		if r == utf8.RuneError && width == 1 {
			width = invalidLength(data)
		}
		out = utf8.AppendRune(out, r)
		data = data[width:]
	}
	return out
}

// invalidLength tells how many bytes at the start of data, which is no character, are the start of one.
func invalidLength(data []byte) int {
	length := 1
	for length < len(data) && length < utf8.UTFMax && !utf8.FullRune(data[:length]) {
		length++
	}
	// FullRune turns true at the byte that breaks the character, which is not part of it.
	if length > 1 && utf8.FullRune(data[:length]) {
		length--
	}
	return length
}
