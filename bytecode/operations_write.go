package bytecode

// This file writes operations, regions and blocks.

import (
	"slices"

	"tpuir/ir"
)

func (w *writer) writeIR(out *emitter, op *ir.Operation) {
	var e emitter
	e.flagged(1, false) // one operation, no arguments
	w.writeOperation(&e, op, nil)
	out.section(sectionIR, &e)
}

// writeOperation writes an operation; values are the numbers of the values in the isolated region around it.
func (w *writer) writeOperation(e *emitter, op *ir.Operation, values map[*ir.Value]int) {
	discardable, properties := w.attributesOf(op)
	property, hasProperties := w.encodeProperties(op, properties)
	orders := w.useOrders(op.NumResults(), op.Result)

	e.count(w.nameOf[op.Name()].number)
	mask := byte(0)
	set := func(bit byte, present bool) {
		if present {
			mask |= bit
		}
	}
	set(maskAttributes, len(discardable.Entries) > 0)
	set(maskProperties, hasProperties)
	set(maskResults, op.NumResults() > 0)
	set(maskOperands, op.NumOperands() > 0)
	set(maskSuccessors, op.NumSuccessors() > 0)
	set(maskUseLists, len(orders) > 0)
	set(maskRegions, op.NumRegions() > 0)
	e.byte(mask)
	e.count(w.attributeNumber(op.Loc()))
	if mask&maskAttributes != 0 {
		e.count(w.attributeNumber(discardable))
	}
	if hasProperties {
		e.count(property)
	}
	if n := op.NumResults(); n > 0 {
		e.count(n)
		for i := range n {
			e.count((*w.entry(op.Result(i).Type().ID())).number)
		}
	}
	if n := op.NumOperands(); n > 0 {
		e.count(n)
		for i := range n {
			e.count(w.valueNumber(op, values, op.Operand(i)))
		}
	}
	if n := op.NumSuccessors(); n > 0 {
		e.count(n)
		for i := range n {
			e.count(w.blocks[op.Successor(i)])
		}
	}
	writeOrders(e, orders, op.NumResults())
	if op.NumRegions() > 0 {
		w.writeRegions(e, op, values)
	}
}

func (w *writer) attributeNumber(a ir.Attribute) int { return (*w.entry(a.ID())).number }

func (w *writer) valueNumber(op *ir.Operation, values map[*ir.Value]int, v *ir.Value) int {
	n, ok := values[v]
	if !ok {
		w.fail(op.Errorf("uses a value that is not defined in the isolated region around it"))
	}
	return n
}

// encodeProperties returns the number of an operation's properties in the table.
func (w *writer) encodeProperties(op *ir.Operation, properties ir.Attribute) (number int, present bool) {
	if w.version < versionProperties {
		return 0, false
	}
	e := &w.scratch
	e.current = e.current[:0]
	l := writtenLayout(op)
	switch {
	case l != nil:
		w.encodeLayout(op, l, properties)
	case properties != nil:
		e.count(w.attributeNumber(properties))
	default:
		return 0, false
	}
	return w.properties.number(e.current), true
}

func (w *writer) encodeLayout(op *ir.Operation, l *layout, properties ir.Attribute) {
	e := &w.scratch
	segments, _ := propertyOf(properties, segmentsAttribute).(*ir.DenseArrayAttr)
	if l.segments > 0 && (segments == nil || len(segments.Ints()) != l.segments) {
		w.fail(op.Errorf("can't be written as bytecode without attribute '%s'", segmentsAttribute))
		return
	}
	for _, s := range l.inVersion(w.version) {
		a := propertyOf(properties, s.name)
		switch {
		case a == nil && s.optional:
			e.flagged(0, false)
		case a == nil:
			w.fail(op.Errorf("can't be written as bytecode without attribute '%s'", s.name))
			return
		case s.optional:
			e.flagged(uint64(w.attributeNumber(a)), true)
		default:
			e.count(w.attributeNumber(a))
		}
	}
	if l.segments > 0 && w.version >= versionSegmentSizes {
		sizes := make([]int32, l.segments)
		for i, n := range segments.Ints() {
			sizes[i] = int32(n)
		}
		e.sparse(sizes)
	}
}

