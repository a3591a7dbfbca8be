package hf

import (
	"fmt"
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

// TestReadModelBounds gives every number of a config values that no model can have.
func TestReadModelBounds(t *testing.T) {
	const llama = `"model_type": "llama", "hidden_act": "silu"`
	base := map[string]string{"num_hidden_layers": "2", "hidden_size": "96", "intermediate_size": "160", "num_attention_heads": "6",
		"num_key_value_heads": "3", "head_dim": "16", "vocab_size": "512", "max_position_embeddings": "256", "rms_norm_eps": "1e-6",
		"rope_theta": "10000", "partial_rotary_factor": "1"}
	read := func(name, value string) error {
		text := llama
		for field, good := range base {
			if field == name {
				good = value
			}
			text += fmt.Sprintf(", %q: %s", field, good)
		}
		if _, ok := base[name]; !ok {
			text += fmt.Sprintf(", %q: %s", name, value)
		}
		_, err := ReadModel(fstest.MapFS{"config.json": {Data: []byte("{" + text + "}")}}, "m")
		return err
	}
	const size, whole = "; expected a number from 1 to 268435456", "; expected a whole number"
	rope := func(kind, fields string) string { return fmt.Sprintf(`{"rope_type": %q, %s}`, kind, fields) }
	for _, c := range []struct{ name, value, want string }{
		{"rms_norm_eps", "1e-5", ""},
		{"rms_norm_eps", "1e308", "rms_norm_eps is 1e+308; expected a number from 1e-30 to 1"},
		{"rms_norm_eps", "0", "rms_norm_eps is 0; expected a number from 1e-30 to 1"},
		{"rms_norm_eps", "-1e-6", "rms_norm_eps is -1e-06; expected a number from 1e-30 to 1"},
		{"rms_norm_eps", "1e400", "rms_norm_eps is a JSON number 1e400; expected a number"},
		{"rms_norm_eps", "NaN", "not valid JSON: invalid character 'N' looking for beginning of value"},
		{"num_hidden_layers", "0", "num_hidden_layers is 0; expected a number from 1 to 4096"},
		{"num_hidden_layers", "4097", "num_hidden_layers is 4097; expected a number from 1 to 4096"},
		{"hidden_size", "-96", "hidden_size is -96" + size},
		{"hidden_size", "96.5", "hidden_size is a JSON number 96.5" + whole},
		{"intermediate_size", "1e30", "intermediate_size is a JSON number 1e30" + whole},
		{"intermediate_size", "268435457", "intermediate_size is 268435457" + size},
		{"num_attention_heads", "0", "num_attention_heads is 0" + size},
		{"num_key_value_heads", "0", "num_key_value_heads is 0" + size},
		{"num_key_value_heads", "-3", "num_key_value_heads is -3" + size},
		{"head_dim", "-16", "head_dim is -16" + size},
		{"head_dim", "0", "head_dim is 0" + size},
		{"head_dim", "15", "head_dim 15 is odd; rotary embedding turns pairs"},
		{"head_dim", "65538", "rope over 65538 elements of a head: not an even number from 2 to 65536"},
		{"vocab_size", "0", "vocab_size is 0" + size},
		{"max_position_embeddings", "9223372036854775807", "max_position_embeddings is 9223372036854775807" + size},
		{"rope_theta", "1e308", `rope_type "default": rope_theta is 1e+308; expected a number from 2 to 1e+15`},
		{"rope_theta", "0", `rope_type "default": rope_theta is 0; expected a number from 2 to 1e+15`},
		{"rope_theta", "-10000", `rope_type "default": rope_theta is -10000; expected a number from 2 to 1e+15`},
		{"partial_rotary_factor", "0.5", "partial_rotary_factor 0.5 is not supported; known is 1"},
		{"rope_scaling", rope("linear", `"factor": 1e9`), `rope_type "linear": factor is 1e+09; expected a number from 0.001 to 1000000`},
		{"rope_scaling", rope("dynamic", `"factor": -2`), `rope_type "dynamic": factor is -2; expected a number from 0.001 to 1000000`},
		{"rope_scaling", rope("llama3", `"factor": 8, "low_freq_factor": 4, "high_freq_factor": 1, "original_max_position_embeddings": 64`),
			`rope_type "llama3": high_freq_factor 1 is not above low_freq_factor 4`},
		{"rope_scaling", rope("llama3", `"factor": 8, "low_freq_factor": -1, "high_freq_factor": 4, "original_max_position_embeddings": 64`),
			`rope_type "llama3": low_freq_factor is -1; expected a number from 0.001 to 1000000`},
		{"rope_scaling", rope("yarn", `"factor": 4, "original_max_position_embeddings": -1`),
			`rope_type "yarn": original_max_position_embeddings is -1; expected a number from 1 to 268435456`},
		{"rope_scaling", rope("yarn", `"factor": 4, "original_max_position_embeddings": 64, "attention_factor": -1`),
			`rope_type "yarn": attention_factor is -1; expected a number from 0.001 to 1000000`},
		{"rope_scaling", rope("yarn", `"factor": 4, "original_max_position_embeddings": 64, "mscale": 1e300`),
			`rope_type "yarn": mscale is 1e+300; expected a number from 0.001 to 1000000`},
		{"rope_parameters", rope("yarn", `"factor": 4, "original_max_position_embeddings": 64, "beta_fast": 1, "beta_slow": 32`),
			`rope_type "yarn": beta_fast 1 is below beta_slow 32`},
		{"rope_parameters", rope("default", `"rope_theta": 1`), `rope_type "default": rope_theta is 1; expected a number from 2 to 1e+15`},
	} {
		err := read(c.name, c.value)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s %s: %v", c.name, c.value, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "m/config.json: ") || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s %s: error %v\n want it to end in %s", c.name, c.value, err, c.want)
		}
	}
}
