package bytecode

// This file reads and writes the order of a value's uses, where it is not the one that reading the file gives: the last
// operand of the last operation first.

import (
	"slices"

	"tpuir/ir"
)

// useOrder is the order of the uses of one of an operation's results, or of one of a block's arguments.
type useOrder struct {
	value   int
	indices []uint64
	pairs   bool
}

// valueOrder is a value whose uses have to be put in order when everything is read. Without indices the order is the usual one.
type valueOrder struct {
	value   *ir.Value
	indices []uint64
	pairs   bool
}

// readOrders reads the orders of some of n values.
func (r *reader) readOrders(c *cursor, n int) []useOrder {
	count := 1
	if n > 1 {
		count = c.count("use-list orders")
	}
	orders := make([]useOrder, 0, count)
	for i := 0; i < count && !c.failed(); i++ {
		var o useOrder
		if n > 1 {
			o.value = int(min(c.varint(), uint64(n)))
		}
		if o.value >= n {
			c.fail("use-list order of a value that is not there")
			return nil
		}
		size, pairs := c.flagged()
		o.pairs = pairs
		o.indices = make([]uint64, c.checkedCount(size, "use-list indices"))
		for i := range o.indices {
			o.indices[i] = c.varint()
		}
		orders = append(orders, o)
	}
	return orders
}

// applyOrders puts the uses of values in order that came otherwise.
func (r *reader) applyOrders(block *ir.Block) {
	if len(r.orders) == 0 {
		return
	}
	numbers := map[*ir.Operation]int{}
	for _, o := range r.orders {
		for user := range o.value.Users() {
			numbers[user] = 0
		}
	}
	n := 0
	for op := range block.Operations() {
		op.Walk(func(op *ir.Operation) ir.WalkResult {
			if _, ok := numbers[op]; ok {
				numbers[op] = n
			}
			n++
			return ir.Advance
		})
	}
	done := map[*ir.Value]bool{}
	// A value with an order of its own that was a forward reference, too, stands here twice.
	for _, withIndices := range []bool{true, false} {
		for _, o := range r.orders {
			if (o.indices != nil) != withIndices || done[o.value] {
				continue
			}
			done[o.value] = true
			if !o.apply(numbers) {
				r.fail("parsed use-list orders were invalid and could not be applied")
				return
			}
		}
	}
}

// sortedUses returns the uses of a value in the order that reading gives.
func sortedUses(v *ir.Value, numbers map[*ir.Operation]int) []*ir.OpOperand {
	uses := slices.Collect(v.Uses())
	slices.SortStableFunc(uses, func(a, b *ir.OpOperand) int {
		if a.Owner() != b.Owner() {
			return numbers[b.Owner()] - numbers[a.Owner()]
		}
		return b.Index() - a.Index()
	})
	return uses
}

func (o *valueOrder) apply(numbers map[*ir.Operation]int) bool {
	sorted := sortedUses(o.value, numbers)
	final := sorted
	if o.indices != nil {
		positions, ok := o.positions(len(sorted))
		if !ok {
			return false
		}
		final = make([]*ir.OpOperand, len(sorted))
		for i, position := range positions {
			if final[position] != nil {
				return false
			}
			final[position] = sorted[i]
		}
	}
	for _, use := range slices.Backward(final) { // a new use becomes the first
		use.Set(nil)
		use.Set(o.value)
	}
	return true
}

// positions returns the place of each of n uses, which come in the usual order, in the list that was written.
func (o *valueOrder) positions(n int) ([]uint64, bool) {
	positions := o.indices
	if o.pairs { // (place in the list, place in the usual order) of those that differ
		if len(o.indices)%2 != 0 {
			return nil, false
		}
		positions = make([]uint64, n)
		for i := range positions {
			positions[i] = uint64(i)
		}
		for i := 0; i < len(o.indices); i += 2 {
			if o.indices[i+1] >= uint64(n) {
				return nil, false
			}
			positions[o.indices[i+1]] = o.indices[i]
		}
	}
	if len(positions) != n || slices.ContainsFunc(positions, func(p uint64) bool { return p >= uint64(n) }) {
		return nil, false
	}
	return positions, true
}
