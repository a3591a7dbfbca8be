package ir

// This file holds the Builder: making operations at a place.

// Listener is told of changes that are made through a [Builder].
type Listener interface {
	OperationInserted(op *Operation)
}

// Builder makes operations at an insertion point.
type Builder struct {
	context  *Context
	block    *Block
	before   *Operation // nil: at the end of the block
	Listener Listener
}

// NewBuilder returns a builder without an insertion point: what it makes is in no block.
func NewBuilder(c *Context) *Builder { return &Builder{context: c} }

// BuilderAtEnd returns a builder at the end of a block.
func BuilderAtEnd(c *Context, b *Block) *Builder { return &Builder{context: c, block: b} }

// BuilderBefore returns a builder before an operation.
func BuilderBefore(op *Operation) *Builder {
	return &Builder{context: op.Context(), block: op.block, before: op}
}

// BuilderAfter returns a builder behind an operation.
func BuilderAfter(op *Operation) *Builder {
	return &Builder{context: op.Context(), block: op.block, before: op.next}
}

// Context returns the context.
func (b *Builder) Context() *Context { return b.context }

// Block returns the block that the builder stands in.
func (b *Builder) Block() *Block { return b.block }

// SetBefore moves the insertion point before an operation.
func (b *Builder) SetBefore(op *Operation) { b.block, b.before = op.block, op }

// SetAfter moves the insertion point behind an operation.
func (b *Builder) SetAfter(op *Operation) { b.block, b.before = op.block, op.next }

// SetToStart moves the insertion point to the start of a block.
func (b *Builder) SetToStart(block *Block) { b.block, b.before = block, block.first }

// SetToEnd moves the insertion point to the end of a block.
func (b *Builder) SetToEnd(block *Block) { b.block, b.before = block, nil }

// Insert puts an operation at the insertion point. For messages, what is made before an operation of a text stands at that
// operation's place there, since it is mostly made from it.
func (b *Builder) Insert(op *Operation) *Operation {
	if op.position == 0 && b.before != nil {
		op.position = b.before.position
	}
	if b.block != nil {
		b.block.InsertBefore(op, b.before)
	}
	if b.Listener != nil {
		b.Listener.OperationInserted(op)
	}
	return op
}

// Create makes an operation at the insertion point.
func (b *Builder) Create(state *OperationState) *Operation { return b.Insert(NewOperation(state)) }

// Build makes an operation without regions or successors.
func (b *Builder) Build(name string, loc Location, operands []*Value, attributes *DictionaryAttr, types ...Type) *Operation {
	return b.Create(&OperationState{Name: b.context.OperationName(name), Loc: loc, Operands: operands, Types: types, Attributes: attributes})
}
