package runtime_test

// This file compares models with the references that were made by transformers: logits, and what is chosen from them.

import (
	"context"
	"testing"

	"tpuir/runtime"
	"tpuir/runtime/sample"
)

// sequenceLength holds prompts and continuations of all test models.
const sequenceLength = 128

// TestReference is figure 3 of the issue in float32, of the Top nets as they are and of the lowered ones; -v shows the
// numbers.
func TestReference(t *testing.T) {
	for _, mode := range []string{asTop, "F32"} {
		for _, m := range models(t) {
			t.Run(mode+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				r := readReference(t, m.folder)
				model := setup{checkpoint: m.folder, split: lengths(sequenceLength, 32, ""), mode: mode, doSample: true}.build(t)
				for i, p := range r.Prompts {
					compareLogits(t, model, p, r.floats(t, "logits_"+string(rune('0'+i))))
					if m.trained {
						compareText(t, model, p)
					} else {
						compareChoices(t, model, p)
					}
				}
			})
		}
	}
}

func compareLogits(t *testing.T, model *runtime.Model, p referencePrompt, want []float32) {
	t.Helper()
	got, err := prompt(t, model, p.IDs).Logits(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d logits; want %d", len(got), len(want))
	}
	c, d := cosine(got, want), maxDifference(got, want)
	t.Logf("%s: logits: max abs difference %.3g, cosine %.9f", t.Name(), d, c)
	if c < 0.999999 {
		t.Errorf("cosine of logits is %.9f; want at least 0.999999", c)
	}
}

// compareText compares the greedy continuation of a trained model.
func compareText(t *testing.T, model *runtime.Model, p referencePrompt) {
	t.Helper()
	got := greedy(t, model, p)
	equal := equalPrefix(got, p.GreedyIDs)
	t.Logf("%s: %d of %d greedy tokens are equal", t.Name(), equal, len(p.GreedyIDs))
	if equal != len(p.GreedyIDs) {
		t.Error("all greedy tokens have to be equal")
	}
}

func greedy(t *testing.T, model *runtime.Model, p referencePrompt) []int {
	t.Helper()
	s, err := model.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := s.Generate(context.Background(), p.IDs, runtime.Generation{MaxNewTokens: len(p.GreedyIDs)})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func equalPrefix(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// compareChoices feeds an untrained model the reference's tokens and compares the likeliest next one, wherever the reference
// has it lead by some margin.
func compareChoices(t *testing.T, model *runtime.Model, p referencePrompt) {
	t.Helper()
	const margin = 0.01
	s := prompt(t, model, p.IDs)
	compared := 0
	for i, want := range p.GreedyIDs {
		logits, err := s.Logits(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got, err := sample.Greedy(logits)
		if err != nil {
			t.Fatal(err)
		}
		if p.Margins[i] >= margin {
			compared++
			if got != want {
				t.Errorf("token %d: the likeliest is %d; want %d, which leads by %g", i, got, want, p.Margins[i])
			}
		}
		if i+1 < len(p.GreedyIDs) {
			if err := s.Next(context.Background(), want); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%s: %d of %d choices compared, all others lead by less than %g", t.Name(), compared, len(p.GreedyIDs), margin)
}

// TestModes counts how many of the reference's tokens the trained models choose in 16-bit and quantized arithmetic. How far
// rounding changes a text is the model's nature; the bounds are what was measured, and guard against worse.
func TestModes(t *testing.T) {
	least := map[string]int{"BF16": 40, "W8BF16": 40, "W4BF16": 3}
	for _, mode := range []string{"BF16", "W8BF16", "W4BF16"} {
		for _, m := range models(t) {
			if !m.trained {
				continue
			}
			t.Run(mode+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				r := readReference(t, m.folder)
				model := setup{checkpoint: m.folder, split: lengths(sequenceLength, 32, ""), mode: mode}.build(t)
				for i, p := range r.Prompts {
					got := greedy(t, model, p)
					equal := equalPrefix(got, p.GreedyIDs)
					t.Logf("%s: prompt %d: the first %d of %d tokens are equal", t.Name(), i, equal, len(p.GreedyIDs))
					if equal < min(least[mode], len(p.GreedyIDs)) {
						t.Errorf("prompt %d: only the first %d tokens are equal; want %d", i, equal, least[mode])
					}
				}
			})
		}
	}
}
