package runtime

// This file finds out from a device's nets what model they are: how many layers, which stages, which lengths.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tpuir/transforms/nets"
)

// Stage is one of the three ways that a layer is compiled.
type Stage string

// The stages.
const (
	Prefill   Stage = "prefill"
	PrefillKV Stage = "prefill_kv"
	Decode    Stage = "decode"
)

// Options say how a model is used.
type Options struct {
	// Stages restricts the stages that are used; none means all that there are.
	Stages []Stage
	// Embedding gives the hidden states of tokens for models without embedding nets; nil where there are such nets.
	Embedding Embedding
}

// Embedding gives rows of the embedding table.
type Embedding interface {
	// Row writes the hidden state of a token to dst, which has the model's width.
	Row(ctx context.Context, token int, dst []float32) error
}

// Model is a model on a device.
type Model struct {
	device  Device
	options Options

	layers                  int
	hidden                  int64
	kvHeads, headDim        int64
	sequence                int64 // tokens that the history holds
	prefill, prefillKV      stage
	decode                  []stage // the longest history first
	embedding, embeddingOne embeddingNet
	heads                   heads
	opened                  map[string]Net
}

// stage is the nets of all layers for one stage.
type stage struct {
	names []string // by layer
	// tokens is how many the nets take, history how much of it they see.
	tokens, history int64
	dynamic         bool
	masked          bool // takes a mask
}

func (s *stage) exists() bool { return len(s.names) > 0 }

// embeddingNet is a net from ids to hidden states.
type embeddingNet struct {
	name   string
	tokens int64
}

// heads are the nets behind the layers.
type heads struct {
	name       string
	token      bool  // returns the likeliest token, not logits
	vocabulary int64 // 0 where it is not known
	greedy     string
	sample     string
}

// Load finds out what model a device's nets are. Nothing is opened yet.
func Load(device Device, o Options) (*Model, error) {
	m := &Model{device: device, options: o, opened: map[string]Net{}}
	byKind := map[nets.Kind][]nets.Net{}
	for _, name := range device.Nets() {
		n := nets.Parse(name)
		if n.Kind == nets.Unknown || n.Kind == nets.Norm {
			return nil, fmt.Errorf("%s is no net of a language model", name)
		}
		byKind[n.Kind] = append(byKind[n.Kind], n)
	}
	if err := m.findLayers(byKind); err != nil {
		return nil, err
	}
	if err := m.findEmbedding(byKind); err != nil {
		return nil, err
	}
	return m, m.findHeads(byKind)
}

// uses reports whether a stage may be used.
func (m *Model) uses(s Stage) bool {
	return len(m.options.Stages) == 0 || slices.Contains(m.options.Stages, s)
}

func (m *Model) findLayers(byKind map[nets.Kind][]nets.Net) error {
	for _, kind := range []nets.Kind{nets.Block, nets.BlockKV, nets.BlockCache} {
		for _, n := range byKind[kind] {
			m.layers = max(m.layers, int(n.Layer)+1)
		}
	}
	var err error
	if m.prefill, err = m.stage(Prefill, byKind[nets.Block], 0); err != nil {
		return err
	}
	if m.prefillKV, err = m.stage(PrefillKV, byKind[nets.BlockKV], 0); err != nil {
		return err
	}
	for chunk := int64(0); ; chunk++ {
		s, err := m.stage(Decode, byKind[nets.BlockCache], chunk)
		if err != nil {
			return err
		}
		if !s.exists() {
			break
		}
		m.decode = append(m.decode, s)
	}
	slices.SortStableFunc(m.decode, func(a, b stage) int { return int(b.history - a.history) })
	switch {
	case len(m.decode) > 0:
		m.sequence = m.decode[0].history
	case m.prefillKV.exists():
		m.sequence = m.prefillKV.history
	case m.prefill.exists():
		m.sequence = m.prefill.tokens
	default:
		return fmt.Errorf("there is no net of a layer (block_0, block_kv_0, block_cache_0) of the stages wanted; there are: %s",
			strings.Join(m.device.Nets(), ", "))
	}
	return nil
}

// stage checks that a stage has a net for each layer and that they agree.
func (m *Model) stage(which Stage, all []nets.Net, chunk int64) (stage, error) {
	var s stage
	if !m.uses(which) {
		return s, nil
	}
	byLayer := map[int64]nets.Net{}
	for _, n := range all {
		if n.Chunk == chunk {
			byLayer[n.Layer] = n
		}
	}
	if len(byLayer) == 0 {
		return s, nil
	}
	for layer := range int64(m.layers) {
		n, ok := byLayer[layer]
		if !ok {
			kind := all[0]
			kind.Layer, kind.Chunk = layer, chunk
			return s, fmt.Errorf("net %s is missing", kind)
		}
		found, err := m.layer(n.String(), which)
		if err != nil {
			return s, fmt.Errorf("net %s: %w", n, err)
		}
		if layer > 0 && (found.tokens != s.tokens || found.history != s.history || found.dynamic != s.dynamic || found.masked != s.masked) {
			return s, fmt.Errorf("net %s is compiled for other lengths than that of layer 0", n)
		}
		found.names = append(s.names, n.String())
		s = found
	}
	return s, nil
}

