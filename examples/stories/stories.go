// Package stories holds a small Llama that writes children's stories, built into the program: the model of the README's
// first command. It was trained for this project on made-up text; license CC0.
package stories

import (
	"embed"
	"io/fs"
)

//go:embed config.json generation_config.json model.safetensors special_tokens_map.json tokenizer.json tokenizer_config.json
var files embed.FS

// Files returns the checkpoint's folder.
func Files() fs.FS { return files }
