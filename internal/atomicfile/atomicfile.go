// Package atomicfile writes files beside their place and renames them when they are whole, so that an error, a full disk
// or an end of the process leaves no partial output and an existing file as it was. A link stays one, and what is no regular
// file, such as /dev/null, or one that a process has open, such as /dev/stdout, is written to in place.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// File is a file that is not yet in its place.
type File struct {
	*os.File
	path    string // as it was given
	place   string // where links from path lead
	inPlace bool   // the place holds a device or a pipe, and this is it
	done    bool
}

// Create opens a new file beside path, with the permissions of the file that it is to replace. It stays hidden until Commit.
func Create(path string) (*File, error) {
	place, err := followLinks(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(place)
	if isDescriptor(place) || err == nil && !info.Mode().IsRegular() {
		// What a descriptor leads to is somebody's who has it open: what is there stays.
		f, err := os.OpenFile(place, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
		}
		return &File{File: f, path: path, place: place, inPlace: true}, nil
	}
	f, err := createBeside(place, path)
	if err == nil && info != nil {
		if err = f.Chmod(info.Mode().Perm()); err != nil {
			f.Abort()
			err = &fs.PathError{Op: "create", Path: path, Err: errors.Unwrap(err)}
		}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// followLinks returns the path that a symbolic link leads to, which need not exist. It stops at a descriptor, whose link is
// one only in name: that of a pipe leads nowhere.
func followLinks(path string) (string, error) {
	place := path
	for range 40 {
		if isDescriptor(place) {
			return place, nil
		}
		target, err := os.Readlink(place)
		if err != nil {
			return place, nil // no link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(place), target)
		}
		place = target
	}
	return "", &fs.PathError{Op: "create", Path: path, Err: errors.New("too many links")}
}

// isDescriptor reports whether a path is that of an open file of a process, as /dev/stdout is behind its link.
func isDescriptor(path string) bool {
	folder := filepath.Dir(filepath.Clean(path))
	return folder == "/dev/fd" || strings.HasPrefix(folder, "/proc/") && filepath.Base(folder) == "fd"
}

func createBeside(place, path string) (*File, error) {
	folder, name := filepath.Split(place)
	for range 100 {
		temporary := fmt.Sprintf("%s.%s.%08x.tmp", folder, name, rand.Uint32())
		f, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return &File{File: f, path: path, place: place}, nil
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
	if err == nil && !f.inPlace {
		err = replace(f.Name(), f.place)
	}
	if err != nil {
		f.remove()
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
	f.remove()
}

func (f *File) remove() {
	if !f.inPlace {
		os.Remove(f.Name())
	}
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

// HasPlace reports whether a path is, or will be, that of a file which others can lie beside. Standard input and output
// ("-"), descriptors, such as /dev/stdout, devices, such as /dev/null, and no path at all are none.
func HasPlace(path string) bool {
	if path == "" || path == "-" {
		return false
	}
	if place, err := followLinks(path); err == nil && isDescriptor(place) {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular() || info.IsDir()
}