// writeRegions writes the regions of an operation. Those that are isolated number their values anew and are a section.
func (w *writer) writeRegions(e *emitter, op *ir.Operation, values map[*ir.Value]int) {
	isolated := op.HasTrait(ir.IsolatedFromAbove)
	e.flagged(uint64(op.NumRegions()), isolated)
	if !isolated {
		if values == nil {
			values = map[*ir.Value]int{}
		}
		for i := range op.NumRegions() {
			w.writeRegion(e, op.Region(i), values)
		}
		return
	}
	values = w.takeScope()
	defer w.giveScope(values)
	if w.version < versionLazy {
		for i := range op.NumRegions() {
			w.writeRegion(e, op.Region(i), values)
		}
		return
	}
	var inner emitter
	for i := range op.NumRegions() {
		w.writeRegion(&inner, op.Region(i), values)
	}
	e.section(sectionIR, &inner)
}

func (w *writer) takeScope() map[*ir.Value]int {
	if n := len(w.scopes); n > 0 {
		spare := w.scopes[n-1]
		w.scopes = w.scopes[:n-1]
		return spare
	}
	return map[*ir.Value]int{}
}

// giveScope keeps a small map for the next isolated region; clearing a large one would cost more than a new one.
func (w *writer) giveScope(values map[*ir.Value]int) {
	if len(values) < 1024 {
		clear(values)
		w.scopes = append(w.scopes, values)
	}
}

func (w *writer) writeRegion(e *emitter, region *ir.Region, values map[*ir.Value]int) {
	if region.Empty() {
		e.count(0)
		return
	}
	first, blocks := len(values), 0
	var defined []*ir.Value
	define := func(v *ir.Value) {
		values[v] = first + len(defined)
		defined = append(defined, v)
	}
	for block := range region.Blocks() {
		if block.HasPredecessors() {
			w.blocks[block] = blocks
		}
		blocks++
		for _, v := range block.Arguments() {
			define(v)
		}
		for op := range block.Operations() {
			for i := range op.NumResults() {
				define(op.Result(i))
			}
		}
	}
	e.count(blocks)
	e.count(len(defined))
	for block := range region.Blocks() {
		w.writeBlock(e, block, values)
	}
	for _, v := range defined { // the next region takes the same numbers
		delete(values, v)
	}
}

func (w *writer) writeBlock(e *emitter, block *ir.Block, values map[*ir.Value]int) {
	operations := 0
	for range block.Operations() {
		operations++
	}
	e.flagged(uint64(operations), block.NumArguments() > 0)
	if block.NumArguments() > 0 {
		w.writeArguments(e, block)
	}
	for op := range block.Operations() {
		w.writeOperation(e, op, values)
	}
}

func (w *writer) writeArguments(e *emitter, block *ir.Block) {
	e.count(block.NumArguments())
	for i, v := range block.Arguments() {
		t, loc := uint64((*w.entry(v.Type().ID())).number), block.ArgumentLoc(i)
		if w.version < versionElidedLocations {
			e.varint(t)
			e.count(w.attributeNumber(loc))
			continue
		}
		_, unknown := loc.(*ir.UnknownLoc)
		e.flagged(t, !unknown)
		if !unknown {
			e.count(w.attributeNumber(loc))
		}
	}
	if w.version < versionUseLists {
		return
	}
	orders := w.useOrders(block.NumArguments(), block.Argument)
	if len(orders) == 0 {
		e.byte(0)
		return
	}
	e.byte(maskUseLists)
	writeOrders(e, orders, block.NumArguments())
}

