package cf

// This file holds cf.switch.

import (
	"math/big"
	"slices"
	"strconv"

	"tpuir/ir"
)

const (
	caseValuesAttribute   = "case_values"
	caseSegmentsAttribute = "case_operand_segments"
)

var switchDefinition = &ir.OpDefinition{
	Name:           SwitchName,
	Summary:        "goes to the block of a number's case",
	Traits:         ir.Terminator | ir.Pure,
	UsesProperties: true,
	Inherent:       []string{caseSegmentsAttribute, caseValuesAttribute, segmentsAttribute},
	Attributes:     switchAttributes,
	OperandGroups:  3,
	Verify:         verifySwitch,
	Parse:          parseSwitch,
	Print:          printSwitch,
}

var switchAttributes = []ir.AttributeConstraint{
	{Name: caseSegmentsAttribute, Required: true, Accepts: ir.IsI32Array, Description: "i32 dense array attribute"},
	{Name: caseValuesAttribute, Accepts: isIntegerElements, Description: "integer elements attribute"},
}

func isIntegerElements(a ir.Attribute) bool {
	dense, ok := a.(*ir.DenseElementsAttr)
	if !ok {
		return false
	}
	switch dense.Type.ElementType().(type) {
	case *ir.IntegerType, *ir.IndexType:
		return true
	}
	return false
}

// switchOperands divides the operands behind the flag: those of the default, then those of each case. ok is false where
// the segment sizes don't fit.
func switchOperands(op *ir.Operation) (parts [][]*ir.Value, ok bool) {
	segments, isArray := op.Attr(segmentsAttribute).(*ir.DenseArrayAttr)
	cases, areCases := op.Attr(caseSegmentsAttribute).(*ir.DenseArrayAttr)
	if !isArray || !areCases || op.NumOperands() == 0 {
		return nil, false
	}
	sizes := segments.Ints()
	if len(sizes) != 3 || sizes[0] != 1 {
		return nil, false
	}
	rest := op.Operands()[1:]
	inCases := int64(0)
	for i, size := range append([]int64{sizes[1]}, cases.Ints()...) {
		if size < 0 || size > int64(len(rest)) {
			return nil, false
		}
		if i > 0 {
			inCases += size
		}
		parts = append(parts, rest[:size])
		rest = rest[size:]
	}
	return parts, len(rest) == 0 && inCases == sizes[2]
}

func verifySwitch(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Operands: ir.AtLeast(1), Successors: ir.AtLeast(1)}); err != nil {
		return err
	}
	if err := op.VerifyOperandGroups(); err != nil {
		return err
	}
	if err := op.VerifyAttributes(switchAttributes); err != nil {
		return err
	}
	if err := verifyCaseSegments(op); err != nil {
		return err
	}
	parts, ok := switchOperands(op)
	if !ok {
		return op.Errorf("segment sizes do not describe the %d operands", op.NumOperands())
	}
	if len(parts) != op.NumSuccessors() {
		return op.Errorf("requires %d successors but found %d", len(parts), op.NumSuccessors())
	}
	if err := verifyCases(op); err != nil {
		return err
	}
	for i, values := range parts {
		if err := verifySuccessor(op, i, values); err != nil {
			return err
		}
	}
	return nil
}

// verifyCaseSegments checks that the operands of the cases add up to those that there are.
func verifyCaseSegments(op *ir.Operation) error {
	total := int64(0)
	for _, n := range op.Attr(caseSegmentsAttribute).(*ir.DenseArrayAttr).Ints() {
		if n < 0 {
			return op.Errorf("'%s' attribute cannot have negative elements", caseSegmentsAttribute)
		}
		total += n
	}
	if n := op.Attr(segmentsAttribute).(*ir.DenseArrayAttr).Ints()[2]; n != total {
		return op.Errorf("caseOperands count (%d) does not match with the total size (%d) specified in attribute '%s'", n, total,
			caseSegmentsAttribute)
	}
	return nil
}

func verifyCases(op *ir.Operation) error {
	flag := op.Operand(0).Type()
	if _, ok := flag.(*ir.IntegerType); !ok {
		return op.Errorf("operand #0 must be integer, but got '%s'", flag)
	}
	count := int64(op.NumSuccessors() - 1)
	values, ok := op.Attr(caseValuesAttribute).(*ir.DenseElementsAttr)
	if !ok {
		if count > 0 {
			return op.Errorf("expects number of case values to match number of case destinations: 0 vs %d", count)
		}
		return nil
	}
	if got := values.Type.ElementType(); got != flag {
		return op.Errorf("'flag' type ('%s') should match case value type ('%s')", flag, got)
	}
	shape, _ := values.Type.Dims()
	if n, _ := ir.NumElements(shape); n != count {
		return op.Errorf("number of case values (%d) should match number of case destinations (%d)", n, count)
	}
	return nil
}

