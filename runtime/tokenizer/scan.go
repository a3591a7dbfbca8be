package tokenizer

// This file reads the two large parts of a tokenizer.json, vocabulary and merges, of which a model may have 250000 entries
// each; encoding/json needs seconds for them. The text was found to be valid JSON before, so only its types are checked.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

type jsonScanner struct {
	data []byte
	at   int
}

// peek returns the next byte that is no white space, 0 at the end.
func (s *jsonScanner) peek() byte {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return s.data[s.at]
		}
	}
	return 0
}

// take skips a symbol where it is next.
func (s *jsonScanner) take(symbol byte) bool {
	if s.peek() != symbol {
		return false
	}
	s.at++
	return true
}

// text reads a string.
func (s *jsonScanner) text() (string, error) {
	if !s.take('"') {
		return "", errors.New("expected a string")
	}
	start, escaped := s.at, false
	for s.at < len(s.data) && s.data[s.at] != '"' {
		if s.data[s.at] == '\\' {
			escaped = true
			s.at++
		}
		s.at++
	}
	if s.at >= len(s.data) {
		return "", errors.New("a string has no end")
	}
	s.at++
	if !escaped {
		return string(bytes.ToValidUTF8(s.data[start:s.at-1], []byte("\uFFFD"))), nil
	}
	var text string
	err := json.Unmarshal(s.data[start-1:s.at], &text)
	return text, err
}

// id reads a token id.
func (s *jsonScanner) id() (int32, error) {
	s.peek()
	start := s.at
	for s.at < len(s.data) && s.data[s.at] != ',' && s.data[s.at] != '}' && s.data[s.at] != ' ' && s.data[s.at] != '\n' &&
		s.data[s.at] != '\t' && s.data[s.at] != '\r' {
		s.at++
	}
	id, err := strconv.ParseInt(string(s.data[start:s.at]), 10, 32)
	if err != nil || id < 0 || id >= maxTokenID {
		return 0, fmt.Errorf("id %.20s is not in [0, %d)", s.data[start:s.at], maxTokenID)
	}
	return int32(id), nil
}

// scanVocab reads an object of tokens and their ids.
func scanVocab(data []byte) (map[string]int32, error) {
	s := &jsonScanner{data: data}
	if !s.take('{') {
		return nil, errors.New("is not an object")
	}
	vocab := make(map[string]int32, len(data)/20)
	for !s.take('}') {
		token, err := s.text()
		if err != nil {
			return nil, err
		}
		if !s.take(':') {
			return nil, fmt.Errorf("token %q has no id", token)
		}
		if vocab[token], err = s.id(); err != nil {
			return nil, fmt.Errorf("token %q: %w", token, err)
		}
		s.take(',')
	}
	return vocab, nil
}

// scanMerges calls add with each merge: "left right", or ["left", "right"].
func scanMerges(data []byte, add func(rank int, left, right string) error) error {
	s := &jsonScanner{data: data}
	if !s.take('[') {
		return fieldError("model.merges", "is not a list")
	}
	for rank := 0; !s.take(']'); rank++ {
		left, right, err := s.merge()
		if err == nil {
			err = add(rank, left, right)
		}
		if err != nil {
			return fieldError(fmt.Sprintf("model.merges[%d]", rank), "%w", err)
		}
		s.take(',')
	}
	return nil
}

func (s *jsonScanner) merge() (left, right string, err error) {
	if !s.take('[') {
		text, err := s.text()
		if err != nil {
			return "", "", err
		}
		return splitMerge(text)
	}
	if left, err = s.text(); err != nil {
		return "", "", err
	}
	s.take(',')
	if right, err = s.text(); err != nil {
		return "", "", err
	}
	if !s.take(']') {
		return "", "", errors.New("has more than 2 parts")
	}
	return left, right, nil
}
