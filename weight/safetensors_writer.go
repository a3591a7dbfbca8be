package weight

// This file writes .safetensors files.

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"

	"tpuir/internal/atomicfile"
)

// WriteSafetensors writes the tensors of the store as a .safetensors file, wide types first, so that all are aligned, and
// then by name. metadata may be nil.
func WriteSafetensors(ctx context.Context, name string, s Store, metadata map[string]string) error {
	file, err := atomicfile.Create(name)
	if err != nil {
		return openError(name, err)
	}
	defer file.Abort()
	if err := encodeSafetensors(ctx, file, name, s, metadata); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return openError(name, err)
	}
	return nil
}

func encodeSafetensors(ctx context.Context, out io.Writer, name string, s Store, metadata map[string]string) error {
	var tensors []Tensor
	for _, n := range s.Names() {
		t, err := Find(s, n)
		if err != nil {
			return err
		}
		tensors = append(tensors, t.Rename(n))
	}
	slices.SortStableFunc(tensors, func(a, b Tensor) int { return cmp.Compare(b.DType().Size(), a.DType().Size()) })
	header, err := safetensorsHeaderBytes(tensors, metadata)
	if err != nil {
		return &Error{File: name, Err: err}
	}
	w := bufio.NewWriterSize(out, 1<<20)
	if _, err := w.Write(header); err != nil {
		return openError(name, err)
	}
	for _, t := range tensors {
		if err := t.Stream(ctx, w); err != nil {
			return openError(name, err)
		}
	}
	if err := w.Flush(); err != nil {
		return openError(name, err)
	}
	return nil
}

// safetensorsHeaderBytes returns the length and the JSON header, padded to a multiple of 8 bytes.
func safetensorsHeaderBytes(tensors []Tensor, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	field := func(key string, value any) error {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(key); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
		b.WriteByte(':')
		err := encoder.Encode(value)
		b.Truncate(b.Len() - 1)
		return err
	}
	b.WriteByte('{')
	if len(metadata) > 0 {
		if err := field(metadataKey, metadata); err != nil {
			return nil, err
		}
	}
	var offset int64
	for _, t := range tensors {
		n := t.Len() * t.DType().Size()
		entry := safetensorsEntry{
			DType:   t.DType().String(),
			Shape:   append([]int64{}, t.shape...),
			Offsets: []uint64{uint64(offset), uint64(offset + n)},
		}
		if err := field(t.name, entry); err != nil {
			return nil, err
		}
		offset += n
	}
	b.WriteByte('}')
	for b.Len()%safetensorsPrefix != 0 {
		b.WriteByte(' ')
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(b.Len())), b.Bytes()...), nil
}
