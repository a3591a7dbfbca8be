package importer

// This file holds the table of architectures. A new decoder whose layers are made like these is a row here.

import (
	"fmt"
	"slices"
	"strings"
)

// Role is a weight's place in a model, whatever a checkpoint calls it.
type Role string

// The roles. Those of a layer come once a layer.
const (
	Embedding     Role = "embedding"
	FinalNorm     Role = "final norm"
	Head          Role = "lm head"
	InputNorm     Role = "input norm"
	Query         Role = "query"
	Key           Role = "key"
	Value         Role = "value"
	QueryNorm     Role = "query norm"
	KeyNorm       Role = "key norm"
	AttentionOut  Role = "attention output"
	AttentionNorm Role = "norm behind the attention"
	Gate          Role = "gate"
	Up            Role = "up"
	Down          Role = "down"
)

// linear lists the roles that are matrices of a layer, which may have biases.
var linear = []Role{Query, Key, Value, AttentionOut, Gate, Up, Down}

// Architecture is one row of the table.
type Architecture struct {
	// ModelType is config.json's model_type.
	ModelType string
	// Names gives the tensor of each role in a checkpoint, without ".weight" or ".bias"; %d stands for the layer.
	Names map[Role]string
	// HeadNorms says that queries and keys are normed head by head.
	HeadNorms bool
	// Biased lists the matrices that always have a bias; BiasSwitches the config's switches for others.
	Biased       []Role
	BiasSwitches map[string][]Role
}

// llamaNames are the names that most of Hugging Face's decoders share. TPU-MLIR uses them in its IR.
var llamaNames = map[Role]string{
	Embedding:     "model.embed_tokens",
	FinalNorm:     "model.norm",
	Head:          "lm_head",
	InputNorm:     "model.layers.%d.input_layernorm",
	Query:         "model.layers.%d.self_attn.q_proj",
	Key:           "model.layers.%d.self_attn.k_proj",
	Value:         "model.layers.%d.self_attn.v_proj",
	QueryNorm:     "model.layers.%d.self_attn.q_norm",
	KeyNorm:       "model.layers.%d.self_attn.k_norm",
	AttentionOut:  "model.layers.%d.self_attn.o_proj",
	AttentionNorm: "model.layers.%d.post_attention_layernorm",
	Gate:          "model.layers.%d.mlp.gate_proj",
	Up:            "model.layers.%d.mlp.up_proj",
	Down:          "model.layers.%d.mlp.down_proj",
}

// architectures is the table.
func architectures() []*Architecture {
	attention := []Role{Query, Key, Value, AttentionOut}
	return []*Architecture{
		{ModelType: "llama", Names: llamaNames,
			BiasSwitches: map[string][]Role{"attention_bias": attention, "mlp_bias": {Gate, Up, Down}}},
		{ModelType: "qwen2", Names: llamaNames, Biased: []Role{Query, Key, Value}},
		{ModelType: "qwen3", Names: llamaNames, HeadNorms: true,
			BiasSwitches: map[string][]Role{"attention_bias": attention}},
	}
}

// FindArchitecture returns the row for a model_type. The error lists the known ones.
func FindArchitecture(modelType string) (*Architecture, error) {
	table := architectures()
	known := make([]string, len(table))
	for i, a := range table {
		if a.ModelType == modelType {
			return a, nil
		}
		known[i] = a.ModelType
	}
	slices.Sort(known)
	return nil, fmt.Errorf("model_type %q is not known; known are %s", modelType, strings.Join(known, ", "))
}

// name returns the checkpoint's and the IR's name of a role, of that layer where the role is one of a layer.
func (a *Architecture) name(r Role, layer int64) string {
	pattern := a.Names[r]
	if strings.Contains(pattern, "%d") {
		return fmt.Sprintf(pattern, layer)
	}
	return pattern
}
