package tokenizer

// This file is the post-processors: they put special tokens around the ids of a text.

import (
	"encoding/json"
	"fmt"
)

// A postProcessor holds what goes before and after the text. One that repeats the text has more than one body.
type postProcessor struct {
	parts [][]int // nil stands for the text
}

func (p postProcessor) apply(ids []int) []int {
	if p.parts == nil {
		return ids
	}
	var out []int
	for _, part := range p.parts {
		if part == nil {
			out = append(out, ids...)
		} else {
			out = append(out, part...)
		}
	}
	return out
}

type postProcessorJSON struct {
	Type          string              `json:"type"`
	Processors    []json.RawMessage   `json:"processors"`
	Single        []templatePieceJSON `json:"single"`
	SpecialTokens map[string]struct {
		IDs []int `json:"ids"`
	} `json:"special_tokens"`
	Separator []json.RawMessage `json:"sep"`
	Class     []json.RawMessage `json:"cls"`
}

type templatePieceJSON struct {
	SpecialToken *struct {
		ID string `json:"id"`
	} `json:"SpecialToken"`
	Sequence *struct {
		ID string `json:"id"`
	} `json:"Sequence"`
}

func newPostProcessor(data json.RawMessage, field string, depth int) (postProcessor, error) {
	var file postProcessorJSON
	if ok, err := readStep(data, field, depth, &file); !ok {
		return postProcessor{}, err
	}
	switch file.Type {
	case "ByteLevel": // moves offsets only
		return postProcessor{}, nil
	case "TemplateProcessing":
		return newTemplate(file, field)
	case "RobertaProcessing", "BertProcessing":
		class, err := tokenOfPair(file.Class, field+".cls")
		if err != nil {
			return postProcessor{}, err
		}
		separator, err := tokenOfPair(file.Separator, field+".sep")
		return postProcessor{parts: [][]int{{class}, nil, {separator}}}, err
	case "Sequence":
		return newPostSequence(file, field, depth)
	}
	return postProcessor{}, unsupported(field, file.Type,
		"ByteLevel, TemplateProcessing, RobertaProcessing, BertProcessing, Sequence")
}

func newPostSequence(file postProcessorJSON, field string, depth int) (postProcessor, error) {
	var all postProcessor
	for at, data := range file.Processors {
		stepField := fmt.Sprintf("%s.processors[%d]", field, at)
		step, err := newPostProcessor(data, stepField, depth+1)
		if err != nil {
			return postProcessor{}, err
		}
		if step.parts == nil {
			continue
		}
		if all.parts != nil {
			return postProcessor{}, fieldError(stepField, "is a second step that adds tokens")
		}
		all = step
	}
	return all, nil
}

// maxTemplate bounds the pieces of a template, and the ids of one piece.
const maxTemplate = 64

func newTemplate(file postProcessorJSON, field string) (postProcessor, error) {
	p := postProcessor{parts: [][]int{}}
	if len(file.Single) > maxTemplate {
		return p, fieldError(field+".single", "has more than %d pieces", maxTemplate)
	}
	for at, piece := range file.Single {
		pieceField := fmt.Sprintf("%s.single[%d]", field, at)
		switch {
		case piece.Sequence != nil:
			if piece.Sequence.ID != "A" {
				return p, fieldError(pieceField, "sequence %q is not A, the only one there is", piece.Sequence.ID)
			}
			p.parts = append(p.parts, nil)
		case piece.SpecialToken != nil:
			token, ok := file.SpecialTokens[piece.SpecialToken.ID]
			if !ok || len(token.IDs) > maxTemplate {
				return p, fieldError(pieceField, "%q is not in special_tokens, or too long", piece.SpecialToken.ID)
			}
			for _, id := range token.IDs {
				if id < 0 || id >= maxTokenID {
					return p, fieldError(field+".special_tokens", "%q: %d is no token id", piece.SpecialToken.ID, id)
				}
			}
			p.parts = append(p.parts, append([]int{}, token.IDs...))
		default:
			return p, fieldError(pieceField, "is neither SpecialToken nor Sequence")
		}
	}
	return p, nil
}

// tokenOfPair reads the id of ["</s>", 2].
func tokenOfPair(pair []json.RawMessage, field string) (int, error) {
	var id int
	if len(pair) != 2 || json.Unmarshal(pair[1], &id) != nil || id < 0 || id >= maxTokenID {
		return 0, fieldError(field, "is not a token and its id")
	}
	return id, nil
}
