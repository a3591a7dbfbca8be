package weight

// This file opens weight files and checkpoints by name, and holds the store that lies in memory.

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Store gives tensors by name. It is safe for concurrent use; tensors taken from it are valid until Close.
type Store interface {
	// Lookup returns the tensor of that name, and whether there is one.
	Lookup(name string) (Tensor, bool)
	// Names returns the names of all tensors, sorted. The caller leaves the slice as it is.
	Names() []string
	// File returns the path of the file or folder, for error messages.
	File() string
	// Close lets go of the files.
	Close() error
}

// Find is Lookup with an error that names the file and the tensor.
func Find(s Store, name string) (Tensor, error) {
	t, ok := s.Lookup(name)
	if !ok {
		return Tensor{}, tensorError(s.File(), name, "no such tensor among the %d here", len(s.Names()))
	}
	return t, nil
}

// Open opens what name is: a .npz file, a .safetensors file, the .index.json of several, or a checkpoint's folder. Files
// are mapped; only their headers are read.
func Open(name string) (Store, error) { return open(osFiles{}, filepath.ToSlash(name)) }

// OpenFS is Open in a file system; name is slash-separated, and "." is its root as a checkpoint's folder.
func OpenFS(fsys fs.FS, name string) (Store, error) { return open(fsFiles{fsys}, path.Clean(name)) }

// opener is the operating system's files or those of an fs.FS, under slash-separated paths.
type opener interface {
	open(name string) (source, error)
	stat(name string) (fs.FileInfo, error)
	list(folder string) ([]fs.DirEntry, error)
	display(name string) string // as error messages show the name
}

type osFiles struct{}

func (osFiles) open(name string) (source, error)        { return openFile(filepath.FromSlash(name)) }
func (osFiles) stat(name string) (fs.FileInfo, error)   { return os.Stat(filepath.FromSlash(name)) }
func (osFiles) list(name string) ([]fs.DirEntry, error) { return os.ReadDir(filepath.FromSlash(name)) }
func (osFiles) display(name string) string              { return filepath.FromSlash(name) }

type fsFiles struct{ fs.FS }

func (f fsFiles) open(name string) (source, error)        { return openFS(f.FS, name) }
func (f fsFiles) stat(name string) (fs.FileInfo, error)   { return fs.Stat(f.FS, name) }
func (f fsFiles) list(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) }
func (f fsFiles) display(name string) string              { return name }

const (
	singleFile = "model.safetensors"
	indexFile  = "model.safetensors.index.json"
)

func open(files opener, name string) (Store, error) {
	info, err := files.stat(name)
	if err != nil {
		return nil, openError(files.display(name), err)
	}
	if info.IsDir() {
		if name, err = checkpointFile(files, name); err != nil {
			return nil, err
		}
	}
	var read func(string, source) (*archive, error)
	switch {
	case strings.HasSuffix(name, ".npz"):
		read = readNPZ
	case strings.HasSuffix(name, ".safetensors"):
		read = readSafetensors
	case strings.HasSuffix(name, ".index.json"):
		return openSharded(files, name)
	default:
		return nil, fileError(files.display(name), "not a weight file: expected .npz, .safetensors, .index.json or a folder")
	}
	src, err := files.open(name)
	if err != nil {
		return nil, openError(files.display(name), err)
	}
	a, err := read(files.display(name), src)
	if err != nil {
		return nil, errors.Join(err, src.close())
	}
	return a, nil
}

// checkpointFile returns the weight file or index in a checkpoint's folder: the usual names, or else the one there is.
func checkpointFile(files opener, folder string) (string, error) {
	for _, name := range []string{singleFile, indexFile} {
		if _, err := files.stat(path.Join(folder, name)); err == nil {
			return path.Join(folder, name), nil
		}
	}
	entries, err := files.list(folder)
	if err != nil {
		return "", openError(files.display(folder), err)
	}
	for _, suffix := range []string{".index.json", ".safetensors", ".npz"} {
		var found []string
		for _, entry := range entries {
			if !entry.IsDir() && strings.HasSuffix(entry.Name(), suffix) {
				found = append(found, entry.Name())
			}
		}
		if len(found) == 1 {
			return path.Join(folder, found[0]), nil
		}
		if len(found) > 1 {
			return "", fileError(files.display(folder), "several weight files and no %s: %s", indexFile,
				strings.Join(found, ", "))
		}
	}
	return "", fileError(files.display(folder), "no weights: neither %s nor %s%s", singleFile, indexFile,
		DescribeForeign(entries))
}

// openError is the error of a file that can't be opened; the file's name comes once.
func openError(file string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return &Error{File: file, Err: err}
}

// memory is a store of tensors that are at hand.
type memory struct {
	name    string
	tensors map[string]Tensor
	names   []string
}

// NewMemory returns a store of the tensors, which must differ in name. The store's own name is for error messages.
func NewMemory(name string, tensors ...Tensor) (Store, error) {
	m := &memory{name: name, tensors: make(map[string]Tensor, len(tensors))}
	for _, t := range tensors {
		if _, ok := m.tensors[t.name]; ok {
			return nil, tensorError(name, t.name, "comes twice")
		}
		m.tensors[t.name] = t
		m.names = append(m.names, t.name)
	}
	slices.Sort(m.names)
	return m, nil
}

func (m *memory) Lookup(name string) (Tensor, bool) {
	t, ok := m.tensors[name]
	return t, ok
}

func (m *memory) Names() []string { return m.names }
func (m *memory) File() string    { return m.name }
func (m *memory) Close() error    { return nil }
