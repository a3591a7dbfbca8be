package tokenizer

// This file is the normalizers: what is done to a text as a whole before it is split.

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A normalizer is a list of steps.
type normalizer []func(text string) (string, error)

func (n normalizer) apply(text string) (string, error) {
	for _, step := range n {
		var err error
		if text, err = step(text); err != nil {
			return "", err
		}
	}
	return text, nil
}

type normalizerJSON struct {
	Type        string            `json:"type"`
	Normalizers []json.RawMessage `json:"normalizers"`
	Prepend     string            `json:"prepend"`
	Pattern     json.RawMessage   `json:"pattern"`
	Content     string            `json:"content"`
	StripLeft   *bool             `json:"strip_left"`
	StripRight  *bool             `json:"strip_right"`
}

func newNormalizer(data json.RawMessage, field string, depth int) (normalizer, error) {
	var file normalizerJSON
	if ok, err := readStep(data, field, depth, &file); !ok {
		return nil, err
	}
	switch file.Type {
	case "Sequence":
		var all normalizer
		for at, step := range file.Normalizers {
			steps, err := newNormalizer(step, fmt.Sprintf("%s.normalizers[%d]", field, at), depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, steps...)
		}
		return all, nil
	case "NFC":
		return always(norm.NFC.String), nil
	case "NFD":
		return always(norm.NFD.String), nil
	case "NFKC":
		return always(norm.NFKC.String), nil
	case "NFKD":
		return always(norm.NFKD.String), nil
	case "Lowercase":
		return always(strings.ToLower), nil
	case "Prepend":
		return always(func(text string) string {
			if text == "" {
				return text
			}
			return file.Prepend + text
		}), nil
	case "Strip":
		return always(func(text string) string { return strip(text, file.StripLeft, file.StripRight) }), nil
	case "Replace":
		p, err := newPattern(file.Pattern, field+".pattern")
		if err != nil {
			return nil, err
		}
		return normalizer{func(text string) (string, error) { return p.replace(text, file.Content) }}, nil
	}
	return nil, unsupported(field, file.Type, "Sequence, NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Strip, Replace")
}

func always(step func(string) string) normalizer {
	return normalizer{func(text string) (string, error) { return step(text), nil }}
}

func strip(text string, left, right *bool) string {
	if left == nil || *left {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if right == nil || *right {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	return text
}
