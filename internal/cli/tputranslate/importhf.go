package tputranslate

// This file holds --import-hf: a checkpoint becomes Top IR that names the checkpoint, or an npz.

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"tpuir/importer"
	"tpuir/importer/hf"
	"tpuir/internal/atomicfile"
	"tpuir/internal/cli/files"
	"tpuir/internal/cli/progress"
	"tpuir/internal/registry"
	"tpuir/printer"
)

func importHF(ctx context.Context, t *tool) error {
	if t.output == "" {
		t.output = "-"
	}
	checkpoint, err := hf.Open(t.input)
	if err != nil {
		return err
	}
	defer checkpoint.Close()
	if err := checkpoint.Weights.CheckNumbers(ctx); err != nil {
		return err
	}
	folder, err := relativeTo(t.output, t.input)
	if err != nil {
		return err
	}
	options := importer.Options{DoSample: t.doSample, EmbeddingDisk: t.embeddingDisk, WeightFile: folder, Checkpoint: folder}
	npz := ""
	if t.weights == weightsNPZ {
		if !atomicfile.HasPlace(t.output) {
			return errors.New("--weights=npz writes the weights beside the output; give it a name with -o")
		}
		npz = strings.TrimSuffix(t.output, filepath.Ext(t.output)) + "_top_weights.npz"
		options.WeightFile = filepath.Base(npz)
	}
	module, err := checkpoint.Model.Build(registry.NewContext(), options)
	if err != nil {
		return err
	}
	if npz != "" {
		bar := progress.New(t.stderr, -1, "writing "+npz)
		defer bar.Done()
		if err := checkpoint.Weights.WriteNPZ(ctx, module, npz, bar.Step); err != nil {
			return err
		}
	}
	text := printer.Append(nil, module, printer.Options{DebugInfo: true})
	return files.WriteOutput(t.output, text, t.stdout)
}

// relativeTo returns the path of a folder from where a file lies, as it is given where the file is standard output.
func relativeTo(file, folder string) (string, error) {
	if file == "-" {
		return filepath.ToSlash(filepath.Clean(folder)), nil
	}
	from, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return filepath.ToSlash(to), nil // on another volume
	}
	return filepath.ToSlash(relative), nil
}
