// Package sample chooses the next token from a model's logits on the host. It computes what the nets greedy_head and
// sample_head of TPU-MLIR compute on the chip, step by step in float32, so that host and chip can stand for each other.
//
// The sample head takes the logits and the ids so far, and works as follows:
//
//  1. Penalty: the logit of every id so far is multiplied by the repetition penalty where it is below 0 and divided by
//     it elsewhere. An id that came twice is penalized once.
//  2. The TopK largest logits (50 in the net), largest first; of equals the lower id is first.
//  3. Division by the temperature, softmax, running sum.
//  4. A token stays where the running sum up to and with it is below TopP, and the first MinKeep (5 in the net) stay in
//     any case. This differs from Hugging Face, where the token that reaches TopP stays and MinKeep is 1.
//  5. The scaled logits of the others become -1000; softmax again gives the probabilities.
//
// The net ends there; the draw is the host's. MinP is ours: it takes more tokens away in step 4.
package sample

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// headTopK and headMinKeep are the constants of the sample head.
	headTopK    = 50
	headMinKeep = 5
	// maskedLogit is what the sample head puts in place of the logits it takes away.
	maskedLogit = -1000
)

// Options say how a token is chosen.
type Options struct {
	// DoSample draws from the distribution; without it the choice is greedy, the other fields then do nothing.
	DoSample bool
	// Temperature divides the logits. 0 makes the choice greedy.
	Temperature float32
	// TopK is how many tokens are looked at; 0 means all.
	TopK int
	// TopP, from 0 to 1, bounds the sum of probabilities of what stays; the tokens at which the sum reaches 1 go too.
	TopP float32
	// MinP takes away tokens with a probability below MinP times that of the likeliest; 0 takes none.
	MinP float32
	// RepetitionPenalty makes ids so far less likely where it is above 1.
	RepetitionPenalty float32
	// MinKeep is how many of the likeliest tokens TopP always leaves.
	MinKeep int
	// Seed starts the random numbers: the same seed and logits give the same tokens, on every machine.
	Seed uint64
}

// Defaults are the settings of Hugging Face where a checkpoint says nothing, with the constants of the sample head.
func Defaults() Options {
	return Options{Temperature: 1, TopK: headTopK, TopP: 1, RepetitionPenalty: 1, MinKeep: headMinKeep}
}

// Validate gives an error that names the first option out of its range.
func (o Options) Validate() error {
	for _, check := range []struct {
		name  string
		value float32
		ok    bool
		want  string
	}{
		{"temperature", o.Temperature, o.Temperature >= 0 && !math.IsInf(float64(o.Temperature), 0), "at least 0"},
		{"top_k", float32(o.TopK), o.TopK >= 0, "at least 0"},
		{"top_p", o.TopP, o.TopP >= 0 && o.TopP <= 1, "from 0 to 1"},
		{"min_p", o.MinP, o.MinP >= 0 && o.MinP <= 1, "from 0 to 1"},
		{"repetition_penalty", o.RepetitionPenalty,
			o.RepetitionPenalty > 0 && !math.IsInf(float64(o.RepetitionPenalty), 0), "above 0"},
		{"min_tokens_to_keep", float32(o.MinKeep), o.MinKeep >= 1, "at least 1"},
	} {
		if !check.ok {
			return fmt.Errorf("sample: %s is %v, must be %s", check.name, check.value, check.want)
		}
	}
	return nil
}

// Greedy tells whether the options leave no choice.
func (o Options) Greedy() bool { return !o.DoSample || o.Temperature == 0 }

// Greedy returns the id of the largest logit, the first of equals, as greedy_head does.
func Greedy(logits []float32) (int, error) {
	if err := check(logits); err != nil {
		return 0, err
	}
	best := 0
	for id, logit := range logits {
		if logit > logits[best] {
			best = id
		}
	}
	return best, nil
}

// check refuses logits that have no maximum.
func check(logits []float32) error {
	if len(logits) == 0 {
		return fmt.Errorf("sample: there are no logits")
	}
	for id, logit := range logits {
		if logit != logit || logit > math.MaxFloat32 {
			return fmt.Errorf("sample: the logit of id %d is %v", id, logit)
		}
	}
	return nil
}

// A Distribution is what sample_head returns: K ids, the likeliest first, and their probabilities, which add up to 1. A
// token that was taken away has the probability 0 (to float32).
type Distribution struct {
	Probabilities []float32
	IDs           []int
}

