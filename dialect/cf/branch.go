package cf

// This file holds the branches.

import "tpuir/ir"

const (
	weightsAttribute  = "branch_weights"
	segmentsAttribute = ir.OperandSegmentSizes
)

var branchDefinition = &ir.OpDefinition{
	Name:    BranchName,
	Summary: "goes to a block",
	Traits:  ir.Terminator | ir.Pure,
	Verify: func(op *ir.Operation) error {
		if err := op.VerifyStructure(ir.Structure{Operands: -1, Successors: 1}); err != nil {
			return err
		}
		return verifySuccessor(op, 0, op.Operands())
	},
	Parse: func(p ir.OpAsmParser, state *ir.OperationState) error {
		to, err := parseSuccessor(p)
		if err != nil {
			return err
		}
		if state.Attributes, err = p.OwnAttrDict(""); err != nil {
			return err
		}
		state.Successors = []*ir.Block{to.block}
		state.Operands, err = to.resolve(p)
		return err
	},
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.Text(" ")
		printSuccessor(p, op.Successor(0), op.Operands())
		p.AttrDict(op.Attributes())
	},
}

var condBranchDefinition = &ir.OpDefinition{
	Name:           CondBranchName,
	Summary:        "goes to one block or to another",
	Traits:         ir.Terminator | ir.Pure,
	UsesProperties: true,
	Inherent:       []string{weightsAttribute, segmentsAttribute},
	Attributes:     condBranchAttributes,
	OperandGroups:  3,
	Verify:         verifyCondBranch,
	Parse:          parseCondBranch,
	Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
		p.Text(" ")
		p.Value(op.Operand(0))
		if weights, ok := op.Attr(weightsAttribute).(*ir.DenseArrayAttr); ok {
			p.Text(" weights(")
			p.Attribute(p.Context().I64Array(weights.Ints()...))
			p.Text(")")
		}
		trueValues, falseValues, _ := branchOperands(op)
		p.Text(", ")
		printSuccessor(p, op.Successor(0), trueValues)
		p.Text(", ")
		printSuccessor(p, op.Successor(1), falseValues)
		p.AttrDict(op.AllAttributes(), weightsAttribute, segmentsAttribute)
	},
}

var condBranchAttributes = []ir.AttributeConstraint{
	{Name: weightsAttribute, Accepts: ir.IsI32Array, Description: "i32 dense array attribute"},
}

// branchOperands divides the operands of a cf.cond_br; ok is false where the segment sizes don't fit.
func branchOperands(op *ir.Operation) (trueValues, falseValues []*ir.Value, ok bool) {
	segments, isArray := op.Attr(segmentsAttribute).(*ir.DenseArrayAttr)
	if !isArray {
		return nil, nil, false
	}
	sizes := segments.Ints()
	values := op.Operands()
	n := int64(len(values))
	if len(sizes) != 3 || sizes[0] != 1 || sizes[1] < 0 || sizes[1] > n || sizes[2] < 0 || sizes[0]+sizes[1]+sizes[2] != n {
		return nil, nil, false
	}
	return values[1 : 1+sizes[1]], values[1+sizes[1]:], true
}

func verifyCondBranch(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Operands: ir.AtLeast(1), Successors: 2}); err != nil {
		return err
	}
	if err := op.VerifyOperandGroups(); err != nil {
		return err
	}
	if err := op.VerifyAttributes(condBranchAttributes); err != nil {
		return err
	}
	trueValues, falseValues, ok := branchOperands(op)
	if !ok {
		return op.Errorf("'operandSegmentSizes' attribute does not describe the %d operands", op.NumOperands())
	}
	if err := verifyCondition(op); err != nil {
		return err
	}
	if err := verifySuccessor(op, 0, trueValues); err != nil {
		return err
	}
	if err := verifySuccessor(op, 1, falseValues); err != nil {
		return err
	}
	return verifyWeights(op)
}

func verifyWeights(op *ir.Operation) error {
	weights := Weights(op)
	if weights == nil {
		return nil
	}
	numbers := weights.Ints()
	if len(numbers) == 0 {
		return nil
	}
	if len(numbers) != 2 {
		return op.PlainErrorf("expects number of branch weights to match number of successors: %d vs 2", len(numbers))
	}
	if numbers[0] == 0 && numbers[1] == 0 {
		return op.PlainErrorf("branch weights cannot all be zero")
	}
	return nil
}

