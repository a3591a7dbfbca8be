package badinput

// This file makes broken checkpoints out of the built-in one.

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// checkpoint is a copy of the built-in checkpoint in ./model, to be broken.
type checkpoint struct{ t *testing.T }

func (c checkpoint) fatal(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c checkpoint) read(name string) []byte {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join("model", name))
	c.fatal(err)
	return text
}

func (c checkpoint) write(name string, data []byte) {
	c.t.Helper()
	c.fatal(os.WriteFile(filepath.Join("model", name), data, 0o666))
}

// config changes entries of config.json; nil takes one away.
func (c checkpoint) config(changes map[string]any) {
	c.t.Helper()
	var all map[string]any
	c.fatal(json.Unmarshal(c.read("config.json"), &all))
	for name, value := range changes {
		if value == nil {
			delete(all, name)
			continue
		}
		all[name] = value
	}
	text, err := json.MarshalIndent(all, "", "  ")
	c.fatal(err)
	c.write("config.json", text)
}

// entry is what a safetensors header says of a tensor.
type entry struct {
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

const weights = "model.safetensors"

// header changes the safetensors header.
func (c checkpoint) header(change func(entries map[string]*entry)) {
	c.t.Helper()
	file := c.read(weights)
	length := binary.LittleEndian.Uint64(file)
	var raw map[string]json.RawMessage
	c.fatal(json.Unmarshal(file[8:8+length], &raw))
	entries := map[string]*entry{}
	for name, text := range raw {
		if name == "__metadata__" {
			continue
		}
		var e entry
		c.fatal(json.Unmarshal(text, &e))
		entries[name] = &e
	}
	change(entries)
	text, err := json.Marshal(entries)
	c.fatal(err)
	c.write(weights, append(withLength(text), file[8+length:]...))
}

// withLength puts a header's length before it.
func withLength(header []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
}

// data changes the bytes of a tensor.
func (c checkpoint) data(name string, change func(raw []byte)) {
	c.t.Helper()
	file := c.read(weights)
	length := binary.LittleEndian.Uint64(file)
	var entries map[string]entry
	var raw map[string]json.RawMessage
	c.fatal(json.Unmarshal(file[8:8+length], &raw))
	delete(raw, "__metadata__")
	text, err := json.Marshal(raw)
	c.fatal(err)
	c.fatal(json.Unmarshal(text, &entries))
	at := entries[name].Offsets
	change(file[8+int64(length)+at[0] : 8+int64(length)+at[1]])
	c.write(weights, file)
}
