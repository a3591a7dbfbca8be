package runtime

// This file holds the loop: a prompt, then token after token.

import (
	"context"
	"errors"

	"tpuir/runtime/sample"
)

// Reason says why a text ended.
type Reason string

// The reasons.
const (
	Stopped Reason = "stop token"      // the model ended it
	Enough  Reason = "token limit"     // as many tokens as were asked for
	Full    Reason = "sequence length" // the history is full
)

// Generation says how a text is made.
type Generation struct {
	// MaxNewTokens is the most tokens that are made; 0 means as many as the history holds.
	MaxNewTokens int
	// Stop tells whether a token ends the text; nil where none does.
	Stop func(id int) bool
	// Sampler draws the tokens; nil takes the likeliest.
	Sampler *sample.Sampler
	// Emit is called with every token as soon as it is known, a stop token included; nil for nobody.
	Emit func(id int) error
}

// Generate adds a prompt, which must not be empty, and then tokens until something ends the text. It returns the new ones.
func (s *Session) Generate(ctx context.Context, prompt []int, g Generation) ([]int, Reason, error) {
	if len(prompt) == 0 {
		return nil, "", errors.New("the prompt has no tokens")
	}
	if err := s.Prompt(ctx, prompt); err != nil {
		return nil, "", err
	}
	history := append([]int(nil), prompt...)
	for {
		id, err := s.choose(ctx, g.Sampler, history)
		if err != nil {
			return history[len(prompt):], "", err
		}
		history = append(history, id)
		if g.Emit != nil {
			if err := g.Emit(id); err != nil {
				return history[len(prompt):], "", err
			}
		}
		switch made := len(history) - len(prompt); {
		case g.Stop != nil && g.Stop(id):
			return history[len(prompt):], Stopped, nil
		case g.MaxNewTokens > 0 && made >= g.MaxNewTokens:
			return history[len(prompt):], Enough, nil
		}
		err = s.Next(ctx, id)
		if errors.Is(err, ErrFull) {
			return history[len(prompt):], Full, nil
		}
		if err != nil {
			return history[len(prompt):], "", err
		}
	}
}

func (s *Session) choose(ctx context.Context, sampler *sample.Sampler, history []int) (int, error) {
	if sampler == nil {
		return s.Greedy(ctx)
	}
	return s.Sample(ctx, sampler, history)
}
