package ir

// This file holds the Operation: how it is made, read, changed and destroyed.

import "unsafe"

// Operation is a node of the IR. It is made by [NewOperation] or a [Builder] and lives in a block, or in none.
type Operation struct {
	name       *OperationName
	block      *Block
	prev, next *Operation
	loc        Location
	// A module has hundreds of thousands of operations: their lists are a pointer and a count, and those that few have, apart.
	firstOperand              *OpOperand
	firstResult               *Value
	operandCount, resultCount int32
	control                   *control
	attributes                *DictionaryAttr
	properties                Attribute // nil where the operation has no inherent attributes of its own dictionary
	position                  Position
	order                     int32
	maker                     int32
}

// control is what only an operation with regions or successors has.
type control struct {
	regions    []Region
	successors []BlockOperand
}

func (op *Operation) operands() []OpOperand { return unsafe.Slice(op.firstOperand, op.operandCount) }

func (op *Operation) setOperandList(list []OpOperand) {
	op.firstOperand, op.operandCount = unsafe.SliceData(list), int32(len(list))
}

func (op *Operation) results() []Value { return unsafe.Slice(op.firstResult, op.resultCount) }

func (op *Operation) regions() []Region {
	if op.control == nil {
		return nil
	}
	return op.control.regions
}

func (op *Operation) successors() []BlockOperand {
	if op.control == nil {
		return nil
	}
	return op.control.successors
}

// OperationState is what an operation is made of.
type OperationState struct {
	Name       *OperationName
	Loc        Location
	Operands   []*Value
	Types      []Type // of the results
	Attributes *DictionaryAttr
	// Properties are the inherent attributes of an operation with properties, usually a dictionary; nil for none.
	Properties Attribute
	Successors []*Block
	// Regions is the number of regions, all empty at first.
	Regions int
	// Position says where in a source text the operation stands, for messages.
	Position Position
	// Slab, where it is not nil, gives the memory. Readers of large files use it.
	Slab *Slab
}

// Slab hands out the parts of operations from large pieces of memory, so that a file's operations cost few allocations
// and lie together. The zero value is ready. It is for one goroutine.
type Slab struct {
	operations []Operation
	operands   []OpOperand
	values     []Value // results and arguments
	controls   []control
	successors []BlockOperand
	regions    []Region
	blocks     []Block
	arguments  []*Value
	locations  []Location
	pending    []PendingLoc
}

func take[T any](pool *[]T, n, chunk int) []T {
	if n == 0 {
		return nil
	}
	if len(*pool) < n {
		*pool = make([]T, max(n, chunk))
	}
	part := (*pool)[:n:n]
	*pool = (*pool)[n:]
	return part
}

func (s *Slab) operation() *Operation {
	if s == nil {
		return new(Operation)
	}
	return &take(&s.operations, 1, 512)[0]
}

func (s *Slab) operandList(n int) []OpOperand {
	if s == nil {
		return make([]OpOperand, n)
	}
	return take(&s.operands, n, 1024)
}

func (s *Slab) resultList(n int) []Value {
	if s == nil {
		return make([]Value, n)
	}
	return take(&s.values, n, 512)
}

func (s *Slab) control() *control {
	if s == nil {
		return new(control)
	}
	return &take(&s.controls, 1, 128)[0]
}

func (s *Slab) successorList(n int) []BlockOperand {
	if s == nil {
		return make([]BlockOperand, n)
	}
	return take(&s.successors, n, 128)
}

func (s *Slab) regionList(n int) []Region {
	if s == nil {
		return make([]Region, n)
	}
	return take(&s.regions, n, 128)
}

// Region returns an empty region that belongs to no operation.
func (s *Slab) Region() *Region { return &s.regionList(1)[0] }

// Block returns an empty block that is in no region.
func (s *Slab) Block() *Block {
	if s == nil {
		return new(Block)
	}
	return &take(&s.blocks, 1, 64)[0]
}

// AddArgument is [Block.AddArgument] with memory of the slab.
func (s *Slab) AddArgument(b *Block, t Type, l Location) *Value {
	if s == nil {
		return b.AddArgument(t, l)
	}
	if n := len(b.arguments); n == cap(b.arguments) {
		wider := max(1, 2*n)
		b.arguments = append(take(&s.arguments, wider, 256)[:0], b.arguments...)
		b.locations = append(take(&s.locations, wider, 256)[:0], b.locations...)
	}
	return b.appendArgument(&s.resultList(1)[0], t, l)
}

