// Package goldencase reads what the golden cases of TPU-MLIR were made with, so that tests can ask for the same.
package goldencase

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tpuir/importer"
	"tpuir/transforms/split"
)

// Case is a golden case: the options of its llm_convert call.
type Case struct {
	Name string
	// Folder holds the nets; Model is the checkpoint's folder.
	Folder, Model string
	Import        importer.Options
	Split         split.Pass
	// Quantize is the -q option, "w4bf16"; GroupSize the -g option.
	Quantize  string
	GroupSize int64
	Symmetric bool
	Chip      string
	Cores     int64
}

// List returns the cases below golden in the order of their names, but those that need several devices or lora.
func List(golden string) ([]*Case, error) {
	commands, err := filepath.Glob(filepath.Join(golden, "*", "cmd.txt"))
	if err != nil {
		return nil, err
	}
	if len(commands) == 0 {
		return nil, fmt.Errorf("no golden cases in %s", golden)
	}
	var all []*Case
	for _, command := range commands {
		text, err := os.ReadFile(command)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(text, []byte(" -s ")) || bytes.Contains(text, []byte("--num_device")) || bytes.Contains(text, []byte("--lora")) {
			continue
		}
		c, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		c.Folder = filepath.Dir(command)
		c.Name = filepath.Base(c.Folder)
		c.Model = filepath.Join(golden, "models", c.Model)
		all = append(all, c)
	}
	return all, nil
}

func parse(text string) (*Case, error) {
	words := strings.Fields(text)
	has := func(name string) bool { return slices.Contains(words, name) }
	value := func(name, otherwise string) string {
		if i := slices.Index(words, name); i >= 0 && i+1 < len(words) {
			return words[i+1]
		}
		return otherwise
	}
	var failed error
	number := func(name, otherwise string) int64 {
		n, err := strconv.ParseInt(value(name, otherwise), 10, 64)
		if err != nil {
			failed = err
		}
		return n
	}
	c := &Case{Model: filepath.Base(value("-m", "")), Quantize: value("-q", ""), GroupSize: number("-g", "64"),
		Symmetric: has("--symmetric"), Chip: value("-c", "bm1684x"), Cores: number("--num_core", "0")}
	c.Import = importer.Options{DoSample: has("--do_sample"), EmbeddingDisk: has("--embedding_disk")}
	p := split.Definition().New().(*split.Pass)
	p.SequenceLength, p.MaxInputLength, p.ChunkLength = number("-s", "512"), number("--max_input_length", "0"), number("--chunk_length", "0")
	p.Dynamic, p.Chip, p.Stages = has("--dynamic"), c.Chip, []string{"prefill", "decode"}
	if has("--use_history_kv") {
		p.Stages = []string{"prefill", "prefill_kv", "decode"}
		p.Dynamic = true
		if p.ChunkLength == 0 {
			p.ChunkLength = p.SequenceLength / 4
		}
		p.MaxInputLength = p.ChunkLength
	}
	c.Split = *p
	return c, failed
}
