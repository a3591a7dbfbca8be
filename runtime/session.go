package runtime

// This file holds a session: the history of one text, and how tokens are added to it.

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrFull says that a text is as long as the model's history allows.
var ErrFull = errors.New("the sequence length is reached")

// Session is one text on a model: the keys and values of its tokens, and the hidden state of the last. It is for one
// goroutine; a model's sessions must not run at the same time.
type Session struct {
	model  *Model
	stats  Stats
	past   int64
	hidden int64 // row of the last token in states[0]

	// keys and values hold the history of each layer, [rows, kv heads, head dim] and one buffer a layer: nets read it and
	// write the rows behind it in place.
	keys, values []Memory
	// states are the hidden states between layers: a net reads the first and writes the second, then they are exchanged.
	states         [2]Memory
	ids, positions Memory
	masks          map[Stage]Memory
	single, logits Memory // a token, and the logits

	integers []int64   // for what is written to the device
	floats   []float32 // likewise
	inputs   []Tensor
	outputs  []Tensor
}

// NewSession returns an empty text.
func (m *Model) NewSession() (*Session, error) {
	s := &Session{model: m, hidden: -1, masks: map[Stage]Memory{}, stats: Stats{Stages: map[Stage]StageStats{}}}
	most := max(m.prefill.tokens, m.prefillKV.tokens, m.embedding.tokens, 1)
	rows := m.sequence + most // a static net writes the rows of its padding, too
	cache := rows * m.kvHeads * m.headDim
	var failure error
	allocate := func(kind Kind, n int64) Memory {
		memory, err := m.device.Allocate(kind, n)
		if err != nil && failure == nil {
			failure = err
		}
		return memory
	}
	for range m.layers {
		s.keys = append(s.keys, allocate(Float, cache))
		s.values = append(s.values, allocate(Float, cache))
	}
	for i := range s.states {
		s.states[i] = allocate(Float, 2*most*m.hidden)
	}
	s.ids, s.positions = allocate(Integer, most), allocate(Integer, most)
	s.single = allocate(Integer, 1)
	return s, failure
}

// Length is the number of tokens so far.
func (s *Session) Length() int { return int(s.past) }

// Stats returns what was computed so far, and how long it took.
func (s *Session) Stats() Stats { return s.stats }

