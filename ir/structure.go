package ir

// This file checks what an operation is made of, in MLIR's words, for definitions that are written by hand.

import "fmt"

// Structure is how many parts an operation has: a number, [Any] or [AtLeast].
type Structure struct{ Operands, Results, Regions, Successors int }

// Any stands for any number of parts.
const Any = -1

// AtLeast stands for that many parts or more.
func AtLeast(n int) int { return Any - n }

// has reports whether a number of parts is what is asked for.
func has(n, asked int) bool { return n == asked || asked < 0 && n >= Any-asked }

// VerifyStructure reports the first part whose number is not the one asked for.
func (op *Operation) VerifyStructure(s Structure) error {
	switch n := len(op.regions()); {
	case has(n, s.Regions):
	case s.Regions == 0:
		return op.Errorf("requires zero regions")
	case s.Regions == 1:
		return op.Errorf("requires one region")
	default:
		return op.Errorf("expected %d regions", s.Regions)
	}
	switch n := len(op.results()); {
	case has(n, s.Results):
	case s.Results == 0:
		return op.Errorf("requires zero results")
	case s.Results == 1:
		return op.Errorf("requires one result")
	default:
		return op.Errorf("expected %d results", s.Results)
	}
	switch n := len(op.successors()); {
	case has(n, s.Successors):
	case s.Successors < 0:
		return op.Errorf("requires at least %d successors but found %d", Any-s.Successors, n)
	case s.Successors == 1:
		return op.Errorf("requires 1 successor but found %d", n)
	default:
		return op.Errorf("requires %d successors but found %d", s.Successors, n)
	}
	switch n := len(op.operands()); {
	case has(n, s.Operands):
	case s.Operands < 0:
		return op.Errorf("expected %d or more operands, but found %d", Any-s.Operands, n)
	case s.Operands == 0:
		return op.Errorf("requires zero operands")
	case s.Operands == 1:
		return op.Errorf("requires a single operand")
	default:
		return op.Errorf("expected %d operands, but found %d", s.Operands, n)
	}
	return nil
}

// AttributeConstraint is what a definition demands of one inherent attribute.
type AttributeConstraint struct {
	Name     string
	Required bool
	// Accepts reports whether a value will do; Description says which do: "string attribute".
	Accepts     func(Attribute) bool
	Description string
	// Holds reports whether a property can hold the value at all, which others than those accepted may be; nil: no others.
	Holds func(Attribute) bool
}

func (c *AttributeConstraint) holds(a Attribute) bool {
	if c.Holds != nil {
		return c.Holds(a)
	}
	return c.Accepts(a)
}

// InvalidProperties tells in MLIR's words which value of `<{…}>` its property can't hold, "" where there is none.
func (d *OpDefinition) InvalidProperties(properties *DictionaryAttr) string {
	for i := range d.Attributes {
		c := &d.Attributes[i]
		if a := properties.Get(c.Name); a != nil && !c.holds(a) {
			return "Invalid attribute `" + c.Name + "` in property conversion: " + a.String()
		}
	}
	sizes := properties.Get(OperandSegmentSizes)
	if d.OperandGroups == 0 || sizes == nil {
		return ""
	}
	if !IsI32Array(sizes) {
		return "expected DenseI32ArrayAttr for key `value`"
	}
	if n := len(sizes.(*DenseArrayAttr).Ints()); n != d.OperandGroups {
		return fmt.Sprintf("size mismatch in attribute conversion: %d vs %d", n, d.OperandGroups)
	}
	return ""
}

// InvalidInherent tells which inherent attribute in `{…}` does not satisfy its constraint, "" where there is none.
func (d *OpDefinition) InvalidInherent(attributes *DictionaryAttr) string {
	for i := range d.Attributes {
		c := &d.Attributes[i]
		if a := attributes.Get(c.Name); a != nil && !c.Accepts(a) {
			return "'" + d.Name + "' op " + c.failure()
		}
	}
	return ""
}

func (c *AttributeConstraint) failure() string {
	return "attribute '" + c.Name + "' failed to satisfy constraint: " + c.Description
}

// holds reports whether an inherent attribute's value can be kept.
func (d *OpDefinition) holds(e NamedAttribute) bool {
	for i := range d.Attributes {
		if c := &d.Attributes[i]; c.Name == e.Name {
			return c.holds(e.Value)
		}
	}
	if d.OperandGroups > 0 && e.Name == OperandSegmentSizes {
		return IsI32Array(e.Value) && len(e.Value.(*DenseArrayAttr).Ints()) == d.OperandGroups
	}
	return true
}

// VerifyAttributes checks the attributes of an operation: first that none is missing, then the values, of those that must
// be there first.
func (op *Operation) VerifyAttributes(constraints []AttributeConstraint) error {
	for _, c := range constraints {
		if c.Required && op.Attr(c.Name) == nil {
			return op.Errorf("requires attribute '%s'", c.Name)
		}
	}
	for _, required := range []bool{true, false} {
		for i := range constraints {
			c := &constraints[i]
			if a := op.Attr(c.Name); c.Required == required && a != nil && !c.Accepts(a) {
				return op.Errorf("%s", c.failure())
			}
		}
	}
	return nil
}

// IsA reports whether an attribute is of one Go type; it serves as [AttributeConstraint.Accepts].
func IsA[T Attribute](a Attribute) bool {
	_, ok := a.(T)
	return ok
}

// IsI32Array reports whether an attribute is `array<i32: …>`.
func IsI32Array(a Attribute) bool {
	array, ok := a.(*DenseArrayAttr)
	return ok && array.Element == Type(array.Context().I32())
}

// OperandSegmentSizes is the name of the attribute that says how many operands each group has.
const OperandSegmentSizes = "operandSegmentSizes"

// VerifyOperandGroups checks that the sizes of the groups add up to the number of operands.
func (op *Operation) VerifyOperandGroups() error {
	sizes, ok := op.Attr(OperandSegmentSizes).(*DenseArrayAttr)
	if !ok {
		return op.Errorf("requires attribute '%s'", OperandSegmentSizes)
	}
	total := int64(0)
	for _, n := range sizes.Ints() {
		if n < 0 {
			return op.Errorf("'%s' attribute cannot have negative elements", OperandSegmentSizes)
		}
		total += n
	}
	if n := len(op.operands()); int64(n) != total {
		return op.Errorf("operand count (%d) does not match with the total size (%d) specified in attribute '%s'", n, total,
			OperandSegmentSizes)
	}
	return nil
}
