package runtime

// This file turns the hidden state of the last token into what comes next: logits, the likeliest token, or a draw.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tpuir/runtime/sample"
)

var errNoToken = errors.New("there is no token yet")

// Hidden returns the hidden state of the last token, behind the final norm.
func (s *Session) Hidden() ([]float32, error) {
	if s.hidden < 0 {
		return nil, errNoToken
	}
	values := make([]float32, s.model.hidden)
	s.states[0].ReadFloats(s.hidden*s.model.hidden, values)
	return values, nil
}

// last is the hidden state of the last token where it lies.
func (s *Session) last() Tensor {
	return Tensor{s.states[0], s.hidden * s.model.hidden, []int64{1, s.model.hidden}}
}

// Logits returns the logits of the token behind the last.
func (s *Session) Logits(ctx context.Context) ([]float32, error) {
	if err := s.runLogits(ctx); err != nil {
		return nil, err
	}
	values := make([]float32, s.model.heads.vocabulary)
	s.logits.ReadFloats(0, values)
	return values, nil
}

func (s *Session) runLogits(ctx context.Context) error {
	if s.hidden < 0 {
		return errNoToken
	}
	started := time.Now()
	net, err := s.model.logitsNet(ctx)
	if err != nil {
		return err
	}
	size := s.model.heads.vocabulary
	if s.logits == nil {
		if s.logits, err = s.model.device.Allocate(Float, size); err != nil {
			return err
		}
	}
	s.inputs = append(s.inputs[:0], s.last())
	s.outputs = append(s.outputs[:0], Tensor{s.logits, 0, []int64{1, size}})
	if err := net.Run(ctx, s.inputs, s.outputs); err != nil {
		return fmt.Errorf("net %s: %w", s.model.heads.name, err)
	}
	s.stats.Head += time.Since(started)
	return nil
}

// logitsNet opens the head for its logits.
func (m *Model) logitsNet(ctx context.Context) (Net, error) {
	h := &m.heads
	if h.name == "" {
		return nil, errors.New("net lm_head is missing")
	}
	if !h.token {
		return m.open(ctx, h.name)
	}
	const key = "logits"
	if n, ok := m.opened[key]; ok {
		return n, nil
	}
	device, ok := m.device.(LogitsDevice)
	if !ok {
		return nil, errors.New("net lm_head returns the likeliest token; import the model with --do-sample for its logits")
	}
	net, size, err := device.OpenLogits(ctx, h.name)
	if err != nil {
		return nil, fmt.Errorf("net %s: %w", h.name, err)
	}
	h.vocabulary = size
	m.opened[key] = net
	return net, nil
}

// Greedy returns the likeliest token: what lm_head or greedy_head return, or the greatest of the logits.
func (s *Session) Greedy(ctx context.Context) (int, error) {
	h := &s.model.heads
	switch {
	case s.hidden < 0:
		return 0, errNoToken
	case h.token:
		return s.runToken(ctx, h.name, s.last())
	case h.greedy != "":
		if err := s.runLogits(ctx); err != nil {
			return 0, err
		}
		return s.runToken(ctx, h.greedy, Tensor{s.logits, 0, []int64{1, h.vocabulary}})
	}
	logits, err := s.Logits(ctx)
	if err != nil {
		return 0, err
	}
	return sample.Greedy(logits)
}

// runToken runs a net that returns a token.
func (s *Session) runToken(ctx context.Context, name string, input Tensor) (int, error) {
	started := time.Now()
	net, err := s.model.open(ctx, name)
	if err != nil {
		return 0, err
	}
	s.inputs = append(s.inputs[:0], input)
	s.outputs = append(s.outputs[:0], Tensor{s.single, 0, []int64{1, 1}})
	if err := net.Run(ctx, s.inputs, s.outputs); err != nil {
		return 0, fmt.Errorf("net %s: %w", name, err)
	}
	var token [1]int64
	s.single.ReadIntegers(0, token[:])
	s.stats.Head += time.Since(started)
	return int(token[0]), nil
}

// Sample draws the next token; history holds the ids so far, the prompt's included. The distribution is sample_head's where
// the model has that net and the options are within what it can do; otherwise it is computed here, to the same numbers.
func (s *Session) Sample(ctx context.Context, sampler *sample.Sampler, history []int) (int, error) {
	if sampler.Options().Greedy() {
		return s.Greedy(ctx)
	}
	if s.model.heads.sample != "" {
		d, ok, err := s.SampleHead(ctx, sampler.Options(), history)
		if err != nil {
			return 0, err
		}
		if ok {
			return sampler.Draw(d), nil
		}
	}
	logits, err := s.Logits(ctx)
	if err != nil {
		return 0, err
	}
	return sampler.Next(logits, history)
}

