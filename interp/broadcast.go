package interp

// This file holds broadcasting: how operands of different shapes meet, by numpy's rules.

import "fmt"

// broadcastShapes returns the shape that all given shapes broadcast to: aligned at the last dimension, sizes equal or 1.
func broadcastShapes(shapes ...[]int64) ([]int64, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]int64, rank)
	for i := range out {
		out[i] = 1
		for _, s := range shapes {
			at := i - rank + len(s)
			if at < 0 || s[at] == 1 {
				continue
			}
			if out[i] != 1 && out[i] != s[at] {
				return nil, fmt.Errorf("shapes %v do not broadcast", shapes)
			}
			out[i] = s[at]
		}
	}
	return out, nil
}

// broadcast walks an output shape and the operands that broadcast to it. Neighbouring dimensions that all operands step
// through alike are joined, so the last one is as long as it can be; an operand steps by 1 or stands still there.
type broadcast struct {
	sizes []int
	steps [][]int // by operand, by dimension
	empty bool
}

// newBroadcast returns the walk over the shape; every operand's shape must broadcast to it.
func newBroadcast(out []int64, shapes ...[]int64) (*broadcast, error) {
	w := &broadcast{steps: make([][]int, len(shapes)), empty: product(out) == 0}
	strides := make([]int, len(shapes))
	for i := range strides {
		strides[i] = 1
	}
	// From the last dimension to the first; what is built is reversed at the end.
	for i := len(out) - 1; i >= 0; i-- {
		step := make([]int, len(shapes))
		for o, s := range shapes {
			at := i - len(out) + len(s)
			switch {
			case at < 0 || s[at] == 1 && out[i] != 1:
			case s[at] == out[i]:
				step[o] = strides[o]
				strides[o] *= int(s[at])
			default:
				return nil, fmt.Errorf("shape %v does not broadcast to %v", s, out)
			}
		}
		if out[i] != 1 {
			w.push(int(out[i]), step)
		}
	}
	for o, s := range shapes {
		for at := 0; at < len(s)-len(out); at++ {
			if s[at] != 1 {
				return nil, fmt.Errorf("shape %v does not broadcast to %v", shapes[o], out)
			}
		}
	}
	w.reverse()
	return w, nil
}

// push adds an outer dimension, joined with the last one pushed where every operand continues through both.
func (w *broadcast) push(size int, step []int) {
	if last := len(w.sizes) - 1; last >= 0 {
		join := true
		for o := range step {
			join = join && step[o] == w.steps[o][last]*w.sizes[last]
		}
		if join {
			w.sizes[last] *= size
			return
		}
	}
	w.sizes = append(w.sizes, size)
	for o := range step {
		w.steps[o] = append(w.steps[o], step[o])
	}
}

func (w *broadcast) reverse() {
	flip := func(s []int) {
		for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
			s[i], s[j] = s[j], s[i]
		}
	}
	flip(w.sizes)
	for _, s := range w.steps {
		flip(s)
	}
}

// runs calls body for each round of the last dimension: the offset in the output, its length, and the offset of each
// operand. An operand's inner step is that of inner.
func (w *broadcast) runs(body func(at, n int, offsets []int)) {
	if w.empty {
		return
	}
	inner := 1
	outer := len(w.sizes)
	if outer > 0 {
		outer--
		inner = w.sizes[outer]
	}
	position := make([]int, outer)
	offsets := make([]int, len(w.steps))
	for at := 0; ; at += inner {
		body(at, inner, offsets)
		d := outer - 1
		for ; d >= 0; d-- {
			position[d]++
			for o := range offsets {
				offsets[o] += w.steps[o][d]
			}
			if position[d] < w.sizes[d] {
				break
			}
			for o := range offsets {
				offsets[o] -= w.steps[o][d] * w.sizes[d]
			}
			position[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// each calls body for every position of the output shape, until it returns an error.
func (w *broadcast) each(body func(at int, offsets []int) error) error {
	var failed error
	moved := make([]int, len(w.steps))
	w.runs(func(at, n int, offsets []int) {
		copy(moved, offsets)
		for i := 0; i < n && failed == nil; i++ {
			failed = body(at+i, moved)
			for o := range moved {
				moved[o] += w.inner(o)
			}
		}
	})
	return failed
}

// inner returns how far an operand steps with each element of a run: 1, or 0 where it broadcasts.
func (w *broadcast) inner(operand int) int {
	if len(w.sizes) == 0 {
		return 0
	}
	return w.steps[operand][len(w.sizes)-1]
}

// accumulate adds an operand that broadcasts to shape to values.
func accumulate(values []float32, shape []int64, operand []float32, operandShape []int64) error {
	rank, operandRank := len(shape), len(operandShape)
	if n := len(operand); n > 0 && rank > 0 && operandRank > 0 && n == int(operandShape[operandRank-1]) &&
		n == int(shape[rank-1]) { // one row for all
		for ; len(values) > 0; values = values[n:] {
			addTo(values[:n], operand)
		}
		return nil
	}
	w, err := newBroadcast(shape, operandShape)
	if err != nil {
		return err
	}
	w.runs(func(at, n int, offsets []int) {
		if w.inner(0) == 1 {
			addTo(values[at:at+n], operand[offsets[0]:offsets[0]+n])
			return
		}
		for i := range values[at : at+n] {
			values[at+i] += operand[offsets[0]]
		}
	})
	return nil
}

func addTo(values, operand []float32) {
	operand = operand[:len(values)]
	for i := range values {
		values[i] += operand[i]
	}
}
