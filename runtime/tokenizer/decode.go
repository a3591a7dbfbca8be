package tokenizer

// This file is the decoders: the steps that turn the vocabulary's spellings into text.

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A decoder turns a list of tokens into another one; the text is the last list, joined.
type decoder interface {
	decode(tokens []string) []string
}

func runDecoders(decoders []decoder, tokens []string) string {
	if decoders == nil {
		return strings.Join(tokens, " ")
	}
	for _, d := range decoders {
		tokens = d.decode(tokens)
	}
	return strings.Join(tokens, "")
}

type decoderJSON struct {
	Type           string            `json:"type"`
	Decoders       []json.RawMessage `json:"decoders"`
	Pattern        json.RawMessage   `json:"pattern"`
	Content        string            `json:"content"`
	Start          int               `json:"start"`
	Stop           int               `json:"stop"`
	Suffix         string            `json:"suffix"`
	Replacement    string            `json:"replacement"`
	PrependScheme  string            `json:"prepend_scheme"`
	AddPrefixSpace *bool             `json:"add_prefix_space"`
}

func newDecoders(data json.RawMessage, field string, depth int) ([]decoder, error) {
	var file decoderJSON
	if ok, err := readStep(data, field, depth, &file); !ok {
		return nil, err
	}
	switch file.Type {
	case "Sequence":
		all := []decoder{}
		for at, step := range file.Decoders {
			steps, err := newDecoders(step, fmt.Sprintf("%s.decoders[%d]", field, at), depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, steps...)
		}
		return all, nil
	case "ByteLevel":
		return []decoder{byteLevelDecoder{}}, nil
	case "ByteFallback":
		return []decoder{byteFallbackDecoder{}}, nil
	case "Fuse":
		return []decoder{fuseDecoder{}}, nil
	case "Metaspace":
		m, err := newMetaspace(splitterJSON{Replacement: file.Replacement, PrependScheme: file.PrependScheme,
			AddPrefixSpace: file.AddPrefixSpace}, field)
		return []decoder{metaspaceDecoder{m}}, err
	case "Strip":
		if utf8.RuneCountInString(file.Content) != 1 {
			return nil, fieldError(field+".content", "%q is not one character", file.Content)
		}
		return []decoder{stripDecoder{content: file.Content, start: file.Start, stop: file.Stop}}, nil
	case "Replace":
		p, err := newPattern(file.Pattern, field+".pattern")
		return []decoder{replaceDecoder{pattern: p, content: file.Content}}, err
	case "BPEDecoder":
		return []decoder{suffixDecoder{suffix: file.Suffix}}, nil
	}
	return nil, unsupported(field, file.Type,
		"Sequence, ByteLevel, ByteFallback, Fuse, Metaspace, Strip, Replace, BPEDecoder")
}

// byteLevelDecoder reads tokens in the byte alphabet.
type byteLevelDecoder struct{}

func (byteLevelDecoder) decode(tokens []string) []string {
	var out []byte
	for _, token := range tokens {
		out = appendBytes(out, token)
	}
	return []string{string(out)}
}

// byteFallbackDecoder turns tokens <0xNN> into bytes, and a run of them that is no text into one U+FFFD a byte.
type byteFallbackDecoder struct{}

func (byteFallbackDecoder) decode(tokens []string) []string {
	out := make([]string, 0, len(tokens))
	var run []byte
	flush := func() {
		if utf8.Valid(run) {
			out = append(out, string(run))
		} else {
			out = append(out, strings.Repeat("\uFFFD", len(run)))
		}
		run = run[:0]
	}
	for _, token := range tokens {
		if value, ok := byteToken(token); ok {
			run = append(run, value)
			continue
		}
		if len(run) > 0 {
			flush()
		}
		out = append(out, token)
	}
	if len(run) > 0 {
		flush()
	}
	return out
}

// byteToken reads <0xNN>.
func byteToken(token string) (byte, bool) {
	if len(token) != len("<0x00>") || !strings.HasPrefix(token, "<0x") || token[5] != '>' {
		return 0, false
	}
	value, err := strconv.ParseUint(token[3:5], 16, 8)
	return byte(value), err == nil
}

// fuseDecoder makes one token of all.
type fuseDecoder struct{}

func (fuseDecoder) decode(tokens []string) []string { return []string{strings.Join(tokens, "")} }

// metaspaceDecoder turns the replacement character back into spaces, but for the one that encoding put in front.
type metaspaceDecoder struct{ metaspace }

func (d metaspaceDecoder) decode(tokens []string) []string {
	out := make([]string, len(tokens))
	for i, token := range tokens {
		space := " "
		if i == 0 && d.scheme != "never" {
			space = ""
		}
		out[i] = strings.ReplaceAll(token, d.replacement, space)
	}
	return out
}

// stripDecoder takes up to start and stop times a character off the ends of each token.
type stripDecoder struct {
	content     string
	start, stop int
}

func (d stripDecoder) decode(tokens []string) []string {
	out := make([]string, len(tokens))
	for i, token := range tokens {
		for n := 0; n < d.start && strings.HasPrefix(token, d.content); n++ {
			token = token[len(d.content):]
		}
		for n := 0; n < d.stop && strings.HasSuffix(token, d.content); n++ {
			token = token[:len(token)-len(d.content)]
		}
		out[i] = token
	}
	return out
}

// replaceDecoder replaces a pattern in each token. A token whose pattern runs out of time stays as it is.
type replaceDecoder struct {
	pattern *pattern
	content string
}

func (d replaceDecoder) decode(tokens []string) []string {
	out := make([]string, len(tokens))
	for i, token := range tokens {
		replaced, err := d.pattern.replace(token, d.content)
		if err != nil {
			replaced = token
		}
		out[i] = replaced
	}
	return out
}

// suffixDecoder makes a space of the mark at the end of a word, but for the last one.
type suffixDecoder struct{ suffix string }

func (d suffixDecoder) decode(tokens []string) []string {
	out := make([]string, len(tokens))
	for i, token := range tokens {
		space := " "
		if i == len(tokens)-1 {
			space = ""
		}
		out[i] = token
		if d.suffix != "" {
			out[i] = strings.ReplaceAll(token, d.suffix, space)
		}
	}
	return out
}
