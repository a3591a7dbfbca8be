package irdl

// This file makes the dialects that a module defines known to its context.

import (
	"maps"
	"slices"

	"tpuir/ir"
)

// Load registers the dialects that the module defines in the module's context, which must not have read a text that uses
// them before. The module must be verified. Where there is an error, a [*ir.Diagnostic] about an operation of the module,
// nothing is registered.
func Load(module *ir.Operation) error {
	l := &loader{context: module.Context(), dialects: map[string]*loaded{}, definitions: map[*ir.Operation]*Definition{}}
	for _, pass := range []func(*ir.Operation) *ir.Diagnostic{l.checkAlternatives, l.declare, l.define} {
		if d := each(module, pass); d != nil {
			return d
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.dialects)) {
		l.context.RegisterDialect(l.dialects[name].dialect(name))
	}
	return nil
}

// each calls f for every operation in the module until there is an error.
func each(module *ir.Operation, f func(*ir.Operation) *ir.Diagnostic) (found *ir.Diagnostic) {
	module.Walk(func(op *ir.Operation) ir.WalkResult {
		if found = f(op); found != nil {
			return ir.Interrupt
		}
		return ir.Advance
	})
	return found
}

// loader is what is known while a module is loaded.
type loader struct {
	context     *ir.Context
	tables      ir.SymbolTables
	dialects    map[string]*loaded
	definitions map[*ir.Operation]*Definition
}

// loaded is a dialect while it is loaded.
type loaded struct {
	types, attributes map[string]*Definition
	operations        map[string]*operation
}

// declare notes dialects, types, attributes and operations, so that they can refer to each other.
func (l *loader) declare(op *ir.Operation) *ir.Diagnostic {
	name := ir.SymbolName(op)
	switch op.Name().String() {
	case DialectName:
		if l.context.Dialect(name) != nil {
			return op.Errorf("cannot be loaded: a dialect '%s' is registered already", name)
		}
		if l.dialects[name] == nil { // dialects of one name in several modules are one
			l.dialects[name] = &loaded{map[string]*Definition{}, map[string]*Definition{}, map[string]*operation{}}
		}
	case TypeName:
		return l.declareIn(op, l.of(op).types)
	case AttributeName:
		return l.declareIn(op, l.of(op).attributes)
	case OperationName:
		operations := l.of(op).operations
		if operations[name] != nil {
			return op.Errorf("cannot be loaded: '%s' is defined twice", name)
		}
		operations[name] = &operation{}
	}
	return nil
}

// of returns the dialect that a definition stands in.
func (l *loader) of(op *ir.Operation) *loaded { return l.dialects[ir.SymbolName(op.Parent())] }

func (l *loader) declareIn(op *ir.Operation, definitions map[string]*Definition) *ir.Diagnostic {
	name := ir.SymbolName(op)
	if definitions[name] != nil {
		return op.Errorf("cannot be loaded: '%s' is defined twice", name)
	}
	d := &Definition{Namespace: ir.SymbolName(op.Parent()), Name: name}
	definitions[name], l.definitions[op] = d, d
	return nil
}

// define fills in what a type, attribute or operation demands.
func (l *loader) define(op *ir.Operation) *ir.Diagnostic {
	isOperation := op.Is(OperationName)
	definition := l.definitions[op]
	if !isOperation && definition == nil {
		return nil
	}
	b := &body{loader: l, number: map[*ir.Value]int{}, set: &constraintSet{}, regions: map[*ir.Value]regionConstraint{}}
	result := &operation{constraints: b.set}
	for child := range op.Region(0).First().Operations() {
		if d := b.read(child, result); d != nil {
			return d
		}
	}
	if isOperation {
		*l.of(op).operations[ir.SymbolName(op)] = *result
	} else {
		definition.parameters, definition.wanted = b.set, b.parameters
	}
	return nil
}

// body is the region of a definition while it is read.
type body struct {
	*loader
	set        *constraintSet
	number     map[*ir.Value]int // the slot of every constraint
	regions    map[*ir.Value]regionConstraint
	parameters []int
}

// slots returns the slots of an operation's operands.
func (b *body) slots(op *ir.Operation) ([]int, *ir.Diagnostic) {
	slots := make([]int, op.NumOperands())
	for i, v := range op.Operands() {
		slot, ok := b.number[v]
		if !ok {
			return nil, op.Errorf("cannot be loaded: operand #%d is made by no operation of irdl", i)
		}
		slots[i] = slot
	}
	return slots, nil
}

