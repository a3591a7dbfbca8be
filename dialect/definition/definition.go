// Package definition is the run-time side of the op definition files: odsgen writes what top.ods and tpu.ods say as
// tables of this package's types, and the package makes of them what the IR asks for: default attributes, structural
// verifiers, result names, and the dialects' own attributes.
//
// A table is static data. Nothing is built for an op before a file names it, so that a tool's start does not pay for the
// hundreds of ops that it never meets.
package definition

import (
	"sort"
	"strings"

	"tpuir/ir"
)

// Op is one operation of a definition file.
type Op struct {
	// Name is the full name, "top.MatMul"; Family the file name under which its behaviour is found.
	Name, Family string
	Summary      string
	Operands     []Value
	Results      []Value
	// Attributes are sorted by name in byte order, as dictionaries are.
	Attributes []Attribute
	Regions    []Region
	// Traits are the traits that ir knows; Properties are TPU-MLIR's own traits and interfaces.
	Traits     ir.Traits
	Properties Properties
	// Parents are the full names of the ops that may enclose this one, nil for any.
	Parents []string
	// Rule is a shape rule that needs nothing but the op, nil for none.
	Rule func(op *ir.Operation) error
	// Verify checks what the structure cannot say; it may rely on the structure. Infer and Fold as in [ir.OpDefinition].
	// Each is nil where there is none.
	Verify func(op *ir.Operation) error
	Infer  func(op *ir.Operation) ([]ir.Type, error)
	Fold   func(op *ir.Operation, operands []ir.Attribute) ([]ir.FoldResult, bool)
}

// Constraint says what type a value may have.
type Constraint uint8

// The constraints, in MLIR's words.
const (
	AnyType      Constraint = iota // any type
	Tensor                         // tensor of any type values
	Ranked                         // ranked tensor of any type values
	None                           // none type
	TensorOrNone                   // tensor of any type values or none type
	RankedOrNone                   // ranked tensor of any type values or none type
)

var constraintTexts = [...]string{"any type", "tensor of any type values", "ranked tensor of any type values", "none type",
	"tensor of any type values or none type", "ranked tensor of any type values or none type"}

// String is the constraint as it stands in messages.
func (c Constraint) String() string { return constraintTexts[c] }

// Accepts reports whether a value of that type satisfies the constraint.
func (c Constraint) Accepts(t ir.Type) bool {
	switch t.(type) {
	case *ir.RankedTensorType:
		return c != None
	case *ir.UnrankedTensorType:
		return c == AnyType || c == Tensor || c == TensorOrNone
	case *ir.NoneType:
		return c == AnyType || c >= None
	}
	return c == AnyType
}

// Count says how many values an operand or result group holds.
type Count uint8

// The counts.
const (
	One Count = iota
	ZeroOrOne
	Many
)

// Value is an operand or a result group.
type Value struct {
	Name       string
	Constraint Constraint
	Count      Count
}

// Region is a region of an op. It holds one block; where it is Many there may be any number of such regions.
type Region struct {
	Name  string
	Count Count
}

// Properties is a set of TPU-MLIR's own traits and interfaces: what an op promises to the passes.
type Properties uint64

// The properties, under TPU-MLIR's names. Those that begin with Has tell that TPU-MLIR has such a hook for the op.
const (
	InferenceInterface Properties = 1 << iota
	FlopsInterface
	ShapeInterface
	GlobalGenInterface
	DynGlobalGenInterface
	LocalGenInterface
	DynLocalGenInterface
	TypeInterface
	IndexingMapsInterface
	InplaceInterface
	RegionBranchOpInterface
	SupportFuseRelu
	SupportConstant
	SupportPermuteMove
	SupportElementwise
	SupportEarlyStride
	ScalarProducer
	ScalarConsumer
	ShapeProducer
	ShapeConsumer
	InOutSameShape
	TpuTypeRestrict
	SameVariadicOperandSize
	HasCanonicalizer
	HasFolder
	HasVerifier
)

// Of returns the definition of an op of a dialect made from tables, or nil.
func Of(op *ir.Operation) *Op {
	if def := op.Definition(); def != nil {
		own, _ := def.Origin.(*Op)
		return own
	}
	return nil
}

// Dialect is what a definition file says.
type Dialect struct {
	Namespace string
	Ops       []*Op // sorted by name
	Enums     []*Enum
	Structs   []*Struct
}

// Find returns the op of that full name, or nil.
func (d *Dialect) Find(name string) *Op {
	if i, found := sort.Find(len(d.Ops), func(i int) int { return strings.Compare(name, d.Ops[i].Name) }); found {
		return d.Ops[i]
	}
	return nil
}

// IR returns the dialect as a context registers it. Definitions are made when their name is first met.
func (d *Dialect) IR() *ir.Dialect {
	dialect := &ir.Dialect{
		Namespace: d.Namespace,
		Operation: func(name string) *ir.OpDefinition {
			if op := d.Find(name); op != nil {
				return op.ir()
			}
			return nil
		},
		OperationNames: func() []string {
			names := make([]string, len(d.Ops))
			for i, op := range d.Ops {
				names[i] = op.Name
			}
			return names
		},
	}
	if len(d.Enums)+len(d.Structs) > 0 {
		dialect.ParseAttribute = d.parseAttribute
	}
	return dialect
}

func (o *Op) ir() *ir.OpDefinition {
	definition := &ir.OpDefinition{
		Name:       o.Name,
		Summary:    o.Summary,
		Traits:     o.Traits,
		Verify:     o.verify,
		Fold:       o.Fold,
		InferTypes: o.Infer,
		Origin:     o,
	}
	if len(o.Results) > 1 {
		definition.ResultNames = o.nameResults
	}
	if len(o.Attributes) > 0 {
		definition.FillDefaults = o.fillDefaults
		definition.Inherent = make([]string, len(o.Attributes))
		for i := range o.Attributes {
			definition.Inherent[i] = o.Attributes[i].Name
		}
	}
	return definition
}

// nameResults names each result group by its declared name. Only ops with several groups do so; a group of an open size
// never stands beside another result.
func (o *Op) nameResults(op *ir.Operation, name func(v *ir.Value, name string)) {
	if op.NumResults() != len(o.Results) {
		return
	}
	for i := range o.Results {
		name(op.Result(i), o.Results[i].Name)
	}
}
