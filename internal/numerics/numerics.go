// Package numerics checks that passes keep what a net computes: it evaluates the net before and after each pass on given
// inputs, and compares every tensor that has the same name in both.
package numerics

import (
	"context"
	"fmt"
	"math"

	"tpuir/interp"
	"tpuir/ir"
	"tpuir/weight"
)

// Checker holds the values before a pass.
type Checker struct {
	// Inputs holds a tensor for each input of a net, by its name, or behind the name of the net, "decode/input_ids", where
	// there are several.
	Inputs weight.Store
	// Tolerance is how far the cosine may be from 1; 0 wants equal numbers.
	Tolerance float64
	// Weights gives the weights that the IR names.
	Weights func(ctx context.Context, root *ir.Operation) interp.Weights
	// Warn is told why a net can't be evaluated; after the next pass behind which it can, it is compared with the last that
	// could.
	Warn func(error)

	before map[string]values // by net
}

// values are the tensors of a net by name.
type values map[string]*interp.Tensor

// Start evaluates the nets as they are before the first pass. That none can be is an error.
func (c *Checker) Start(ctx context.Context, root *ir.Operation) error {
	c.before = map[string]values{}
	var first error
	all := nets(root)
	for _, n := range all {
		found, err := c.evaluate(ctx, n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			c.before[n.name] = found
			continue
		}
		err = n.about(err)
		if len(all) > 1 {
			c.Warn(err)
		}
		if first == nil {
			first = err
		}
	}
	if len(c.before) == 0 {
		return first
	}
	return nil
}

// Check evaluates the nets after a pass and returns an error about the first operation whose value has moved. A net that was
// not there before is compared from now on.
func (c *Checker) Check(ctx context.Context, root *ir.Operation, pass string) error {
	for _, n := range nets(root) {
		after, err := c.evaluate(ctx, n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.Warn(fmt.Errorf("not evaluated after pass '%s': %w", pass, n.about(err)))
			continue
		}
		before := c.before[n.name]
		c.before[n.name] = after
		if err := c.compare(n, before, after, pass); err != nil {
			return err
		}
	}
	return nil
}

// compare returns an error about the first operation of a net whose value has moved.
func (c *Checker) compare(n net, before, after values, pass string) (moved error) {
	n.op.Walk(func(op *ir.Operation) ir.WalkResult {
		for _, v := range op.Results() {
			name := interp.OutputName(v)
			old, now := before[name], after[name]
			if old == nil || now == nil || !comparable(old, now) {
				continue
			}
			if d := difference(old, now); d.beyond(c.Tolerance) {
				moved = op.Errorf("pass '%s' moved tensor %q%s: cosine %.6f, max abs difference %g at element %d (%g, was %g)",
					pass, name, n.in(), d.cosine, d.max, d.at, now.At(d.at), old.At(d.at))
				return ir.Interrupt
			}
		}
		return ir.Advance
	})
	return moved
}

// evaluate returns the values of all named tensors of a net.
func (c *Checker) evaluate(ctx context.Context, n net) (values, error) {
	main, err := interp.FindMain(n.op)
	if err != nil {
		return nil, err
	}
	program, err := interp.Compile(ctx, main, c.Weights(ctx, n.op), interp.Options{Observable: true})
	if err != nil {
		return nil, err
	}
	inputs, err := program.ReadInputs(ctx, ofNet{c.Inputs, n.name})
	if err != nil {
		return nil, err
	}
	found := values{}
	outputs, err := program.Observe(ctx, inputs, func(name string, value *interp.Tensor) { found[name] = value.Clone() })
	if err != nil {
		return nil, err
	}
	for i, port := range program.Outputs() {
		found[port.Name] = outputs[i].Clone()
	}
	return found, nil
}

// comparable reports whether two values mean the same: codes of a quantized tensor and its numbers don't.
func comparable(a, b *interp.Tensor) bool {
	return a.Len() == b.Len() && a.Len() > 0 && (a.Kind == interp.Integer) == (b.Kind == interp.Integer)
}

// distance is how far two tensors are apart; at is the element that differs most.
type distance struct {
	cosine, max float64
	at          int
}

func difference(a, b *interp.Tensor) distance {
	var dot, a2, b2 float64
	var d distance
	for i := range a.Len() {
		x, y := a.At(i), b.At(i)
		if math.IsNaN(x) && math.IsNaN(y) || math.IsInf(x, 0) && x == y {
			continue // equal, and no part of a sum
		}
		if away := math.Abs(x - y); !(away <= d.max) {
			d.max, d.at = away, i
		}
		dot, a2, b2 = dot+x*y, a2+x*x, b2+y*y
	}
	d.cosine = 1
	if a2 != 0 || b2 != 0 {
		d.cosine = dot / math.Sqrt(a2*b2)
	}
	return d
}

func (d distance) beyond(tolerance float64) bool {
	if tolerance == 0 {
		return d.max != 0
	}
	return !(1-d.cosine <= tolerance)
}
