package irdl

// This file holds constraints as they are checked. A constraint is a variable, too: the first attribute that it accepts is
// what it stands for from then on, so that two operands with one constraint have one type.

import "tpuir/ir"

// constraint checks an attribute; types come as [ir.TypeAttr]. Where it does not accept it, ok is false, and the message
// says why if one is asked for.
type constraint interface {
	check(v *verification, a ir.Attribute, report bool) (message string, ok bool)
}

// constraintSet holds the constraints of one definition, each in a slot.
type constraintSet struct{ slots []constraint }

func (s *constraintSet) start() *verification {
	return &verification{set: s, assigned: make([]ir.Attribute, len(s.slots))}
}

// verification is the check of one type, attribute or operation.
type verification struct {
	set      *constraintSet
	assigned []ir.Attribute
	// refused remembers what slots have not accepted. As variables are only ever added that stays true, and keeps
	// nested alternatives from being tried over and over.
	refused map[refusal]struct{}
}

type refusal struct {
	slot      int
	attribute ir.Attribute
}

func (v *verification) slot(i int, a ir.Attribute, report bool) (string, bool) {
	if assigned := v.assigned[i]; assigned != nil {
		if assigned == a {
			return "", true
		}
		return different(assigned, a, report), false
	}
	key := refusal{i, a}
	if _, known := v.refused[key]; known && !report {
		return "", false
	}
	message, ok := v.set.slots[i].check(v, a, report)
	if ok {
		v.assigned[i] = a
		return "", true
	}
	if v.refused == nil {
		v.refused = map[refusal]struct{}{}
	}
	v.refused[key] = struct{}{}
	return message, false
}

// slots checks attributes against as many slots.
func (v *verification) list(slots []int, attributes []ir.Attribute, report bool) (string, bool) {
	for i, a := range attributes {
		if message, ok := v.slot(slots[i], a, report); !ok {
			return message, false
		}
	}
	return "", true
}

func different(want, got ir.Attribute, report bool) string {
	if !report {
		return ""
	}
	return "expected '" + want.String() + "' but got '" + got.String() + "'"
}

// is accepts one attribute.
type is struct{ expected ir.Attribute }

func (c is) check(_ *verification, a ir.Attribute, report bool) (string, bool) {
	if a == c.expected {
		return "", true
	}
	return different(c.expected, a, report), false
}

// anything accepts everything.
type anything struct{}

func (anything) check(*verification, ir.Attribute, bool) (string, bool) { return "", true }

// predicate stands for a C++ predicate. Where it stands alone it accepts everything; in a combination, and for an
// attribute, it is as if it were not there, as in mlir-opt.
type predicate struct{ anything }

// anyOf accepts what one of the slots accepts; the first that does is taken.
type anyOf struct{ slots []int }

func (c anyOf) check(v *verification, a ir.Attribute, report bool) (string, bool) {
	for _, i := range c.slots {
		if _, ok := v.slot(i, a, false); ok {
			return "", true
		}
	}
	if !report {
		return "", false
	}
	return "'" + a.String() + "' does not satisfy the constraint", false
}

// allOf accepts what all of the slots accept.
type allOf struct{ slots []int }

func (c allOf) check(v *verification, a ir.Attribute, report bool) (string, bool) {
	for _, i := range c.slots {
		if message, ok := v.slot(i, a, report); !ok {
			return message, false
		}
	}
	return "", true
}

// base accepts what is of a base: a type of that name, or an attribute.
type base struct {
	name   string
	isType bool
}

func (c base) check(_ *verification, a ir.Attribute, report bool) (string, bool) {
	if !c.isType {
		if got := attributeBase(a); got != c.name {
			return "expected base attribute '" + c.name + "' but got '" + got + "'", false
		}
		return "", true
	}
	t, ok := a.(*ir.TypeAttr)
	if !ok {
		return noType(a, report), false
	}
	if got := typeBase(t.Value); got != c.name {
		return "expected base type '" + c.name + "' but got '" + got + "'", false
	}
	return "", true
}

// noType says that an attribute stands where a type should; the quotation mark is left open as MLIR leaves it.
func noType(a ir.Attribute, report bool) string {
	if !report {
		return ""
	}
	return "expected type, got attribute '" + a.String()
}

// parametricType accepts types of a definition whose parameters the slots accept.
type parametricType struct {
	definition *Definition
	slots      []int
}

func (c parametricType) check(v *verification, a ir.Attribute, report bool) (string, bool) {
	t, ok := a.(*ir.TypeAttr)
	if !ok {
		return noType(a, report), false
	}
	dynamic, ok := t.Value.(*Type)
	if !ok || dynamic.Definition != c.definition {
		if !report {
			return "", false
		}
		return "expected base type '" + c.definition.String() + "' but got '" + a.String() + "'", false
	}
	return c.definition.checkParameters(v, dynamic.Parameters, c.slots, report)
}

// parametricAttribute accepts attributes of a definition whose parameters the slots accept.
type parametricAttribute struct {
	definition *Definition
	slots      []int
}

func (c parametricAttribute) check(v *verification, a ir.Attribute, report bool) (string, bool) {
	dynamic, ok := a.(*Attribute)
	if !ok || dynamic.Definition != c.definition {
		if !report {
			return "", false
		}
		return "expected base attribute '" + c.definition.String() + "' but got '" + a.String() + "'", false
	}
	return c.definition.checkParameters(v, dynamic.Parameters, c.slots, report)
}

func (d *Definition) checkParameters(v *verification, parameters []ir.Attribute, slots []int, report bool) (string, bool) {
	if len(parameters) != len(slots) {
		return "attribute '" + d.String() + "' expects " + itoa(len(parameters)) + " parameters but got " + itoa(len(slots)), false
	}
	return v.list(slots, parameters, report)
}
