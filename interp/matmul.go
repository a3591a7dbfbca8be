package interp

// This file holds matrix products.

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"tpuir/dialect/shape"
	"tpuir/ir"
)

type matMul interface {
	relu
	shape.MatMulOp
}

// productOp is a product of two operands, either of which may be a constant.
type productOp struct {
	left, right, bias, out  slot
	leftRows, rightRows     *matrix // the operand, where it is a constant matrix; then its slot is noSlot
	leftShape, rightShape   []int64 // of a constant
	leftTranspose           bool
	rightTranspose          bool
	outputTranspose         bool
	middleIsBatch, keepDims bool
	limit                   func([]float32)
}

func buildMatMul[T matMul](b *builder, op T) (kernel, error) {
	if q := op.DqType(); q != "NONE" {
		return nil, fmt.Errorf("has dq_type %q, which the evaluator lacks", q)
	}
	p := &productOp{left: noSlot, right: noSlot, leftTranspose: op.LeftTranspose(), rightTranspose: op.RightTranspose(),
		outputTranspose: op.OutputTranspose(), middleIsBatch: op.HdimIsBatch(), keepDims: op.KeepDims(), limit: limit(op)}
	var err error
	// Both could be constants; one of them stays a plain operand.
	if p.rightRows, p.rightShape, err = b.constantRows(op.Right(), !p.rightTranspose, p.middleIsBatch); err != nil {
		return nil, err
	}
	if p.rightRows == nil {
		if p.leftRows, p.leftShape, err = b.constantRows(op.Input(), p.leftTranspose, p.middleIsBatch); err != nil {
			return nil, err
		}
		if p.right, err = b.required(op.Right()); err != nil {
			return nil, err
		}
	}
	if p.leftRows == nil {
		if p.left, err = b.required(op.Input()); err != nil {
			return nil, err
		}
	}
	if p.bias, err = b.in(op.Bias()); err != nil {
		return nil, err
	}
	if p.out, _, err = b.out(op.Output()); err != nil {
		return nil, err
	}
	return p.run, nil
}

// constantRows returns the matrix of a floating-point weight whose dimensions before the last two are 1, with the shape
// of the weight: its rows, or its columns where transpose is set. It returns nil for any other operand.
func (b *builder) constantRows(v *ir.Value, transpose, batched bool) (*matrix, []int64, error) {
	t, ok, err := b.weightOf(v)
	if err != nil || !ok {
		return nil, nil, err
	}
	shape := t.Shape()
	if n := len(shape); batched || n < 2 || product(shape[:n-2]) != 1 || !t.DType().IsFloat() {
		return nil, nil, nil
	}
	m, err := b.program.cache.matrix(matrixKey{name: t.Name(), typ: v.Type(), transpose: transpose}, func() (*matrix, error) {
		view, err := t.Reshape(shape[len(shape)-2:]...)
		if err == nil && transpose {
			view, err = view.Transpose()
		}
		if err != nil {
			return nil, err
		}
		rows, columns := int(view.Shape()[0]), int(view.Shape()[1])
		return &matrix{rows: rows, columns: columns, decode: func(dst []float32, first int) error {
			return unread(view.ReadFloat32s(dst, int64(first)*int64(columns)))
		}}, nil
	})
	return m, shape, err
}

func (p *productOp) run(f *frame) error {
	left, right := p.leftShape, p.rightShape
	if p.leftRows == nil {
		left = f.values[p.left].Shape
	}
	if p.rightRows == nil {
		right = f.values[p.right].Shape
	}
	if p.rightRows != nil && !p.leftTranspose && !p.outputTranspose && len(left) > 0 && p.keepDims {
		return p.runLinear(f, left)
	}
	return p.runGeneral(f, left, right)
}

