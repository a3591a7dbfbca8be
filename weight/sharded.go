package weight

// This file reads a checkpoint in several safetensors files, which an index lists.

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tpuir/internal/jsonerror"
)

// maxIndex bounds the JSON index; the largest published checkpoints have some 10 MB.
const maxIndex = 256 << 20

// sharded is the store of a checkpoint in several files.
type sharded struct {
	file    string
	shards  []*archive
	tensors map[string]Tensor
	names   []string
}

func (s *sharded) Lookup(name string) (Tensor, bool) {
	t, ok := s.tensors[name]
	return t, ok
}

func (s *sharded) Names() []string { return s.names }
func (s *sharded) File() string    { return s.file }

func (s *sharded) Close() error {
	var errs []error
	for _, shard := range s.shards {
		errs = append(errs, shard.Close())
	}
	return errors.Join(errs...)
}

// openSharded reads an index and opens the shards it names, which lie in its folder. Every tensor of the index must be
// in the shard that the index says; tensors that the index does not name are not there.
func openSharded(files opener, index string) (Store, error) {
	weightMap, err := readIndex(files, index)
	if err != nil {
		return nil, err
	}
	s := &sharded{file: files.display(index), tensors: map[string]Tensor{}}
	s.names = slices.Sorted(maps.Keys(weightMap))
	shards := map[string]*archive{}
	for _, name := range s.names {
		shard, err := s.shard(files, index, weightMap[name], name, shards)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		t, ok := shard.Lookup(name)
		if !ok {
			err := tensorError(shard.file, name, "not in the file, though %s says so", s.file)
			return nil, errors.Join(err, s.Close())
		}
		s.tensors[name] = t
	}
	return s, nil
}

// readIndex returns the index's map from tensor to file name.
func readIndex(files opener, index string) (map[string]string, error) {
	display := files.display(index)
	src, err := files.open(index)
	if err != nil {
		return nil, openError(display, err)
	}
	defer src.close()
	if src.size() > maxIndex {
		return nil, fileError(display, "an index of %d bytes is too long", src.size())
	}
	text, err := src.bytes(0, src.size())
	if err != nil {
		return nil, &Error{File: display, Err: err}
	}
	var content struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &content); err != nil {
		return nil, &Error{File: display, Err: jsonerror.Describe(text, err)}
	}
	if len(content.WeightMap) == 0 {
		return nil, fileError(display, "has no weight_map")
	}
	return content.WeightMap, nil
}

// shard returns the named shard, opened once.
func (s *sharded) shard(files opener, index, shard, tensor string, open map[string]*archive) (*archive, error) {
	if a, ok := open[shard]; ok {
		return a, nil
	}
	if strings.ContainsAny(shard, `\:`) || !filepath.IsLocal(shard) {
		return nil, tensorError(s.file, tensor, "the file %q would lie outside the checkpoint's folder", shard)
	}
	name := path.Join(path.Dir(index), shard)
	src, err := files.open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, tensorError(s.file, tensor, "its file %q is missing", shard)
		}
		return nil, openError(files.display(name), err)
	}
	a, err := readSafetensors(files.display(name), src)
	if err != nil {
		return nil, errors.Join(err, src.close())
	}
	open[shard] = a
	s.shards = append(s.shards, a)
	return a, nil
}
