package hf

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"tpuir/importer"
	"tpuir/weight/rotary"
)

// fields are a config's entries that every case shares.
const fields = `"num_hidden_layers": 2, "hidden_size": 96, "intermediate_size": 160, "num_attention_heads": 6, "vocab_size": 512,
	"max_position_embeddings": 256, "hidden_act": "silu"`

func readModel(t *testing.T, entries string) (*importer.Model, error) {
	t.Helper()
	return ReadModel(fstest.MapFS{"config.json": {Data: []byte("{" + fields + entries + "}")}}, "folder/tiny-model")
}

// TestReadModel reads both spellings of a config, and the defaults of each architecture.
func TestReadModel(t *testing.T) {
	base := rotary.Parameters{Type: rotary.Default, Theta: 10000, Dim: 16, MaxPos: 256}
	linear, llama3 := base, base
	linear.Type, linear.Factor = rotary.Linear, 4
	llama3.Type, llama3.Theta, llama3.Factor, llama3.OldMax, llama3.LowFreq, llama3.HighFreq = rotary.Llama3, 500000, 8, 64, 1, 4
	all := map[importer.Role]bool{importer.Query: true, importer.Key: true, importer.Value: true, importer.AttentionOut: true}
	for _, c := range []struct {
		name, entries string
		want          importer.Model
	}{
		{"llama, classic", `, "model_type": "llama", "rope_theta": 10000.0, "rms_norm_eps": 1e-5, "rope_scaling": null`,
			importer.Model{KVHeads: 6, HeadDim: 16, Epsilon: 1e-5, Rotary: base}},
		{"llama, old name of the scaling", `, "model_type": "llama", "rope_scaling": {"type": "linear", "factor": 4.0}`,
			importer.Model{KVHeads: 6, HeadDim: 16, Epsilon: 1e-6, Rotary: linear}},
		{"llama, transformers 5", `, "model_type": "llama", "num_key_value_heads": 3, "tie_word_embeddings": true, "attention_bias": true,
			"rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
			"high_freq_factor": 4.0, "original_max_position_embeddings": 64}`,
			importer.Model{KVHeads: 3, HeadDim: 16, Epsilon: 1e-6, Rotary: llama3, TiedHead: true, Biases: all}},
		{"qwen2 has biases without a word", `, "model_type": "qwen2"`,
			importer.Model{KVHeads: 6, HeadDim: 16, Epsilon: 1e-6, Rotary: base,
				Biases: map[importer.Role]bool{importer.Query: true, importer.Key: true, importer.Value: true}}},
	} {
		got, err := readModel(t, c.entries)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := c.want
		want.Name, want.Layers, want.Hidden, want.Intermediate, want.Heads, want.Vocabulary, want.Positions = "tiny-model", 2, 96, 160, 6, 512, 256
		want.Architecture = got.Architecture
		for role, on := range got.Biases {
			if !on {
				delete(got.Biases, role)
			}
		}
		if want.Biases == nil {
			want.Biases = map[importer.Role]bool{}
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestReadModelErrors names the file and the field.
func TestReadModelErrors(t *testing.T) {
	for _, c := range []struct{ entries, want string }{
		{`, "model_type": "mamba"`, `model_type "mamba" is not known; known are llama, qwen2, qwen3`},
		{`, "model_type": "llama", "head_dim": 15`, "head_dim 15 is odd"},
		{`, "model_type": "llama", "num_key_value_heads": 4`, "num_attention_heads 6 is no multiple of num_key_value_heads 4"},
		{`, "model_type": "llama", "rope_scaling": {"type": "longrope"}`, `rope_type "longrope" is not supported`},
		{`, "model_type": "llama", "quantization_config": {"quant_method": "gptq"}`, "quantization_config"},
		{`, "model_type": "llama", "hidden_act": "gelu"`, `hidden_act "gelu" is not supported`},
	} {
		_, err := readModel(t, c.entries)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "folder/tiny-model/config.json: ") {
			t.Errorf("%s: error %v, want it to say %q", c.entries, err, c.want)
		}
	}
}
