package sample

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// sampleHead evaluates the ops of golden/nano-qwen3-w8bf16-sample/sample_head/top.mlir one by one, as they stand there.
func sampleHead(logits []float32, ids []int, penalty, temperature, topP float32) (probabilities []float32, indices []int) {
	updated := append([]float32{}, logits...)
	gathered := make([]float32, len(ids)) // GatherElements
	for i, id := range ids {
		gathered[i] = logits[id]
	}
	for i, id := range ids { // CompareConst, Mul, Div0, Where0, ScatterElements
		if gathered[i] < 0 {
			updated[id] = gathered[i] * penalty
		} else {
			updated[id] = gathered[i] / penalty
		}
	}
	indices = make([]int, len(updated)) // TopK, K = 50
	for i := range indices {
		indices[i] = i
	}
	sort.SliceStable(indices, func(a, b int) bool { return updated[indices[a]] > updated[indices[b]] })
	indices = indices[:50]
	scaled := make([]float32, 50) // Div1
	for i, id := range indices {
		scaled[i] = updated[id] / temperature
	}
	keep := make([]bool, 50) // Softmax0, CumSum, Compare, ScatterND
	var sum float32
	for i, probability := range plainSoftmax(scaled) {
		sum += probability
		keep[i] = sum < topP || i < 5
	}
	for i := range scaled { // Where1, Softmax1
		if !keep[i] {
			scaled[i] = -1000
		}
	}
	return plainSoftmax(scaled), indices
}

func plainSoftmax(values []float32) []float32 {
	out := make([]float32, len(values))
	top := values[0]
	for _, value := range values {
		top = max(top, value)
	}
	sum := 0.0
	for i, value := range values {
		out[i] = float32(math.Exp(float64(value - top)))
		sum += float64(out[i])
	}
	for i := range out {
		out[i] = float32(float64(out[i]) * (1 / sum))
	}
	return out
}

func TestDistributionEqualsSampleHead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		logits := make([]float32, 50+random.IntN(1000))
		for i := range logits {
			logits[i] = float32(random.NormFloat64() * 4)
			if random.IntN(4) == 0 {
				logits[i] = float32(math.Round(float64(logits[i]))) // equals
			}
		}
		history := make([]int, random.IntN(64)) // with ids that come twice
		for i := range history {
			history[i] = random.IntN(len(logits))
		}
		options := Defaults()
		options.RepetitionPenalty = 1 + random.Float32()/2
		options.Temperature = 0.1 + 2*random.Float32()
		options.TopP = random.Float32()
		probabilities, ids := sampleHead(logits, history, options.RepetitionPenalty, options.Temperature, options.TopP)
		got, err := options.Distribution(logits, history)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Distribution{Probabilities: probabilities, IDs: ids}, got); diff != "" {
			t.Fatalf("%+v (-want +got):\n%s", options, diff)
		}
	}
}