// NewOperation makes an operation that is in no block. Default attributes that the dialect defines and the state lacks
// are added, as MLIR does.
func NewOperation(state *OperationState) *Operation {
	op := state.Slab.operation()
	op.name, op.loc, op.position = state.Name, state.Loc, state.Position
	op.attributes, op.properties = state.Attributes, state.Properties
	if op.attributes == nil {
		op.attributes = state.Loc.Context().empty
	}
	if def := state.Name.definition; def != nil {
		if def.UsesProperties {
			op.splitAttributes(def)
		}
		if def.FillDefaults != nil {
			op.fillDefaults(def)
		}
	}
	results := state.Slab.resultList(len(state.Types))
	for i, t := range state.Types {
		results[i] = Value{typ: t, op: op, index: int32(i)}
	}
	op.firstResult, op.resultCount = unsafe.SliceData(results), int32(len(results))
	operands := state.Slab.operandList(len(state.Operands))
	for i, v := range state.Operands {
		operands[i] = OpOperand{owner: op, index: int32(i)}
		operands[i].link(v)
	}
	op.setOperandList(operands)
	if state.Regions > 0 || len(state.Successors) > 0 {
		op.makeControl(state)
	}
	return op
}

func (op *Operation) makeControl(state *OperationState) {
	op.control = state.Slab.control()
	regions := state.Slab.regionList(state.Regions)
	for i := range regions {
		regions[i].parent = op
	}
	successors := state.Slab.successorList(len(state.Successors))
	for i, b := range state.Successors {
		successors[i] = BlockOperand{owner: op, index: int32(i)}
		successors[i].Set(b)
	}
	*op.control = control{regions, successors}
}

// splitAttributes moves inherent attributes, wherever they were given, into the properties.
func (op *Operation) splitAttributes(def *OpDefinition) {
	properties, _ := op.properties.(*DictionaryAttr)
	if properties == nil {
		properties = op.attributes.context.empty
	}
	attributes := op.attributes
	for _, e := range attributes.Entries {
		if def.IsInherent(e.Name) {
			// A value that the property can't hold is dropped, as is an unknown property: mlir-opt does so.
			if properties.Get(e.Name) == nil && def.holds(e) {
				properties = properties.With(e.Name, e.Value)
			}
			attributes = attributes.Without(e.Name)
		}
	}
	for _, e := range properties.Entries {
		if !def.IsInherent(e.Name) {
			properties = properties.Without(e.Name)
		}
	}
	if def.OperandGroups > 0 && properties.Get(OperandSegmentSizes) == nil {
		properties = properties.With(OperandSegmentSizes, properties.context.DenseI32Array(make([]int32, def.OperandGroups)...))
	}
	op.attributes, op.properties = attributes, properties
}

func (op *Operation) fillDefaults(def *OpDefinition) {
	if !def.UsesProperties {
		op.attributes = op.name.withDefaults(op.attributes)
		return
	}
	if properties, ok := op.properties.(*DictionaryAttr); ok {
		op.properties = def.FillDefaults(properties)
	}
}

// Context returns the context.
func (op *Operation) Context() *Context { return op.loc.Context() }

// Name returns the uniqued name.
func (op *Operation) Name() *OperationName { return op.name }

// Is reports whether the operation has that full name.
func (op *Operation) Is(name string) bool { return op.name.name == name }

// Definition returns the dialect's definition, or nil for an unregistered operation.
func (op *Operation) Definition() *OpDefinition { return op.name.definition }

// HasTrait reports whether the operation is registered with that trait.
func (op *Operation) HasTrait(t Traits) bool {
	return op.name.definition != nil && op.name.definition.Traits&t != 0
}

// MightHaveTrait is HasTrait, and true for an unregistered operation.
func (op *Operation) MightHaveTrait(t Traits) bool {
	return op.name.definition == nil || op.name.definition.Traits&t != 0
}

// MightBeTerminator reports whether the operation is a terminator, or is unregistered and so may be one.
func (op *Operation) MightBeTerminator() bool { return op.MightHaveTrait(Terminator) }

// Loc returns the location.
func (op *Operation) Loc() Location { return resolved(op.loc) }

// SetLoc changes the location.
func (op *Operation) SetLoc(l Location) { op.loc = l }

// Position returns where the operation stands in the source text it was read from, 0 where it was not.
func (op *Operation) Position() Position { return op.position }

// Block returns the block that the operation is in, or nil.
func (op *Operation) Block() *Block { return op.block }

