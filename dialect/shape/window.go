// Rules of convolutions and poolings: windows that slide over the spatial dimensions.

package shape

import "tpuir/ir"

// Window says how windows slide; each list has one number for each spatial dimension, Pads the befores and then the
// afters. Dilations nil means 1.
type Window struct {
	Kernel, Strides, Pads, Dilations []int64
	Ceil                             bool
}

// check tells why the window does not fit an input of that rank.
func (w *Window) check(op *ir.Operation, dims []int64) error {
	n := len(w.Kernel)
	switch {
	case n == 0 || len(dims) != n+2:
		return op.Errorf("attribute 'kernel_shape' has %d dimensions, but the input of shape %s has %d spatial ones", n, Text(dims), len(dims)-2)
	case len(w.Strides) != n:
		return op.Errorf("attribute 'strides' must hold %d numbers, but holds %d", n, len(w.Strides))
	case len(w.Pads) != 2*n:
		return op.Errorf("attribute 'pads' must hold %d numbers, but holds %d", 2*n, len(w.Pads))
	case w.Dilations != nil && len(w.Dilations) != n:
		return op.Errorf("attribute 'dilations' must hold %d numbers, but holds %d", n, len(w.Dilations))
	}
	for i := range n {
		if w.Kernel[i] < 1 || w.Strides[i] < 1 || w.dilation(i) < 1 {
			return op.Errorf("kernel, strides and dilations must be at least 1, but are %d, %d and %d in spatial dimension %d",
				w.Kernel[i], w.Strides[i], w.dilation(i), i)
		}
	}
	return nil
}

func (w *Window) dilation(i int) int64 {
	if w.Dilations == nil {
		return 1
	}
	return w.Dilations[i]
}

// length is the number of windows along a spatial dimension.
func (w *Window) length(i int, size int64) int64 {
	if size == ir.Dynamic {
		return size
	}
	pads := w.Pads[i] + w.Pads[len(w.Kernel)+i]
	room := size + pads - w.dilation(i)*(w.Kernel[i]-1) - 1
	if room < 0 {
		return 0
	}
	n := room/w.Strides[i] + 1
	// A last window that begins in the padding behind does not count.
	if w.Ceil && room%w.Strides[i] != 0 && n*w.Strides[i] < size+w.Pads[i] {
		n++
	}
	return n
}

// PoolOp is a pooling.
type PoolOp interface {
	Input() *ir.Value
	Output() *ir.Value
	KernelShape() []int64
	Strides() []int64
	Pads() []int64
	CeilMode() (bool, bool)
	AutoPad() (string, bool)
	IsAdaptive() bool
	Keepdims() bool
}

// notPadded is the auto_pad of an op that pads as its pads say.
const notPadded = "NOTSET"

// Pool checks windows over an input [n, c, spatial…]. What adaptive or padded windows cover follows from more than the
// attributes, and is not looked at.
func Pool(op *ir.Operation, p PoolOp) error {
	ceil, _ := p.CeilMode()
	if pad, ok := p.AutoPad(); ok && pad != notPadded || p.IsAdaptive() || !p.Keepdims() {
		return nil
	}
	input, output := p.Input(), p.Output()
	w := &Window{Kernel: p.KernelShape(), Strides: p.Strides(), Pads: p.Pads(), Ceil: ceil}
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	if err := w.check(op, dims); err != nil {
		return err
	}
	want := append([]int64{}, dims[:2]...)
	for i := range w.Kernel {
		want = append(want, w.length(i, dims[2+i]))
	}
	return First(Expect(op, output, "output", want), SameElement(op, input, output))
}

// Conv checks windows over an input [n, c, spatial…] with a filter [o, c/group, kernel…] and a bias of o elements.
func Conv(op *ir.Operation, input, filter, bias, output *ir.Value, w *Window, group int64) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	if err := First(w.check(op, dims), Groups(op, input, "group", group)); err != nil {
		return err
	}
	channels := int64(ir.Dynamic)
	if f, ok := Of(filter); ok && len(f) == len(dims) {
		channels = f[0]
		want := []int64{ir.Dynamic, ir.Dynamic}
		if dims[1] != ir.Dynamic {
			want[1] = dims[1] / group
		}
		if err := Expect(op, filter, "filter", append(want, w.Kernel...)); err != nil {
			return err
		}
	}
	if b, ok := Of(bias); ok && !Agree(Product(b), channels) {
		return op.Errorf("bias of shape %s has not one element for each of the %d output channels", Text(b), channels)
	}
	want := []int64{dims[0], channels}
	for i := range w.Kernel {
		want = append(want, w.length(i, dims[2+i]))
	}
	return First(Expect(op, output, "output", want), SameElement(op, input, output))
}