// runLinear is the common case: rows of activations times a constant matrix.
func (p *productOp) runLinear(f *frame, left []int64) error {
	last := len(left) - 1
	k := left[last]
	if int(k) != p.rightRows.columns {
		return fmt.Errorf("multiplies shape %v by a matrix of %d rows", left, p.rightRows.columns)
	}
	var buffer [8]int64
	shape := append(append(buffer[:0], left[:last]...), int64(p.rightRows.rows))
	out, values, err := f.result(p.out, shape...)
	if err != nil {
		return err
	}
	if err := f.multiply(values, p.rightRows.rows, 1, f.floats(p.left), product(left[:last]), p.rightRows); err != nil {
		return err
	}
	return p.end(f, out, values)
}

// end adds the bias, applies the activation and rounds, once for all.
func (p *productOp) end(f *frame, out *Tensor, values []float32) error {
	if p.bias != noSlot {
		if err := accumulate(values, out.Shape, f.floats(p.bias), f.values[p.bias].Shape); err != nil {
			return fmt.Errorf("bias: %w", err)
		}
	}
	p.limit(values)
	f.finish(out, values)
	return nil
}

// runGeneral is any product: batches broadcast, operands and result transposed.
func (p *productOp) runGeneral(f *frame, leftShape, rightShape []int64) error {
	left, err := p.side(f, p.leftRows, p.left, leftShape, p.leftTranspose, true)
	if err != nil {
		return err
	}
	right, err := p.side(f, p.rightRows, p.right, rightShape, !p.rightTranspose, false)
	if err != nil {
		return err
	}
	defer left.done(f)
	defer right.done(f)
	if left.columns != right.columns {
		return fmt.Errorf("multiplies shape %v by shape %v: the lengths of the sums are %d and %d", leftShape, rightShape,
			left.columns, right.columns)
	}
	batch, err := broadcastShapes(left.batch, right.batch)
	if err != nil {
		return err
	}
	rowStep, columnStep := right.rows, 1
	if p.outputTranspose {
		rowStep, columnStep = 1, left.rows
	}
	out, values, err := f.result(p.out, p.shape(batch, left, right, len(leftShape), len(rightShape))...)
	if err != nil {
		return err
	}
	steps, err := newBroadcast(batch, left.batch, right.batch)
	if err != nil {
		return err
	}
	size := left.rows * right.rows
	err = steps.each(func(at int, offsets []int) error {
		part := values[at*size:][:size]
		if left.constant != nil { // the constant's rows are the ones to divide among processors
			return f.multiply(part, columnStep, rowStep, right.at(offsets[1]), right.rows, left.constant)
		}
		rows := right.constant
		if rows == nil {
			rows = &matrix{rows: right.rows, columns: right.columns, dense: right.at(offsets[1])}
		}
		return f.multiply(part, rowStep, columnStep, left.at(offsets[0]), left.rows, rows)
	})
	if err != nil {
		return err
	}
	if p.middleIsBatch && len(batch) > 0 {
		f.swapMiddle(out, values)
	}
	return p.end(f, out, values)
}

// shape is that of the result, before the middle dimensions are exchanged back.
func (p *productOp) shape(batch []int64, left, right *operandRows, leftRank, rightRank int) []int64 {
	m, n := int64(left.rows), int64(right.rows)
	if p.outputTranspose {
		m, n = n, m
	}
	shape := slices.Clone(batch)
	switch {
	case !p.keepDims:
		return []int64{int64(product(batch)) * m, n}
	case leftRank == 1 && rightRank == 1:
		return shape
	case leftRank == 1:
		return append(shape, n)
	case rightRank == 1:
		return append(shape, m)
	}
	return append(shape, m, n)
}

// operandRows is an operand as a batch of matrices whose rows are multiplied.
type operandRows struct {
	batch         []int64
	rows, columns int
	constant      *matrix
	values        []float32
	lent          bool
}

func (o *operandRows) at(matrix int) []float32 {
	size := o.rows * o.columns
	return o.values[matrix*size:][:size]
}

func (o *operandRows) done(f *frame) {
	if o.lent {
		f.done(o.values)
	}
}

