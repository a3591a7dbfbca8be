package weight

// This file opens .npz files, as far as zip.go and npy.go leave something to do.

import (
	"slices"
	"strings"
)

// archive is the store of one .npz or .safetensors file.
type archive struct {
	file    string
	source  source
	tensors map[string]Tensor
	names   []string // sorted
}

func (a *archive) Lookup(name string) (Tensor, bool) {
	t, ok := a.tensors[name]
	return t, ok
}

func (a *archive) Names() []string { return a.names }
func (a *archive) File() string    { return a.file }
func (a *archive) Close() error    { return a.source.close() }

func newArchive(file string, src source, tensors []Tensor) *archive {
	a := &archive{file: file, source: src, tensors: make(map[string]Tensor, len(tensors)),
		names: make([]string, 0, len(tensors))}
	for _, t := range tensors {
		a.tensors[t.name] = t
		a.names = append(a.names, t.name)
	}
	slices.Sort(a.names)
	return a
}

// readNPZ reads the directory and all headers of a .npz file. The tensors' bytes stay where they are.
func readNPZ(file string, src source) (*archive, error) {
	entries, err := readZipDirectory(src)
	if err != nil {
		return nil, &Error{File: file, Err: err}
	}
	var tensors []Tensor
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.name, ".npy")
		if !ok {
			continue // numpy keeps other files in an archive apart from its arrays, too
		}
		data := entry.open(src)
		header, err := readNpyHeader(data)
		if err != nil {
			return nil, &Error{File: file, Tensor: name, Err: err}
		}
		t, err := header.tensor(file, name, data)
		if err != nil {
			return nil, err
		}
		tensors = append(tensors, t)
	}
	return newArchive(file, src, tensors), nil
}
