package general

// This file holds the pass cse: what computes the same is computed once.
//
//	%1 = "top.Relu"(%0) …          %1 = "top.Relu"(%0) …
//	%2 = "top.Relu"(%0) …     =>   %3 = "top.Add"(%1, %1) …
//	%3 = "top.Add"(%1, %2) …

import (
	"cmp"
	"encoding/binary"
	"slices"

	"tpuir/ir"
	"tpuir/pass"
	"tpuir/rewrite"
)

func cseDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "cse",
		Name:     "CSE",
		Summary:  "replace operations by earlier ones that compute the same, and erase dead ones",
		Description: `Works on operations without effects: those with the same name, attributes, types and operands (in any order where
that does not matter) are one. Any state is taken, and left as it is.`,
		New: func() pass.Pass { return cse{} },
	}
}

type cse struct{}

// Run replaces and erases.
func (cse) Run(run *pass.Run, op *ir.Operation) error {
	c := &eliminator{numbers: map[*ir.Value]uint64{}}
	c.regions(op, newScope(nil))
	for _, dead := range c.dead {
		dead.Erase()
	}
	run.Count("num-cse'd", "Number of operations CSE'd", c.replaced)
	run.Count("num-dce'd", "Number of operations DCE'd", c.erased)
	return nil
}

// scope holds the operations that dominate a place, by what they compute.
type scope struct {
	outer *scope
	known map[string]*ir.Operation
	kept  map[*ir.Operation]bool // the same operations
}

func newScope(outer *scope) *scope {
	return &scope{outer: outer, known: map[string]*ir.Operation{}, kept: map[*ir.Operation]bool{}}
}

func (s *scope) find(key string) *ir.Operation {
	for ; s != nil; s = s.outer {
		if op := s.known[key]; op != nil {
			return op
		}
	}
	return nil
}

type eliminator struct {
	numbers          map[*ir.Value]uint64
	dead             []*ir.Operation
	replaced, erased int64
	dominance        ir.Dominance
	key              []byte
}

func (c *eliminator) regions(op *ir.Operation, known *scope) {
	for i := range op.NumRegions() {
		if op.HasTrait(ir.IsolatedFromAbove) {
			known = newScope(nil)
		}
		c.region(op.Region(i), known)
	}
}

// region goes through the blocks so that every block comes after those that dominate it, with what these know.
func (c *eliminator) region(r *ir.Region, known *scope) {
	if r.Empty() {
		return
	}
	ordered := r.HasSSADominance()
	if r.HasOneBlock() {
		c.block(r.First(), newScope(known), ordered)
		return
	}
	if !ordered {
		return // blocks of a graph do not dominate each other
	}
	children := map[*ir.Block][]*ir.Block{}
	for b := range r.Blocks() {
		if parent := c.dominance.ImmediateDominator(b); parent != nil {
			children[parent] = append(children[parent], b)
		}
	}
	type visit struct {
		block *ir.Block
		known *scope
	}
	for stack := []visit{{r.First(), newScope(known)}}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		c.block(v.block, v.known, true)
		for _, child := range slices.Backward(children[v.block]) {
			stack = append(stack, visit{child, newScope(v.known)})
		}
	}
}

func (c *eliminator) block(b *ir.Block, known *scope, ordered bool) {
	for op := range b.Operations() {
		c.regions(op, known)
		c.operation(op, known, ordered)
	}
}

func (c *eliminator) operation(op *ir.Operation, known *scope, ordered bool) {
	if op.HasTrait(ir.Terminator) {
		return
	}
	if rewrite.IsTriviallyDead(op) {
		c.dead = append(c.dead, op)
		c.erased++
		return
	}
	if !rewrite.HasNoEffect(op) || !c.comparable(op) {
		return
	}
	c.key = c.appendKey(c.key[:0], op, map[*ir.Value]uint64{})
	first := known.find(string(c.key))
	if first == nil {
		known.known[string(c.key)] = op
		known.kept[op] = true
		return
	}
	c.replace(op, first, known, ordered)
}

// replace makes users of op use first instead. In a graph those that come before keep op.
func (c *eliminator) replace(op, first *ir.Operation, known *scope, ordered bool) {
	for i := range op.NumResults() {
		op.Result(i).ReplaceUsesIf(first.Result(i), func(use *ir.OpOperand) bool {
			return ordered || !known.holds(use.Owner())
		})
	}
	if op.Unused() {
		c.dead = append(c.dead, op)
	}
	if _, unknown := first.Loc().(*ir.UnknownLoc); unknown {
		first.SetLoc(op.Loc())
	}
	c.replaced++
}

func (s *scope) holds(op *ir.Operation) bool {
	for ; s != nil; s = s.outer {
		if s.kept[op] {
			return true
		}
	}
	return false
}

// comparable reports whether regions, if any, have one block at most.
func (c *eliminator) comparable(op *ir.Operation) bool {
	for i := range op.NumRegions() {
		if r := op.Region(i); !r.Empty() && !r.HasOneBlock() {
			return false
		}
	}
	return true
}

// appendKey writes what an operation computes: two operations with the same key give the same. Values defined inside are
// numbered in the order they come.
func (c *eliminator) appendKey(key []byte, op *ir.Operation, inside map[*ir.Value]uint64) []byte {
	key = append(append(key, op.Name().String()...), 0)
	key = binary.AppendUvarint(key, uint64(op.Attributes().ID()))
	if p := op.Properties(); p != nil {
		key = binary.AppendUvarint(key, uint64(p.ID()))
	} else {
		key = append(key, 0)
	}
	key = binary.AppendUvarint(key, uint64(op.NumResults()))
	for i := range op.NumResults() {
		key = binary.AppendUvarint(key, uint64(op.Result(i).Type().ID()))
		inside[op.Result(i)] = uint64(len(inside))
	}
	operands := make([]uint64, op.NumOperands())
	for i := range operands {
		operands[i] = c.number(op.Operand(i), inside)
	}
	if op.HasTrait(ir.Commutative) {
		slices.SortFunc(operands, cmp.Compare[uint64])
	}
	key = binary.AppendUvarint(key, uint64(len(operands)))
	for _, n := range operands {
		key = binary.AppendUvarint(key, n)
	}
	key = binary.AppendUvarint(key, uint64(op.NumRegions()))
	for i := range op.NumRegions() {
		for b := range op.Region(i).Blocks() {
			key = binary.AppendUvarint(key, uint64(b.NumArguments()))
			for _, argument := range b.Arguments() {
				key = binary.AppendUvarint(key, uint64(argument.Type().ID()))
				inside[argument] = uint64(len(inside))
			}
			for nested := range b.Operations() {
				key = c.appendKey(append(key, 1), nested, inside)
			}
		}
		key = append(key, 0)
	}
	return key
}

// number returns a number of a value: even inside the operation that is compared, odd outside.
func (c *eliminator) number(v *ir.Value, inside map[*ir.Value]uint64) uint64 {
	if n, ok := inside[v]; ok {
		return 2 * n
	}
	n, ok := c.numbers[v]
	if !ok {
		n = uint64(len(c.numbers))
		c.numbers[v] = n
	}
	return 2*n + 1
}
