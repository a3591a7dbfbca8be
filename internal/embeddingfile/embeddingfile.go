// Package embeddingfile keeps a model's embedding table outside of its nets, as TPU-MLIR's --embedding_disk does: a file
// embedding.bin of 16-bit rows, bf16 or f16, without a header.
package embeddingfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	moduledialect "tpuir/dialect/module"
	"tpuir/importer"
	"tpuir/importer/hf"
	"tpuir/internal/atomicfile"
	"tpuir/ir"
	"tpuir/weight"
	"tpuir/weight/float16"
)

// Name is the file's name.
const Name = "embedding.bin"

// Write writes the table of the checkpoint that a module names (module.checkpoint, found from the module's file) to
// folder/embedding.bin, in the 16-bit type of the module's or its nets' mode, bf16 where nothing is lowered.
func Write(ctx context.Context, module *ir.Operation, moduleFile, folder string) error {
	name, ok := module.StringAttribute(moduledialect.Checkpoint)
	if !ok {
		return module.PlainErrorf("has no module.checkpoint, where the embedding table would be read from")
	}
	checkpoint, err := hf.Open(Beside(moduleFile, name))
	if err != nil {
		return err
	}
	defer checkpoint.Close()
	table, err := Table(checkpoint)
	if err != nil {
		return err
	}
	if table, err = table.Convert(DType(module)); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	out, err := atomicfile.Create(filepath.Join(folder, Name))
	if err != nil {
		return err
	}
	defer out.Abort()
	buffered := bufio.NewWriterSize(out, 1<<20)
	rows := table.Shape()[0]
	const block = 1024
	for start := int64(0); start < rows; start += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := table.Rows(start, min(start+block, rows))
		if err != nil {
			return err
		}
		raw, err := part.Bytes(ctx)
		if err != nil {
			return err
		}
		if _, err := buffered.Write(raw); err != nil {
			return fmt.Errorf("writing %s: %w", out.Path(), err)
		}
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", out.Path(), err)
	}
	return out.Commit()
}

// Beside returns a path that a file names: from the file's folder where it is there, else from the working folder.
func Beside(file, name string) string {
	if filepath.IsAbs(name) || file == "" || file == "-" {
		return name
	}
	if path := filepath.Join(filepath.Dir(file), name); exists(path) {
		return path
	}
	return name
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Table returns a checkpoint's embedding table, [vocabulary, hidden] in float32.
func Table(checkpoint *hf.Checkpoint) (weight.Tensor, error) {
	m := checkpoint.Model
	return checkpoint.Weights.Tensor(m.Architecture.Names[importer.Embedding]+".weight", []int64{m.Vocabulary, m.Hidden})
}

// DType returns the 16-bit type of the mode that the nets were lowered in.
func DType(module *ir.Operation) weight.DType {
	found := weight.BFloat16
	module.Walk(func(op *ir.Operation) ir.WalkResult {
		mode, ok := op.StringAttribute(moduledialect.Mode)
		switch {
		case ok && strings.HasSuffix(mode, "BF16"):
			return ir.Interrupt
		case ok && strings.HasSuffix(mode, "F16"):
			found = weight.Float16
			return ir.Interrupt
		}
		return ir.Advance
	})
	return found
}

// File is an open embedding.bin. It is safe for concurrent use.
type File struct {
	file   *os.File
	format float16.Format
	hidden int
	rows   int
}

// Open opens a file of rows of that many elements.
func Open(path string, format float16.Format, hidden int) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && (hidden <= 0 || info.Size()%int64(2*hidden) != 0) {
		err = fmt.Errorf("%s has %d bytes, which are no rows of %d 16-bit numbers", path, info.Size(), hidden)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &File{file: file, format: format, hidden: hidden, rows: int(info.Size() / int64(2*hidden))}, nil
}

// Row writes a token's row to dst.
func (f *File) Row(_ context.Context, token int, dst []float32) error {
	if token < 0 || token >= f.rows || len(dst) != f.hidden {
		return fmt.Errorf("%s has %d rows of %d", f.file.Name(), f.rows, f.hidden)
	}
	raw := make([]byte, 2*f.hidden)
	if n, err := f.file.ReadAt(raw, int64(token)*int64(len(raw))); n < len(raw) {
		return fmt.Errorf("%s: row %d: %w", f.file.Name(), token, err)
	}
	f.format.Decode(dst, raw)
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
