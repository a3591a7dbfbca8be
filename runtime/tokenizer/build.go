package tokenizer

// This file puts a Tokenizer together from the parts of tokenizer.json.

import (
	"encoding/json"
	"fmt"

	"tpuir/internal/jsonerror"
)

type fileJSON struct {
	AddedTokens   json.RawMessage `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Model         *modelJSON      `json:"model"`
}

func build(data []byte, settings Settings) (*Tokenizer, error) {
	var file fileJSON
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", tokenizerFile, jsonerror.Describe(data, err))
	}
	if file.Model == nil {
		return nil, fieldError("model", "is missing")
	}
	model, err := newBPE(*file.Model)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{settings: settings, model: model}
	if t.normalize, err = newNormalizer(file.Normalizer, "normalizer", 0); err != nil {
		return nil, err
	}
	if t.added, err = newAddedTokens(file.AddedTokens, settings.added, model, t.normalize); err != nil {
		return nil, err
	}
	if t.split, err = newSplitters(file.PreTokenizer, "pre_tokenizer", 0); err != nil {
		return nil, err
	}
	if t.post, err = newPostProcessor(file.PostProcessor, "post_processor", 0); err != nil {
		return nil, err
	}
	if t.decoders, err = newDecoders(file.Decoder, "decoder", 0); err != nil {
		return nil, err
	}
	t.size = len(model.tokens)
	for id := range t.added.byID {
		t.size = max(t.size, id+1)
	}
	return t, nil
}

// maxNesting bounds how deep sequences of steps may be nested.
const maxNesting = 16

// readStep reads one step (normalizer, pre-tokenizer, …) into target, which has a field for its type. It reports false
// for a step that is not there.
func readStep(data json.RawMessage, field string, depth int, target any) (bool, error) {
	if len(data) == 0 || string(data) == "null" {
		return false, nil
	}
	if depth > maxNesting {
		return false, fieldError(field, "is nested deeper than %d", maxNesting)
	}
	if err := json.Unmarshal(data, target); err != nil {
		return false, fieldError(field, "%w", jsonerror.Describe(nil, err))
	}
	return true, nil
}

func unsupported(field, kind, supported string) error {
	return fieldError(field+".type", "%q is not supported (supported: %s)", kind, supported)
}
