package sample

// This file reads what a checkpoint says about generation: generation_config.json, and for the special ids config.json
// where that file says nothing.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tpuir/internal/checkpointfile"
)

const (
	generationFile = "generation_config.json"
	modelFile      = "config.json"
	maxFileSize    = 16 << 20
)

// Generation is how a checkpoint wants its text made. Where it says nothing there are Hugging Face's defaults, but that
// MaxNewTokens has none.
type Generation struct {
	Options
	// EOS holds the ids that end a text; there may be several, or none.
	EOS []int
	// BOS and PAD are -1 where the checkpoint has none.
	BOS, PAD int
	// MaxNewTokens is 0 where the checkpoint sets no limit.
	MaxNewTokens int
}

// Stops tells whether id ends a text.
func (g Generation) Stops(id int) bool { return slices.Contains(g.EOS, id) }

type generationJSON struct {
	idsJSON
	DoSample          *bool    `json:"do_sample"`
	Temperature       *float32 `json:"temperature"`
	TopK              *int     `json:"top_k"`
	TopP              *float32 `json:"top_p"`
	MinP              *float32 `json:"min_p"`
	RepetitionPenalty *float32 `json:"repetition_penalty"`
	MaxNewTokens      *int     `json:"max_new_tokens"`
}

// modelJSON is the part of config.json that matters here; a vision model has its text model's settings one level down.
type modelJSON struct {
	idsJSON
	TextConfig *idsJSON `json:"text_config"`
	LLMConfig  *idsJSON `json:"llm_config"`
}

type idsJSON struct {
	EOS tokenIDs `json:"eos_token_id"`
	BOS tokenIDs `json:"bos_token_id"`
	PAD tokenIDs `json:"pad_token_id"`
}

// tokenIDs is an id, a list of ids, or null.
type tokenIDs []int

func (t *tokenIDs) UnmarshalJSON(data []byte) error {
	var one int
	if string(data) == "null" {
		return nil
	}
	if json.Unmarshal(data, &one) == nil {
		*t = tokenIDs{one}
	} else if err := json.Unmarshal(data, (*[]int)(t)); err != nil {
		return errors.New("a token id is neither an integer nor a list of them")
	}
	for _, id := range *t {
		if id < 0 || id > 1<<30 {
			return fmt.Errorf("%d is no token id", id)
		}
	}
	return nil
}

func (t tokenIDs) first() int {
	if len(t) == 0 {
		return -1
	}
	return t[0]
}

// LoadGeneration reads a checkpoint's folder; both files may be missing. Errors name the file and the field.
func LoadGeneration(fsys fs.FS) (Generation, error) {
	var file generationJSON
	if err := checkpointfile.ReadJSON(fsys, generationFile, maxFileSize, &file); err != nil {
		return Generation{}, err
	}
	var model modelJSON
	if err := checkpointfile.ReadJSON(fsys, modelFile, maxFileSize, &model); err != nil {
		return Generation{}, err
	}
	ids := []idsJSON{file.idsJSON, model.idsJSON}
	for _, part := range []*idsJSON{model.TextConfig, model.LLMConfig} {
		if part != nil {
			ids = append(ids, *part)
		}
	}
	generation := Generation{Options: Defaults(), BOS: -1, PAD: -1}
	for _, part := range ids {
		if generation.EOS == nil {
			generation.EOS = part.EOS
		}
		if generation.BOS < 0 {
			generation.BOS = part.BOS.first()
		}
		if generation.PAD < 0 {
			generation.PAD = part.PAD.first()
		}
	}
	file.setOptions(&generation)
	if err := generation.Validate(); err != nil {
		return Generation{}, fmt.Errorf("%s: %w", generationFile, err)
	}
	if generation.MaxNewTokens < 0 {
		return Generation{}, fmt.Errorf("%s: max_new_tokens is %d", generationFile, generation.MaxNewTokens)
	}
	return generation, nil
}

func (file generationJSON) setOptions(generation *Generation) {
	set(&generation.DoSample, file.DoSample)
	set(&generation.Temperature, file.Temperature)
	set(&generation.TopK, file.TopK)
	set(&generation.TopP, file.TopP)
	set(&generation.MinP, file.MinP)
	set(&generation.RepetitionPenalty, file.RepetitionPenalty)
	set(&generation.MaxNewTokens, file.MaxNewTokens)
}

func set[T any](target, value *T) {
	if value != nil {
		*target = *value
	}
}
