package ir

// This file computes dominance (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm) and checks that uses
// obey it and that isolated regions use nothing from outside.

import "slices"

// HasSSADominance reports whether the order of operations limits the use of values in the region. In the region of an
// unregistered operation it does not where there is one block, since that may be a graph.
func (r *Region) HasSSADominance() bool {
	switch parent := r.parent; {
	case parent == nil:
		return false
	case parent.name.definition == nil:
		return !r.HasOneBlock()
	default:
		return parent.name.definition.Traits&GraphRegion == 0
	}
}

// Dominance answers which block and which value dominates what, remembering each region's tree. The zero value is
// ready. It must be dropped when blocks or branches change.
type Dominance struct {
	region *Region // the one asked for last
	last   *dominatorTree
	trees  map[*Region]*dominatorTree // of all others
}

// dominatorTree numbers the blocks that can be reached in reverse post-order, so that the entry is 0.
type dominatorTree struct {
	numbers   map[*Block]int // nil where there are few blocks
	immediate []int
	order     []*Block // post-order, so that number n is the n-th from the end
}

// fewBlocks is the number of blocks up to which a list is searched faster than a map.
const fewBlocks = 8

func (d *Dominance) tree(r *Region) *dominatorTree {
	if d.region == r {
		return d.last
	}
	t := d.trees[r]
	if t == nil {
		t = newDominatorTree(r)
		if d.last != nil {
			if d.trees == nil {
				d.trees = map[*Region]*dominatorTree{}
			}
			d.trees[r], d.trees[d.region] = t, d.last
		}
	}
	d.region, d.last = r, t
	return t
}

// number returns the number of a block, and whether it can be reached.
func (t *dominatorTree) number(b *Block) (n int, reached bool) {
	if t.numbers != nil {
		n, reached = t.numbers[b]
		return n, reached
	}
	i := slices.Index(t.order, b)
	return len(t.order) - 1 - i, i >= 0
}

func newDominatorTree(r *Region) *dominatorTree {
	order := r.PostOrder()
	n := len(order)
	t := &dominatorTree{immediate: make([]int, n), order: order}
	if n > fewBlocks {
		t.numbers = make(map[*Block]int, n)
		for i, b := range order {
			t.numbers[b] = n - 1 - i
		}
	}
	for i := range t.immediate {
		t.immediate[i] = -1
	}
	t.immediate[0] = 0
	for changed := true; changed; {
		changed = false
		for i := n - 2; i >= 0; i-- {
			meet := -1
			for use := order[i].uses; use != nil; use = use.next {
				p, reached := t.number(use.owner.block)
				if !reached || t.immediate[p] < 0 {
					continue
				}
				if meet < 0 {
					meet = p
				} else {
					meet = t.meet(meet, p)
				}
			}
			if k := n - 1 - i; meet != t.immediate[k] {
				t.immediate[k] = meet
				changed = true
			}
		}
	}
	return t
}

func (t *dominatorTree) meet(a, b int) int {
	for a != b {
		for a > b {
			a = t.immediate[a]
		}
		for b > a {
			b = t.immediate[b]
		}
	}
	return a
}