// Region returns the region that the operation is in, or nil.
func (op *Operation) ParentRegion() *Region {
	if op.block == nil {
		return nil
	}
	return op.block.region
}

// Parent returns the operation that this one is nested in, or nil.
func (op *Operation) Parent() *Operation {
	if op.block == nil {
		return nil
	}
	return op.block.ParentOp()
}

// ParentWithTrait returns the closest enclosing operation that has the trait, or nil.
func (op *Operation) ParentWithTrait(t Traits) *Operation {
	for parent := op.Parent(); parent != nil; parent = parent.Parent() {
		if parent.HasTrait(t) {
			return parent
		}
	}
	return nil
}

// IsAncestor reports whether other is op or is nested in it.
func (op *Operation) IsAncestor(other *Operation) bool {
	for ; other != nil; other = other.Parent() {
		if other == op {
			return true
		}
	}
	return false
}

// Next returns the following operation of the block, or nil.
func (op *Operation) Next() *Operation { return op.next }

// Prev returns the preceding operation of the block, or nil.
func (op *Operation) Prev() *Operation { return op.prev }

// IsBeforeInBlock reports whether the operation stands before another of the same block.
func (op *Operation) IsBeforeInBlock(other *Operation) bool {
	op.block.number()
	return op.order < other.order
}

// NumOperands returns the number of operands.
func (op *Operation) NumOperands() int { return len(op.operands()) }

// Operand returns the value of an operand.
func (op *Operation) Operand(i int) *Value { return op.operands()[i].value }

// OpOperand returns an operand as a use that can be changed.
func (op *Operation) OpOperand(i int) *OpOperand { return &op.operands()[i] }

// Operands returns the values of the operands in a new slice.
func (op *Operation) Operands() []*Value {
	values := make([]*Value, len(op.operands()))
	for i := range op.operands() {
		values[i] = op.operands()[i].value
	}
	return values
}

// SetOperand changes one operand.
func (op *Operation) SetOperand(i int, v *Value) { op.operands()[i].Set(v) }

// SetOperands replaces all operands.
func (op *Operation) SetOperands(values []*Value) {
	for i := range op.operands() {
		op.operands()[i].unlink()
	}
	if len(values) != len(op.operands()) {
		op.setOperandList(make([]OpOperand, len(values)))
	}
	for i, v := range values {
		op.operands()[i] = OpOperand{owner: op, index: int32(i)}
		op.operands()[i].link(v)
	}
}

// NumResults returns the number of results.
func (op *Operation) NumResults() int { return len(op.results()) }

// Result returns a result.
func (op *Operation) Result(i int) *Value { return &op.results()[i] }

// Results returns the results in a new slice.
func (op *Operation) Results() []*Value {
	values := make([]*Value, len(op.results()))
	for i := range op.results() {
		values[i] = &op.results()[i]
	}
	return values
}

// ResultTypes returns the types of the results in a new slice.
func (op *Operation) ResultTypes() []Type {
	types := make([]Type, len(op.results()))
	for i := range op.results() {
		types[i] = op.results()[i].typ
	}
	return types
}

// OperandTypes returns the types of the operands in a new slice.
func (op *Operation) OperandTypes() []Type {
	types := make([]Type, len(op.operands()))
	for i := range op.operands() {
		types[i] = op.operands()[i].value.typ
	}
	return types
}

// NumRegions returns the number of regions.
func (op *Operation) NumRegions() int { return len(op.regions()) }

// Region returns a region.
func (op *Operation) Region(i int) *Region { return &op.regions()[i] }

// NumSuccessors returns the number of successors.
func (op *Operation) NumSuccessors() int { return len(op.successors()) }

// Successor returns a successor block.
func (op *Operation) Successor(i int) *Block { return op.successors()[i].block }

// BlockOperand returns a successor as a use that can be changed.
func (op *Operation) BlockOperand(i int) *BlockOperand { return &op.successors()[i] }

// Attributes returns the discardable attributes; of an operation without properties these are all attributes.
func (op *Operation) Attributes() *DictionaryAttr { return op.attributes }

// SetAttributes replaces the discardable attributes.
func (op *Operation) SetAttributes(d *DictionaryAttr) { op.attributes = d }

// Properties returns the inherent attributes of an operation with properties, nil where there are none. Of an
// unregistered operation it is the attribute that it was made with, which may be an empty dictionary.
func (op *Operation) Properties() Attribute {
	if d, ok := op.properties.(*DictionaryAttr); ok && len(d.Entries) == 0 && op.name.definition != nil {
		return nil
	}
	return op.properties
}