// Distribution returns the filtered distribution of the next token. The logits [vocab] are not changed; history holds
// the ids so far, prompt included. Errors: an id of history outside of the vocabulary, logits that are no numbers, options
// out of range, or a temperature of 0.
func (o Options) Distribution(logits []float32, history []int) (Distribution, error) {
	if err := o.Validate(); err != nil {
		return Distribution{}, err
	}
	if o.Temperature == 0 {
		return Distribution{}, fmt.Errorf("sample: a temperature of 0 gives no distribution")
	}
	if err := check(logits); err != nil {
		return Distribution{}, err
	}
	logits, err := penalize(logits, history, o.RepetitionPenalty)
	if err != nil {
		return Distribution{}, err
	}
	ids := largest(logits, o.TopK)
	scaled := make([]float32, len(ids))
	for i, id := range ids {
		scaled[i] = logits[id] / o.Temperature
	}
	if top := float64(scaled[0]); math.IsInf(top, 0) {
		return Distribution{}, fmt.Errorf("sample: the largest logit divided by the temperature is %v", top)
	}
	o.filter(scaled)
	return Distribution{Probabilities: softmax(scaled), IDs: ids}, nil
}

// filter is step 4: it masks the scaled logits, which are in falling order.
func (o Options) filter(scaled []float32) {
	probabilities := softmax(scaled)
	least := o.MinP * probabilities[0]
	var sum float32
	for i, probability := range probabilities {
		sum += probability
		if sum >= o.TopP && i >= o.MinKeep || probability < least {
			scaled[i] = maskedLogit
		}
	}
}

// penalize returns the logits after step 1: a changed copy, or logits itself where the penalty changes nothing.
func penalize(logits []float32, history []int, penalty float32) ([]float32, error) {
	for at, id := range history {
		if id < 0 || id >= len(logits) {
			return nil, fmt.Errorf("sample: id %d, the %d. so far, is not in the vocabulary of %d", id, at+1, len(logits))
		}
	}
	if penalty == 1 || len(history) == 0 {
		return logits, nil
	}
	penalized := slices.Clone(logits)
	for _, id := range history {
		// The original is read, so that a second time changes nothing.
		if logit := logits[id]; logit < 0 {
			penalized[id] = logit * penalty
		} else {
			penalized[id] = logit / penalty
		}
	}
	return penalized, nil
}

// largest returns the ids of the k largest logits in falling order, of equals the lower id first; k = 0 means all.
func largest(logits []float32, k int) []int {
	if k == 0 || k > len(logits) {
		k = len(logits)
	}
	order := func(a, b int) int {
		if c := cmp.Compare(logits[b], logits[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	}
	// Candidates collect until there are twice as many as needed; then only the best k stay. bound is the worst of them.
	candidates := make([]int, 0, 2*k)
	bound := float32(math.Inf(-1))
	for id, logit := range logits {
		if len(candidates) >= k && logit <= bound {
			continue
		}
		if candidates = append(candidates, id); len(candidates) == 2*k {
			slices.SortFunc(candidates, order)
			candidates = candidates[:k]
			bound = logits[candidates[k-1]]
		}
	}
	slices.SortFunc(candidates, order)
	return candidates[:k]
}

// softmax of values, which are not empty. Rounded as the evaluator (package interp) rounds it, with the sum in float64:
// where a running sum is as near to TopP as the last bit, that decides whether a token stays.
func softmax(values []float32) []float32 {
	out := make([]float32, len(values))
	top := slices.Max(values)
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

// A Sampler chooses token after token. It is for one goroutine.
type Sampler struct {
	options Options
	random  *rand.Rand
}

// New returns a Sampler at the start of its random numbers, or the error of Validate.
func New(options Options) (*Sampler, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	return &Sampler{options: options, random: rand.New(rand.NewPCG(options.Seed, 0))}, nil
}

// Next chooses the next id. Logits and history are as for Options.Distribution, and so are the errors.
func (s *Sampler) Next(logits []float32, history []int) (int, error) {
	if s.options.Greedy() {
		return Greedy(logits)
	}
	distribution, err := s.options.Distribution(logits, history)
	if err != nil {
		return 0, err
	}
	return distribution.Draw(s.random.Float64()), nil
}

// Draw returns the id at a point from 0 to 1 of the summed probabilities.
func (d Distribution) Draw(point float64) int {
	var total float64
	for _, probability := range d.Probabilities {
		total += float64(probability)
	}
	point *= total
	chosen := 0
	var sum float64
	for i, probability := range d.Probabilities {
		if probability == 0 {
			continue
		}
		chosen = i
		if sum += float64(probability); point < sum {
			break
		}
	}
	return d.IDs[chosen]
}

// Draw chooses from a distribution that was computed elsewhere, as Next does from its own.
func (s *Sampler) Draw(d Distribution) int { return d.Draw(s.random.Float64()) }

// Options returns what the sampler was made with.
func (s *Sampler) Options() Options { return s.options }
