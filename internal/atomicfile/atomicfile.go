// Package atomicfile writes files beside their place and renames them when they are whole, so that an error, a full disk
// or an end of the process leaves no partial output and an existing file as it was.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// File is a file that is not yet in its place.
type File struct {
	*os.File
	path string
	done bool
}

// Create opens a new file beside path. It stays hidden until Commit.
func Create(path string) (*File, error) {
	folder, name := filepath.Split(path)
	for range 100 {
		temporary := fmt.Sprintf("%s.%s.%08x.tmp", folder, name, rand.Uint32())
		f, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return &File{File: f, path: path}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, &fs.PathError{Op: "create", Path: path, Err: errors.Unwrap(err)}
		}
	}
	return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
}

// Commit closes the file and moves it to its place. After an error nothing is left of it.
func (f *File) Commit() error {
	if f.done {
		return fs.ErrClosed
	}
	f.done = true
	err := f.File.Close()
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.Name())
		var cause error = err
		if unwrapped := errors.Unwrap(err); unwrapped != nil {
			cause = unwrapped
		}
		return &fs.PathError{Op: "write", Path: f.path, Err: cause}
	}
	return nil
}

// Abort removes the file. After Commit it does nothing, so it may be deferred.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.File.Close()
	os.Remove(f.Name())
}

// Path returns the place the file is for.
func (f *File) Path() string { return f.path }

// WriteFile writes data to path as a whole.
func WriteFile(path string, data []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: errors.Unwrap(err)}
	}
	return f.Commit()
}
