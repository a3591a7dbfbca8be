package files

// This file reads what a command is given. Large files are mapped, not copied: their constants stay views of them.

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// mappedSize is the size in bytes from which a file is mapped; to read a smaller one costs less.
const mappedSize = 1 << 20

// Input is the text of a file, valid until it is closed.
type Input struct {
	Text  []byte
	unmap func()
}

// Close gives the memory of a mapped file back: its text must not be used afterwards.
func (i *Input) Close() {
	if i.unmap != nil {
		i.unmap()
		i.Text, i.unmap = nil, nil
	}
}

// Release lets the system take the pages of a mapped file back until they are read again.
func (i *Input) Release() {
	if i.unmap != nil {
		releasePages(i.Text)
	}
}

// Open reads a whole file, or standard input for "-". A large regular file is mapped. Whoever replaces the file by
// renaming, as this package does, does not disturb that.
func Open(path string, stdin io.Reader) (*Input, error) {
	if path == "-" {
		text, err := io.ReadAll(stdin)
		return &Input{Text: text}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	if size >= mappedSize {
		if text, unmap, err := mapFile(f, size); err == nil {
			return &Input{Text: text, unmap: unmap}, nil
		}
	}
	var text bytes.Buffer
	text.Grow(int(min(size, mappedSize)) + bytes.MinRead)
	if _, err := text.ReadFrom(f); err != nil {
		return nil, cause(err)
	}
	return &Input{Text: text.Bytes()}, nil
}

// ReadInput reads a whole file, or standard input for "-", into memory of its own.
func ReadInput(path string, stdin io.Reader) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(stdin)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, cause(err)
	}
	return text, nil
}

// cause leaves the path out of an error, for messages that name it already.
func cause(err error) error {
	var pathError *fs.PathError
	if !errors.As(err, &pathError) {
		return err
	}
	text := pathError.Err.Error()
	return errors.New(strings.ToUpper(text[:1]) + text[1:])
}