// PostOrder returns the blocks that the entry leads to, each behind those that it leads to where there is no circle. It does
// not recurse.
func (r *Region) PostOrder() []*Block {
	type frame struct {
		block *Block
		next  int // successor
	}
	entry := r.first
	if entry == nil {
		return nil
	}
	stack := append(make([]frame, 0, fewBlocks), frame{block: entry})
	order := make([]*Block, 0, 4)
	var seen map[*Block]bool // nil while there are few
	known := func(b *Block) bool {
		if seen != nil {
			return seen[b]
		}
		return slices.Contains(order, b) || slices.ContainsFunc(stack, func(f frame) bool { return f.block == b })
	}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if last := top.block.last; last == nil || top.next == len(last.successors()) {
			order = append(order, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		next := top.block.last.successors()[top.next].block
		top.next++
		if known(next) {
			continue
		}
		stack = append(stack, frame{block: next})
		switch {
		case seen != nil:
			seen[next] = true
		case len(stack)+len(order) > fewBlocks:
			seen = map[*Block]bool{}
			for _, b := range order {
				seen[b] = true
			}
			for _, f := range stack {
				seen[f.block] = true
			}
		}
	}
	return order
}

// Reachable reports whether the block can be reached from its region's entry.
func (d *Dominance) Reachable(b *Block) bool {
	if b.IsEntry() {
		return true
	}
	_, reached := d.tree(b.region).number(b)
	return reached
}

// ImmediateDominator returns the nearest other block that dominates b, nil for an entry and for what can't be reached.
func (d *Dominance) ImmediateDominator(b *Block) *Block {
	t := d.tree(b.region)
	number, ok := t.number(b)
	if !ok || number == 0 {
		return nil
	}
	return t.order[len(t.order)-1-t.immediate[number]]
}

// BlockDominates reports whether every way from the region's entry to b leads through a, both of one region; a block
// dominates itself, and everything dominates what can't be reached.
func (d *Dominance) BlockDominates(a, b *Block) bool {
	if a == b || a.IsEntry() {
		return true
	}
	t := d.tree(a.region)
	to, ok := t.number(b)
	if !ok {
		return true
	}
	from, ok := t.number(a)
	if !ok {
		return false
	}
	for to > from {
		to = t.immediate[to]
	}
	return to == from
}

// Dominates reports whether a value may be used by an operation, by the rules of the regions they are in.
func (d *Dominance) Dominates(v *Value, user *Operation) bool {
	definition := v.Block()
	if definition == nil || definition.region == nil {
		return false
	}
	// Find the operation around the user that stands in the definition's region.
	at := user
	for at.block != nil && at.block.region != definition.region {
		at = at.block.ParentOp()
		if at == nil {
			return false
		}
	}
	if at.block == nil {
		return false
	}
	if v.op == nil {
		return d.BlockDominates(definition, at.block)
	}
	if definition != at.block {
		return d.BlockDominates(definition, at.block)
	}
	// In a graph an operation may use its own result, and so may those in its regions.
	return !definition.region.HasSSADominance() || v.op != at && v.op.IsBeforeInBlock(at)
}

// verifyDominance checks all uses in the regions of an operation, down to nested operations that are isolated.
func verifyDominance(root *Operation) []*Diagnostic {
	var d Dominance
	var found []*Diagnostic
	isolated := root.HasTrait(IsolatedFromAbove)
	var visit func(op *Operation)
	visit = func(op *Operation) {
		for i := range op.regions() {
			for b := range op.regions()[i].Blocks() {
				reachable := d.Reachable(b)
				for nested := b.first; nested != nil; nested = nested.next {
					if reachable {
						found = append(found, d.verifyUses(root, isolated, nested)...)
					}
					if len(nested.regions()) > 0 && !nested.HasTrait(IsolatedFromAbove) {
						visit(nested)
					}
				}
			}
		}
	}
	visit(root)
	return found
}

func (d *Dominance) verifyUses(root *Operation, isolated bool, user *Operation) []*Diagnostic {
	var found []*Diagnostic
	for i := range user.operands() {
		v := user.operands()[i].value
		// The usual case first: defined earlier in the same block, or an argument of it.
		if v.op == nil {
			if v.block == user.block {
				continue
			}
		} else if v.op.block == user.block && v.op != user && (!user.block.region.HasSSADominance() || v.op.IsBeforeInBlock(user)) {
			continue
		}
		if isolated && !definedWithin(v, root) {
			found = append(found, user.Errorf("using value defined outside the region").
				NoteAt(root, "required by region isolation constraints"))
			continue
		}
		if !d.Dominates(v, user) {
			found = append(found, dominanceError(v, user, i))
		}
	}
	return found
}

func definedWithin(v *Value, root *Operation) bool {
	b := v.Block()
	return b != nil && b.region != nil && root != b.region.parent && root.IsAncestor(b.region.parent) || b != nil && b.ParentOp() == root
}

func dominanceError(v *Value, user *Operation, operand int) *Diagnostic {
	d := user.PlainErrorf("operand #%d does not dominate this use", operand)
	from, to := v.Block(), user.block
	const elsewhere = "neither in a parent nor in a child region"
	where := elsewhere
	switch {
	case from == to:
		where = "in the same block"
	case from.region == to.region:
		where = "in the same region"
	case from.region.IsAncestor(to.region):
		where = "in a parent region"
	case to.region.IsAncestor(from.region):
		where = "in a child region"
	}
	if v.op == nil {
		d.NoteAt(from.ParentOp(), "operand defined as a block argument (block #%d %s)", from.index(), where)
		return d
	}
	if where == elsewhere {
		where = "is " + where
	}
	return d.NoteAt(v.op, "operand defined here (op %s)", where)
}

// index returns the number of the block in its region.
func (b *Block) index() int {
	n := 0
	for other := b.region.first; other != b; other = other.next {
		n++
	}
	return n
}