// layer reads the lengths off the ports of one net.
func (m *Model) layer(name string, which Stage) (stage, error) {
	d, err := m.device.Describe(name)
	if err != nil {
		return stage{}, err
	}
	wanted := []Port{{Name: nets.InputStates, Kind: Float, Shape: []int64{1, -1, m.hidden}},
		{Name: nets.PositionIDs, Kind: Integer, Shape: []int64{1, -1}}}
	s := stage{dynamic: d.Dynamic}
	if s.masked = len(d.Inputs) > 2 && d.Inputs[2].Name == nets.AttentionMask; s.masked {
		wanted = append(wanted, Port{Name: nets.AttentionMask, Kind: Float, Shape: []int64{1, 1, -1, -1}})
	}
	cache := []int64{1, -1, m.kvHeads, m.headDim}
	if which != Prefill {
		wanted = append(wanted, Port{Name: nets.HistoryK, Kind: Float, Shape: cache}, Port{Name: nets.HistoryV, Kind: Float, Shape: cache})
	}
	if err := matchPorts("input", d.Inputs, wanted); err != nil {
		return s, err
	}
	outputs := []Port{{Name: "the hidden states", Shape: []int64{1, -1, m.hidden}}, {Name: nets.NewK, Shape: cache}, {Name: nets.NewV, Shape: cache}}
	if err := matchPorts("output", d.Outputs, outputs); err != nil {
		return s, err
	}
	s.tokens = d.Inputs[0].Shape[1]
	if which != Prefill {
		s.history = d.Inputs[len(d.Inputs)-1].Shape[1]
	}
	if which == Decode && s.tokens != 1 {
		return s, fmt.Errorf("takes %d tokens at once; expected 1", s.tokens)
	}
	if s.masked {
		mask := d.Inputs[2].Shape
		if mask[2] != s.tokens || mask[3] != s.tokens+s.history {
			return s, fmt.Errorf("attention_mask is %v; expected [1 1 %d %d]", mask, s.tokens, s.tokens+s.history)
		}
	}
	m.hidden = d.Inputs[0].Shape[2]
	m.kvHeads, m.headDim = d.Outputs[1].Shape[2], d.Outputs[1].Shape[3]
	return s, nil
}

// matchPorts compares ports with what is expected: 0 and -1 stand for any size.
func matchPorts(kind string, have, want []Port) error {
	if len(have) != len(want) {
		return fmt.Errorf("has %d %ss; expected %d", len(have), kind, len(want))
	}
	for i, w := range want {
		h := have[i]
		fits := len(h.Shape) == len(w.Shape)
		for axis := 0; fits && axis < len(w.Shape); axis++ {
			fits = w.Shape[axis] <= 0 || h.Shape[axis] == w.Shape[axis]
		}
		if !fits || kind == "input" && h.Kind != w.Kind {
			return fmt.Errorf("%s %d is %s %v; expected %s %v (one sequence at a time)", kind, i, h.Name, h.Shape, w.Name, w.Shape)
		}
	}
	return nil
}

func (m *Model) findEmbedding(byKind map[nets.Kind][]nets.Net) error {
	for _, e := range []struct {
		kind nets.Kind
		to   *embeddingNet
	}{{nets.Embedding, &m.embedding}, {nets.EmbeddingCache, &m.embeddingOne}} {
		if len(byKind[e.kind]) == 0 {
			continue
		}
		e.to.name = byKind[e.kind][0].String()
		d, err := m.device.Describe(e.to.name)
		if err == nil {
			err = matchPorts("input", d.Inputs, []Port{{Name: nets.InputIDs, Kind: Integer, Shape: []int64{1, -1}}})
		}
		if err == nil {
			err = matchPorts("output", d.Outputs, []Port{{Name: nets.EmbeddingName, Shape: []int64{1, -1, m.hidden}}})
		}
		if err != nil {
			return fmt.Errorf("net %s: %w", e.to.name, err)
		}
		e.to.tokens = d.Inputs[0].Shape[1]
	}
	if m.options.Embedding == nil && m.embedding.name == "" && m.embeddingOne.name == "" {
		return fmt.Errorf("net embedding is missing, and there is no embedding table to read instead")
	}
	return nil
}

func (m *Model) findHeads(byKind map[nets.Kind][]nets.Net) error {
	if len(byKind[nets.Head]) == 0 {
		return nil // hidden states can still be computed
	}
	h := &m.heads
	h.name = byKind[nets.Head][0].String()
	d, err := m.device.Describe(h.name)
	if err == nil {
		err = matchPorts("input", d.Inputs, []Port{{Name: nets.HiddenStates, Kind: Float, Shape: []int64{1, m.hidden}}})
	}
	if err == nil {
		err = matchPorts("output", d.Outputs, []Port{{Name: "logits or a token", Shape: []int64{1, -1}}})
	}
	if err != nil {
		return fmt.Errorf("net %s: %w", h.name, err)
	}
	if h.token = d.Outputs[0].Shape[1] == 1; !h.token {
		h.vocabulary = d.Outputs[0].Shape[1]
	}
	if len(byKind[nets.GreedyHead]) > 0 {
		h.greedy = byKind[nets.GreedyHead][0].String()
	}
	if len(byKind[nets.SampleHead]) > 0 {
		h.sample = byKind[nets.SampleHead][0].String()
	}
	return nil
}

// open returns a net, opened the first time.
func (m *Model) open(ctx context.Context, name string) (Net, error) {
	if n, ok := m.opened[name]; ok {
		return n, nil
	}
	n, err := m.device.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("net %s: %w", name, err)
	}
	m.opened[name] = n
	return n, nil
}

// SequenceLength is how many tokens prompt and text may have together.
func (m *Model) SequenceLength() int64 { return m.sequence }
