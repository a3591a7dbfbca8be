// Package nets knows the nets that a model is split into: their names, which are the contract with TPU-MLIR and with the
// runtimes that read its files, and what lowering gives each of them.
package nets

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is what a net does.
type Kind uint8

// The kinds. A function of a model that is not split yet has the kind of the net that is named like it.
const (
	Unknown        Kind = iota
	Embedding           // token ids to hidden states, prefill
	EmbeddingCache      // the same for one token
	Block               // a layer over the prompt
	BlockKV             // a layer over a chunk of the prompt, with history
	BlockCache          // a layer over one token, with history
	Norm                // the final norm of a model that is not split yet
	Head                // hidden states to logits or a token
	GreedyHead          // logits to the likeliest token
	SampleHead          // logits to a distribution
)

// Net is a net's name taken apart.
type Net struct {
	Kind  Kind
	Layer int64
	// Chunk counts the shorter decode nets of a layer from 1; 0 is the one with the whole history.
	Chunk int64
}

// Names of the nets that there is one of.
const (
	EmbeddingName      = "embedding"
	EmbeddingCacheName = "embedding_cache"
	NormName           = "norm"
	HeadName           = "lm_head"
	GreedyHeadName     = "greedy_head"
	SampleHeadName     = "sample_head"
)

var single = map[string]Kind{EmbeddingName: Embedding, EmbeddingCacheName: EmbeddingCache, NormName: Norm, HeadName: Head,
	GreedyHeadName: GreedyHead, SampleHeadName: SampleHead}

// BlockName returns the name of a layer's net for the prompt, and of its function where a model is not split yet.
func BlockName(layer int64) string { return Net{Kind: Block, Layer: layer}.String() }

// Parse takes a name apart; the kind is Unknown where it is no net's.
func Parse(name string) Net {
	if kind, ok := single[name]; ok {
		return Net{Kind: kind}
	}
	for _, p := range []struct {
		prefix string
		kind   Kind
	}{{"block_cache_", BlockCache}, {"block_kv_", BlockKV}, {"block_", Block}} {
		rest, ok := strings.CutPrefix(name, p.prefix)
		if !ok {
			continue
		}
		layer, chunk, chunked := strings.Cut(rest, "_")
		n := Net{Kind: p.kind}
		var err error
		if n.Layer, err = strconv.ParseInt(layer, 10, 64); err != nil || n.Layer < 0 {
			return Net{}
		}
		if chunked {
			if n.Chunk, err = strconv.ParseInt(chunk, 10, 64); err != nil || n.Chunk < 1 || p.kind != BlockCache {
				return Net{}
			}
		}
		return n
	}
	return Net{}
}

// String returns the net's name.
func (n Net) String() string {
	switch n.Kind {
	case Block:
		return fmt.Sprintf("block_%d", n.Layer)
	case BlockKV:
		return fmt.Sprintf("block_kv_%d", n.Layer)
	case BlockCache:
		if n.Chunk > 0 {
			return fmt.Sprintf("block_cache_%d_%d", n.Layer, n.Chunk)
		}
		return fmt.Sprintf("block_cache_%d", n.Layer)
	}
	for name, kind := range single {
		if kind == n.Kind {
			return name
		}
	}
	return "unknown"
}

// ModuleName returns the name of the net's module in a file for TPU-MLIR: a shorter decode net's is that of the whole.
func (n Net) ModuleName() string {
	n.Chunk = 0
	return n.String()
}

// WeightGroup returns the net whose name the file of its Top weights has: the stages of a layer share one.
func (n Net) WeightGroup() Net {
	switch n.Kind {
	case BlockKV, BlockCache:
		return Net{Kind: Block, Layer: n.Layer}
	case EmbeddingCache:
		return Net{Kind: Embedding}
	}
	return n
}

// IsLayer reports whether the net is a stage of a layer.
func (n Net) IsLayer() bool { return n.Kind == Block || n.Kind == BlockKV || n.Kind == BlockCache }

// Settings are what lowering gives a net.
type Settings struct {
	Mode        string // "W4BF16"
	AddressMode string // "basic" or "io_alone"
	GroupSize   int64
	// Symmetric says that weights are quantized around zero.
	Symmetric bool
}

// Settings returns what lowering gives the net where the model is lowered in that mode, with weights quantized in groups of
// that size, around zero or not.
func (n Net) Settings(mode string, groupSize int64, symmetric bool) Settings {
	half := strings.TrimPrefix(strings.TrimPrefix(mode, "W4"), "W8")
	if half == mode {
		groupSize = 0
	}
	switch n.Kind {
	case BlockCache:
		return Settings{mode, "io_alone", groupSize, symmetric}
	case GreedyHead, SampleHead:
		return Settings{"F32", "io_alone", 0, false}
	case Embedding, EmbeddingCache, Head:
		return Settings{half, "basic", 0, false}
	}
	return Settings{mode, "basic", groupSize, symmetric}
}
