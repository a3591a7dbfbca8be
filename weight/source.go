package weight

// This file holds where bytes come from: a file mapped into memory, a slice, or an io.ReaderAt where neither is to be
// had.

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// source is a file of bytes. Slices that bytes returns are read-only and, for a mapped file, valid until close.
type source interface {
	size() int64
	// bytes returns n bytes from offset; the caller keeps the range inside the file.
	bytes(offset, n int64) ([]byte, error)
	close() error
}

// memorySource is a source of bytes in memory.
type memorySource []byte

func (m memorySource) size() int64 { return int64(len(m)) }
func (m memorySource) bytes(offset, n int64) ([]byte, error) {
	return m[offset : offset+n : offset+n], nil
}
func (m memorySource) close() error { return nil }

// mappedSource is a source mapped from a file by the operating system.
type mappedSource struct {
	data   []byte
	closed atomic.Bool
	unmap  func([]byte) error
}

func (m *mappedSource) size() int64 { return int64(len(m.data)) }

func (m *mappedSource) bytes(offset, n int64) ([]byte, error) {
	if m.closed.Load() {
		return nil, ErrClosed
	}
	return m.data[offset : offset+n : offset+n], nil
}

func (m *mappedSource) close() error {
	if m.closed.Swap(true) {
		return nil
	}
	return m.unmap(m.data)
}

// readerSource reads each range when it is asked for.
type readerSource struct {
	reader io.ReaderAt
	length int64
	closer io.Closer
	closed atomic.Bool
}

func (r *readerSource) size() int64 { return r.length }

func (r *readerSource) bytes(offset, n int64) ([]byte, error) {
	if r.closed.Load() {
		return nil, ErrClosed
	}
	buf := make([]byte, n)
	if read, err := r.reader.ReadAt(buf, offset); int64(read) < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return buf, nil
}

func (r *readerSource) close() error {
	if r.closed.Swap(true) || r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

var errNotRegular = errors.New("not a regular file")

// fileSize returns the size of a regular file. A pipe, which would be waited for, has none.
func fileSize(info fs.FileInfo, err error) (int64, error) {
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// openFile maps the named file, or reads it range by range where it can't be mapped.
func openFile(name string) (source, error) {
	if _, err := fileSize(os.Stat(name)); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return fileSource(f)
}

// fileSource takes over f.
func fileSource(f *os.File) (source, error) {
	size, err := fileSize(f.Stat())
	if err != nil {
		f.Close()
		return nil, err
	}
	if size == 0 {
		return memorySource(nil), f.Close()
	}
	if data, unmap, err := mapFile(f, size); err == nil {
		return &mappedSource{data: data, unmap: unmap}, f.Close()
	}
	return &readerSource{reader: f, length: size, closer: f}, nil
}

// openFS opens a file of fsys: mapped where it is a file of the operating system, read by range where it allows that,
// and otherwise read as a whole.
func openFS(fsys fs.FS, name string) (source, error) {
	if _, err := fileSize(fs.Stat(fsys, name)); err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	if osFile, ok := f.(*os.File); ok {
		return fileSource(osFile)
	}
	size, err := fileSize(f.Stat())
	if err != nil {
		f.Close()
		return nil, err
	}
	if reader, ok := f.(io.ReaderAt); ok {
		return &readerSource{reader: reader, length: size, closer: f}, nil
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return memorySource(data), err
}