// TestAgainstPeer compares with what TPU-MLIR 1.30.2's model_runner gave for that file. A top_p of exactly 1
// is not among the cases: whether the sum of all 50 rounds to 1 or to less depends on the last bit of its exp.
func TestAgainstPeer(t *testing.T) {
	data, err := os.ReadFile("testdata/sample_head.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Logits        []float32 `json:"logits"`
		History       []int     `json:"history"`
		Penalty       float32   `json:"penalty"`
		Temperature   float32   `json:"temperature"`
		TopP          float32   `json:"top_p"`
		Probabilities []float32 `json:"probabilities"`
		IDs           []int     `json:"ids"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for at, test := range cases {
		options := Defaults()
		options.RepetitionPenalty, options.Temperature, options.TopP = test.Penalty, test.Temperature, test.TopP
		got, err := options.Distribution(test.Logits, test.History)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.IDs, got.IDs); diff != "" {
			t.Errorf("case %d: ids (-want +got):\n%s", at, diff)
		}
		for i, want := range test.Probabilities {
			if math.Abs(float64(want-got.Probabilities[i])) > 1e-6 {
				t.Errorf("case %d: probability %d is %v, want %v", at, i, got.Probabilities[i], want)
			}
		}
	}
}

// TestDistribution has numbers worked out by hand: logits are logarithms of simple fractions.
func TestDistribution(t *testing.T) {
	logits := make([]float32, 8)
	for i, p := range []float64{1, 2, 4, 8, 16, 1, 4, 4} { // of 40
		logits[i] = float32(math.Log(p))
	}
	for _, test := range []struct {
		name    string
		change  func(*Options)
		history []int
		ids     []int
		want    []float64
	}{
		// The sum reaches 1 at the last token, so even a top_p of 1 takes it away.
		{"all but one", func(o *Options) {}, nil, []int{4, 3, 2, 6, 7, 1, 0, 5},
			[]float64{16. / 39, 8. / 39, 4. / 39, 4. / 39, 4. / 39, 2. / 39, 1. / 39, 0}},
		{"top_k", func(o *Options) { o.TopK = 2 }, nil, []int{4, 3}, []float64{2. / 3, 1. / 3}},
		{"top_p keeps five", func(o *Options) { o.TopP = 0.5 }, nil, []int{4, 3, 2, 6, 7, 1, 0, 5},
			[]float64{16. / 36, 8. / 36, 4. / 36, 4. / 36, 4. / 36, 0, 0, 0}},
		{"top_p keeps one", func(o *Options) { o.TopP, o.MinKeep, o.TopK = 0.5, 1, 3 }, nil, []int{4, 3, 2}, []float64{1, 0, 0}},
		{"min_p", func(o *Options) { o.MinP = 0.3 }, nil, []int{4, 3, 2, 6, 7, 1, 0, 5},
			[]float64{2. / 3, 1. / 3, 0, 0, 0, 0, 0, 0}},
		{"temperature", func(o *Options) { o.Temperature, o.TopK = 0.5, 2 }, nil, []int{4, 3}, []float64{0.8, 0.2}},
		// The logit of 4 is halved: log 16 becomes log 4; of 0 it is log 1, which is 0 and stays.
		{"penalty", func(o *Options) { o.RepetitionPenalty, o.TopK = 2, 3 }, []int{4, 4, 0}, []int{3, 2, 4}, []float64{.5, .25, .25}},
	} {
		options := Defaults()
		test.change(&options)
		got, err := options.Distribution(logits, test.history)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.ids, got.IDs); diff != "" {
			t.Errorf("%s: ids (-want +got):\n%s", test.name, diff)
		}
		for i, probability := range got.Probabilities {
			if math.Abs(float64(probability)-test.want[i]) > 1e-6 {
				t.Errorf("%s: probabilities %v, want %v", test.name, got.Probabilities, test.want)
				break
			}
		}
	}
}

func TestGreedy(t *testing.T) {
	if id, err := Greedy([]float32{-1, 3, 2, 3}); id != 1 || err != nil {
		t.Errorf("Greedy gives %d, %v", id, err)
	}
	for _, logits := range [][]float32{{}, {1, float32(math.NaN())}, {1, float32(math.Inf(1))}} {
		if _, err := Greedy(logits); err == nil {
			t.Errorf("Greedy(%v) gives no error", logits)
		}
	}
	sampler, err := New(Options{Temperature: 0, RepetitionPenalty: 1, MinKeep: 1, DoSample: true})
	if err != nil {
		t.Fatal(err)
	}
	if id, err := sampler.Next([]float32{1, 5}, nil); id != 1 || err != nil {
		t.Errorf("temperature 0 gives %d, %v", id, err)
	}
}

// TestSeed pins the first tokens of a seed: they may not change from machine to machine or version to version.
func TestSeed(t *testing.T) {
	draw := func(seed uint64) []int {
		options := Defaults()
		options.DoSample, options.Seed = true, seed
		sampler, err := New(options)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int
		for range 12 {
			id, err := sampler.Next([]float32{0, 0, 1, 1, 0.5, 0}, ids)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return ids
	}
	if diff := cmp.Diff([]int{2, 4, 2, 2, 0, 2, 2, 0, 2, 3, 1, 3}, draw(42)); diff != "" {
		t.Errorf("seed 42 (-want +got):\n%s", diff)
	}
	if cmp.Equal(draw(1), draw(2)) {
		t.Error("two seeds give the same tokens")
	}
}

// TestDrawFrequencies: tokens come as often as their probabilities say.
func TestDrawFrequencies(t *testing.T) {
	d := Distribution{Probabilities: []float32{0.5, 0.25, 0, 0.25}, IDs: []int{7, 3, 9, 1}}
	counts := map[int]int{}
	for i := range 1000 {
		counts[d.Draw((float64(i)+0.5)/1000)]++
	}
	if diff := cmp.Diff(map[int]int{7: 500, 3: 250, 1: 250}, counts); diff != "" {
		t.Error(diff)
	}
	if id := d.Draw(1); id != 1 {
		t.Errorf("the end gives %d", id)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Temperature = -1 }, "temperature is -1"},
		{func(o *Options) { o.TopP = 1.5 }, "top_p is 1.5"},
		{func(o *Options) { o.TopK = -1 }, "top_k is -1"},
		{func(o *Options) { o.RepetitionPenalty = 0 }, "repetition_penalty is 0"},
		{func(o *Options) { o.MinKeep = 0 }, "min_tokens_to_keep is 0"},
	} {
		options := Defaults()
		test.change(&options)
		if _, err := New(options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	if _, err := Defaults().Distribution([]float32{1}, []int{0, 5}); err == nil || !strings.Contains(err.Error(), "id 5") {
		t.Errorf("error %v, want the id", err)
	}
}

func TestLoadGeneration(t *testing.T) {
	files := fstest.MapFS{
		generationFile: {Data: []byte(`{"do_sample": true, "temperature": 0.7, "top_k": 20, "top_p": 0.8, "min_p": null,
			"repetition_penalty": 1.1, "eos_token_id": [151645, 151643], "max_new_tokens": 2048}`)},
		modelFile: {Data: []byte(`{"eos_token_id": 1, "text_config": {"bos_token_id": 5}, "top_k": "odd"}`)},
	}
	got, err := LoadGeneration(files)
	if err != nil {
		t.Fatal(err)
	}
	want := Generation{
		Options: Options{DoSample: true, Temperature: 0.7, TopK: 20, TopP: 0.8, RepetitionPenalty: 1.1, MinKeep: 5},
		EOS:     []int{151645, 151643}, BOS: 5, PAD: -1, MaxNewTokens: 2048,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !got.Stops(151643) || got.Stops(1) {
		t.Error("stop tokens are wrong")
	}
	got, err = LoadGeneration(fstest.MapFS{})
	if diff := cmp.Diff(Generation{Options: Defaults(), BOS: -1, PAD: -1}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for data, want := range map[string]string{
		`{"eos_token_id": "x"}`:  "generation_config.json: a token id is neither",
		`{"eos_token_id": [-1]}`: "generation_config.json: -1 is no token id",
		`{"top_p": 7}`:           "generation_config.json: sample: top_p is 7",
		`{`:                      "generation_config.json: 1:1: not valid JSON",
	} {
		_, err := LoadGeneration(fstest.MapFS{generationFile: {Data: []byte(data)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	options := Defaults()
	options.DoSample, options.RepetitionPenalty = true, 1.1
	sampler, err := New(options)
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	logits := make([]float32, 151936)
	for i := range logits {
		logits[i] = float32(random.NormFloat64())
	}
	for b.Loop() {
		if _, err := sampler.Next(logits, []int{1, 2, 3}); err != nil {
			b.Fatal(err)
		}
	}
}