// verifySuccessor checks the values that become the arguments of a successor.
func verifySuccessor(op *ir.Operation, i int, values []*ir.Value) error {
	arguments := op.Successor(i).Arguments()
	if len(values) != len(arguments) {
		return op.PlainErrorf("branch has %d operands for successor #%d, but target block has %d", len(values), i, len(arguments))
	}
	for j, v := range values {
		if v.Type() != arguments[j].Type() {
			return op.PlainErrorf("type mismatch for bb argument #%d of successor #%d", j, i)
		}
	}
	return nil
}

// successor is a block and what stands behind it, as read.
type successor struct {
	block    *ir.Block
	operands []ir.UnresolvedOperand
	types    []ir.Type
	at       ir.Position // of the operands
}

// resolve finds the operands, which MLIR does when all of the operation is read.
func (s *successor) resolve(p ir.OpAsmParser) ([]*ir.Value, error) {
	return p.ResolveAll(s.operands, s.types, s.at)
}

// parseSuccessor reads `^block` or `^block(%a, %b : T, T)`.
func parseSuccessor(p ir.OpAsmParser) (s successor, err error) {
	if s.block, err = p.Successor(); err != nil || !p.OptionalPunctuation("(") {
		return s, err
	}
	s.at = p.Position()
	if s.operands, err = p.OperandList(); err != nil {
		return s, err
	}
	if err := p.Punctuation(":"); err != nil {
		return s, err
	}
	if s.types, err = ir.ParseTypes(p); err != nil {
		return s, err
	}
	return s, p.Punctuation(")")
}

func printSuccessor(p ir.OpAsmPrinter, b *ir.Block, values []*ir.Value) {
	p.Successor(b)
	if len(values) == 0 {
		return
	}
	p.Text("(")
	p.Values(values)
	p.Text(" : ")
	for i, v := range values {
		if i > 0 {
			p.Text(", ")
		}
		p.Type(v.Type())
	}
	p.Text(")")
}

func parseCondBranch(p ir.OpAsmParser, state *ir.OperationState) error {
	condition, err := p.Operand()
	if err != nil {
		return err
	}
	weights, err := parseWeights(p)
	if err != nil {
		return err
	}
	var to [2]successor
	for i := range to {
		if err := p.Punctuation(","); err != nil {
			return err
		}
		if to[i], err = parseSuccessor(p); err != nil {
			return err
		}
		state.Successors = append(state.Successors, to[i].block)
	}
	d, err := p.OwnAttrDict("")
	if err != nil {
		return err
	}
	if weights != nil {
		d = d.WithDefault(weightsAttribute, weights)
	}
	sizes := p.Context().DenseI32Array(1, int32(len(to[0].operands)), int32(len(to[1].operands)))
	state.Attributes = d.WithDefault(segmentsAttribute, sizes)
	value, err := p.Resolve(condition, p.Context().I1())
	if err != nil {
		return err
	}
	state.Operands = []*ir.Value{value}
	return resolveSuccessors(p, state, to[:])
}

// resolveSuccessors adds the operands of successors to the operation's.
func resolveSuccessors(p ir.OpAsmParser, state *ir.OperationState, to []successor) error {
	for i := range to {
		values, err := to[i].resolve(p)
		if err != nil {
			return err
		}
		state.Operands = append(state.Operands, values...)
	}
	return nil
}

// parseWeights reads `weights([90, 10])` if it is there; it returns nil where it is not.
func parseWeights(p ir.OpAsmParser) (ir.Attribute, error) {
	if !p.OptionalKeyword("weights") {
		return nil, nil
	}
	for _, bracket := range []string{"(", "["} {
		if err := p.Punctuation(bracket); err != nil {
			return nil, err
		}
	}
	var weights []int32
	err := p.CommaList("]", func() error {
		at := p.Position()
		weight, err := p.Integer()
		if err == nil && int64(int32(weight)) != weight {
			return p.ErrorAt(at, "integer value too large")
		}
		weights = append(weights, int32(weight))
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.Context().DenseI32Array(weights...), p.Punctuation(")")
}
