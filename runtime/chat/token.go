package chat

// This file cuts Jinja expressions into tokens.

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	stringToken
	symbolToken
)

type token struct {
	kind tokenKind
	text string // of a string: its value
}

// symbols of the language, the long ones first.
var symbols = []string{"**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<", ">", "=", "(", ")", "[", "]",
	"{", "}", ",", ":", ".", "|"}

// tokenize splits the inside of a tag.
func tokenize(text string) ([]token, error) {
	var tokens []token
	for at := 0; at < len(text); {
		if len(tokens) > maxTokens {
			return nil, fmt.Errorf("a tag of more than %d words is too long", maxTokens)
		}
		r, width := utf8.DecodeRuneInString(text[at:])
		switch {
		case unicode.IsSpace(r):
			at += width
		case r == '"' || r == '\'':
			value, length, err := unquote(text[at:])
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, token{stringToken, value})
			at += length
		case r >= '0' && r <= '9':
			length := numberLength(text[at:])
			tokens = append(tokens, token{numberToken, strings.ReplaceAll(text[at:at+length], "_", "")})
			at += length
		case r == '_' || unicode.IsLetter(r):
			length := strings.IndexFunc(text[at:], func(r rune) bool {
				return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
			})
			if length < 0 {
				length = len(text) - at
			}
			tokens = append(tokens, token{nameToken, text[at : at+length]})
			at += length
		default:
			symbol := ""
			for _, s := range symbols {
				if strings.HasPrefix(text[at:], s) {
					symbol = s
					break
				}
			}
			if symbol == "" {
				return nil, fmt.Errorf("unexpected character %q", r)
			}
			tokens = append(tokens, token{symbolToken, symbol})
			at += len(symbol)
		}
	}
	return tokens, nil
}

func numberLength(text string) int {
	length := 0
	for length < len(text) && (text[length] >= '0' && text[length] <= '9' || text[length] == '_') {
		length++
	}
	if length+1 < len(text) && text[length] == '.' && text[length+1] >= '0' && text[length+1] <= '9' {
		length++
		for length < len(text) && text[length] >= '0' && text[length] <= '9' {
			length++
		}
	}
	return length
}

// unquote reads a string with Python's escapes and tells how long it was written.
func unquote(text string) (string, int, error) {
	var value strings.Builder
	for at := 1; at < len(text); at++ {
		switch text[at] {
		case text[0]:
			return value.String(), at + 1, nil
		case '\\':
			if at+1 == len(text) {
				return "", 0, fmt.Errorf("a string has no end")
			}
			length := unescape(&value, text[at+1:])
			at += length
		default:
			value.WriteByte(text[at])
		}
	}
	return "", 0, fmt.Errorf("a string has no end")
}

// unescape writes what stands after a backslash and tells how much of it belongs to the escape.
func unescape(value *strings.Builder, text string) int {
	if plain := strings.IndexByte(`\'"abfnrtv0`, text[0]); plain >= 0 {
		value.WriteByte("\\'\"\a\b\f\n\r\t\v\x00"[plain])
		return 1
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[0]]
	if digits > 0 && len(text) > digits {
		if code, err := strconv.ParseUint(text[1:1+digits], 16, 32); err == nil {
			value.WriteRune(rune(code))
			return 1 + digits
		}
	}
	if text[0] == '\n' {
		return 1
	}
	value.WriteByte('\\') // Python leaves escapes that it does not know as they are
	value.WriteByte(text[0])
	return 1
}
