package weight

// This file reads the JSON header of safetensors files. Headers as all writers write them are scanned by hand, which takes
// a tenth of the time; what the scanner does not know, and everything that is wrong, goes to encoding/json for its words.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tpuir/internal/jsonerror"
)

// parseSafetensorsHeader returns the tensors in the order in which they stand. A name that comes twice is an error.
func parseSafetensorsHeader(header []byte) ([]safetensorsEntry, error) {
	count := bytes.Count(header, []byte(`"data_offsets"`)) // about: an entry is at least as long
	if entries, ok := newHeaderScanner(header).entries(count); ok {
		return entries, nil
	}
	return decodeSafetensorsHeader(header, count)
}

// decodeSafetensorsHeader reads the JSON object key by key, so that a name that comes twice is noticed.
func decodeSafetensorsHeader(header []byte, count int) ([]safetensorsEntry, error) {
	decoder := json.NewDecoder(bytes.NewReader(header))
	if token, err := decoder.Token(); err != nil {
		return nil, jsonerror.Describe(nil, err)
	} else if token != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	entries := make([]safetensorsEntry, 0, count)
	seen := make(map[string]bool, count)
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, jsonerror.Describe(nil, err)
		}
		name := token.(string) // inside an object the decoder gives keys
		if seen[name] {
			return nil, fmt.Errorf("tensor %q comes twice", name)
		}
		seen[name] = true
		if name == metadataKey {
			var metadata map[string]string
			if err := decoder.Decode(&metadata); err != nil {
				return nil, fmt.Errorf("%s: %w", metadataKey, jsonerror.Describe(nil, err))
			}
			continue
		}
		entry := safetensorsEntry{name: name}
		if err := decoder.Decode(&entry); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, jsonerror.Describe(nil, err))
		}
		entries = append(entries, entry)
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return nil, jsonerror.Describe(nil, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	return entries, nil
}

// headerScanner reads a header without escapes in its strings, signs and fractions in its numbers, or unknown fields. Its
// methods report false where they stand before something else.
type headerScanner struct {
	text    []byte
	at      int
	numbers []int64 // room for the shapes and offsets of the entries to come
}

func newHeaderScanner(header []byte) *headerScanner {
	return &headerScanner{text: header, numbers: make([]int64, 0, numberRoom)}
}

// numberRoom is how many numbers are made room for at a time.
const numberRoom = 1024

// entries reads the whole header, of about count tensors.
func (s *headerScanner) entries(count int) ([]safetensorsEntry, bool) {
	entries := make([]safetensorsEntry, 0, count)
	seen := make(map[string]struct{}, count)
	ok := s.object(func(name []byte) bool {
		if _, twice := seen[string(name)]; twice {
			return false
		}
		if string(name) == metadataKey {
			seen[metadataKey] = struct{}{}
			return s.object(func([]byte) bool { _, ok := s.string(); return ok })
		}
		entry := safetensorsEntry{name: string(name)}
		seen[entry.name] = struct{}{}
		entries = append(entries, entry)
		return s.entry(&entries[len(entries)-1])
	})
	s.space()
	return entries, ok && s.at == len(s.text)
}

// entry reads one tensor's object; each field comes once.
func (s *headerScanner) entry(e *safetensorsEntry) bool {
	return s.object(func(field []byte) bool {
		var ok bool
		switch string(field) {
		case "dtype":
			var text []byte
			text, ok = s.string()
			ok = ok && e.DType == ""
			e.DType = dtypeName(text)
		case "shape":
			twice := e.Shape != nil
			e.Shape, ok = s.list()
			ok = ok && !twice
		case "data_offsets":
			var offsets []int64
			twice := e.Offsets != nil
			offsets, ok = s.list()
			ok = ok && !twice
			e.Offsets = make([]uint64, len(offsets))
			for i, offset := range offsets {
				e.Offsets[i] = uint64(offset)
			}
		}
		return ok
	})
}

// dtypeName is the text, without memory of its own where it names a type that is known.
func dtypeName(text []byte) string {
	if d := safetensorsDType(string(text)); d != Invalid {
		return dtypeInfo[d].safetensors
	}
	return string(text)
}

func (s *headerScanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// symbol passes white space and a byte.
func (s *headerScanner) symbol(c byte) bool {
	s.space()
	if s.at == len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// object reads the members of an object; value reads that of a name.
func (s *headerScanner) object(value func(name []byte) bool) bool {
	if !s.symbol('{') {
		return false
	}
	if s.symbol('}') {
		return true
	}
	for {
		name, ok := s.string()
		if !ok || !s.symbol(':') || !value(name) {
			return false
		}
		if s.symbol('}') {
			return true
		}
		if !s.symbol(',') {
			return false
		}
	}
}

// string reads a string of plain ASCII without escapes.
func (s *headerScanner) string() ([]byte, bool) {
	if !s.symbol('"') {
		return nil, false
	}
	for start := s.at; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.text[start : s.at-1], true
		case c == '\\' || c < ' ' || c >= 0x7f:
			return nil, false
		}
	}
	return nil, false
}

// list reads natural numbers in brackets.
func (s *headerScanner) list() ([]int64, bool) {
	if !s.symbol('[') {
		return nil, false
	}
	start := len(s.numbers)
	for !s.symbol(']') {
		if len(s.numbers) > start && !s.symbol(',') {
			return nil, false
		}
		n, ok := s.number()
		if !ok {
			return nil, false
		}
		s.numbers = append(s.numbers, n)
	}
	list := s.numbers[start:len(s.numbers):len(s.numbers)]
	if cap(s.numbers)-len(s.numbers) < 8 { // lists that are out keep the old room
		s.numbers = make([]int64, 0, numberRoom)
	}
	return list, true
}

// number reads a natural number below 10^18.
func (s *headerScanner) number() (int64, bool) {
	s.space()
	start := s.at
	n := int64(0)
	for ; s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9'; s.at++ {
		if s.at-start == 18 {
			return 0, false
		}
		n = n*10 + int64(s.text[s.at]-'0')
	}
	digits := s.at - start
	return n, digits > 0 && (digits == 1 || s.text[start] != '0')
}
