// Package files reads what a command is given and writes what it makes: "-" is standard input and output, a regular file
// is replaced only when it is whole.
package files

import (
	"io"

	"tpuir/internal/atomicfile"
)

// Output is what a command writes, piece by piece. A regular file is written beside and renamed in the end; what stands
// at the path and is no regular file, such as /dev/null, is written to, and so is standard output.
type Output struct {
	path   string
	stdout io.Writer
	w      io.Writer        // nil: nothing has been written
	beside *atomicfile.File // the file that takes the path's place
}

// NewOutput returns an output to a path, "-" for standard output. Nothing is opened before something is written.
func NewOutput(path string, stdout io.Writer) *Output { return &Output{path: path, stdout: stdout} }

func (o *Output) open() (err error) {
	if o.w != nil {
		return nil
	}
	if o.path == "-" {
		o.w = o.stdout
		return nil
	}
	if o.beside, err = atomicfile.Create(o.path); err != nil {
		return err
	}
	o.w = o.beside
	return nil
}

// Write writes a piece.
func (o *Output) Write(data []byte) (int, error) {
	if err := o.open(); err != nil {
		return 0, err
	}
	return o.w.Write(data)
}

// Commit ends the output. The output may belong to other files: place puts them into their places when the output itself
// can fail no more but for its own renaming.
func (o *Output) Commit(place func() error) error {
	if err := o.open(); err != nil {
		return err
	}
	if err := place(); err != nil {
		return err
	}
	if o.beside != nil {
		return o.beside.Commit()
	}
	return nil
}

// Abort leaves what stood at the path as it was, if that is a regular file. After Commit it does nothing.
func (o *Output) Abort() {
	if o.beside != nil {
		o.beside.Abort()
	}
}

// WriteOutput writes a whole file, or to standard output for "-": see [Output].
func WriteOutput(path string, data []byte, stdout io.Writer) error {
	o := NewOutput(path, stdout)
	defer o.Abort()
	if _, err := o.Write(data); err != nil {
		return err
	}
	return o.Commit(func() error { return nil })
}
