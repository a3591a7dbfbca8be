package ir

// This file checks what an operation is made of, in MLIR's words, for definitions that are written by hand.

// Structure is how many parts an operation has. A negative number stands for any.
type Structure struct{ Operands, Results, Regions, Successors int }

// VerifyStructure reports the first part whose number is not the one asked for.
func (op *Operation) VerifyStructure(s Structure) error {
	switch n := len(op.regions); {
	case s.Regions < 0 || n == s.Regions:
	case s.Regions == 0:
		return op.Errorf("requires zero regions")
	case s.Regions == 1:
		return op.Errorf("requires one region")
	default:
		return op.Errorf("expected %d regions", s.Regions)
	}
	switch n := len(op.results); {
	case s.Results < 0 || n == s.Results:
	case s.Results == 0:
		return op.Errorf("requires zero results")
	case s.Results == 1:
		return op.Errorf("requires one result")
	default:
		return op.Errorf("expected %d results", s.Results)
	}
	if n := len(op.successors); s.Successors >= 0 && n != s.Successors {
		return op.Errorf("requires %d successors but found %d", s.Successors, n)
	}
	switch n := len(op.operands); {
	case s.Operands < 0 || n == s.Operands:
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
}

// VerifyAttributes checks the attributes of an operation: first that none is missing, then the values.
func (op *Operation) VerifyAttributes(constraints []AttributeConstraint) error {
	for _, c := range constraints {
		if c.Required && op.Attr(c.Name) == nil {
			return op.Errorf("requires attribute '%s'", c.Name)
		}
	}
	for _, c := range constraints {
		if a := op.Attr(c.Name); a != nil && !c.Accepts(a) {
			return op.Errorf("attribute '%s' failed to satisfy constraint: %s", c.Name, c.Description)
		}
	}
	return nil
}

// IsA reports whether an attribute is of one Go type; it serves as [AttributeConstraint.Accepts].
func IsA[T Attribute](a Attribute) bool {
	_, ok := a.(T)
	return ok
}