// parseCase reads `: ^block(%a : T)`.
func parseCase(p ir.OpAsmParser) (successor, error) {
	if err := p.Punctuation(":"); err != nil {
		return successor{}, err
	}
	return parseSuccessor(p)
}

func parseSwitch(p ir.OpAsmParser, state *ir.OperationState) error {
	operand, err := p.Operand()
	if err != nil {
		return err
	}
	if err := p.Punctuation(":"); err != nil {
		return err
	}
	at := p.Position()
	t, err := p.Type()
	if err != nil {
		return err
	}
	flagType, ok := t.(*ir.IntegerType)
	if !ok {
		return p.ErrorAt(at, "invalid kind of type specified: expected builtin.integer, but found '%s'", t)
	}
	for _, text := range []string{",", "["} {
		if err := p.Punctuation(text); err != nil {
			return err
		}
	}
	cases, numbers, err := parseCases(p)
	if err != nil {
		return err
	}
	d, err := p.OwnAttrDict("")
	if err != nil {
		return err
	}
	setCases(p.Context(), state, d, flagType, cases, numbers)
	flag, err := p.Resolve(operand, t)
	if err != nil {
		return err
	}
	state.Operands = []*ir.Value{flag}
	return resolveSuccessors(p, state, cases)
}

// parseCases reads `default: ^block, number: ^block …]`.
func parseCases(p ir.OpAsmParser) (cases []successor, numbers []int64, err error) {
	if !p.OptionalKeyword("default") {
		return nil, nil, p.Errorf("expected 'default'")
	}
	first, err := parseCase(p)
	if err != nil {
		return nil, nil, err
	}
	cases = []successor{first}
	for p.OptionalPunctuation(",") {
		number, err := p.Integer()
		if err != nil {
			return nil, nil, err
		}
		c, err := parseCase(p)
		if err != nil {
			return nil, nil, err
		}
		cases, numbers = append(cases, c), append(numbers, number)
	}
	return cases, numbers, p.Punctuation("]")
}

// setCases sets successors and attributes of the operation's state.
func setCases(c *ir.Context, state *ir.OperationState, d *ir.DictionaryAttr, t *ir.IntegerType, cases []successor,
	numbers []int64) {
	segments := []int32{}
	total := int32(0)
	for i, part := range cases {
		state.Successors = append(state.Successors, part.block)
		if i > 0 {
			segments = append(segments, int32(len(part.operands)))
			total += int32(len(part.operands))
		}
	}
	d = d.WithDefault(caseSegmentsAttribute, c.DenseI32Array(segments...)).
		WithDefault(segmentsAttribute, c.DenseI32Array(1, int32(len(cases[0].operands)), total))
	if len(numbers) > 0 {
		d = d.WithDefault(caseValuesAttribute, caseValues(c, t, numbers))
	}
	state.Attributes = d
}

// caseValues returns `dense<[numbers…]> : vector<…>`.
func caseValues(c *ir.Context, t *ir.IntegerType, numbers []int64) ir.Attribute {
	size := ir.DenseElementBytes(t)
	splat := true
	var data []byte
	for _, n := range numbers {
		splat = splat && n == numbers[0]
		for i := range size {
			data = append(data, byte(n>>(8*min(i, 7))))
		}
	}
	if splat {
		data = data[:size]
	}
	return c.Dense(c.VectorType([]int64{int64(len(numbers))}, nil, t), splat, data)
}

// printSwitch writes each destination on a line of its own.
func printSwitch(p ir.OpAsmPrinter, op *ir.Operation) {
	destinations, numbers := Destinations(op), CaseValues(op)
	p.Text(" ")
	p.Value(op.Operand(0))
	p.Text(" : ")
	p.Type(op.Operand(0).Type())
	p.Text(", [")
	p.Newline()
	for i, d := range destinations {
		switch {
		case i == 0:
			p.Text("  default: ")
		case i <= len(numbers):
			p.Text(",")
			p.Newline()
			p.Text("  " + caseText(numbers[i-1]) + ": ")
		}
		printSuccessor(p, d.Block, d.Values)
	}
	if len(numbers) > 0 {
		p.Newline()
	}
	p.Text("]")
	p.AttrDict(op.Attributes(), caseSegmentsAttribute, caseValuesAttribute, segmentsAttribute)
}

// caseText writes the number of a case as mlir-opt does, without a sign, where that can be read back, else with one.
func caseText(number string) string {
	digits := []byte(number)
	slices.Reverse(digits)
	value := new(big.Int).SetBytes(digits)
	if value.IsInt64() {
		return strconv.FormatInt(value.Int64(), 10)
	}
	if digits[0] >= 0x80 {
		value.Sub(value, new(big.Int).Lsh(big.NewInt(1), uint(8*len(digits))))
	}
	return value.String()
}
