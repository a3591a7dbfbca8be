package ir

// This file holds walks over nested operations, and deep copies.

// WalkResult says how a walk goes on.
type WalkResult uint8

// The ways on.
const (
	// Advance goes on.
	Advance WalkResult = iota
	// Skip does not enter the operation's regions (before them only).
	Skip
	// Interrupt ends the walk.
	Interrupt
)

// Walk visits the operation, then what is nested in it, in order. The visited operation may be erased where the visit
// returns Skip. It reports whether the walk came to its end.
func (op *Operation) Walk(visit func(*Operation) WalkResult) bool {
	switch visit(op) {
	case Interrupt:
		return false
	case Skip:
		return true
	}
	for i := range op.regions() {
		for b := range op.regions()[i].Blocks() {
			for nested := range b.Operations() {
				if !nested.Walk(visit) {
					return false
				}
			}
		}
	}
	return true
}

// WalkPostOrder visits what is nested in the operation first, then the operation, which may then be erased.
func (op *Operation) WalkPostOrder(visit func(*Operation)) {
	for i := range op.regions() {
		for b := range op.regions()[i].Blocks() {
			for nested := range b.Operations() {
				nested.WalkPostOrder(visit)
			}
		}
	}
	visit(op)
}

// Mapping says which value or block of a copy stands for which of the original. The zero value is ready.
type Mapping struct {
	values map[*Value]*Value
	blocks map[*Block]*Block
}

// Map says that copies of users of from use to.
func (m *Mapping) Map(from, to *Value) {
	if m.values == nil {
		m.values = map[*Value]*Value{}
	}
	m.values[from] = to
}

// MapBlock says that copies of terminators that name from name to.
func (m *Mapping) MapBlock(from, to *Block) {
	if m.blocks == nil {
		m.blocks = map[*Block]*Block{}
	}
	m.blocks[from] = to
}

// Value returns what stands for a value: itself where nothing else was said.
func (m *Mapping) Value(v *Value) *Value {
	if to, ok := m.values[v]; ok {
		return to
	}
	return v
}

// Block returns what stands for a block.
func (m *Mapping) Block(b *Block) *Block {
	if to, ok := m.blocks[b]; ok {
		return to
	}
	return b
}

// Clone returns a deep copy in no block. Operands that are defined within are those of the copy, others are kept.
func (op *Operation) Clone() *Operation { return op.CloneWith(&Mapping{}) }

// CloneWith is Clone with operands replaced as the mapping says; it learns the copy's results, arguments and blocks.
func (op *Operation) CloneWith(m *Mapping) *Operation {
	var forward []pendingOperand
	copied := op.cloneWith(m, &forward)
	for _, p := range forward {
		p.operand.Set(m.Value(p.original))
	}
	return copied
}

// pendingOperand is an operand whose definition was not copied yet when its user was.
type pendingOperand struct {
	operand  *OpOperand
	original *Value
}

func (op *Operation) cloneWith(m *Mapping, forward *[]pendingOperand) *Operation {
	operands := op.Operands()
	for i, v := range operands {
		operands[i] = m.Value(v)
	}
	successors := make([]*Block, len(op.successors()))
	for i := range op.successors() {
		successors[i] = m.Block(op.successors()[i].block)
	}
	copied := NewOperation(&OperationState{Name: op.name, Loc: op.loc, Operands: operands, Types: op.ResultTypes(),
		Attributes: op.attributes, Properties: op.properties, Successors: successors, Regions: len(op.regions()), Position: op.position})
	copied.attributes, copied.properties = op.attributes, op.properties // a copy lacks what the original lacks
	for i := range op.operands() {
		if copied.operands()[i].value == op.operands()[i].value {
			*forward = append(*forward, pendingOperand{&copied.operands()[i], op.operands()[i].value})
		}
	}
	for i := range op.results() {
		m.Map(&op.results()[i], &copied.results()[i])
	}
	for i := range op.regions() {
		op.regions()[i].cloneInto(&copied.regions()[i], m, forward)
	}
	return copied
}

// CloneInto appends copies of the region's blocks to another region.
func (r *Region) CloneInto(target *Region, m *Mapping) {
	var forward []pendingOperand
	r.cloneInto(target, m, &forward)
	for _, p := range forward {
		p.operand.Set(m.Value(p.original))
	}
}

func (r *Region) cloneInto(target *Region, m *Mapping, forward *[]pendingOperand) {
	for b := range r.Blocks() {
		copied := &Block{}
		for i, argument := range b.arguments {
			m.Map(argument, copied.AddArgument(argument.typ, b.locations[i]))
		}
		m.MapBlock(b, copied)
		target.Append(copied)
	}
	for b := range r.Blocks() {
		copied := m.Block(b)
		for op := range b.Operations() {
			copied.Append(op.cloneWith(m, forward))
		}
	}
}
