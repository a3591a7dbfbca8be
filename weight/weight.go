// Package weight finds and reads the weights of a model where they lie: in TPU-MLIR's .npz files and in the safetensors
// of a checkpoint, mapped from disk or taken from an fs.FS. A Store gives each tensor by name; a Tensor is a view that
// may be transposed, reshaped, cut, reordered and converted, and copies nothing until somebody reads it.
//
// The arithmetic on weights has packages of its own: weight/float16 (rounding), weight/quantize (group quantization)
// and weight/rotary (cosine and sine tables).
package weight

import (
	"errors"
	"fmt"
)

// ErrClosed is what reading a tensor gives after its store was closed.
var ErrClosed = errors.New("the weight file is closed")

// Error says which file, and which tensor of it, something is wrong with. Either may be empty.
type Error struct {
	File   string
	Tensor string
	Err    error
}

func (e *Error) Error() string {
	switch {
	case e.Tensor == "":
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	case e.File == "":
		return fmt.Sprintf("tensor %q: %v", e.Tensor, e.Err)
	}
	return fmt.Sprintf("%s: tensor %q: %v", e.File, e.Tensor, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// fileError is an Error about a whole file.
func fileError(file, format string, args ...any) error {
	return &Error{File: file, Err: fmt.Errorf(format, args...)}
}

// tensorError is an Error about one tensor of a file.
func tensorError(file, tensor, format string, args ...any) error {
	return &Error{File: file, Tensor: tensor, Err: fmt.Errorf(format, args...)}
}
