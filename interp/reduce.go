package interp

// This file holds the ops that run along an axis: softmax, running sums and reductions.

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tpuir/ir"
)

// along is a kernel that maps every line of a value along an axis to a line of the same length.
func (b *builder) along(input, output *ir.Value, axisAttribute int64, line func(dst, src []float32)) (kernel, error) {
	in, out, err := b.inOut(input, output)
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		x := f.values[in]
		axis, err := axisOf(axisAttribute, len(x.Shape))
		if err != nil {
			return err
		}
		t, values, err := f.result(out, x.Shape...)
		if err != nil {
			return err
		}
		eachLine(values, x.AsFloats(), x.Shape, axis, line)
		f.finish(t, values)
		return nil
	}, nil
}

// eachLine calls line for every line of src along an axis, and puts what it wrote at the same place of dst.
func eachLine(dst, src []float32, shape []int64, axis int, line func(dst, src []float32)) {
	n, inner := int(shape[axis]), product(shape[axis+1:])
	if inner == 1 {
		for start := 0; start < len(src); start += n {
			line(dst[start:start+n], src[start:start+n])
		}
		return
	}
	from, to := make([]float32, n), make([]float32, n)
	for outer := range product(shape[:axis]) {
		for i := range inner {
			at := outer*n*inner + i
			for j := range from {
				from[j] = src[at+j*inner]
			}
			line(to, from)
			for j, v := range to {
				dst[at+j*inner] = v
			}
		}
	}
}

type softmaxOp interface {
	unary
	Axis() int64
	Log() bool
	Beta() float64
}

func buildSoftmax[T softmaxOp](b *builder, op T) (kernel, error) {
	beta, log := float32(op.Beta()), op.Log()
	return b.along(op.Input(), op.Output(), op.Axis(), func(dst, src []float32) {
		for i, v := range src {
			dst[i] = v * beta
		}
		if log {
			logSoftmax(dst)
			return
		}
		softmax(dst)
	})
}

// logSoftmax replaces values by the logarithms of their softmax.
func logSoftmax(values []float32) {
	if len(values) == 0 {
		return
	}
	most := slices.Max(values)
	sum := 0.0
	for _, v := range values {
		sum += exp64(float64(v - most))
	}
	shift := float64(most) + math.Log(sum)
	for i, v := range values {
		values[i] = float32(float64(v) - shift)
	}
}

type cumSum interface {
	unary
	Axis() int64
}

func buildCumSum[T cumSum](b *builder, op T) (kernel, error) {
	return b.along(op.Input(), op.Output(), op.Axis(), func(dst, src []float32) {
		var sum float32
		for i, v := range src {
			sum += v
			dst[i] = sum
		}
	})
}

// reductions are the modes of Reduce: each makes one value of those along the axes, of which there is at least one.
var reductions = map[string]func(values []float32) float32{
	"ReduceSum": func(v []float32) float32 { return float32(sum(v, func(x float64) float64 { return x })) },
	"ReduceMean": func(v []float32) float32 {
		return float32(sum(v, func(x float64) float64 { return x }) / float64(len(v)))
	},
	"ReduceL1":  func(v []float32) float32 { return float32(sum(v, math.Abs)) },
	"ReduceL2":  func(v []float32) float32 { return float32(math.Sqrt(sum(v, func(x float64) float64 { return x * x }))) },
	"ReduceMax": func(v []float32) float32 { return slices.Max(v) },
	"ReduceMin": func(v []float32) float32 { return slices.Min(v) },
	"ReduceProd": func(v []float32) float32 {
		p := 1.0
		for _, x := range v {
			p *= float64(x)
		}
		return float32(p)
	},
}

// sum adds a function of the values in float64.
func sum(values []float32, function func(float64) float64) float64 {
	s := 0.0
	for _, v := range values {
		s += function(float64(v))
	}
	return s
}

type reduce interface {
	axes
	Keepdims() bool
	Mode() string
}

func buildReduce[T reduce](b *builder, op T) (kernel, error) {
	function, ok := reductions[op.Mode()]
	if !ok {
		return nil, fmt.Errorf("has mode %q, which the evaluator lacks", op.Mode())
	}
	in, out, err := b.inOut(op.Input(), op.Output())
	if err != nil {
		return nil, err
	}
	list, keep := op.Axes(), op.Keepdims()
	return func(f *frame) error {
		x := f.values[in]
		kept, gathered, shape, err := reducedShape(x.Shape, list, keep)
		if err != nil {
			return err
		}
		t, values, err := f.result(out, shape...)
		if err != nil {
			return err
		}
		if len(values) > 0 && x.Len() == 0 {
			return errors.New("reduces nothing")
		}
		// Seen with the reduced dimensions last, the value is one line for each result.
		v := &view{strides: slices.Concat(kept.strides, gathered.strides), shape: slices.Concat(kept.shape, gathered.shape)}
		lines := f.scratch(x.Len())
		if x.Len() > 0 {
			copyView(lines, x.AsFloats(), v)
		}
		n := product(gathered.shape)
		for i := range values {
			values[i] = function(lines[i*n : (i+1)*n])
		}
		f.done(lines)
		f.finish(t, values)
		return nil
	}, nil
}

// reducedShape divides dimensions into those that stay and those along the axes, and returns the result's shape.
func reducedShape(shape, axes []int64, keep bool) (kept, gathered view, out []int64, err error) {
	along, err := axisSet(axes, len(shape))
	if err != nil {
		return kept, gathered, nil, err
	}
	for i, stride := range stridesOf(shape) {
		part := &kept
		if along[i] {
			part = &gathered
		}
		part.shape, part.strides = append(part.shape, shape[i]), append(part.strides, stride)
		switch {
		case !along[i]:
			out = append(out, shape[i])
		case keep:
			out = append(out, 1)
		}
	}
	if len(out) == 0 {
		out = []int64{1}
	}
	return kept, gathered, out, nil
}