// SetProperties replaces the inherent attributes.
func (op *Operation) SetProperties(a Attribute) { op.properties = a }

// Attr returns an attribute by name, inherent or discardable, or nil.
func (op *Operation) Attr(name string) Attribute {
	if d, ok := op.properties.(*DictionaryAttr); ok {
		if a := d.Get(name); a != nil {
			return a
		}
	}
	return op.attributes.Get(name)
}

// SetAttr sets an attribute, inherent or discardable as the definition says.
func (op *Operation) SetAttr(name string, value Attribute) {
	if op.inProperties(name) {
		properties, _ := op.properties.(*DictionaryAttr)
		if properties == nil {
			properties = op.attributes.context.empty
		}
		op.properties = properties.With(name, value)
		return
	}
	op.attributes = op.attributes.With(name, value)
}

// RemoveAttr removes an attribute, if it is there.
func (op *Operation) RemoveAttr(name string) {
	if properties, ok := op.properties.(*DictionaryAttr); ok && op.inProperties(name) {
		op.properties = properties.Without(name)
		return
	}
	op.attributes = op.attributes.Without(name)
}

func (op *Operation) inProperties(name string) bool {
	if def := op.name.definition; def != nil {
		return def.UsesProperties && def.IsInherent(name)
	}
	d, ok := op.properties.(*DictionaryAttr)
	return ok && d.Get(name) != nil
}

// StringAttribute returns the value of a string attribute, and whether there is one of that name.
func (op *Operation) StringAttribute(name string) (string, bool) {
	a, ok := op.Attr(name).(*StringAttr)
	if !ok {
		return "", false
	}
	return a.Value, true
}

// IntAttribute returns the value of an integer attribute, and whether there is one of that name.
func (op *Operation) IntAttribute(name string) (int64, bool) {
	a, ok := op.Attr(name).(*IntegerAttr)
	if !ok {
		return 0, false
	}
	return a.Int(), true
}

// BoolAttribute returns the value of a bool attribute, and whether there is one of that name.
func (op *Operation) BoolAttribute(name string) (value, ok bool) {
	a, ok := op.Attr(name).(*IntegerAttr)
	return ok && a.Bool(), ok
}

// Maker returns the number that [Operation.SetMaker] gave, 0 for an operation that is newer than that.
func (op *Operation) Maker() int32 { return op.maker }

// SetMaker notes who made the operation, as a number that means something to whoever runs passes.
func (op *Operation) SetMaker(number int32) { op.maker = number }

// Unused reports whether no result is used.
func (op *Operation) Unused() bool {
	for i := range op.results() {
		if op.results()[i].uses != nil {
			return false
		}
	}
	return true
}

// ReplaceAllUsesWith makes every user of the i-th result use values[i] instead.
func (op *Operation) ReplaceAllUsesWith(values []*Value) {
	for i := range op.results() {
		op.results()[i].ReplaceAllUsesWith(values[i])
	}
}

// Remove takes the operation out of its block and leaves it whole.
func (op *Operation) Remove() {
	if op.block != nil {
		op.block.unlinkOp(op)
	}
}

// MoveBefore moves the operation before another.
func (op *Operation) MoveBefore(other *Operation) {
	if op == other {
		return
	}
	op.Remove()
	other.block.InsertBefore(op, other)
}

// MoveAfter moves the operation behind another.
func (op *Operation) MoveAfter(other *Operation) {
	if op == other {
		return
	}
	op.Remove()
	other.block.InsertBefore(op, other.next)
}

// MoveToEnd moves the operation to the end of a block.
func (op *Operation) MoveToEnd(b *Block) {
	op.Remove()
	b.Append(op)
}

// Erase removes the operation and everything in its regions. None of its results may be in use: that is a mistake of
// the caller, and panics.
func (op *Operation) Erase() {
	for i := range op.results() {
		if op.results()[i].uses != nil {
			panic("ir: erased '" + op.name.name + "' while result " + op.results()[i].describe() + " is in use")
		}
	}
	op.dropReferences()
	op.Remove()
}

func (v *Value) describe() string { return ValueName(v) }

// dropReferences gives up the uses of the operation and of all that is nested in it, so that these can be dropped in
// any order.
func (op *Operation) dropReferences() {
	for i := range op.operands() {
		op.operands()[i].unlink()
	}
	for i := range op.successors() {
		op.successors()[i].unlink()
	}
	for i := range op.regions() {
		for b := range op.regions()[i].Blocks() {
			b.dropReferences()
		}
	}
}