// useOrders returns the orders of uses of n values that differ from the one that reading gives.
func (w *writer) useOrders(n int, value func(i int) *ir.Value) []useOrder {
	if w.version < versionUseLists {
		return nil
	}
	var orders []useOrder
	for i := range n {
		v := value(i)
		if !v.HasUses() || v.HasOneUse() || w.inOrder(v) {
			continue
		}
		places := map[*ir.OpOperand]int{}
		for use := range v.Uses() {
			places[use] = len(places)
		}
		o := useOrder{value: i}
		for _, use := range sortedUses(v, w.order) {
			o.indices = append(o.indices, uint64(places[use]))
		}
		orders = append(orders, o)
	}
	return orders
}

func (w *writer) inOrder(v *ir.Value) bool {
	var last *ir.OpOperand
	for use := range v.Uses() {
		if last != nil {
			a, b := last.Owner(), use.Owner()
			if a == b && last.Index() < use.Index() || a != b && w.order[a] < w.order[b] {
				return false
			}
		}
		last = use
	}
	return true
}

// writeOrders writes the orders of some of n values: only the places that differ, where these are few.
func writeOrders(e *emitter, orders []useOrder, n int) {
	if len(orders) == 0 {
		return
	}
	if n != 1 {
		e.count(len(orders))
	}
	for _, o := range orders {
		if n != 1 {
			e.count(o.value)
		}
		moved := 0
		for i, place := range o.indices {
			if uint64(i) != place {
				moved++
			}
		}
		if moved >= len(o.indices)/2 {
			e.flagged(uint64(len(o.indices)), false)
			for _, place := range o.indices {
				e.varint(place)
			}
			continue
		}
		e.flagged(uint64(2*moved), true)
		for i, place := range o.indices {
			if uint64(i) != place {
				e.varint(place)
				e.count(i)
			}
		}
	}
}

// resourceTable holds the resources that dense_resource attributes name. finish numbers those that have bytes first.
type resourceTable struct{ stringTable }

func (t *resourceTable) finish(c *ir.Context) {
	slices.SortStableFunc(t.list, func(a, b string) int {
		switch hasA, hasB := c.Resource(a) != nil, c.Resource(b) != nil; {
		case hasA == hasB:
			return 0
		case hasA:
			return -1
		}
		return 1
	})
	for i, key := range t.list {
		t.numbers[key] = i
	}
}

func (w *writer) writeResources(out *emitter) {
	external := w.context.ExternalResources()
	if len(external) == 0 && len(w.resources.list) == 0 {
		return
	}
	var content, offsets emitter
	offsets.count(len(external))
	info := func(key string, kind byte, before int) {
		offsets.count(w.strings.number(key))
		offsets.count(content.size() - before)
		offsets.byte(kind)
	}
	for _, client := range external {
		offsets.count(w.strings.number(client.Name))
		offsets.count(len(client.Entries))
		for _, entry := range client.Entries {
			before := content.size()
			info(entry.Key, w.externalEntry(&content, entry), before)
		}
	}
	if len(w.resources.list) > 0 {
		offsets.count(w.dialects.number(builtinDialect))
		offsets.count(len(w.resources.list))
		for _, key := range w.resources.list {
			before := content.size()
			if r := w.context.Resource(key); r != nil {
				writeBlob(&content, r)
			}
			info(key, resourceBlob, before)
		}
	}
	out.section(sectionResourceOffsets, &offsets)
	out.section(sectionResources, &content)
}

func (w *writer) externalEntry(content *emitter, entry ir.ExternalEntry) (kind byte) {
	switch value := entry.Value.(type) {
	case bool:
		if value {
			content.byte(1)
		} else {
			content.byte(0)
		}
		return resourceBool
	case string:
		content.count(w.strings.number(value))
		return resourceString
	case *ir.Resource:
		writeBlob(content, value)
	}
	return resourceBlob
}

// writeBlob writes a resource. The alignment of an empty one may be 0, which readers refuse.
func writeBlob(content *emitter, r *ir.Resource) {
	alignment := max(int(r.Alignment), 1)
	content.count(alignment)
	content.count(r.Len())
	content.align(alignment)
	content.lazily(r.Len(), r)
}
