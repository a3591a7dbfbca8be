package bytecode

// This file reads operations, regions and blocks.

import "tpuir/ir"

// scope is the numbering of values inside an isolated region: operands are numbers in it.
type scope struct{ values []*ir.Value }

// regionState is what the operations of one region share.
type regionState struct {
	scope  *scope
	next   int // the number of the next value that is defined
	end    int // the number behind the last one that the region may define
	blocks []*ir.Block
}

const unresolved = "not all forward unresolved forward operand references"

func (r *reader) readIR(workers int) *ir.Block {
	c := r.sections[sectionIR]
	block := &ir.Block{}
	if r.failed() {
		return block
	}
	r.forward = map[*ir.Value]bool{}
	if workers > 1 {
		r.resolveAll()
		r.collecting = true
	}
	count, arguments := c.flagged()
	if arguments {
		c.fail("arguments of the top-level block")
	}
	state := &regionState{scope: &scope{}, blocks: []*ir.Block{block}}
	r.readOperations(&c, state, block, c.checkedCount(count, "operations"))
	c.end("the IR section")
	if !r.failed() && len(r.forward) > 0 {
		c.fail(unresolved)
	}
	if !r.failed() && len(r.jobs) > 0 {
		r.runJobs(workers)
	}
	if !r.failed() {
		r.applyOrders(block)
	}
	return block
}

func (r *reader) readOperations(c *cursor, s *regionState, block *ir.Block, n int) {
	for i := 0; i < n && !c.failed(); i++ {
		r.readOperation(c, s, block)
	}
}

// checkInterval is the number of operations between two looks at the context.
const checkInterval = 4096

// readOperation reads an operation with its regions to the end of the block.
func (r *reader) readOperation(c *cursor, s *regionState, block *ir.Block) {
	if r.operations++; r.operations%checkInterval == 0 && r.ctx.Err() != nil {
		c.fail("interrupted")
		return
	}
	name := r.operationName(c)
	mask := c.byte()
	loc := r.ownLocation(c)
	if c.failed() {
		return
	}
	state := ir.OperationState{Name: name.resolved, Loc: loc, Slab: &r.slab}
	r.readAttributes(c, mask, name, &state)
	if mask&maskResults != 0 {
		state.Types = r.resultTypes(c)
	}
	if mask&maskOperands != 0 {
		state.Operands = r.operands(c, s)
	}
	if mask&maskSuccessors != 0 {
		state.Successors = r.successors(c, s)
	}
	var orders []useOrder
	if mask&maskUseLists != 0 && r.version >= versionUseLists {
		orders = r.readOrders(c, len(state.Types))
	}
	isolated := false
	if mask&maskRegions != 0 {
		var count uint64
		count, isolated = c.flagged()
		state.Regions = c.checkedCount(count, "regions")
	}
	if c.failed() {
		return
	}
	op := ir.NewOperation(&state)
	block.Append(op)
	r.define(c, s, op)
	for _, o := range orders {
		r.orders = append(r.orders, valueOrder{op.Result(o.value), o.indices, o.pairs})
	}
	if state.Regions > 0 {
		r.readRegions(c, s, op, isolated)
	}
}

func (r *reader) readAttributes(c *cursor, mask byte, name *operationName, state *ir.OperationState) {
	if mask&maskAttributes != 0 {
		d, ok := r.attribute(c).(*ir.DictionaryAttr)
		if !ok {
			c.fail("expected attribute of type: DictionaryAttr")
		}
		state.Attributes = d
	}
	if mask&maskProperties != 0 {
		state.Properties = r.operationProperties(c, name)
	}
}

func (r *reader) resultTypes(c *cursor) []ir.Type {
	types := r.typeBuffer[:0]
	for range c.count("results") {
		types = append(types, r.typ(c))
	}
	r.typeBuffer = types
	return types
}

func (r *reader) operands(c *cursor, s *regionState) []*ir.Value {
	operands := r.operandBuffer[:0]
	values := s.scope.values
	for range c.count("operands") {
		index := c.varint()
		if index >= uint64(len(values)) {
			c.fail("invalid value index: %d", index)
			return nil
		}
		if values[index] == nil {
			values[index] = r.forwardReference()
		}
		operands = append(operands, values[index])
	}
	r.operandBuffer = operands
	return operands
}

// forwardReference makes a value that stands for one that is defined later.
func (r *reader) forwardReference() *ir.Value {
	none := []ir.Type{r.context.NoneType()}
	v := ir.NewOperation(&ir.OperationState{Name: r.placeholder, Loc: r.context.UnknownLoc(), Types: none}).Result(0)
	r.forward[v] = true
	return v
}

