// Package importer makes whole-model Top IR from what a checkpoint says of itself.
//
// A checkpoint's reader (package importer/hf) fills in a [Model]: the sizes and switches that decide the graph. [Model.Build]
// writes the graph, each Transformer layer once, for sequences of any length; [Model.Views] says how each weight that
// the graph names is had from the checkpoint's tensors. Both follow one table of architectures (architecture.go).
package importer

import (
	"fmt"
	"math/big"

	"tpuir/weight/rotary"
)

// Model describes a decoder-only language model. Sizes are in elements.
type Model struct {
	// Name is the IR module's name.
	Name string
	// Architecture is the row of the table that the model is built by.
	Architecture *Architecture

	Layers       int64
	Hidden       int64 // width of the hidden states
	Intermediate int64 // width inside the feed-forward part
	Heads        int64 // query heads
	KVHeads      int64 // key and value heads; Heads is a multiple
	HeadDim      int64
	Vocabulary   int64
	// Positions is the number of positions that the model was made for.
	Positions int64
	// Epsilon is what root-mean-square norms add.
	Epsilon float64
	// Rotary are the parameters of the rotary position embedding.
	Rotary rotary.Parameters
	// TiedHead says that lm_head shares the weight of the token embedding.
	TiedHead bool
	// Biases holds the linear layers that add one.
	Biases map[Role]bool
}

// limits keep a lying config from asking for absurd amounts of IR or memory.
const (
	maxLayers = 1 << 12
	maxSize   = 1 << 28
	// An epsilon below is lost in float32's rounding of any square, one above outweighs the values that are normed.
	minEpsilon, maxEpsilon = 1e-30, 1
)

// Check reports the first value that no model can have.
func (m *Model) Check() error {
	sizes := []struct {
		name  string
		value int64
		limit int64
	}{
		{"num_hidden_layers", m.Layers, maxLayers}, {"hidden_size", m.Hidden, maxSize}, {"intermediate_size", m.Intermediate, maxSize},
		{"num_attention_heads", m.Heads, maxSize}, {"num_key_value_heads", m.KVHeads, maxSize}, {"head_dim", m.HeadDim, maxSize},
		{"vocab_size", m.Vocabulary, maxSize}, {"max_position_embeddings", m.Positions, maxSize},
	}
	for _, s := range sizes {
		if s.value <= 0 || s.value > s.limit {
			return fmt.Errorf("%s is %d; expected a number from 1 to %d", s.name, s.value, s.limit)
		}
	}
	switch {
	case m.Heads%m.KVHeads != 0:
		return fmt.Errorf("num_attention_heads %d is no multiple of num_key_value_heads %d", m.Heads, m.KVHeads)
	case m.HeadDim%2 != 0:
		return fmt.Errorf("head_dim %d is odd; rotary embedding turns pairs", m.HeadDim)
	case m.Heads > maxSize/m.HeadDim:
		return fmt.Errorf("num_attention_heads %d times head_dim %d is more than %d", m.Heads, m.HeadDim, maxSize)
	case !(m.Epsilon >= minEpsilon && m.Epsilon <= maxEpsilon):
		return fmt.Errorf("rms_norm_eps is %v; expected a number from %v to %v", m.Epsilon, minEpsilon, maxEpsilon)
	}
	return nil
}

// attentionScale is 1/√HeadDim, correctly rounded: the value of Python's head_dim**-0.5, which TPU-MLIR writes and which 1/Sqrt
// misses by a bit for some sizes.
func (m *Model) attentionScale() float64 {
	root := new(big.Float).SetPrec(200).SetInt64(m.HeadDim)
	root.Sqrt(root)
	scale, _ := new(big.Float).SetPrec(200).Quo(big.NewFloat(1).SetPrec(200), root).Float64()
	return scale
}
