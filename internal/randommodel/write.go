package randommodel

// Writing the three files of a checkpoint: config.json, generation_config.json and model.safetensors. Weights are
// drawn and written tensor by tensor through one buffer, so a model of any size needs a few megabytes.

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

const (
	bufferBytes  = 1 << 20
	elementBytes = 2
)

// Write makes the folder dir and puts a checkpoint of the shape into it. Each tensor's values depend on the seed, its
// name and its place alone. A failed or cancelled call leaves no model.safetensors.
func Write(ctx context.Context, dir string, shape Shape, seed uint64) error {
	if err := shape.Validate(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, content := range map[string]any{
		"config.json": shape.config(), "generation_config.json": shape.generationConfig(),
	} {
		text, err := json.MarshalIndent(content, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), append(text, '\n'), 0o666); err != nil {
			return err
		}
	}
	return writeSafetensors(ctx, filepath.Join(dir, "model.safetensors"), shape, seed)
}

func writeSafetensors(ctx context.Context, path string, shape Shape, seed uint64) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".model-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	out := bufio.NewWriterSize(file, bufferBytes)
	tensors := shape.tensors()
	if err := writeHeader(out, tensors, shape.DType); err != nil {
		return err
	}
	for _, tensor := range tensors {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := shape.writeTensor(out, tensor, seed); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// writeHeader writes the length of the JSON header and the header, padded with blanks so that the data after it is
// aligned to 8 bytes.
func writeHeader(out io.Writer, tensors []tensor, dtype string) error {
	type entry struct {
		DType   string   `json:"dtype"`
		Shape   []int    `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	offset := int64(0)
	for _, tensor := range tensors {
		end := offset + tensor.elements()*elementBytes
		header[tensor.name] = entry{DType: dtype, Shape: tensor.shape, Offsets: [2]int64{offset, end}}
		offset = end
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if err := binary.Write(out, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

func (s Shape) writeTensor(out io.Writer, tensor tensor, seed uint64) error {
	name := fnv.New64a()
	io.WriteString(name, tensor.name)
	random := rand.New(rand.NewPCG(seed, name.Sum64()))
	mean, deviation := 0.0, s.WeightDeviation
	switch tensor.kind {
	case norm:
		mean, deviation = 1, s.NormDeviation
	case bias:
		deviation = s.BiasDeviation
	}
	bits := bfloat16Bits
	if s.DType == "F16" {
		bits = float16Bits
	}
	piece := make([]byte, 0, 1<<16)
	for left := tensor.elements(); left > 0; {
		count := min(left, int64(cap(piece)/elementBytes))
		piece = piece[:0]
		for range count {
			// The conversion keeps machines with a fused multiply-add from rounding once where others round twice.
			value := float32(mean + float64(deviation*random.NormFloat64()))
			piece = binary.LittleEndian.AppendUint16(piece, bits(value))
		}
		if _, err := out.Write(piece); err != nil {
			return fmt.Errorf("%s: %w", tensor.name, err)
		}
		left -= count
	}
	return nil
}