func (r *reader) successors(c *cursor, s *regionState) []*ir.Block {
	successors := r.successorBuffer[:0]
	for range c.count("successors") {
		index := c.varint()
		if index >= uint64(len(s.blocks)) {
			c.fail("invalid successor index: %d", index)
			return nil
		}
		successors = append(successors, s.blocks[index])
	}
	r.successorBuffer = successors
	return successors
}

// define numbers the results of an operation. Those of the top level have no numbers.
func (r *reader) define(c *cursor, s *regionState, op *ir.Operation) {
	if s.end == 0 && s.next == 0 {
		return
	}
	for i := range op.NumResults() {
		r.defineValue(c, s, op.Result(i))
	}
}

func (r *reader) defineValue(c *cursor, s *regionState, v *ir.Value) {
	if s.next >= s.end {
		c.fail("value index range was outside of the expected range for the parent region, whose last index is %d", s.end-1)
		return
	}
	slot := &s.scope.values[s.next]
	s.next++
	if placeholder := *slot; placeholder != nil {
		placeholder.ReplaceAllUsesWith(v)
		delete(r.forward, placeholder)
		r.orders = append(r.orders, valueOrder{value: v}) // the uses came out of order
	}
	*slot = v
}

// readRegions reads the regions of an operation. Isolated ones number their values anew and, from version 2 on, are a
// section of their own.
func (r *reader) readRegions(c *cursor, s *regionState, op *ir.Operation, isolated bool) {
	if r.depth++; r.depth > maxRegionDepth {
		c.fail("regions nested deeper than %d levels", maxRegionDepth)
		return
	}
	defer func() { r.depth-- }()
	inner := s.scope
	if isolated {
		inner = &scope{}
		if r.version >= versionLazy {
			id, content := c.section()
			if id != sectionIR && !c.failed() {
				c.fail("expected IR section for region")
			}
			if r.collecting && r.depth >= parallelDepth {
				r.jobs = append(r.jobs, job{op, content})
				return
			}
			r.readSection(&content, op)
			return
		}
	}
	for i := 0; i < op.NumRegions() && !c.failed(); i++ {
		r.readRegion(c, inner, op.Region(i))
	}
}

// readSection reads the regions of an isolated operation from their section.
func (r *reader) readSection(content *cursor, op *ir.Operation) {
	inner := &scope{}
	for i := 0; i < op.NumRegions() && !content.failed(); i++ {
		r.readRegion(content, inner, op.Region(i))
	}
	if !content.failed() && !content.empty() {
		content.fail("unexpected trailing bytes after the regions of '%s'", op.Name())
	}
}

func (r *reader) readRegion(c *cursor, inner *scope, region *ir.Region) {
	count := c.count("blocks")
	if count == 0 {
		return
	}
	values := c.count("values")
	if r.values += values; r.values > len(r.source.Text) { // a value takes a byte at least
		c.fail("more values than the file has room for")
	}
	if c.failed() {
		return
	}
	first := len(inner.values)
	s := &regionState{scope: inner, next: first, end: first + values, blocks: make([]*ir.Block, count)}
	inner.values = append(inner.values, make([]*ir.Value, values)...)
	for i := range s.blocks {
		s.blocks[i] = r.slab.Block()
		region.Append(s.blocks[i])
	}
	for _, block := range s.blocks {
		if c.failed() {
			return
		}
		r.readBlock(c, s, block)
	}
	clear(inner.values[first:])
	inner.values = inner.values[:first]
}

func (r *reader) readBlock(c *cursor, s *regionState, block *ir.Block) {
	count, arguments := c.flagged()
	if arguments {
		r.readArguments(c, s, block)
	}
	r.readOperations(c, s, block, c.checkedCount(count, "operations"))
}

func (r *reader) readArguments(c *cursor, s *regionState, block *ir.Block) {
	for range c.count("block arguments") {
		index, located := c.varint(), true
		if r.version >= versionElidedLocations {
			index, located = index>>1, index&1 != 0
		}
		t := r.typeAt(c, index)
		loc := ir.Location(r.context.UnknownLoc())
		if located {
			loc = r.ownLocation(c)
		}
		if c.failed() {
			return
		}
		r.defineValue(c, s, r.slab.AddArgument(block, t, loc))
	}
	if r.version < versionUseLists || c.byte() == 0 {
		return
	}
	for _, o := range r.readOrders(c, block.NumArguments()) {
		r.orders = append(r.orders, valueOrder{block.Argument(o.value), o.indices, o.pairs})
	}
}
