package cf

// This file makes branches.

import (
	"slices"

	"tpuir/ir"
)

// NewBranch makes a cf.br at the builder's place.
func NewBranch(b *ir.Builder, loc ir.Location, to Destination) *ir.Operation {
	return b.Create(&ir.OperationState{Name: b.Context().OperationName(BranchName), Loc: loc,
		Operands: to.Values, Successors: []*ir.Block{to.Block}})
}

// NewCondBranch makes a cf.cond_br at the builder's place. The weights are those of Weights, or nil.
func NewCondBranch(b *ir.Builder, loc ir.Location, condition *ir.Value, weights *ir.DenseArrayAttr,
	whenTrue, whenFalse Destination) *ir.Operation {
	c := b.Context()
	attributes := c.Dictionary(ir.NamedAttribute{Name: segmentsAttribute,
		Value: c.DenseI32Array(1, int32(len(whenTrue.Values)), int32(len(whenFalse.Values)))})
	if weights != nil {
		attributes = attributes.With(weightsAttribute, weights)
	}
	return b.Create(&ir.OperationState{
		Name: c.OperationName(CondBranchName), Loc: loc,
		Operands:   slices.Concat([]*ir.Value{condition}, whenTrue.Values, whenFalse.Values),
		Successors: []*ir.Block{whenTrue.Block, whenFalse.Block},
		Attributes: attributes,
	})
}

// Weights returns how often a cf.cond_br is expected to go each way, nil where that is not said.
func Weights(op *ir.Operation) *ir.DenseArrayAttr {
	weights, _ := op.Attr(weightsAttribute).(*ir.DenseArrayAttr)
	return weights
}

// CaseValues returns the numbers of a switch's cases, each as the bytes of a dense element, the lowest first.
func CaseValues(op *ir.Operation) []string {
	dense, ok := op.Attr(caseValuesAttribute).(*ir.DenseElementsAttr)
	if !ok {
		return nil
	}
	size := ir.DenseElementBytes(dense.Type.ElementType())
	values := make([]string, op.NumSuccessors()-1)
	data := dense.Data()
	for i := range values {
		at := i * size
		if dense.Splat {
			at = 0
		}
		values[i] = string(data[at : at+size])
	}
	return values
}

// NewSwitch makes a cf.switch at the builder's place. The first destination is the default, the others those of the
// cases; the numbers are as CaseValues gives them.
func NewSwitch(b *ir.Builder, loc ir.Location, flag *ir.Value, numbers []string, destinations []Destination) *ir.Operation {
	c := b.Context()
	state := &ir.OperationState{Name: c.OperationName(SwitchName), Loc: loc, Operands: []*ir.Value{flag}}
	segments := make([]int32, 0, len(numbers))
	total := int32(0)
	for i, d := range destinations {
		state.Successors = append(state.Successors, d.Block)
		state.Operands = append(state.Operands, d.Values...)
		if i > 0 {
			segments = append(segments, int32(len(d.Values)))
			total += int32(len(d.Values))
		}
	}
	attributes := c.Dictionary(
		ir.NamedAttribute{Name: caseSegmentsAttribute, Value: c.DenseI32Array(segments...)},
		ir.NamedAttribute{Name: segmentsAttribute, Value: c.DenseI32Array(1, int32(len(destinations[0].Values)), total)})
	if len(numbers) > 0 {
		attributes = attributes.With(caseValuesAttribute, denseCaseValues(flag.Type(), numbers))
	}
	state.Attributes = attributes
	return b.Create(state)
}

func denseCaseValues(t ir.Type, numbers []string) ir.Attribute {
	splat := true
	var data []byte
	for _, n := range numbers {
		splat = splat && n == numbers[0]
		data = append(data, n...)
	}
	if splat {
		data = data[:len(numbers[0])]
	}
	c := t.Context()
	return c.Dense(c.VectorType([]int64{int64(len(numbers))}, nil, t), splat, data)
}
