package interp

// This file is how kernels read operands and write results: as float32, whatever the kinds.

// result gives the value of a slot a shape and returns the floats that the kernel must fill; finish then rounds them to
// the slot's kind, or converts them where it is Integer.
func (f *frame) result(s slot, shape ...int64) (*Tensor, []float32, error) {
	t, err := f.alloc(s, shape...)
	if err != nil {
		return nil, nil, err
	}
	if t.Kind == Integer {
		return t, f.scratch(len(t.Integers)), nil
	}
	return t, t.Floats, nil
}

func (f *frame) finish(t *Tensor, values []float32) {
	if t.Kind != Integer {
		t.round()
		return
	}
	for i, v := range values {
		t.Integers[i] = truncate(v)
	}
	f.done(values)
}

// floats returns the elements of an operand as float32.
func (f *frame) floats(s slot) []float32 { return f.values[s].AsFloats() }

// limit applies the activation of an op that ends in one: max(x, 0), and min with the limit where that is positive.
func limit(op relu) func(values []float32) {
	if !op.DoRelu() {
		return func([]float32) {}
	}
	bound := float32(op.ReluLimit())
	return func(values []float32) {
		for i, v := range values {
			if v < 0 {
				v = 0
			}
			if bound > 0 && v > bound {
				v = bound
			}
			values[i] = v
		}
	}
}
