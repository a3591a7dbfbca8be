package interp

// This file holds the ops of two and more operands, element by element, with broadcasting.

import (
	"errors"
	"fmt"

	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// pairs computes a run of elements: a and b are as long as out, or hold one element for all.
type pairs func(out, a, b []float32)

// pairwise makes pairs of a function of two elements.
func pairwise(function func(a, b float32) float32) pairs {
	return func(out, a, b []float32) {
		stepA, stepB := min(len(a)-1, 1), min(len(b)-1, 1)
		for i := range out {
			out[i] = function(a[i*stepA], b[i*stepB])
		}
	}
}

// addPairs and mulPairs are the frequent ones, with loops of their own.
func addPairs(out, a, b []float32) {
	if len(a) != len(out) {
		a, b = b, a
	}
	switch {
	case len(a) != len(out): // one element each
		fill(out, a[0]+b[0])
	case len(b) == len(out):
		for i := range out {
			out[i] = a[i] + b[i]
		}
	default:
		for i := range out {
			out[i] = a[i] + b[0]
		}
	}
}

func mulPairs(out, a, b []float32) {
	if len(a) != len(out) {
		a, b = b, a
	}
	switch {
	case len(a) != len(out):
		fill(out, a[0]*b[0])
	case len(b) == len(out):
		for i := range out {
			out[i] = a[i] * b[i]
		}
	default:
		for i := range out {
			out[i] = a[i] * b[0]
		}
	}
}

func fill(out []float32, v float32) {
	for i := range out {
		out[i] = v
	}
}

var (
	subPairs = pairwise(func(a, b float32) float32 { return a - b })
	divPairs = pairwise(func(a, b float32) float32 { return a / b })
	maxPairs = pairwise(func(a, b float32) float32 { return max(a, b) })
	minPairs = pairwise(func(a, b float32) float32 { return min(a, b) })
)

type coefficients interface {
	nary
	relu
	Coeff() []float64
}

func buildAdd[T coefficients](b *builder, op T) (kernel, error) {
	return b.fold(op, addPairs, op.Coeff(), limit(op))
}

type subtraction interface {
	coefficients
	IsReverse() bool
}

func buildSub[T subtraction](b *builder, op T) (kernel, error) {
	function := subPairs
	if op.IsReverse() {
		function = pairwise(func(a, b float32) float32 { return b - a })
	}
	return b.fold(op, function, op.Coeff(), limit(op))
}

type multiplication interface {
	nary
	relu
}

func buildMul[T multiplication](b *builder, op T) (kernel, error) {
	return b.fold(op, mulPairs, nil, limit(op))
}

func buildTpuMul(b *builder, op tpu.MulOp) (kernel, error) {
	if op.Multiplier() != 1 || op.Rshift() != 0 {
		return nil, errors.New("requantizes, which the evaluator lacks")
	}
	return buildMul(b, op)
}

type division interface {
	nary
	relu
	IsReverse() bool
}

func buildDiv[T division](b *builder, op T) (kernel, error) {
	function := divPairs
	if op.IsReverse() {
		function = pairwise(func(a, b float32) float32 { return b / a })
	}
	return b.fold(op, function, nil, limit(op))
}

func buildMax[T nary](b *builder, op T) (kernel, error) {
	return b.fold(op, maxPairs, nil, func([]float32) {})
}

func buildMin[T nary](b *builder, op T) (kernel, error) {
	return b.fold(op, minPairs, nil, func([]float32) {})
}

// fold combines the operands from left to right, each times its coefficient where there are some, and rounds once.
func (b *builder) fold(op nary, combine pairs, coefficients []float64, after func([]float32)) (kernel, error) {
	slots, err := b.ins(op.Inputs()...)
	if err != nil {
		return nil, err
	}
	if len(slots) == 0 {
		return nil, errors.New("has no operands")
	}
	for _, s := range slots {
		if s == noSlot {
			return nil, errors.New("lacks an operand")
		}
	}
	if len(coefficients) != 0 && len(coefficients) != len(slots) {
		return nil, fmt.Errorf("has %d coefficients for %d operands", len(coefficients), len(slots))
	}
	plain := true
	for _, c := range coefficients {
		plain = plain && c == 1
	}
	if plain {
		coefficients = nil
	}
	out, _, err := b.out(op.Output())
	if err != nil {
		return nil, err
	}
	return func(f *frame) error { return foldOperands(f, slots, out, combine, coefficients, after) }, nil
}

func foldOperands(f *frame, slots []slot, out slot, combine pairs, coefficients []float64, after func([]float32)) error {
	operand := func(i int) []float32 {
		values := f.floats(slots[i])
		if coefficients == nil {
			return values
		}
		scaled := make([]float32, len(values))
		for j, v := range values {
			scaled[j] = v * float32(coefficients[i])
		}
		return scaled
	}
	shape := f.values[slots[0]].Shape
	for _, s := range slots[1:] {
		if next := f.values[s].Shape; !same(shape, next) {
			var err error
			if shape, err = broadcastShapes(shape, next); err != nil {
				return err
			}
		}
	}
	t, values, err := f.result(out, shape...)
	if err != nil {
		return err
	}
	sum, sumShape := operand(0), f.values[slots[0]].Shape
	for i := 1; i < len(slots); i++ {
		if err := pair(combine, values, shape, sum, sumShape, operand(i), f.values[slots[i]].Shape); err != nil {
			return err
		}
		sum, sumShape = values, shape
	}
	if len(slots) == 1 {
		copy(values, sum)
	}
	after(values)
	f.finish(t, values)
	return nil
}

// pair combines two operands that broadcast to shape.
func pair(combine pairs, out []float32, shape []int64, a []float32, aShape []int64, b []float32, bShape []int64) error {
	if same(aShape, shape) && same(bShape, shape) {
		if len(out) > 0 {
			combine(out, a, b)
		}
		return nil
	}
	w, err := newBroadcast(shape, aShape, bShape)
	if err != nil {
		return err
	}
	stepA, stepB := w.inner(0), w.inner(1)
	w.runs(func(at, n int, offsets []int) {
		combine(out[at:at+n], a[offsets[0]:][:stepA*(n-1)+1], b[offsets[1]:][:stepB*(n-1)+1])
	})
	return nil
}

type constantOp interface {
	unary
	ConstVal() float64
}

type constantRelu interface {
	constantOp
	relu
}

type constantReverse interface {
	constantRelu
	IsReverse() bool
}

func buildAddConst[T constantRelu](b *builder, op T) (kernel, error) {
	c := float32(op.ConstVal())
	return b.eachFloat(op, func(x float32) float32 { return x + c }, limit(op))
}

func buildSubConst[T constantReverse](b *builder, op T) (kernel, error) {
	c := float32(op.ConstVal())
	if op.IsReverse() {
		return b.eachFloat(op, func(x float32) float32 { return c - x }, limit(op))
	}
	return b.eachFloat(op, func(x float32) float32 { return x - c }, limit(op))
}

func buildMulConst[T constantRelu](b *builder, op T) (kernel, error) {
	c := float32(op.ConstVal())
	return b.eachFloat(op, func(x float32) float32 { return x * c }, limit(op))
}

func buildDivConst[T constantReverse](b *builder, op T) (kernel, error) {
	c := float32(op.ConstVal())
	if op.IsReverse() {
		return b.eachFloat(op, func(x float32) float32 { return c / x }, limit(op))
	}
	return b.eachFloat(op, func(x float32) float32 { return x / c }, limit(op))
}

func buildMaxConst[T constantOp](b *builder, op T) (kernel, error) {
	c := float32(op.ConstVal())
	return b.eachFloat(op, func(x float32) float32 { return max(x, c) }, func([]float32) {})
}

func buildMinConst[T constantOp](b *builder, op T) (kernel, error) {
	c := float32(op.ConstVal())
	return b.eachFloat(op, func(x float32) float32 { return min(x, c) }, func([]float32) {})
}

// eachFloat is the kernel of a function of one float32.
func (b *builder) eachFloat(op unary, function func(float32) float32, after func([]float32)) (kernel, error) {
	return b.fill(op.Input(), op.Output(), func(values, source []float32) {
		for i, v := range source {
			values[i] = function(v)
		}
		after(values)
	})
}

func truth(holds bool) float32 {
	if holds {
		return 1
	}
	return 0
}

// comparisons are the modes of Compare and CompareConst; each gives 1 or 0.
var comparisons = map[string]func(a, b float32) float32{
	"Equal":          func(a, b float32) float32 { return truth(a == b) },
	"NotEqual":       func(a, b float32) float32 { return truth(a != b) },
	"Greater":        func(a, b float32) float32 { return truth(a > b) },
	"GreaterOrEqual": func(a, b float32) float32 { return truth(a >= b) },
	"Less":           func(a, b float32) float32 { return truth(a < b) },
	"LessOrEqual":    func(a, b float32) float32 { return truth(a <= b) },
	"And":            func(a, b float32) float32 { return truth(a != 0 && b != 0) },
	"Or":             func(a, b float32) float32 { return truth(a != 0 || b != 0) },
	"Xor":            func(a, b float32) float32 { return truth((a != 0) != (b != 0)) },
	"Not":            func(a, _ float32) float32 { return truth(a == 0) },
}

type compare interface {
	Lhs() *ir.Value
	Rhs() *ir.Value
	Output() *ir.Value
	Mode() string
}

// comparison is Compare as an op of a group of operands.
type comparison struct{ compare }

func (c comparison) Inputs() []*ir.Value { return []*ir.Value{c.Lhs(), c.Rhs()} }

func buildCompare[T compare](b *builder, op T) (kernel, error) {
	function, ok := comparisons[op.Mode()]
	if !ok {
		return nil, fmt.Errorf("has mode %q, which the evaluator lacks", op.Mode())
	}
	return b.fold(comparison{op}, pairwise(function), nil, func([]float32) {})
}

type compareConst interface {
	constantOp
	Mode() string
	Inversed() bool
}

func buildCompareConst[T compareConst](b *builder, op T) (kernel, error) {
	function, ok := comparisons[op.Mode()]
	if !ok {
		return nil, fmt.Errorf("has mode %q, which the evaluator lacks", op.Mode())
	}
	c := float32(op.ConstVal())
	if op.Inversed() {
		return b.eachFloat(op, func(x float32) float32 { return function(c, x) }, func([]float32) {})
	}
	return b.eachFloat(op, func(x float32) float32 { return function(x, c) }, func([]float32) {})
}

type where interface {
	Cond() *ir.Value
	Tbrn() *ir.Value
	Fbrn() *ir.Value
	Output() *ir.Value
	XIsConst() bool
	YIsConst() bool
	XConstVal() float64
	YConstVal() float64
}

func buildWhere[T where](b *builder, op T) (kernel, error) {
	c := choice{cond: op.Cond(), output: op.Output()}
	if c.constants[0] = float32(op.XConstVal()); !op.XIsConst() {
		c.branches[0] = op.Tbrn()
	}
	if c.constants[1] = float32(op.YConstVal()); !op.YIsConst() {
		c.branches[1] = op.Fbrn()
	}
	return b.choose(c)
}

type maskedFill interface {
	Cond() *ir.Value
	Brn() *ir.Value
	Output() *ir.Value
	Inversed() bool
	ConstVal() float64
}

// buildMaskedFill is a constant where the condition holds and the operand elsewhere, or the other way where inversed.
func buildMaskedFill[T maskedFill](b *builder, op T) (kernel, error) {
	c := choice{cond: op.Cond(), output: op.Output()}
	constant := 0
	if op.Inversed() {
		constant = 1
	}
	c.constants[constant] = float32(op.ConstVal())
	c.branches[1-constant] = op.Brn()
	return b.choose(c)
}

// choice takes an element of the first branch where the condition is not 0, of the second where it is; a branch that is
// nil is a constant.
type choice struct {
	cond, output *ir.Value
	branches     [2]*ir.Value
	constants    [2]float32
}

func (b *builder) choose(c choice) (kernel, error) {
	slots, err := b.ins(c.cond, c.branches[0], c.branches[1])
	if err != nil {
		return nil, err
	}
	for i, v := range c.branches {
		if v != nil && slots[i+1] == noSlot || slots[0] == noSlot {
			return nil, errors.New("lacks an operand")
		}
	}
	out, _, err := b.out(c.output)
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		operands := [3][]float32{1: {c.constants[0]}, 2: {c.constants[1]}}
		var shapes [3][]int64
		for i, s := range slots {
			if s != noSlot {
				operands[i], shapes[i] = f.floats(s), f.values[s].Shape
			}
		}
		shape, err := broadcastShapes(shapes[:]...)
		if err != nil {
			return err
		}
		w, err := newBroadcast(shape, shapes[:]...)
		if err != nil {
			return err
		}
		t, values, err := f.result(out, shape...)
		if err != nil {
			return err
		}
		w.runs(func(at, n int, offsets []int) {
			for i := range n {
				branch := 1
				if operands[0][offsets[0]+i*w.inner(0)] == 0 {
					branch = 2
				}
				values[at+i] = operands[branch][offsets[branch]+i*w.inner(branch)]
			}
		})
		f.finish(t, values)
		return nil
	}, nil
}
