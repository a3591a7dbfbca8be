package atomicfile

// This file holds folders that are filled beside their place.

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Folder is a set of files that are not yet in their folder.
type Folder struct {
	staging, path string
}

// CreateFolder starts filling a folder, which may exist: the new files go below Staging and move when the folder is
// committed, in place of files of the same names.
func CreateFolder(path string) (*Folder, error) {
	path = filepath.Clean(path)
	staging, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: errors.Unwrap(err)}
	}
	return &Folder{staging, path}, nil
}

// Staging is where the files are written.
func (f *Folder) Staging() string { return f.staging }

// Explain returns an error about a file that is not in its place with the path that it was to have.
func (f *Folder) Explain(err error) error {
	if err == nil || !strings.Contains(err.Error(), f.staging) {
		return err
	}
	return &stagedError{strings.ReplaceAll(err.Error(), f.staging, f.path), err}
}

// stagedError is an error in other words.
type stagedError struct {
	text string
	err  error
}

func (e *stagedError) Error() string { return e.text }
func (e *stagedError) Unwrap() error { return e.err }

// Commit moves the files to their places.
func (f *Folder) Commit() error {
	defer f.Abort()
	return filepath.WalkDir(f.staging, func(from string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(f.staging, from)
		if err != nil {
			return err
		}
		to := filepath.Join(f.path, relative)
		if entry.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		return os.Rename(from, to)
	})
}

// Abort removes the files that are not in their places. After Commit it does nothing.
func (f *Folder) Abort() { os.RemoveAll(f.staging) }
