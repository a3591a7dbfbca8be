package randommodel

// The text files of a checkpoint, as published ones have them: the classic form of config.json keeps rope_theta and
// torch_dtype at the top, transformers 5 writes dtype and rope_parameters.

import "strings"

func (s Shape) config() map[string]any {
	names := map[string]string{"llama": "Llama", "qwen2": "Qwen2", "qwen3": "Qwen3"}
	config := map[string]any{
		"architectures":           []string{names[s.Family] + "ForCausalLM"},
		"attention_dropout":       0.0,
		"hidden_act":              "silu",
		"hidden_size":             s.Hidden,
		"initializer_range":       0.02,
		"intermediate_size":       s.Intermediate,
		"max_position_embeddings": s.MaxPositions,
		"model_type":              s.Family,
		"num_attention_heads":     s.Heads,
		"num_hidden_layers":       s.Layers,
		"num_key_value_heads":     s.KeyValueHeads,
		"rms_norm_eps":            s.NormEpsilon,
		"tie_word_embeddings":     s.TiedEmbeddings,
		"use_cache":               true,
		"vocab_size":              s.Vocabulary,
	}
	if s.Family != "qwen2" {
		config["head_dim"] = s.HeadDim
	}
	if s.Family == "llama" {
		config["attention_bias"], config["mlp_bias"] = s.AttentionBias, s.MLPBias
	}
	dtype := map[string]string{"BF16": "bfloat16", "F16": "float16"}[strings.ToUpper(s.DType)]
	if s.TransformersFive {
		config["dtype"] = dtype
		config["rope_parameters"] = map[string]any{"rope_theta": s.RopeTheta, "rope_type": "default"}
	} else {
		config["torch_dtype"] = dtype
		config["rope_theta"] = s.RopeTheta
	}
	s.addTokens(config)
	return config
}

func (s Shape) generationConfig() map[string]any {
	config := map[string]any{"_from_model_config": true, "use_cache": true}
	s.addTokens(config)
	return config
}

func (s Shape) addTokens(config map[string]any) {
	if s.BeginID >= 0 {
		config["bos_token_id"] = s.BeginID
	}
	if s.EndID >= 0 {
		config["eos_token_id"] = s.EndID
	}
}
