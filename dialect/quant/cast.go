package quant

// This file holds the casts: what they are made of and what is checked.

import (
	"slices"

	"tpuir/ir"
)

// casts is sorted by name.
var casts = []*ir.OpDefinition{
	cast("quant.dcast", "turns quantized values into those that they stand for", quantized, floats),
	cast("quant.qcast", "quantizes values", floats, quantized),
	cast("quant.scast", "takes quantized values for their storage, or the other way", stored, stored),
}

// cast defines `%r = quant.xcast %a {…} : T to T`.
func cast(name, summary string, from, to elementConstraint) *ir.OpDefinition {
	return &ir.OpDefinition{
		Name:    name,
		Summary: summary,
		Traits:  ir.Pure,
		Verify:  func(op *ir.Operation) error { return verifyCast(op, from, to) },
		Parse:   parseCast,
		Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
			p.Text(" ")
			p.Value(op.Operand(0))
			p.AttrDict(op.Attributes())
			p.Text(" : ")
			p.Type(op.Operand(0).Type())
			p.Text(" to ")
			p.Type(op.Result(0).Type())
		},
	}
}

func parseCast(p ir.OpAsmParser, state *ir.OperationState) error {
	operand, err := p.Operand()
	if err != nil {
		return err
	}
	if state.Attributes, err = p.OptionalAttrDict(); err != nil {
		return err
	}
	if err := p.Punctuation(":"); err != nil {
		return err
	}
	from, err := p.Type()
	if err != nil {
		return err
	}
	if !p.OptionalKeyword("to") {
		return p.Errorf("expected 'to'")
	}
	to, err := p.Type()
	if err != nil {
		return err
	}
	value, err := p.Resolve(operand, from)
	state.Operands, state.Types = []*ir.Value{value}, []ir.Type{to}
	return err
}

// elementConstraint is what a cast demands of an operand or result, or of its elements where that is a tensor.
type elementConstraint struct {
	accepts     func(ir.Type) bool
	description string
}

var (
	floats    = elementConstraint{isType[*ir.FloatType], "floating-point"}
	quantized = elementConstraint{isQuantized, "quantized type"}
	stored    = elementConstraint{func(t ir.Type) bool { return isStorage(t) || isQuantized(t) },
		"signless integer or quantized type"}
)

func isType[T ir.Type](t ir.Type) bool {
	_, ok := t.(T)
	return ok
}

func isQuantized(t ir.Type) bool {
	switch t.(type) {
	case *AnyType, *UniformType, *SubChannelType, *CalibratedType:
		return true
	}
	return false
}

func isStorage(t ir.Type) bool {
	integer, ok := t.(*ir.IntegerType)
	return ok && integer.Signedness == ir.Signless
}

// elementOf returns the elements' type of a tensor, and any other type itself.
func elementOf(t ir.Type) ir.Type {
	if isTensor(t) {
		return t.(ir.ShapedType).ElementType()
	}
	return t
}

func isTensor(t ir.Type) bool {
	return isType[*ir.RankedTensorType](t) || isType[*ir.UnrankedTensorType](t)
}

func verifyCast(op *ir.Operation, from, to elementConstraint) error {
	if err := op.VerifyStructure(ir.Structure{Operands: 1, Results: 1}); err != nil {
		return err
	}
	input, result := op.Operand(0).Type(), op.Result(0).Type()
	a, b := elementOf(input), elementOf(result)
	if !from.accepts(a) {
		return op.Errorf("operand #0 must be scalar or tensor of %s, but got '%s'", from.description, input)
	}
	if !to.accepts(b) {
		return op.Errorf("result #0 must be scalar or tensor of %s, but got '%s'", to.description, result)
	}
	if isStorage(a) && isStorage(b) || isQuantized(a) && isQuantized(b) {
		return op.Errorf("failed to verify that input must be integer and result must be quantized, or vice versa")
	}
	if !sameShape(input, result) {
		return op.Errorf("failed to verify that input and result are both scalars or both tensors with matching shape")
	}
	if !isQuantized(a) {
		a, b = b, a
	}
	if isStorage(b) {
		if storageOf(a) != b {
			return op.PlainErrorf("storage type in quantized type expected to match integer type")
		}
	} else if expressedOf(a) != b {
		return op.PlainErrorf("expressed type in quantized type expected to match float type")
	}
	return verifyScales(op, a, input)
}

