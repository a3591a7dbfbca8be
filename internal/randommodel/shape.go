// Package randommodel writes checkpoints with seeded random weights in any shape of the Llama, Qwen2 and Qwen3
// families. Tests against the peers and benchmarks need shapes that no golden case has, up to a gigabyte, and nobody
// wants those in a repository. The same shape and seed give the same bytes on every machine.
package randommodel

import (
	"fmt"
	"math"
)

// Shape says how large a model is and how its config.json describes it. Lengths count elements.
type Shape struct {
	Family           string // llama, qwen2 or qwen3
	Hidden           int
	Intermediate     int
	Layers           int
	Heads            int
	KeyValueHeads    int // divides Heads
	HeadDim          int // even; qwen2 has no field for it, so there it is Hidden / Heads
	Vocabulary       int
	MaxPositions     int
	RopeTheta        float64
	TiedEmbeddings   bool
	AttentionBias    bool    // llama only: q, k, v and o carry a bias; qwen2 always has q, k and v's
	MLPBias          bool    // llama only
	DType            string  // BF16 or F16
	WeightDeviation  float64 // standard deviation of the matrices
	NormDeviation    float64 // of the norm weights around 1
	BiasDeviation    float64 // of the biases around 0
	NormEpsilon      float64
	BeginID, EndID   int // -1 leaves the token out
	TransformersFive bool
}

// Qwen05B is the shape of Qwen2.5-0.5B: a gigabyte of BF16, the size that speed and memory are measured on.
func Qwen05B() Shape {
	return Shape{
		Family: "qwen2", Hidden: 896, Intermediate: 4864, Layers: 24, Heads: 14, KeyValueHeads: 2, HeadDim: 64,
		Vocabulary: 151936, MaxPositions: 32768, RopeTheta: 1e6, TiedEmbeddings: true, DType: "BF16",
		WeightDeviation: 0.02, NormDeviation: 0.1, BiasDeviation: 0.05, NormEpsilon: 1e-6,
		BeginID: 151643, EndID: 151645, TransformersFive: true,
	}
}

// Odd is a small model of the family whose sizes divide by nothing convenient: 3 key/value heads of 48, 301 tokens,
// 3 layers. No golden case has such a shape.
func Odd(family string) Shape {
	shape := Shape{
		Family: family, Hidden: 256, Intermediate: 416, Layers: 3, Heads: 6, KeyValueHeads: 3, HeadDim: 48,
		Vocabulary: 301, MaxPositions: 512, RopeTheta: 10000, DType: "BF16",
		WeightDeviation: 0.08, NormDeviation: 0.1, BiasDeviation: 0.05, NormEpsilon: 1e-5,
		BeginID: 1, EndID: 2, TransformersFive: true,
	}
	if family == "qwen2" {
		shape.Hidden = shape.Heads * shape.HeadDim
	}
	if family == "qwen3" {
		shape.TiedEmbeddings = true
	}
	return shape
}

// Validate reports the first field that contradicts the family or the other fields.
func (s Shape) Validate() error {
	for _, field := range []struct {
		name  string
		value int
	}{
		{"Hidden", s.Hidden}, {"Intermediate", s.Intermediate}, {"Layers", s.Layers}, {"Heads", s.Heads},
		{"KeyValueHeads", s.KeyValueHeads}, {"HeadDim", s.HeadDim}, {"Vocabulary", s.Vocabulary},
		{"MaxPositions", s.MaxPositions},
	} {
		if field.value <= 0 || field.value > math.MaxInt32 {
			return fmt.Errorf("randommodel: %s is %d", field.name, field.value)
		}
	}
	switch {
	case s.Family != "llama" && s.Family != "qwen2" && s.Family != "qwen3":
		return fmt.Errorf("randommodel: family %q is none of llama, qwen2, qwen3", s.Family)
	case s.DType != "BF16" && s.DType != "F16":
		return fmt.Errorf("randommodel: dtype %q is neither BF16 nor F16", s.DType)
	case s.Heads%s.KeyValueHeads != 0:
		return fmt.Errorf("randommodel: %d heads do not divide over %d key/value heads", s.Heads, s.KeyValueHeads)
	case s.HeadDim%2 != 0:
		return fmt.Errorf("randommodel: head size %d is odd", s.HeadDim)
	case s.Family == "qwen2" && s.Hidden != s.Heads*s.HeadDim:
		return fmt.Errorf("randommodel: qwen2 has no head size of its own, but %d is not %d heads of %d",
			s.Hidden, s.Heads, s.HeadDim)
	case s.Family != "llama" && (s.AttentionBias || s.MLPBias):
		return fmt.Errorf("randommodel: only llama's biases can be chosen")
	}
	return nil
}

// kind says around what a tensor's values lie.
type kind int

const (
	matrix kind = iota
	norm
	bias
)

type tensor struct {
	name  string
	shape []int
	kind  kind
}

func (t tensor) elements() int64 {
	count := int64(1)
	for _, length := range t.shape {
		count *= int64(length)
	}
	return count
}

// tensors lists a checkpoint's tensors in the order in which the file holds them, with the names of the published
// checkpoints; matrices are [outputs, inputs].
func (s Shape) tensors() []tensor {
	list := []tensor{{"model.embed_tokens.weight", []int{s.Vocabulary, s.Hidden}, matrix}}
	for layer := range s.Layers {
		list = append(list, s.layerTensors(fmt.Sprintf("model.layers.%d.", layer))...)
	}
	list = append(list, tensor{"model.norm.weight", []int{s.Hidden}, norm})
	if !s.TiedEmbeddings {
		list = append(list, tensor{"lm_head.weight", []int{s.Vocabulary, s.Hidden}, matrix})
	}
	return list
}

func (s Shape) layerTensors(prefix string) []tensor {
	queries, keys := s.Heads*s.HeadDim, s.KeyValueHeads*s.HeadDim
	var list []tensor
	linear := func(name string, outputs, inputs int, biased bool) {
		list = append(list, tensor{prefix + name + ".weight", []int{outputs, inputs}, matrix})
		if biased {
			list = append(list, tensor{prefix + name + ".bias", []int{outputs}, bias})
		}
	}
	normed := func(name string, length int) {
		list = append(list, tensor{prefix + name + ".weight", []int{length}, norm})
	}
	projected := s.AttentionBias || s.Family == "qwen2"
	normed("input_layernorm", s.Hidden)
	linear("self_attn.q_proj", queries, s.Hidden, projected)
	linear("self_attn.k_proj", keys, s.Hidden, projected)
	linear("self_attn.v_proj", keys, s.Hidden, projected)
	if s.Family == "qwen3" {
		normed("self_attn.q_norm", s.HeadDim)
		normed("self_attn.k_norm", s.HeadDim)
	}
	linear("self_attn.o_proj", s.Hidden, queries, s.AttentionBias)
	normed("post_attention_layernorm", s.Hidden)
	linear("mlp.gate_proj", s.Intermediate, s.Hidden, s.MLPBias)
	linear("mlp.up_proj", s.Intermediate, s.Hidden, s.MLPBias)
	linear("mlp.down_proj", s.Hidden, s.Intermediate, s.MLPBias)
	return list
}
