package tokenizer

// This file reads tokenizer_config.json (and special_tokens_map.json), which name the tokens that begin and end a
// text, and bounds the size of every file that is read.

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"tpuir/internal/checkpointfile"
)

const (
	tokenizerFile = "tokenizer.json"
	settingsFile  = "tokenizer_config.json"
	specialFile   = "special_tokens_map.json"

	// maxFileSize is far above the largest published tokenizer.json (34 MB, a vocabulary of 262144).
	maxFileSize = 256 << 20
)

// Settings are the entries of tokenizer_config.json that matter beside tokenizer.json. A token that is not named is "".
type Settings struct {
	BOSToken, EOSToken, PADToken, UNKToken string
	// AddBOSToken and AddEOSToken are what the file says, nil where it says nothing. The post-processor of
	// tokenizer.json decides what Encode adds; these are for checkpoints that have none.
	AddBOSToken, AddEOSToken *bool
	// ModelMaxLength is the longest text in tokens, 0 where the file gives none or an absurd one.
	ModelMaxLength int

	added []addedTokenJSON
}

type settingsJSON struct {
	BOSToken           checkpointfile.TokenName  `json:"bos_token"`
	EOSToken           checkpointfile.TokenName  `json:"eos_token"`
	PADToken           checkpointfile.TokenName  `json:"pad_token"`
	UNKToken           checkpointfile.TokenName  `json:"unk_token"`
	AddBOSToken        *bool                     `json:"add_bos_token"`
	AddEOSToken        *bool                     `json:"add_eos_token"`
	ModelMaxLength     json.Number               `json:"model_max_length"`
	AddedTokensDecoder map[string]addedTokenJSON `json:"added_tokens_decoder"`
}

// loadSettings reads both optional files; the first that names a token wins.
func loadSettings(fsys fs.FS) (Settings, error) {
	var settings Settings
	for _, name := range []string{settingsFile, specialFile} {
		var file settingsJSON
		if err := checkpointfile.ReadJSON(fsys, name, maxFileSize, &file); err != nil {
			return Settings{}, err
		}
		if err := settings.merge(file); err != nil {
			return Settings{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return settings, nil
}

func (s *Settings) merge(file settingsJSON) error {
	for _, token := range []struct {
		target *string
		value  checkpointfile.TokenName
	}{{&s.BOSToken, file.BOSToken}, {&s.EOSToken, file.EOSToken}, {&s.PADToken, file.PADToken}, {&s.UNKToken, file.UNKToken}} {
		if *token.target == "" {
			*token.target = string(token.value)
		}
	}
	if s.AddBOSToken == nil {
		s.AddBOSToken = file.AddBOSToken
	}
	if s.AddEOSToken == nil {
		s.AddEOSToken = file.AddEOSToken
	}
	// Files without a limit carry 1e30 here.
	if length, err := file.ModelMaxLength.Float64(); err == nil && length >= 1 && length < 1<<31 && s.ModelMaxLength == 0 {
		s.ModelMaxLength = int(length)
	}
	for key, token := range file.AddedTokensDecoder {
		id, err := json.Number(key).Int64()
		if err != nil || id < 0 || id >= maxTokenID {
			return fmt.Errorf("added_tokens_decoder: %q is no token id", key)
		}
		token.ID = int(id)
		s.added = append(s.added, token)
	}
	return nil
}
