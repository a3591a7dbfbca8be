package runtime_test

// This file compares the nets that choose tokens with the host's sampler.

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/runtime"
	"tpuir/runtime/sample"
)

// storiesModel is the built-in model.
var storiesModel = filepath.Join("..", "examples", "stories")

// TestSampleHead evaluates sample_head, as Top and lowered, on random logits: the distribution is the host sampler's, bit for
// bit.
func TestSampleHead(t *testing.T) {
	for _, mode := range []string{asTop, "W4BF16"} {
		t.Run(mode, func(t *testing.T) {
			device := setup{checkpoint: storiesModel, split: lengths(sequenceLength, 32, ""), mode: mode, doSample: true}.device(t)
			net, err := device.Open(context.Background(), "sample_head")
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 100 {
				compareDistributions(t, device, net, random)
			}
		})
	}
}

func compareDistributions(t *testing.T, device runtime.Device, net runtime.Net, random *rand.Rand) {
	t.Helper()
	const vocabulary = 1024
	logits := make([]float32, vocabulary)
	for i := range logits {
		logits[i] = float32(random.NormFloat64() * 4)
	}
	history := make([]int, 1+random.IntN(sequenceLength))
	ids := make([]int64, sequenceLength)
	for i := range ids {
		if i < len(history) {
			history[i] = random.IntN(vocabulary)
		}
		ids[i] = int64(history[min(i, len(history)-1)])
	}
	o := sample.Defaults()
	o.DoSample = true
	o.Temperature = 0.5 + random.Float32()
	o.TopK = o.MinKeep + random.IntN(51-o.MinKeep)
	o.TopP = random.Float32()
	o.RepetitionPenalty = 1 + random.Float32()
	want, err := o.Distribution(logits, history)
	if err != nil {
		t.Fatal(err)
	}
	probabilities, chosen := floats(t, device, make([]float32, o.TopK), 1, int64(o.TopK)), integers(t, device, make([]int64, o.TopK), 1, int64(o.TopK))
	inputs := []runtime.Tensor{floats(t, device, logits, 1, vocabulary), integers(t, device, ids, 1, sequenceLength),
		floats(t, device, []float32{o.RepetitionPenalty}, 1), floats(t, device, []float32{o.Temperature}, 1),
		integers(t, device, []int64{int64(o.TopK)}, 1), floats(t, device, []float32{o.TopP}, 1)}
	if err := net.Run(context.Background(), inputs, []runtime.Tensor{probabilities, chosen}); err != nil {
		t.Fatal(err)
	}
	got := sample.Distribution{Probabilities: make([]float32, o.TopK)}
	probabilities.Memory.ReadFloats(0, got.Probabilities)
	numbers := make([]int64, o.TopK)
	chosen.Memory.ReadIntegers(0, numbers)
	for _, n := range numbers {
		got.IDs = append(got.IDs, int(n))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("distribution for %+v (-host +net):\n%s", o, diff)
	}
}

func floats(t *testing.T, device runtime.Device, values []float32, shape ...int64) runtime.Tensor {
	t.Helper()
	memory, err := device.Allocate(runtime.Float, int64(len(values)))
	if err != nil {
		t.Fatal(err)
	}
	memory.WriteFloats(0, values)
	return runtime.Tensor{Memory: memory, Shape: shape}
}

func integers(t *testing.T, device runtime.Device, values []int64, shape ...int64) runtime.Tensor {
	t.Helper()
	memory, err := device.Allocate(runtime.Integer, int64(len(values)))
	if err != nil {
		t.Fatal(err)
	}
	memory.WriteIntegers(0, values)
	return runtime.Tensor{Memory: memory, Shape: shape}
}

// TestGreedy compares the three ways to the likeliest token: lm_head alone, greedy_head behind it, the greatest of the logits.
func TestGreedy(t *testing.T) {
	ctx := context.Background()
	ids := []int{1, 49, 80, 588, 401, 82, 573, 261}
	for _, mode := range []string{asTop, "BF16"} {
		with := setup{checkpoint: storiesModel, split: lengths(64, 16, ""), mode: mode, doSample: true}.build(t)
		without := setup{checkpoint: storiesModel, split: lengths(64, 16, ""), mode: mode}.build(t)
		a, b := prompt(t, with, ids), prompt(t, without, ids)
		logits, err := a.Logits(ctx)
		if err != nil {
			t.Fatal(err)
		}
		same, err := b.Logits(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(logits, same) {
			t.Errorf("%s: the logits differ by %g", mode, maxDifference(logits, same))
		}
		want, err := sample.Greedy(logits)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]*runtime.Session{"greedy_head": a, "lm_head": b} {
			got, err := s.Greedy(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%s: %s chooses %d; the greatest logit is %d's", mode, name, got, want)
			}
		}
	}
}

// TestSample draws the same text through sample_head and on the host.
func TestSample(t *testing.T) {
	o := sample.Defaults()
	o.DoSample, o.Temperature, o.TopK, o.TopP, o.RepetitionPenalty, o.Seed = true, 0.8, 20, 0.9, 1.1, 7
	var texts [2][]int
	for i, doSample := range []bool{true, false} {
		model := setup{checkpoint: storiesModel, split: lengths(64, 16, ""), mode: asTop, doSample: doSample}.build(t)
		s, err := model.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		sampler, err := sample.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if texts[i], _, err = s.Generate(context.Background(), []int{1, 49, 80}, runtime.Generation{MaxNewTokens: 40, Sampler: sampler}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Errorf("ids (-sample_head +host):\n%s", diff)
	}
}

// TestFull ends a text where the history is full, and refuses a prompt that is longer.
func TestFull(t *testing.T) {
	ctx := context.Background()
	model := setup{checkpoint: storiesModel, split: lengths(12, 8, ""), mode: asTop}.build(t)
	s, err := model.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	ids, reason, err := s.Generate(ctx, []int{1, 49, 80, 588}, runtime.Generation{})
	if err != nil {
		t.Fatal(err)
	}
	if reason != runtime.Full || s.Length() != 12 || len(ids) != 9 {
		t.Errorf("ended by %q with %d tokens in the history and %d new ones; want %q, 12, 9", reason, s.Length(), len(ids), runtime.Full)
	}
	long, err := model.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := long.Generate(ctx, make([]int, 13), runtime.Generation{}); err == nil || long.Length() != 0 {
		t.Errorf("a prompt of 13 tokens: error %v, %d tokens in the history; want an error and none", err, long.Length())
	}
}

// TestCancel ends a generation whose context is done.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	model := setup{checkpoint: storiesModel, split: lengths(64, 8, ""), mode: asTop}.build(t)
	s, err := model.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Generate(ctx, []int{1, 49}, runtime.Generation{Emit: func(int) error {
		cancel()
		return nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
}
