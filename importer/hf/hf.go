package hf

// This file opens a checkpoint's folder.

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tpuir/importer"
	"tpuir/weight"
)

// Checkpoint is an open folder: the model that its config describes, and its weights.
type Checkpoint struct {
	Model   *importer.Model
	Weights *importer.Weights
}

// Close lets go of the files.
func (c *Checkpoint) Close() error { return c.Weights.Close() }

// IsCheckpoint reports whether a path is a checkpoint's folder.
func IsCheckpoint(path string) bool {
	_, err := os.Stat(filepath.Join(path, configFile))
	return err == nil
}

// Open opens the checkpoint in a folder. Its tensors are compared with its config.
func Open(folder string) (*Checkpoint, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder; a checkpoint is a folder with config.json and safetensors", folder)
	}
	return open(os.DirFS(folder), folder, func() (weight.Store, error) { return weight.Open(folder) })
}

// OpenFS is Open in a file system; folder is slash-separated.
func OpenFS(fsys fs.FS, folder string) (*Checkpoint, error) {
	sub, err := fs.Sub(fsys, folder)
	if err != nil {
		return nil, err
	}
	return open(sub, folder, func() (weight.Store, error) { return weight.OpenFS(sub, ".") })
}

func open(fsys fs.FS, folder string, openStore func() (weight.Store, error)) (*Checkpoint, error) {
	model, err := ReadModel(fsys, folder)
	if err != nil {
		return nil, err
	}
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	weights, err := model.Weights(store)
	if err != nil {
		store.Close()
		return nil, err
	}
	return &Checkpoint{Model: model, Weights: weights}, nil
}

// ReadModel reads config.json alone. Folder is its place for messages and for the model's name.
func ReadModel(fsys fs.FS, folder string) (*importer.Model, error) {
	c, switches, err := readConfig(fsys)
	if err == nil {
		var model *importer.Model
		if model, err = c.model(switches); err == nil {
			model.Name = moduleName(folder)
			return model, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", filepath.Join(folder, configFile), err)
}

// moduleName makes a symbol of a folder's last name.
func moduleName(folder string) string {
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	name := path.Base(filepath.ToSlash(folder))
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if strings.Trim(name, "._-") == "" {
		return "model"
	}
	return name
}