func sameShape(a, b ir.Type) bool {
	if !isTensor(a) || !isTensor(b) {
		return !isTensor(a) && !isTensor(b)
	}
	left, ranked := a.(ir.ShapedType).Dims()
	right, alsoRanked := b.(ir.ShapedType).Dims()
	return ranked == alsoRanked && slices.Equal(left, right)
}

// storageOf returns the type that holds the values of a quantized type, nil for one that has none.
func storageOf(t ir.Type) ir.Type {
	switch t := t.(type) {
	case *AnyType:
		return t.Storage.Type(t.Context())
	case *UniformType:
		return t.Storage.Type(t.Context())
	case *SubChannelType:
		return t.Storage.Type(t.Context())
	}
	return nil
}

// expressedOf returns the type that the values of a quantized type stand for, nil where none is said.
func expressedOf(t ir.Type) ir.Type {
	switch t := t.(type) {
	case *AnyType:
		return t.Expressed
	case *UniformType:
		return t.Expressed
	case *SubChannelType:
		return t.Expressed
	case *CalibratedType:
		return t.Expressed
	}
	return nil
}

// verifyScales checks the scales of a quantized type against the shape of what holds it.
func verifyScales(op *ir.Operation, t, container ir.Type) error {
	switch t := t.(type) {
	case *UniformType:
		if t.Axis >= 0 {
			return t.verifyAxis(op, container)
		}
	case *SubChannelType:
		return t.verifyBlocks(op, container)
	}
	return nil
}

func (t *UniformType) verifyAxis(op *ir.Operation, container ir.Type) error {
	if !isTensor(container) {
		return op.PlainErrorf("scalar types may not use per-axis quantization")
	}
	shape, ranked := container.(ir.ShapedType).Dims()
	switch {
	case !ranked:
		return nil
	case t.Axis >= int64(len(shape)):
		return op.PlainErrorf("quantized dimension must be less than tensor rank")
	case shape[t.Axis] != ir.Dynamic && shape[t.Axis] != int64(len(t.Points)):
		return op.PlainErrorf("quantized dimension size does not match number of scales")
	}
	return nil
}

func (t *SubChannelType) verifyBlocks(op *ir.Operation, container ir.Type) error {
	if !isTensor(container) {
		return op.PlainErrorf("scalar types may not use sub-channel quantization")
	}
	shape, ranked := container.(ir.ShapedType).Dims()
	if !ranked {
		return op.PlainErrorf("tensor containing the sub-channel quantized type must be ranked")
	}
	blocks, err := t.blockCounts(op, shape)
	if err != nil {
		return err
	}
	if len(t.Shape) != len(shape) {
		return op.PlainErrorf("Rank of scales %d must match the rank of the tensor %d", len(t.Shape), len(shape))
	}
	for i, n := range blocks {
		if n != ir.Dynamic && n != t.Shape[i] {
			return op.PlainErrorf("dimension size %d of scales tensor at axis %d should match (tensor dimension at axis / block "+
				"sizes at axis) = %d", t.Shape[i], i, n)
		}
	}
	return nil
}

// blockCounts returns the number of blocks along each dimension: one where no block is given, Dynamic where that can't be
// told.
func (t *SubChannelType) blockCounts(op *ir.Operation, shape []int64) ([]int64, error) {
	blocks := make([]int64, len(shape))
	for i, size := range shape {
		blocks[i] = 1
		if size == 0 {
			return nil, op.PlainErrorf("tensor dimension size of zero is not allowed with sub-channel quantization")
		}
	}
	for _, b := range t.Blocks {
		if b.Dimension >= int64(len(shape)) {
			return nil, op.PlainErrorf("quantized dimension %d must be less than tensor rank %d", b.Dimension, len(shape))
		}
		size := shape[b.Dimension]
		if size == ir.Dynamic {
			blocks[b.Dimension] = ir.Dynamic
			continue
		}
		if size%b.Size != 0 {
			return nil, op.PlainErrorf("tensor dimension size %d at axis %d must be divisible by the corresponding block size %d", size,
				b.Dimension, b.Size)
		}
		blocks[b.Dimension] = size / b.Size
	}
	return blocks, nil
}