// Prompt adds the tokens of a prompt, in pieces as large as the nets take them: the first through prefill, others through
// prefill with history, and through decode where the model lacks these stages. ErrFull says that they are more than the
// history holds; then none is added.
func (s *Session) Prompt(ctx context.Context, ids []int) error {
	if err := s.room(len(ids)); err != nil {
		return err
	}
	for len(ids) > 0 {
		which, use, n := s.next(int64(len(ids)))
		if use == nil {
			return errors.New("the model has no nets for tokens behind others: neither block_kv nor block_cache")
		}
		if err := s.step(ctx, which, use, ids[:n]); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// Next adds one token, through decode where the model has it.
func (s *Session) Next(ctx context.Context, id int) error {
	if err := s.room(1); err != nil {
		return err
	}
	if use := s.decodeStage(); use != nil {
		return s.step(ctx, Decode, use, []int{id})
	}
	return s.Prompt(ctx, []int{id})
}

func (s *Session) room(n int) error {
	if limit := s.model.SequenceLength(); s.past+int64(n) > limit {
		return fmt.Errorf("%w: the text would have %d tokens, and the nets are made for %d", ErrFull, s.past+int64(n), limit)
	}
	return nil
}

// next chooses the stage for the next tokens of a prompt, and how many.
func (s *Session) next(left int64) (Stage, *stage, int64) {
	m := s.model
	switch kv := &m.prefillKV; {
	case s.past == 0 && m.prefill.exists():
		return Prefill, &m.prefill, min(left, m.prefill.tokens)
	case kv.exists() && s.past <= kv.history:
		return PrefillKV, kv, min(left, kv.tokens)
	}
	return Decode, s.decodeStage(), 1
}

// decodeStage returns the decode nets with the shortest history that suffices.
func (s *Session) decodeStage() *stage {
	for i := len(s.model.decode) - 1; i >= 0; i-- {
		if d := &s.model.decode[i]; d.history >= s.past {
			return d
		}
	}
	return nil
}

// step runs tokens through the embedding and all layers.
func (s *Session) step(ctx context.Context, which Stage, use *stage, ids []int) error {
	started := time.Now()
	n := int64(len(ids))
	width := n // of the nets' input
	if !use.dynamic {
		width = use.tokens
	}
	history := int64(0)
	if which != Prefill {
		history = use.history
		if use.dynamic {
			history = s.past
		}
	}
	if err := s.embed(ctx, ids, width); err != nil {
		return err
	}
	mask, err := s.prepare(which, use, n, width, history)
	if err != nil {
		return err
	}
	for layer, name := range use.names {
		net, err := s.model.open(ctx, name)
		if err != nil {
			return err
		}
		s.layerTensors(layer, which, mask, width, history)
		if err := net.Run(ctx, s.inputs, s.outputs); err != nil {
			return fmt.Errorf("net %s: %w", name, err)
		}
		s.states[0], s.states[1] = s.states[1], s.states[0]
	}
	s.past += n
	s.hidden = n - 1
	s.stats.add(which, len(ids), len(use.names), time.Since(started))
	return nil
}

// layerTensors fills in the inputs and outputs of one layer's net.
func (s *Session) layerTensors(layer int, which Stage, mask *Tensor, width, history int64) {
	m := s.model
	states := []int64{1, width, m.hidden}
	s.inputs = append(s.inputs[:0], Tensor{s.states[0], 0, states}, Tensor{s.positions, 0, states[:2]})
	if mask != nil {
		s.inputs = append(s.inputs, *mask)
	}
	if which != Prefill {
		shape := []int64{1, history, m.kvHeads, m.headDim}
		s.inputs = append(s.inputs, Tensor{s.keys[layer], 0, shape}, Tensor{s.values[layer], 0, shape})
	}
	shape := []int64{1, width, m.kvHeads, m.headDim}
	at := s.past * m.kvHeads * m.headDim
	s.outputs = append(s.outputs[:0], Tensor{s.states[1], 0, states}, Tensor{s.keys[layer], at, shape}, Tensor{s.values[layer], at, shape})
}

// prepare writes positions and mask.
func (s *Session) prepare(which Stage, use *stage, n, width, history int64) (*Tensor, error) {
	s.integers = s.integers[:0]
	for i := range width {
		position := int64(0) // of padding
		if i < n {
			position = s.past + i
		}
		s.integers = append(s.integers, position)
	}
	s.positions.WriteIntegers(0, s.integers)
	if !use.masked {
		return nil, nil
	}
	memory := s.masks[which]
	if size := width * (width + history); memory == nil || memory.Len() < size {
		var err error
		if memory, err = s.model.device.Allocate(Float, size); err != nil {
			return nil, err
		}
		s.masks[which] = memory
	}
	s.floats = fillMask(s.floats, s.past, width, history)
	memory.WriteFloats(0, s.floats)
	return &Tensor{memory, 0, []int64{1, 1, width, history + width}}, nil
}

// masked is what is added to the score of a token that must not be seen, as in TPU-MLIR's runtimes.
const masked = -10000

// fillMask writes the mask of width tokens behind past ones, of which a history of that length is given: past from the
// left, the unused rest masked, then the tokens themselves, causal.
func fillMask(values []float32, past, width, history int64) []float32 {
	values = values[:0]
	for row := range width {
		for column := range history {
			if column < past {
				values = append(values, 0)
			} else {
				values = append(values, masked)
			}
		}
		for column := range width {
			if column <= row {
				values = append(values, 0)
			} else {
				values = append(values, masked)
			}
		}
	}
	return values
}

// embed writes the hidden states of tokens to the first states, followed by those of some padding up to the width.
func (s *Session) embed(ctx context.Context, ids []int, width int64) error {
	m := s.model
	if m.embedding.name == "" && m.embeddingOne.name == "" {
		return s.embedRows(ctx, ids, width)
	}
	for done := 0; done < len(ids); {
		use := &m.embedding
		if use.name == "" || len(ids)-done == 1 && m.embeddingOne.name != "" {
			use = &m.embeddingOne
		}
		n := min(len(ids)-done, int(use.tokens))
		s.integers = s.integers[:0]
		for _, id := range ids[done : done+n] {
			s.integers = append(s.integers, int64(id))
		}
		for int64(len(s.integers)) < use.tokens {
			s.integers = append(s.integers, 0)
		}
		s.ids.WriteIntegers(0, s.integers)
		net, err := m.open(ctx, use.name)
		if err != nil {
			return err
		}
		s.inputs = append(s.inputs[:0], Tensor{s.ids, 0, []int64{1, use.tokens}})
		s.outputs = append(s.outputs[:0], Tensor{s.states[0], int64(done) * m.hidden, []int64{1, use.tokens, m.hidden}})
		if err := net.Run(ctx, s.inputs, s.outputs); err != nil {
			return fmt.Errorf("net %s: %w", use.name, err)
		}
		done += n
	}
	return nil
}

// embedRows takes the hidden states from the table that stands for the missing nets; padding is 0.
func (s *Session) embedRows(ctx context.Context, ids []int, width int64) error {
	h := s.model.hidden
	if need := int(max(width, int64(len(ids))) * h); cap(s.floats) < need {
		s.floats = make([]float32, need)
	}
	s.floats = s.floats[:max(width, int64(len(ids)))*h]
	clear(s.floats)
	for i, id := range ids {
		if err := s.model.options.Embedding.Row(ctx, id, s.floats[int64(i)*h:int64(i+1)*h]); err != nil {
			return fmt.Errorf("embedding of token %d: %w", id, err)
		}
	}
	s.states[0].WriteFloats(0, s.floats)
	return nil
}
