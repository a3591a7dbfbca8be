package weight

// This file knows the formats of weights that are not read, so that an error can say what lies there instead.

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Foreign returns the format that a file name stands for, "" where it is none of those that hold weights and are not read.
func Foreign(name string) string {
	name = strings.ToLower(name)
	switch path.Ext(name) {
	case ".gguf":
		return "GGUF"
	case ".ggml":
		return "GGML"
	case ".pt", ".pth", ".ckpt":
		return "PyTorch"
	case ".bin": // of others, too
		if strings.HasPrefix(path.Base(name), "pytorch_model") {
			return "PyTorch"
		}
	case ".h5", ".keras":
		return "Keras"
	case ".tflite":
		return "TensorFlow Lite"
	case ".msgpack":
		return "Flax"
	case ".onnx":
		return "ONNX"
	case ".bmodel":
		return "a compiled model"
	}
	return ""
}

// DescribeForeign says in half a sentence, for an error about a folder without weights, which of its files hold some in a
// format that is not read; it is empty where there are none.
func DescribeForeign(entries []fs.DirEntry) string {
	var found []string
	more := 0
	for _, entry := range entries {
		format := Foreign(entry.Name())
		switch {
		case entry.IsDir() || format == "":
		case len(found) == 3:
			more++
		default:
			found = append(found, fmt.Sprintf("%s (%s)", entry.Name(), format))
		}
	}
	if len(found) == 0 {
		return ""
	}
	text := "; the folder holds " + strings.Join(found, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ", which can't be read: weights are read from safetensors and npz"
}
