// Package hf reads checkpoints of the Hugging Face kind: a folder with config.json and safetensors.
package hf

// This file reads config.json, in the classic form and in that of transformers 5.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tpuir/importer"
	"tpuir/internal/checkpointfile"
	"tpuir/internal/jsonerror"
	"tpuir/weight"
	"tpuir/weight/rotary"
)

// config is the part of config.json that decides the graph.
type config struct {
	ModelType    string   `json:"model_type"`
	Layers       int64    `json:"num_hidden_layers"`
	Hidden       int64    `json:"hidden_size"`
	Intermediate int64    `json:"intermediate_size"`
	Heads        int64    `json:"num_attention_heads"`
	KVHeads      *int64   `json:"num_key_value_heads"`
	HeadDim      *int64   `json:"head_dim"`
	Vocabulary   int64    `json:"vocab_size"`
	Positions    int64    `json:"max_position_embeddings"`
	Epsilon      *float64 `json:"rms_norm_eps"`
	Activation   string   `json:"hidden_act"`
	TiedHead     bool     `json:"tie_word_embeddings"`

	UseSlidingWindow *bool           `json:"use_sliding_window"`
	SlidingWindow    *int64          `json:"sliding_window"`
	LayerTypes       []string        `json:"layer_types"`
	Quantization     json.RawMessage `json:"quantization_config"`

	Theta          *float64 `json:"rope_theta"`      // classic
	RopeScaling    *rope    `json:"rope_scaling"`    // classic
	RopeParameters *rope    `json:"rope_parameters"` // transformers 5
	Partial        *float64 `json:"partial_rotary_factor"`
}

// rope holds both spellings of the rotary parameters.
type rope struct {
	Type            string   `json:"rope_type"`
	OldType         string   `json:"type"`
	Theta           *float64 `json:"rope_theta"`
	Factor          *float64 `json:"factor"`
	OldMax          *int     `json:"original_max_position_embeddings"`
	LowFreq         float64  `json:"low_freq_factor"`
	HighFreq        float64  `json:"high_freq_factor"`
	AttentionFactor float64  `json:"attention_factor"`
	MScale          float64  `json:"mscale"`
	MScaleAll       float64  `json:"mscale_all_dim"`
	BetaFast        float64  `json:"beta_fast"`
	BetaSlow        float64  `json:"beta_slow"`
	Truncate        *bool    `json:"truncate"`
	Partial         *float64 `json:"partial_rotary_factor"`
}

// maxConfig bounds config.json; real ones have some kilobytes.
const maxConfig = 16 << 20

// configFile is the name of the file that describes a checkpoint.
const configFile = "config.json"

// readConfig reads config.json and the switches that only some architectures have.
func readConfig(fsys fs.FS) (*config, map[string]bool, error) {
	text, err := checkpointfile.Read(fsys, configFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		entries, _ := fs.ReadDir(fsys, ".") // a folder that can't be listed has nothing to tell
		return nil, nil, fmt.Errorf("%w%s", err, weight.DescribeForeign(entries))
	}
	if err != nil {
		return nil, nil, err
	}
	var c config
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, nil, jsonerror.Describe(text, err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, nil, jsonerror.Describe(text, err)
	}
	switches := map[string]bool{}
	for name, value := range all {
		switch string(bytes.TrimSpace(value)) {
		case "true":
			switches[name] = true
		case "false":
			switches[name] = false
		}
	}
	return &c, switches, nil
}

// model turns the config into what the importer builds from.
func (c *config) model(switches map[string]bool) (*importer.Model, error) {
	architecture, err := importer.FindArchitecture(c.ModelType)
	if err != nil {
		return nil, err
	}
	if len(c.Quantization) > 0 && string(c.Quantization) != "null" {
		return nil, errors.New("quantization_config: the checkpoint is quantized; only checkpoints of floating-point weights can be imported")
	}
	if c.Activation != "silu" && c.Activation != "swish" {
		return nil, fmt.Errorf("hidden_act %q is not supported; known is silu", c.Activation)
	}
	if err := c.checkWindow(); err != nil {
		return nil, err
	}
	m := &importer.Model{Architecture: architecture, Layers: c.Layers, Hidden: c.Hidden, Intermediate: c.Intermediate, Heads: c.Heads,
		KVHeads: c.Heads, Vocabulary: c.Vocabulary, Positions: c.Positions, TiedHead: c.TiedHead, Biases: map[importer.Role]bool{},
		Epsilon: 1e-6}
	if c.KVHeads != nil {
		m.KVHeads = *c.KVHeads
	}
	if c.Epsilon != nil {
		m.Epsilon = *c.Epsilon
	}
	switch {
	case c.HeadDim != nil:
		m.HeadDim = *c.HeadDim
	case c.Heads > 0 && c.Hidden%c.Heads == 0:
		m.HeadDim = c.Hidden / c.Heads
	case c.Heads > 0:
		return nil, fmt.Errorf("hidden_size %d is no multiple of num_attention_heads %d, and there is no head_dim", c.Hidden, c.Heads)
	}
	for _, r := range architecture.Biased {
		m.Biases[r] = true
	}
	for name, roles := range architecture.BiasSwitches {
		for _, r := range roles {
			m.Biases[r] = m.Biases[r] || switches[name]
		}
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	m.Rotary, err = c.rotary(m.HeadDim)
	return m, err
}

// checkWindow refuses what limits attention to a window: the graph has none.
func (c *config) checkWindow() error {
	if c.UseSlidingWindow != nil && *c.UseSlidingWindow && c.SlidingWindow != nil {
		return fmt.Errorf("use_sliding_window: attention to a window of %d is not supported", *c.SlidingWindow)
	}
	if i := slices.IndexFunc(c.LayerTypes, func(t string) bool { return t != "full_attention" }); i >= 0 {
		return fmt.Errorf("layer_types[%d] is %q; known is full_attention", i, c.LayerTypes[i])
	}
	return nil
}

// defaultTheta is the wavelength base where a config names none.
const defaultTheta = 10000

func (c *config) rotary(headDim int64) (rotary.Parameters, error) {
	p := rotary.Parameters{Type: rotary.Default, Theta: defaultTheta, Dim: int(headDim), MaxPos: int(c.Positions)}
	r := c.RopeParameters
	if r == nil {
		r = c.RopeScaling
	}
	if c.Theta != nil {
		p.Theta = *c.Theta
	}
	partial := c.Partial
	if r != nil {
		if r.Theta != nil {
			p.Theta = *r.Theta
		}
		if r.Partial != nil {
			partial = r.Partial
		}
		if t := r.Type; t != "" {
			p.Type = rotary.Type(t)
		} else if r.OldType != "" {
			p.Type = rotary.Type(r.OldType)
		}
		if r.Factor != nil {
			p.Factor = *r.Factor
		}
		if r.OldMax != nil {
			p.OldMax = *r.OldMax
		}
		p.LowFreq, p.HighFreq = r.LowFreq, r.HighFreq
		p.AttentionFactor, p.MScale, p.MScaleAll = r.AttentionFactor, r.MScale, r.MScaleAll
		p.BetaFast, p.BetaSlow = r.BetaFast, r.BetaSlow
		p.NoTruncate = r.Truncate != nil && !*r.Truncate
	}
	if partial != nil && *partial != 1 {
		return p, fmt.Errorf("partial_rotary_factor %v is not supported; known is 1", *partial)
	}
	_, _, err := p.Frequencies(1) // what is wrong with the parameters shows when frequencies are made
	return p, err
}