// side makes an operand of the product rows: transpose says that its columns are the rows to multiply.
func (p *productOp) side(f *frame, constant *matrix, s slot, shape []int64, transpose, isLeft bool) (*operandRows, error) {
	if constant != nil {
		return &operandRows{batch: shape[:len(shape)-2], rows: constant.rows, columns: constant.columns, constant: constant}, nil
	}
	if len(shape) == 0 {
		return nil, errors.New("multiplies a scalar")
	}
	values := f.floats(s)
	if len(shape) == 1 { // a vector: one row on the left, one column on the right
		return &operandRows{rows: 1, columns: int(shape[0]), values: values}, nil
	}
	lent := false
	if p.middleIsBatch && len(shape) == 4 {
		swapped := f.scratch(len(values))
		swapDimensions(swapped, values, int(shape[0]), int(shape[1]), int(shape[2]), int(shape[3]))
		shape = []int64{shape[0], shape[2], shape[1], shape[3]}
		values, lent = swapped, true
	}
	n := len(shape)
	o := &operandRows{batch: shape[:n-2], rows: int(shape[n-2]), columns: int(shape[n-1]), values: values, lent: lent}
	if transpose {
		turned := f.scratch(len(values))
		swapDimensions(turned, values, product(o.batch), o.rows, o.columns, 1)
		o.done(f)
		o.rows, o.columns, o.values, o.lent = o.columns, o.rows, turned, true
	}
	return o, nil
}

// swapMiddle exchanges the second and third of four dimensions of a result.
func (f *frame) swapMiddle(t *Tensor, values []float32) {
	if len(t.Shape) != 4 {
		return
	}
	swapped := f.scratch(len(values))
	swapDimensions(swapped, values, int(t.Shape[0]), int(t.Shape[1]), int(t.Shape[2]), int(t.Shape[3]))
	copy(values, swapped)
	f.done(swapped)
	t.Shape[1], t.Shape[2] = t.Shape[2], t.Shape[1]
}

// swapDimensions writes src, of a×b×c×d elements, to dst as a×c×b×d.
func swapDimensions(dst, src []float32, a, b, c, d int) {
	for i := range a {
		for j := range b {
			for k := range c {
				from, to := ((i*b+j)*c+k)*d, ((i*c+k)*b+j)*d
				if d == 1 {
					dst[to] = src[from]
					continue
				}
				copy(dst[to:to+d], src[from:from+d])
			}
		}
	}
}

// blockRows is the most rows of a matrix that are multiplied together; they stay in the processor's near memory while
// the rows of activations pass by.
const blockRows = 32

// multiply writes the inner product of row i of x, which has m rows, and row j of w to out[i·rowStep + j·columnStep].
func (f *frame) multiply(out []float32, rowStep, columnStep int, x []float32, m int, w *matrix) error {
	if w.cache != nil {
		if err := w.load(f.ctx); err != nil {
			return err
		}
	}
	k := w.columns
	block := min(blockRows, (w.rows+7)/8*4)
	var mu sync.Mutex
	var failed error
	parallel(w.rows, block, m*w.rows*k, func(start, end int) {
		var scratch []float32
		if w.dense == nil {
			scratch = f.scratch(block * k)
			defer f.done(scratch)
		}
		for ; start < end; start += block {
			stop := min(start+block, end)
			rows, err := w.read(scratch, start, stop)
			if err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
				return
			}
			multiplyBlock(out, rowStep, columnStep, x, m, k, rows, start, stop)
		}
	})
	return failed
}

// multiplyBlock is multiply for rows start…stop of the matrix, which are given.
func multiplyBlock(out []float32, rowStep, columnStep int, x []float32, m, k int, rows []float32, start, stop int) {
	n := stop - start
	var products [blockRows]float32
	for i := range m {
		row := x[i*k : (i+1)*k]
		if columnStep == 1 {
			dotRows(out[i*rowStep+start:][:n], row, rows, k)
			continue
		}
		dotRows(products[:n], row, rows, k)
		for j, v := range products[:n] {
			out[i*rowStep+(start+j)*columnStep] = v
		}
	}
}
