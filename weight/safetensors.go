package weight

// This file opens .safetensors files: a length, a JSON object that says where each tensor lies, and the bytes.

import (
	"encoding/binary"
	"fmt"
	"slices"
)

const (
	safetensorsPrefix    = 8
	maxSafetensorsHeader = 100_000_000 // the bound of the format's own library
	metadataKey          = "__metadata__"
)

// safetensorsEntry is one tensor as the header describes it.
type safetensorsEntry struct {
	name    string
	DType   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets []uint64 `json:"data_offsets"`
}

// readSafetensors reads the header and checks every tensor against the file: known type, size as shape and type say,
// inside the file, one behind the other without gap or overlap, as the format demands.
func readSafetensors(file string, src source) (*archive, error) {
	header, err := safetensorsHeader(src)
	if err != nil {
		return nil, &Error{File: file, Err: err}
	}
	entries, err := parseSafetensorsHeader(header)
	if err != nil {
		return nil, &Error{File: file, Err: fmt.Errorf("safetensors header: %w", err)}
	}
	start := safetensorsPrefix + int64(len(header))
	data := section{source: src, start: start, length: src.size() - start}
	tensors := make([]Tensor, len(entries))
	for i, entry := range entries {
		if tensors[i], err = entry.tensor(file, data); err != nil {
			return nil, err
		}
	}
	if err := checkSafetensorsLayout(file, entries, uint64(data.length)); err != nil {
		return nil, err
	}
	return newArchive(file, src, tensors), nil
}

// safetensorsHeader returns the bytes of the JSON header.
func safetensorsHeader(src source) ([]byte, error) {
	if src.size() < safetensorsPrefix {
		return nil, fmt.Errorf("%d bytes are too few for a safetensors file", src.size())
	}
	prefix, err := src.bytes(0, safetensorsPrefix)
	if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(prefix)
	if n > maxSafetensorsHeader {
		return nil, fmt.Errorf("not a safetensors file: a header of %d bytes is more than the format allows", n)
	}
	if int64(n) > src.size()-safetensorsPrefix {
		return nil, fmt.Errorf("cut short: the header should have %d bytes, %d follow", n, src.size()-safetensorsPrefix)
	}
	return src.bytes(safetensorsPrefix, int64(n))
}

// tensor checks the entry and returns the tensor in data, the part of the file behind the header.
func (e safetensorsEntry) tensor(file string, data section) (Tensor, error) {
	dtype := safetensorsDType(e.DType)
	if dtype == Invalid {
		return Tensor{}, tensorError(file, e.name, "unsupported type %q", e.DType)
	}
	if e.Shape == nil {
		return Tensor{}, tensorError(file, e.name, "no shape")
	}
	if len(e.Offsets) != 2 || e.Offsets[0] > e.Offsets[1] {
		return Tensor{}, tensorError(file, e.name, "data_offsets %v are not a start and an end", e.Offsets)
	}
	if e.Offsets[1] > uint64(data.length) {
		return Tensor{}, tensorError(file, e.name, "data_offsets %v reach beyond the %d bytes of data in the file",
			e.Offsets, data.length)
	}
	start, end := int64(e.Offsets[0]), int64(e.Offsets[1])
	return newTensor(file, e.name, dtype, e.Shape, section{data.source, data.start + start, end - start})
}

// checkSafetensorsLayout refuses tensors that share bytes and bytes that belong to none.
func checkSafetensorsLayout(file string, entries []safetensorsEntry, length uint64) error {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b safetensorsEntry) int {
		if c := int64(a.Offsets[0]) - int64(b.Offsets[0]); c != 0 {
			return int(min(max(c, -1), 1))
		}
		return int(min(max(int64(a.Offsets[1])-int64(b.Offsets[1]), -1), 1))
	})
	var end uint64
	for i, e := range sorted {
		switch {
		case e.Offsets[0] < end:
			return tensorError(file, e.name, "data_offsets %v overlap those of %q, %v", e.Offsets, sorted[i-1].name,
				sorted[i-1].Offsets)
		case e.Offsets[0] > end:
			return tensorError(file, e.name, "%d bytes before it belong to no tensor", e.Offsets[0]-end)
		}
		end = e.Offsets[1]
	}
	if end != length {
		return fileError(file, "%d bytes behind the last tensor belong to none", length-end)
	}
	return nil
}
