package topopt

// This file finds the pass that --bisect is after: the one before which the command succeeds, and after which it fails.

import (
	"context"
	"fmt"

	"tpuir/internal/cli/progress"
	"tpuir/ir"
	"tpuir/pass"
)

// bisect returns the IR before the pass after which the command fails, and the pass as a pipeline of its own. What a model's
// passes have computed is not in the IR alone: there it is the input and the pipeline up to the pass.
func (s *searcher) bisect(ctx context.Context, module *ir.Operation, p *pass.Pipeline) (*ir.Operation, *pass.Pipeline, error) {
	if ok, err := s.accepts(ctx, module); err != nil {
		return nil, nil, err
	} else if !ok {
		return nil, nil, fmt.Errorf("--bisect: the command fails on the input already; try --reduce='%s'", s.command)
	}
	b := &bisection{searcher: s, ctx: ctx, passes: p.Flat(), anchor: p.Anchor, model: hasWeightFile(module), good: module}
	b.bar = progress.New(s.stderr, -1, fmt.Sprintf("searching %d passes: trial", len(b.passes)))
	defer b.bar.Done()
	last, failure, err := b.failing()
	if err != nil {
		return nil, nil, err
	}
	found, err := firstBad(len(b.passes), last, b.isBad)
	b.bar.Done()
	if err != nil {
		return nil, nil, err
	}
	if found == 0 {
		return nil, nil, fmt.Errorf("--bisect: the command succeeds after each of the %d passes: there is nothing to find", len(b.passes))
	}
	if found == last {
		s.failure = failure
	}
	single := b.passes[found-1]
	fmt.Fprintf(s.stderr, "top-opt: pass %d of %d is the first after which the command fails: %s\n", found, len(b.passes), single)
	if b.model {
		return module, b.upTo(0, found), nil
	}
	before, err := b.after(found - 1)
	return before, single, err
}

// firstBad finds a number from 1 to n that is bad and follows one that is not; 0 is good. It returns 0 where there is none.
// known, where it is not 0, is bad. Where all that follows a bad number is bad, as a rule, about log n questions are asked;
// where the last one is good, all are until a bad one is found.
func firstBad(n, known int, isBad func(int) (bool, error)) (int, error) {
	low, high := 0, known
	if known == 0 && n > 0 {
		bad, err := isBad(n)
		if err != nil {
			return 0, err
		}
		if !bad {
			return scan(n-1, isBad)
		}
		high = n
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		bad, err := isBad(middle)
		if err != nil {
			return 0, err
		}
		if bad {
			high = middle
		} else {
			low = middle
		}
	}
	return high, nil
}

// scan asks for one number after the other.
func scan(n int, isBad func(int) (bool, error)) (int, error) {
	for i := 1; i <= n; i++ {
		if bad, err := isBad(i); bad || err != nil {
			return i, err
		}
	}
	return 0, nil
}

// bisection knows the IR after the last pass that was found good, so that what comes later starts from there.
type bisection struct {
	*searcher
	ctx    context.Context
	passes []*pass.Pipeline
	anchor string
	model  bool
	bar    *progress.Bar

	good   *ir.Operation
	goodAt int
}

// upTo returns the passes from one number up to another.
func (b *bisection) upTo(from, to int) *pass.Pipeline {
	p := pass.NewPipeline(b.anchor)
	for _, single := range b.passes[from:to] {
		p.Append(single)
	}
	return p
}

// failing returns the number of the first pass that fails by itself, 0 where none does, and what its message looks like.
func (b *bisection) failing() (int, string, error) {
	session := b.session()
	defer session.Close()
	current := b.good.Clone()
	for i, single := range b.passes {
		if err := b.run(b.ctx, current, single, session); err != nil {
			return i + 1, shape(err), b.ctx.Err()
		}
	}
	return 0, "", nil
}

// after returns the IR after that many passes. It starts from the last good one; a model's passes from the input, since they
// compute weights.
func (b *bisection) after(n int) (*ir.Operation, error) {
	session := b.session()
	defer session.Close()
	current := b.good.Clone()
	return current, b.run(b.ctx, current, b.upTo(b.goodAt, n), session)
}

// isBad asks the command about the IR after that many passes, none of which fails by itself.
func (b *bisection) isBad(n int) (bool, error) {
	b.bar.Step("")
	current, err := b.after(n)
	if err != nil {
		return false, err
	}
	ok, err := b.accepts(b.ctx, current)
	if ok && err == nil && !b.model && n < len(b.passes) {
		b.good, b.goodAt = current, n
	}
	return !ok, err
}
