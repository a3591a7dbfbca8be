package irdl

// This file holds the operations of loaded dialects and how they are verified.

import (
	"errors"

	"tpuir/ir"
)

// The attributes that tell how operands and results are divided where more than one element is not single.
const (
	operandSegmentsKey = "operandSegmentSizes"
	resultSegmentsKey  = "resultSegmentSizes"
)

// operation is what a loaded dialect says of one operation.
type operation struct {
	constraints       *constraintSet
	operands, results []element
	attributes        []namedSlot
	regions           []regionConstraint
}

// element is one of the operands or results.
type element struct {
	slot        int
	variadicity Variadicity
}

type namedSlot struct {
	name string
	slot int
}

// regionConstraint is what a region must look like.
type regionConstraint struct {
	// arguments are the slots of the entry block's arguments, where constrained is set.
	arguments   []int
	constrained bool
	// blocks is the number of blocks, 0 for any.
	blocks int
}

// definition returns what the verifier and the parser see of the operation.
func (o *operation) definition(name string) *ir.OpDefinition {
	return &ir.OpDefinition{Name: name, Summary: "defined in IRDL", Dynamic: true, Verify: o.verify}
}

// verify checks counts, attributes, operands and results, then the regions, with the same variables.
func (o *operation) verify(op *ir.Operation) error {
	v := o.constraints.start()
	return errors.Join(nilOr(o.verifyValues(op, v)), nilOr(o.verifyRegions(op, v)))
}

// nilOr makes an error of a diagnostic that may be nil.
func nilOr(d *ir.Diagnostic) error {
	if d == nil {
		return nil
	}
	return d
}

func (o *operation) verifyValues(op *ir.Operation, v *verification) *ir.Diagnostic {
	operands, d := segments(op, "operand", operandSegmentsKey, op.NumOperands(), o.operands)
	if d != nil {
		return d
	}
	results, d := segments(op, "result", resultSegmentsKey, op.NumResults(), o.results)
	if d != nil {
		return d
	}
	for _, wanted := range o.attributes {
		a := op.Attr(wanted.name)
		if a == nil {
			return op.Errorf("attribute %s is expected but not provided", op.Context().StringAttr(wanted.name))
		}
		if message, ok := v.slot(wanted.slot, a, true); !ok {
			return op.PlainErrorf("%s", message)
		}
	}
	if d := verifyTypes(op, v, op.OperandTypes(), operands, o.operands); d != nil {
		return d
	}
	return verifyTypes(op, v, op.ResultTypes(), results, o.results)
}

// verifyTypes checks the types of operands or results that are divided into segments.
func verifyTypes(op *ir.Operation, v *verification, types []ir.Type, segments []int, elements []element) *ir.Diagnostic {
	next := 0
	for i, n := range segments {
		for range n {
			if message, ok := v.slot(elements[i].slot, op.Context().TypeAttr(types[next]), true); !ok {
				return op.PlainErrorf("%s", message)
			}
			next++
		}
	}
	return nil
}

// segments returns how many of n operands or results belong to each element.
func segments(op *ir.Operation, what, key string, n int, elements []element) ([]int, *ir.Diagnostic) {
	flexible := 0
	for _, e := range elements {
		if e.variadicity != Single {
			flexible++
		}
	}
	if flexible > 1 {
		return segmentsFromAttribute(op, what, key, n, elements)
	}
	rest := n - len(elements) + 1 // what is left for the one that is not single
	if flexible == 0 && n != len(elements) {
		return nil, op.PlainErrorf("op expects exactly %d %ss, but got %d", len(elements), what, n)
	}
	if flexible == 1 && rest < 0 {
		return nil, op.PlainErrorf("op expects at least %d %ss, but got %d", len(elements)-1, what, n)
	}
	sizes := make([]int, len(elements))
	for i, e := range elements {
		switch {
		case e.variadicity == Single:
			sizes[i] = 1
		case e.variadicity == Optional && rest > 1:
			return nil, op.PlainErrorf("op expects at most %d %ss, but got %d", len(elements), what, n)
		default:
			sizes[i] = rest
		}
	}
	return sizes, nil
}

func segmentsFromAttribute(op *ir.Operation, what, key string, n int, elements []element) ([]int, *ir.Diagnostic) {
	a := op.Attr(key)
	if a == nil {
		return nil, op.PlainErrorf("'%s' attribute is expected but not provided", key)
	}
	array, ok := a.(*ir.DenseArrayAttr)
	if !ok || array.Element != ir.Type(op.Context().I32()) {
		return nil, op.PlainErrorf("'%s' attribute is expected to be a dense i32 array", key)
	}
	values := array.Ints()
	if len(values) != len(elements) {
		return nil, op.PlainErrorf("'%s' attribute for specifying %s segments must have %d elements, but got %d",
			key, what, len(elements), len(values))
	}
	sizes, sum := make([]int, len(values)), int64(0)
	for i, size := range values {
		switch variadicity := elements[i].variadicity; {
		case size < 0:
			return nil, op.PlainErrorf("'%s' attribute for specifying %s segments must have non-negative values", key, what)
		case variadicity == Single && size != 1:
			return nil, op.PlainErrorf("element %d in '%s' attribute must be equal to 1", i, key)
		case variadicity == Optional && size > 1:
			return nil, op.PlainErrorf("element %d in '%s' attribute must be equal to 0 or 1", i, key)
		}
		sizes[i] = int(size)
		sum += size
	}
	if sum != int64(n) {
		return nil, op.PlainErrorf("sum of elements in '%s' attribute must be equal to the number of %ss", key, what)
	}
	return sizes, nil
}

func (o *operation) verifyRegions(op *ir.Operation, v *verification) *ir.Diagnostic {
	if op.NumRegions() != len(o.regions) {
		return op.Errorf("unexpected number of regions: expected %d but got %d", len(o.regions), op.NumRegions())
	}
	for i, wanted := range o.regions {
		if d := wanted.verify(op, i, v); d != nil {
			return d
		}
	}
	return nil
}

func (c *regionConstraint) verify(op *ir.Operation, number int, v *verification) *ir.Diagnostic {
	region := op.Region(number)
	var arguments []*ir.Value
	if !region.Empty() {
		arguments = region.First().Arguments()
	}
	blocks := 0
	for range region.Blocks() {
		blocks++
	}
	if c.blocks > 0 && blocks != c.blocks {
		return op.PlainErrorf("expected region %d to have %d block(s) but got %d", number, c.blocks, blocks)
	}
	if c.constrained {
		if len(arguments) != len(c.arguments) {
			var at *ir.Value
			if len(arguments) > 0 {
				at = arguments[0]
			}
			return argumentError(op, at, "expected region "+itoa(number)+" to have "+itoa(len(c.arguments))+" arguments but got "+
				itoa(len(arguments)))
		}
		for i, argument := range arguments {
			if message, ok := v.slot(c.arguments[i], op.Context().TypeAttr(argument.Type()), true); !ok {
				return argumentError(op, argument, message)
			}
		}
	}
	return nil
}

// argumentError makes an error at an argument, or at the operation where there is none.
func argumentError(op *ir.Operation, argument *ir.Value, message string) *ir.Diagnostic {
	d := op.PlainErrorf("%s", message)
	if argument == nil {
		return d
	}
	d.Loc, d.Position, d.Op = argument.Loc(), 0, nil
	return d.NoteAt(op, "see the operation")
}
