package interp_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/top"
	"tpuir/importer"
	"tpuir/importer/hf"
	"tpuir/internal/shareddata"
	"tpuir/interp"
	"tpuir/ir"
	"tpuir/transforms/nets"
	"tpuir/weight"
)

// checkpointWeights are a checkpoint's weights as the evaluator asks for them.
type checkpointWeights struct{ *importer.Weights }

func (w checkpointWeights) Tensor(name string, t *ir.RankedTensorType) (weight.Tensor, error) {
	return w.Weights.Tensor(name, t.Shape)
}

// wholeModel is an imported model, whose functions take sequences of any length.
type wholeModel struct {
	t         *testing.T
	model     *importer.Model
	functions map[string]*interp.Program
	reference weight.Store
	prompts   [][]int64
}

func openModel(t *testing.T, name string) *wholeModel {
	folder := filepath.Join(shareddata.Dir(t), "models", name)
	checkpoint, err := hf.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { checkpoint.Close() })
	c := ir.NewContext()
	for _, register := range []func(*ir.Context){builtin.Register, funcdialect.Register, top.Register} {
		register(c)
	}
	module, err := checkpoint.Model.Build(c, importer.Options{DoSample: true})
	if err != nil {
		t.Fatal(err)
	}
	m := &wholeModel{t: t, model: checkpoint.Model, functions: map[string]*interp.Program{}}
	cache := interp.NewCache(checkpointWeights{checkpoint.Weights}, 0)
	for op := range module.Region(0).First().Operations() {
		name := ir.SymbolName(op)
		if name == nets.SampleHeadName { // one of its constants has an open batch before the split
			continue
		}
		if m.functions[name], err = interp.Compile(t.Context(), op, cache, interp.Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if m.reference, err = weight.Open(filepath.Join(folder, "reference.npz")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.reference.Close() })
	text, err := os.ReadFile(filepath.Join(folder, "reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Prompts []struct {
			IDs []int64 `json:"input_ids"`
		} `json:"prompts"`
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	for _, p := range reference.Prompts {
		m.prompts = append(m.prompts, p.IDs)
	}
	return m
}

func (m *wholeModel) run(function string, inputs ...*interp.Tensor) []*interp.Tensor {
	m.t.Helper()
	outputs, err := m.functions[function].Run(m.t.Context(), inputs)
	if err != nil {
		m.t.Fatal(err)
	}
	return outputs
}

// history is what a layer has seen: keys and values.
type history [][2]*interp.Tensor

func (m *wholeModel) emptyHistory(batch int64) history {
	h := make(history, m.model.Layers)
	for i := range h {
		for j := range 2 {
			h[i][j] = interp.NewFloats(nil, batch, 0, m.model.KVHeads, m.model.HeadDim)
		}
	}
	return h
}

// forward runs batches of ids, all of one length, behind a history, and returns the states of all layers and what the
// history becomes.
func (m *wholeModel) forward(ids [][]int64, past history) (states []*interp.Tensor, next history) {
	batch, n, seen := int64(len(ids)), int64(len(ids[0])), past[0][0].Shape[1]
	var positions []int64
	for range ids {
		for i := range n {
			positions = append(positions, seen+i)
		}
	}
	mask := make([]float32, 0, n*(seen+n))
	for i := range n {
		for j := range seen + n {
			v := float32(0)
			if j > seen+i {
				v = -10000
			}
			mask = append(mask, v)
		}
	}
	state := m.run(nets.EmbeddingName, interp.NewIntegers(slices.Concat(ids...), batch, n))[0]
	states = append(states, state)
	for layer := range m.model.Layers {
		out := m.run(nets.BlockName(layer), state, interp.NewIntegers(positions, batch, n),
			interp.NewFloats(repeat(mask, int(batch)), batch, 1, n, seen+n), past[layer][0], past[layer][1])
		state = out[0]
		states = append(states, state)
		next = append(next, [2]*interp.Tensor{append2(past[layer][0], out[1]), append2(past[layer][1], out[2])})
	}
	return append(states, m.run(nets.NormName, state)[0]), next
}

func repeat(values []float32, n int) []float32 {
	var all []float32
	for range n {
		all = append(all, values...)
	}
	return all
}

// append2 joins two values along their second dimension.
func append2(a, b *interp.Tensor) *interp.Tensor {
	shape := slices.Clone(a.Shape)
	shape[1] += b.Shape[1]
	width := int(shape[2] * shape[3])
	na, nb := int(a.Shape[1])*width, int(b.Shape[1])*width
	var values []float32
	for i := range int(shape[0]) {
		values = append(values, a.Floats[i*na:(i+1)*na]...)
		values = append(values, b.Floats[i*nb:(i+1)*nb]...)
	}
	return interp.NewFloats(values, shape...)
}

func (m *wholeModel) logits(state *interp.Tensor) []float32 {
	h := int(m.model.Hidden)
	last := state.Floats[len(state.Floats)-h:]
	return m.run(nets.HeadName, interp.NewFloats(last, 1, int64(h)))[0].Floats
}

func cosineOf(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range b {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func (m *wholeModel) compare(name string, got []float32) {
	m.t.Helper()
	stored, ok := m.reference.Lookup(name)
	if !ok {
		m.t.Fatalf("no reference %s", name)
	}
	want, err := stored.Float32s(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	if len(got) != len(want) {
		m.t.Fatalf("%s has %d elements, want %d", name, len(got), len(want))
	}
	if c := cosineOf(got, want); !(c >= 0.999999) {
		m.t.Errorf("%s: cosine %v", name, c)
	}
}

// wholeModels are the checkpoints whose architectures the importer has.
var wholeModels = []string{"stories-llama", "stories-qwen2", "stories-qwen3", "tiny-llama-rope-llama3", "tiny-llama-rope-linear",
	"tiny-llama-rope-yarn", "tiny-qwen2-tied", "tiny-qwen3-untied"}

// TestModels evaluates whole models before the stage split, against transformers in float32.
func TestModels(t *testing.T) {
	for _, name := range wholeModels {
		t.Run(name, func(t *testing.T) {
			m := openModel(t, name)
			for i, ids := range m.prompts {
				states, _ := m.forward([][]int64{ids}, m.emptyHistory(1))
				m.compare(fmt.Sprintf("logits_%d", i), m.logits(states[len(states)-1]))
				if i > 0 {
					continue
				}
				m.compare("hidden_embed", states[0].Floats)
				for layer, state := range states[1 : len(states)-1] {
					m.compare(fmt.Sprintf("hidden_%d", layer), state.Floats)
				}
				m.compare("hidden_norm", states[len(states)-1].Floats)
			}
		})
	}
}

// TestBatch checks that a batch gives the numbers of its sequences run alone, bit for bit, and so does a sequence run in
// parts.
func TestBatch(t *testing.T) {
	m := openModel(t, "stories-qwen3")
	ids := [][]int64{{5, 9, 300, 17, 4, 4, 80}, {200, 1, 3, 17, 4, 6, 7}, {900, 9, 30, 170, 44, 5, 8}}
	together, _ := m.forward(ids, m.emptyHistory(3))
	for i, sequence := range ids {
		alone, _ := m.forward([][]int64{sequence}, m.emptyHistory(1))
		first, past := m.forward([][]int64{sequence[:3]}, m.emptyHistory(1))
		second, _ := m.forward([][]int64{sequence[3:]}, past)
		for layer, state := range alone {
			n := len(state.Floats)
			if !slices.Equal(together[layer].Floats[i*n:(i+1)*n], state.Floats) {
				t.Errorf("layer %d of sequence %d differs in the batch", layer, i)
			}
			if !slices.Equal(slices.Concat(first[layer].Floats, second[layer].Floats), state.Floats) {
				t.Errorf("layer %d of sequence %d differs when it comes in parts", layer, i)
			}
		}
	}
}