// read takes one operation of the body into account.
func (b *body) read(op *ir.Operation, result *operation) *ir.Diagnostic {
	slots, d := []int(nil), (*ir.Diagnostic)(nil)
	if name := op.Name(); name.Namespace() == "irdl" && !op.Is(RegionsName) {
		if slots, d = b.slots(op); d != nil {
			return d
		}
	}
	switch op.Name().String() {
	case ParametersName:
		b.parameters = slots
	case OperandsName:
		result.operands = elements(op, slots)
	case ResultsName:
		result.results = elements(op, slots)
	case AttributesName:
		for i, name := range stringArray(op, valueNamesKey) {
			if !b.isPredicate(slots[i]) {
				result.attributes = append(result.attributes, namedSlot{name, slots[i]})
			}
		}
	case RegionName:
		blocks, _ := op.IntAttribute(blocksKey)
		b.regions[op.Result(0)] = regionConstraint{slots, op.Attr(constrainedKey) != nil, int(blocks)}
	case RegionsName:
		for i, v := range op.Operands() {
			r, ok := b.regions[v]
			if !ok {
				return op.Errorf("cannot be loaded: operand #%d is made by no irdl.region", i)
			}
			result.regions = append(result.regions, r)
		}
	default:
		return b.constraint(op, slots)
	}
	return nil
}

func elements(op *ir.Operation, slots []int) []element {
	array := op.Attr(variadicityKey).(*VariadicityArrayAttr) // the module is verified
	all := make([]element, len(slots))
	for i, slot := range slots {
		all[i] = element{slot, array.Values[i]}
	}
	return all
}

// constraint gives a slot to an operation that makes a constraint.
func (b *body) constraint(op *ir.Operation, slots []int) *ir.Diagnostic {
	var made constraint
	switch op.Name().String() {
	case IsName:
		made = is{op.Attr(expectedKey)}
	case AnyName:
		made = anything{}
	case AnyOfName:
		made = anyOf{slices.DeleteFunc(slots, b.isPredicate)}
	case AllOfName:
		made = allOf{slices.DeleteFunc(slots, b.isPredicate)}
	case CPredName:
		made = predicate{}
	case BaseName:
		c, d := b.base(op)
		if d != nil {
			return d
		}
		made = c
	case ParametricName:
		target := lookup(op, &b.tables, op.Attr(baseTypeKey).(*ir.SymbolRefAttr))
		if definition := b.definitions[target]; target.Is(TypeName) {
			made = parametricType{definition, slots}
		} else {
			made = parametricAttribute{definition, slots}
		}
	default:
		return nil
	}
	b.number[op.Result(0)] = len(b.set.slots)
	b.set.slots = append(b.set.slots, made)
	return nil
}

// isPredicate reports whether a slot is that of a C++ predicate, which nobody can ask.
func (b *body) isPredicate(slot int) bool {
	_, ok := b.set.slots[slot].(predicate)
	return ok
}

func (b *body) base(op *ir.Operation) (constraint, *ir.Diagnostic) {
	if ref, ok := op.Attr(baseRefKey).(*ir.SymbolRefAttr); ok {
		target := lookup(op, &b.tables, ref)
		return base{b.definitions[target].String(), target.Is(TypeName)}, nil
	}
	name, _ := op.StringAttribute(baseNameKey)
	isType := name[0] == '!'
	if !knownBase(b.context, name) {
		if isType {
			return nil, op.PlainErrorf("no registered type with name %s", name)
		}
		return nil, op.PlainErrorf("no registered attribute with name %s", name)
	}
	return base{name[1:], isType}, nil
}

// dialect makes the dialect that is registered.
func (d *loaded) dialect(namespace string) *ir.Dialect {
	operations := map[string]*ir.OpDefinition{}
	for name, o := range d.operations {
		full := namespace + "." + name
		operations[full] = o.definition(full)
	}
	return &ir.Dialect{
		Namespace:      namespace,
		Operation:      func(name string) *ir.OpDefinition { return operations[name] },
		OperationNames: func() []string { return slices.Sorted(maps.Keys(operations)) },
		Types:          slices.Sorted(maps.Keys(d.types)),
		Attributes:     slices.Sorted(maps.Keys(d.attributes)),
		ParseType: func(p ir.AsmParser) (ir.Type, error) {
			definition, parameters, err := parse(p, d.types, "type")
			if err != nil {
				return nil, err
			}
			return definition.newType(p.Context(), parameters), nil
		},
		ParseAttribute: func(p ir.AsmParser, _ ir.Type) (ir.Attribute, error) {
			definition, parameters, err := parse(p, d.attributes, "attribute")
			if err != nil {
				return nil, err
			}
			return definition.newAttribute(p.Context(), parameters), nil
		},
	}
}