// SampleHead returns the distribution that the net sample_head computes, and false where the model has no such net or the
// net can't do what the options ask for.
func (s *Session) SampleHead(ctx context.Context, o sample.Options, history []int) (sample.Distribution, bool, error) {
	name := s.model.heads.sample
	if name == "" {
		return sample.Distribution{}, false, nil
	}
	d, err := s.model.device.Describe(name)
	if err != nil {
		return sample.Distribution{}, false, err
	}
	// m_logits, input_ids, penalty, temperature, top_k, top_p -> probabilities, ids
	if len(d.Inputs) != 6 || len(d.Outputs) != 2 || len(d.Inputs[1].Shape) != 2 || len(d.Outputs[0].Shape) != 2 {
		return sample.Distribution{}, false, fmt.Errorf("net %s has other inputs and outputs than a sample head", name)
	}
	kept := d.Outputs[0].Shape[1]
	k := int64(o.TopK)
	length := d.Inputs[1].Shape[1]
	if k < int64(o.MinKeep) || k > kept || o.MinP != 0 || o.MinKeep != min(sampleHeadKeeps, int(kept)) ||
		len(history) == 0 || int64(len(history)) > length {
		return sample.Distribution{}, false, nil
	}
	if err := s.runLogits(ctx); err != nil {
		return sample.Distribution{}, false, err
	}
	found, err := s.runSampleHead(ctx, name, o, history, length, k)
	return found, err == nil, err
}

// sampleHeadKeeps is how many tokens TPU-MLIR's sample head keeps whatever top_p says.
const sampleHeadKeeps = 5

func (s *Session) runSampleHead(ctx context.Context, name string, o sample.Options, history []int, length, k int64) (sample.Distribution, error) {
	var found sample.Distribution
	started := time.Now()
	net, err := s.model.open(ctx, name)
	if err != nil {
		return found, err
	}
	// An id that comes twice is penalized once, so the rest of the ids may repeat the first.
	ids := make([]int64, length)
	for i := range ids {
		ids[i] = int64(history[0])
		if i < len(history) {
			ids[i] = int64(history[i])
		}
	}
	given := []any{ids, []float32{o.RepetitionPenalty}, []float32{o.Temperature}, []int64{k}, []float32{o.TopP}}
	inputs := []Tensor{{s.logits, 0, []int64{1, s.model.heads.vocabulary}}}
	for i, values := range given {
		t, err := s.upload(values)
		if err != nil {
			return found, err
		}
		if i == 0 {
			t.Shape = []int64{1, length}
		}
		inputs = append(inputs, t)
	}
	probabilities, err := s.upload(make([]float32, k))
	if err != nil {
		return found, err
	}
	chosen, err := s.upload(make([]int64, k))
	if err != nil {
		return found, err
	}
	probabilities.Shape, chosen.Shape = []int64{1, k}, []int64{1, k}
	if err := net.Run(ctx, inputs, []Tensor{probabilities, chosen}); err != nil {
		return found, fmt.Errorf("net %s: %w", name, err)
	}
	found.Probabilities, found.IDs = make([]float32, k), make([]int, k)
	probabilities.Memory.ReadFloats(0, found.Probabilities)
	chosen.Memory.ReadIntegers(0, ids[:k:k])
	for i := range found.IDs {
		found.IDs[i] = int(ids[i])
	}
	s.stats.Head += time.Since(started)
	return found, nil
}

// upload returns new memory of the device with these values.
func (s *Session) upload(values any) (Tensor, error) {
	switch v := values.(type) {
	case []int64:
		memory, err := s.model.device.Allocate(Integer, int64(len(v)))
		if err == nil {
			memory.WriteIntegers(0, v)
		}
		return Tensor{memory, 0, []int64{int64(len(v))}}, err
	case []float32:
		memory, err := s.model.device.Allocate(Float, int64(len(v)))
		if err == nil {
			memory.WriteFloats(0, v)
		}
		return Tensor{memory, 0, []int64{int64(len(v))}}, err
	}
	return Tensor{}, fmt.Errorf("a device holds no %T", values)
}
