package runtime_test

// This file makes models for the tests: a checkpoint imported, split, lowered and put on the evaluating device.

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tpuir/dialect/builtin"
	"tpuir/importer"
	"tpuir/importer/hf"
	"tpuir/internal/race"
	"tpuir/internal/registry"
	"tpuir/internal/shareddata"
	"tpuir/interp"
	"tpuir/pass"
	"tpuir/runtime"
	"tpuir/runtime/evaluator"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

// asTop is the mode that evaluates the Top nets themselves.
const asTop = "top"

// setup says how a model is made.
type setup struct {
	checkpoint string
	split      string // options of split-stages
	mode       string // of lower-to-tpu, or asTop
	doSample   bool
	stages     []runtime.Stage
}

func (s setup) build(t testing.TB) *runtime.Model {
	t.Helper()
	model, err := runtime.Load(s.device(t), runtime.Options{Stages: s.stages})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func (s setup) device(t testing.TB) *evaluator.Device {
	t.Helper()
	ctx := context.Background()
	checkpoint, err := hf.Open(s.checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { checkpoint.Close() })
	folder, err := filepath.Abs(s.checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	module, err := checkpoint.Model.Build(registry.NewContext(), importer.Options{WeightFile: folder, DoSample: s.doSample})
	if err != nil {
		t.Fatal(err)
	}
	session := pass.NewSession()
	t.Cleanup(func() { session.Close() })
	registry.Configure(session, registry.Files{})
	if err := registry.Run(ctx, session, module, "split-stages", s.split); err != nil {
		t.Fatal(err)
	}
	if s.mode != asTop {
		if err := registry.Run(ctx, session, module, "lower-to-tpu", "mode="+s.mode); err != nil {
			t.Fatal(err)
		}
	}
	weights := interp.NewCache(weightfile.Of(session).Weights(ctx, module), 0)
	var nets []evaluator.Net
	for op := range module.Region(0).First().Operations() {
		if inner, ok := builtin.AsModule(op); ok {
			nets = append(nets, evaluator.Net{Name: inner.Name(), Module: inner.Operation, Weights: weights})
		}
	}
	device, err := evaluator.New(nets)
	if err != nil {
		t.Fatal(err)
	}
	return device
}

// reference is a model's reference.json and reference.npz.
type reference struct {
	Prompts []referencePrompt
	tensors weight.Store
}

type referencePrompt struct {
	IDs       []int     `json:"input_ids"`
	GreedyIDs []int     `json:"greedy_ids"`
	Margins   []float64 `json:"margins"`
	Text      string    `json:"text"`
	Greedy    string    `json:"greedy_text"`
}

func readReference(t testing.TB, folder string) reference {
	t.Helper()
	var r reference
	text, err := os.ReadFile(filepath.Join(folder, "reference.json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil {
		r.tensors, err = weight.Open(filepath.Join(folder, "reference.npz"))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.tensors.Close() })
	return r
}

func (r reference) floats(t testing.TB, name string) []float32 {
	t.Helper()
	found, err := weight.Find(r.tensors, name)
	if err != nil {
		t.Fatal(err)
	}
	values, err := found.Float32s(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// testModel is a checkpoint with references, and options of a split that its prompts fit.
type testModel struct {
	name, folder string
	trained      bool
}

// models lists the models that the issue names, as far as they are there; without the trained ones of the shared folder, the
// built-in model stands for them. With the race detector they are the built-in one and an untrained one.
func models(t testing.TB) []testModel {
	folder := shareddata.Models(t)
	var all []testModel
	add := func(trained bool, names ...string) {
		for _, name := range names {
			if path := filepath.Join(folder, name); exists(path) {
				all = append(all, testModel{name, path, trained})
			}
		}
	}
	if race.Enabled {
		add(false, "tiny-qwen3-untied")
		return append(all, testModel{"built-in", storiesModel, true})
	}
	add(true, "stories-llama", "stories-llama-sharded", "stories-qwen2", "stories-qwen3")
	if len(all) == 0 {
		t.Log("no shared folder beside the checkout: the built-in model stands for the trained ones")
		all = []testModel{{"built-in", storiesModel, true}}
	}
	add(false, "tiny-qwen2-tied", "tiny-qwen3-untied", "tiny-llama-rope-llama3", "tiny-llama-rope-linear", "tiny-llama-rope-yarn")
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// cosine is that of the angle between two vectors.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab += x * y
		aa += x * x
		bb += y * y
	}
	if aa == 0 && bb == 0 {
		return 1
	}
	return ab / math.Sqrt(aa*bb)
}

// maxDifference is the greatest distance of two elements.
func maxDifference(a, b []float32) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(float64(a[i])-float64(b[i])))
	}
	return most
}

func prompt(t testing.TB, m *runtime.Model, ids []int) *runtime.Session {
	t.Helper()
	s, err := m.NewSession()
	if err == nil {
		err = s.Prompt(context.Background(), ids)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lengths(sequence, maxInput int, more string) string {
	return fmt.Sprintf("seq-length=%d max-input-length=%d %s", sequence, maxInput, more)
}
