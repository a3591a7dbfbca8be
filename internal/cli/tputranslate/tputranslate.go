// Package tputranslate is the tpu-translate command: it goes between IR and what is not IR. Each direction is a flag, as in
// mlir-translate, and a row of a table.
package tputranslate

// This file holds the command line and the table of directions.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tpuir/internal/cli/files"
	"tpuir/internal/cli/flags"
	"tpuir/internal/cli/irfile"
)

const toolName = "tpu-translate"

// direction is one way to go.
type direction struct {
	flag, help string
	run        func(ctx context.Context, t *tool) error
}

func directions() []direction {
	return []direction{
		{"import-hf", "read a checkpoint's folder (config.json, safetensors), write Top IR: the whole model, each layer once, for any length", importHF},
		{"split-nets", "read a module of nets, write each as files for TPU-MLIR: DIR/NET/NET.mlir and its weights (npz)", splitNets},
	}
}

// Main runs the command and returns the exit status: 0, or 1 after an error. Messages go to stderr.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	answer := &files.Checked{Writer: stdout}
	t := &tool{stdin: stdin, stdout: answer, stderr: stderr, weights: weightsInPlace}
	err := t.parse(args)
	switch {
	case err == nil && t.chosen == nil:
		err = answer.Err
	case err == nil:
		t.stdout = stdout
		err = t.chosen.run(ctx, t)
	}
	return irfile.Report(err, toolName, stderr)
}

// tool is a run of the command.
type tool struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	chosen        *direction
	input, output string
	weights       string
	doSample      bool
	embeddingDisk bool
}

// What --weights takes.
const (
	weightsInPlace = "checkpoint"
	weightsNPZ     = "npz"
)

// parse reads the command line. No direction is chosen where the command line asks for help only.
func (t *tool) parse(args []string) error {
	set := flags.New(toolName)
	set.Excess = "give one input"
	var asked []string
	set.Group("Directions")
	for _, d := range directions() {
		set.Optional(d.flag, d.help, func(value string) error {
			if value != "true" {
				t.input = value
			}
			asked = append(asked, d.flag)
			return nil
		})
	}
	set.Group("Input and output")
	set.Text(&t.output, "o", "write to this file; to this folder with --split-nets; - is standard output, the default of --import-hf")
	set.Group("Import")
	set.Func("weights", "checkpoint (the default): the IR names the checkpoint's folder, whose tensors are used in place; npz: write them to an .npz beside the output", t.setWeights)
	set.Bool(&t.doSample, "do-sample", "lm_head returns logits; greedy_head and sample_head choose the token")
	set.Bool(&t.embeddingDisk, "embedding-disk", "leave the embedding out of the IR; with --split-nets, write its table to DIR/config/embedding.bin")
	set.Group("Help")
	set.About()
	positional, err := set.Parse(args)
	if err != nil || set.Answer(t.stdout, does) {
		return err
	}
	return t.choose(asked, positional)
}

func (t *tool) setWeights(value string) error {
	if value != weightsInPlace && value != weightsNPZ {
		return fmt.Errorf("'%s' is none of %s, %s", value, weightsInPlace, weightsNPZ)
	}
	t.weights = value
	return nil
}

// choose checks that there are one direction and one input.
func (t *tool) choose(asked, positional []string) error {
	all := directions()
	if len(asked) != 1 {
		names := make([]string, len(all))
		for i, d := range all {
			names[i] = "--" + d.flag
		}
		return fmt.Errorf("give one direction: %s; try '%s --help'", strings.Join(names, " or "), toolName)
	}
	if len(positional) == 1 {
		if t.input != "" {
			return fmt.Errorf("too many positional arguments: '%s' after '%s'; give one input", positional[0], t.input)
		}
		t.input = positional[0]
	}
	if t.input == "" {
		return errors.New("there is no input; give a checkpoint's folder or an .mlir file")
	}
	i := slices.IndexFunc(all, func(d direction) bool { return d.flag == asked[0] })
	t.chosen = &all[i]
	return nil
}

// does begins the help text.
const does = `tpu-translate goes between IR and what is not IR.

Usage: tpu-translate DIRECTION [FLAGS] INPUT

  tpu-translate --import-hf examples/stories -o stories.mlir       a checkpoint becomes Top IR
  top-opt --lower-to-tpu --split-stages stories.mlir -o stories.tpu.mlir
  tpu-translate --split-nets -o nets stories.tpu.mlir              a module of nets becomes files for TPU-MLIR
`
