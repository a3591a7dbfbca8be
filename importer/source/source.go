// Package source opens what module.weight_file names: an npz or safetensors file, an index of several, or a checkpoint's
// folder, whose tensors are then presented as Top IR has them.
package source

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tpuir/importer"
	"tpuir/importer/hf"
	"tpuir/interp"
	"tpuir/ir"
	"tpuir/weight"
)

// Source gives the weights of a module by name. It is safe for concurrent use.
type Source interface {
	interp.Weights
	// File is the path, for messages.
	File() string
	Close() error
}

// Find opens the weight file of a module. A relative path is looked for in the folders in order: beside the .mlir file
// first, then where the process runs, as TPU-MLIR does. Checkpoints that are built into the program are found in the
// embedded file system, which may be nil, under their path.
func Find(file string, folders []string, embedded fs.FS) (Source, error) {
	if !filepath.IsAbs(file) {
		for _, folder := range folders {
			if path := filepath.Join(folder, file); exists(path) {
				return Open(path)
			}
		}
	}
	if exists(file) {
		return Open(file)
	}
	if embedded != nil && fs.ValidPath(file) {
		if _, err := fs.Stat(embedded, file); err == nil {
			c, err := hf.OpenFS(embedded, file)
			if err != nil {
				return nil, err
			}
			return checkpoint{c.Weights}, nil
		}
	}
	looked := slices.Compact(append(slices.Clone(folders), "."))
	return nil, fmt.Errorf("weight file '%s' doesn't exist (looked in %s)", file, strings.Join(looked, ", "))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Open opens one file or folder.
func Open(path string) (Source, error) {
	if hf.IsCheckpoint(path) {
		c, err := hf.Open(path)
		if err != nil {
			return nil, err
		}
		return checkpoint{c.Weights}, nil
	}
	store, err := weight.Open(path)
	if err != nil {
		return nil, err
	}
	return stored{store}, nil
}

// checkpoint presents a checkpoint's tensors by the table of architectures.
type checkpoint struct{ *importer.Weights }

func (c checkpoint) Tensor(name string, t *ir.RankedTensorType) (weight.Tensor, error) {
	return c.Weights.Tensor(name, t.Shape)
}

// stored gives the tensors of a file as they lie.
type stored struct{ store weight.Store }

func (s stored) File() string { return s.store.File() }

func (s stored) Close() error { return s.store.Close() }

func (s stored) Tensor(name string, t *ir.RankedTensorType) (weight.Tensor, error) {
	found, ok := s.store.Lookup(name)
	if !ok {
		// Masks and constants are the same for every model, and a file made before the stage split lacks them.
		made, known, err := importer.Constant(name, t.Shape)
		if err != nil {
			return made, &weight.Error{File: s.store.File(), Tensor: name, Err: err}
		}
		if known {
			return made, nil
		}
		return weight.Find(s.store, name) // the error that says so
	}
	rows, err := importer.CutTable(found, name, t.Shape)
	if err != nil {
		return rows, err
	}
	return interp.View(rows, t)
}
