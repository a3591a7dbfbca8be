// Package files reads what a command is given and writes what it makes: "-" is standard input and output, a regular file
// is replaced only when it is whole.
package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"tpuir/internal/atomicfile"
)

// ReadInput reads a whole file, or standard input for "-".
func ReadInput(path string, stdin io.Reader) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(stdin)
	}
	text, err := os.ReadFile(path)
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return nil, errors.New(capitalize(pathError.Err.Error()))
	}
	return text, err
}

func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// WriteOutput writes a whole file, or to standard output for "-". A regular file is written beside and renamed; what
// stands at the path and is no regular file, such as /dev/null, is written to.
func WriteOutput(path string, data []byte, stdout io.Writer) error {
	return WriteTogether(path, data, stdout, func() error { return nil })
}

// WriteTogether is [WriteOutput] for an output that belongs to other files: place puts them into their places when the
// output itself can fail no more but for its own renaming.
func WriteTogether(path string, data []byte, stdout io.Writer, place func() error) error {
	if path == "-" {
		if _, err := stdout.Write(data); err != nil {
			return err
		}
		return place()
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
		return place()
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := place(); err != nil {
		return err
	}
	return f.Commit()
}
