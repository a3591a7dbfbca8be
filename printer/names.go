package printer

// This file gives values and blocks the names that they print with.

import (
	"slices"
	"strconv"
	"unsafe"

	"tpuir/ir"
)

// names holds what every value and block under a root is called. It does not change once made.
type names struct {
	options *Options
	// values holds a number, or the index of a text with textBit set. Of results that form a group only the first has
	// an entry.
	values addressTable
	texts  []string
	// groups holds the first results of the groups of operations with more than one.
	groups map[*ir.Operation][]int
	// blocks holds the numbers of blocks that are not the first of their region.
	blocks addressTable
	// operations holds numbers for operations without results, only where users are printed.
	operations map[*ir.Operation]uint32

	next counters
	used map[string]bool
	// usedArguments holds which of the argumentNames are used, which are not in used.
	usedArguments [len(argumentNames)]bool
	// scoped holds the names that the open regions have used, and scopes where those of each start.
	scoped []string
	scopes []int
}

// counters are the numbers that come next. A region starts with those that its parent region ends with.
type counters struct{ value, argument, conflict uint32 }

const textBit = 1 << 31

// pendingRegion is a region whose values have no names yet.
type pendingRegion struct {
	region *ir.Region
	start  counters
	depth  int // of the scopes that are open around it
}

// nameValues names everything under an operation: all values of a region, then those of the regions nested in it.
func nameValues(root *ir.Operation, options *Options) *names {
	n := &names{options: options, used: map[string]bool{}, groups: map[*ir.Operation][]int{}}
	n.reserve(root)
	if options.ValueUsers {
		n.operations = map[*ir.Operation]uint32{}
	}
	var pending []pendingRegion
	for i := range root.NumRegions() {
		pending = append(pending, pendingRegion{region: root.Region(i), start: n.next})
	}
	n.operation(root)
	for len(pending) > 0 {
		last := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if !options.UniqueSSAIDs && !options.Generic { // the generic form never uses a number twice
			n.next = last.start
		}
		n.closeScopes(last.depth)
		n.scopes = append(n.scopes, len(n.scoped))
		n.region(last.region)
		for b := last.region.First(); b != nil; b = b.Next() {
			for op := b.First(); op != nil; op = op.Next() {
				for i := range op.NumRegions() {
					pending = append(pending, pendingRegion{op.Region(i), n.next, len(n.scopes)})
				}
			}
		}
	}
	n.used, n.scoped, n.scopes = nil, nil, nil
	return n
}

// reserve makes room for the values and blocks, so that the tables need not grow.
func (n *names) reserve(root *ir.Operation) {
	values, blocks := 0, 0
	var count func(op *ir.Operation)
	count = func(op *ir.Operation) {
		if op.NumResults() > 0 {
			values++
		}
		for i := range op.NumRegions() {
			for b := op.Region(i).First(); b != nil; b = b.Next() {
				values += b.NumArguments()
				if !b.IsEntry() {
					blocks++
				}
				for nested := b.First(); nested != nil; nested = nested.Next() {
					count(nested)
				}
			}
		}
	}
	count(root)
	n.values.reserve(values)
	n.blocks.reserve(blocks)
}

func (n *names) closeScopes(depth int) {
	if len(n.scopes) <= depth {
		return
	}
	from := n.scopes[depth]
	for _, name := range n.scoped[from:] {
		if i := argumentNumber(name); i >= 0 {
			n.usedArguments[i] = false
		} else {
			delete(n.used, name)
		}
	}
	n.scoped, n.scopes = n.scoped[:from], n.scopes[:depth]
}

func (n *names) region(r *ir.Region) {
	if def := r.Parent().Definition(); def != nil && def.BlockArgumentNames != nil && !n.options.Generic {
		def.BlockArgumentNames(r.Parent(), r, func(v *ir.Value, name string) {
			if v.Region() == r {
				n.name(v, n.preferred(v, name))
			}
		})
	}
	number := 0
	for b := r.First(); b != nil; b = b.Next() {
		if number > 0 {
			n.blocks.set(unsafe.Pointer(b), uint32(number))
		}
		number++
		n.block(b)
	}
}

func (n *names) block(b *ir.Block) {
	entry := b.IsEntry()
	for _, argument := range b.Arguments() {
		if _, ok := n.values.get(unsafe.Pointer(argument)); ok {
			continue
		}
		name := ""
		if entry {
			name = argumentName(n.next.argument)
			n.next.argument++
		}
		n.name(argument, n.preferred(argument, name))
	}
	for op := b.First(); op != nil; op = op.Next() {
		n.operation(op)
	}
}

var argumentNames = func() (names [64]string) {
	for i := range names {
		names[i] = "arg" + strconv.Itoa(i)
	}
	return names
}()

func argumentName(i uint32) string {
	if i < uint32(len(argumentNames)) {
		return argumentNames[i]
	}
	return "arg" + strconv.FormatUint(uint64(i), 10)
}

// argumentNumber returns the place of a name in argumentNames, or -1.
func argumentNumber(name string) int {
	if len(name) < 4 || len(name) > 5 || name[:3] != "arg" {
		return -1
	}
	i := int(name[3]) - '0'
	if len(name) == 5 {
		i = 10*i + int(name[4]) - '0'
	}
	if i < 0 || i >= len(argumentNames) || argumentNames[i] != name {
		return -1
	}
	return i
}

// preferred returns the name that a value is given: that in its location where options say so.
func (n *names) preferred(v *ir.Value, name string) string {
	if n.options.NameLocAsPrefix {
		if found := nameIn(v.Loc()); found != "" {
			return found
		}
	}
	return name
}

// nameIn returns the first name in a location, looking at the outer ones first.
func nameIn(l ir.Location) string {
	switch l := l.(type) {
	case *ir.NameLoc:
		return l.Name
	case *ir.CallSiteLoc:
		if name := nameIn(l.Callee); name != "" {
			return name
		}
		return nameIn(l.Caller)
	case *ir.FusedLoc:
		for _, inner := range l.Locations {
			if name := nameIn(inner); name != "" {
				return name
			}
		}
	}
	return ""
}

func (n *names) operation(op *ir.Operation) {
	if def := op.Definition(); def != nil && def.ResultNames != nil && !n.options.Generic {
		n.suggested(op, def)
	}
	if op.NumResults() == 0 {
		if n.options.ValueUsers {
			n.operations[op] = n.next.value
			n.next.value++
		}
		return
	}
	first := op.Result(0)
	if _, ok := n.values.get(unsafe.Pointer(first)); !ok {
		n.name(first, n.preferred(first, ""))
	}
}

// suggested names results as the definition of their operation wants.
func (n *names) suggested(op *ir.Operation, def *ir.OpDefinition) {
	var groups []int
	def.ResultNames(op, func(v *ir.Value, name string) {
		n.name(v, n.preferred(v, name))
		if v.Index() > 0 {
			groups = append(groups, v.Index())
		}
	})
	if groups != nil {
		groups = append(groups, 0)
		slices.Sort(groups)
		n.groups[op] = groups
	}
}

// name gives a value a name made unique, or the next number where that is empty.
func (n *names) name(v *ir.Value, name string) {
	if name == "" {
		n.values.set(unsafe.Pointer(v), n.next.value)
		n.next.value++
		return
	}
	name = n.unique(identifier(name))
	n.values.set(unsafe.Pointer(v), textBit|uint32(len(n.texts)))
	n.texts = append(n.texts, name)
}

func (n *names) unique(name string) string {
	if n.taken(name) {
		base := name + "_"
		for {
			name = base + strconv.FormatUint(uint64(n.next.conflict), 10)
			n.next.conflict++
			if !n.taken(name) {
				break
			}
		}
	}
	if i := argumentNumber(name); i >= 0 {
		n.usedArguments[i] = true
	} else {
		n.used[name] = true
	}
	if len(n.scopes) > 0 {
		n.scoped = append(n.scoped, name)
	}
	return name
}

func (n *names) taken(name string) bool {
	if i := argumentNumber(name); i >= 0 {
		return n.usedArguments[i]
	}
	return n.used[name]
}

// identifier turns any text into the name of a value: bytes that can't stand in one become hex digits, a blank `_`.
func identifier(name string) string {
	plain := !isDigit(name[0])
	for i := 0; i < len(name) && plain; i++ {
		plain = inIdentifier(name[i])
	}
	if plain {
		return name
	}
	text := make([]byte, 0, len(name)+8)
	if isDigit(name[0]) {
		text = append(text, '_')
	}
	for i := range len(name) {
		switch c := name[i]; {
		case inIdentifier(c):
			text = append(text, c)
		case c == ' ':
			text = append(text, '_')
		default:
			text = append(text, []byte(upperHex(c))...)
		}
	}
	return string(text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func inIdentifier(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '$' || c == '.' || c == '_' || c == '-'
}

// upperHex returns a byte in hex without a leading zero.
func upperHex(c byte) string {
	const digits = "0123456789ABCDEF"
	if c < 16 {
		return digits[c : c+1]
	}
	return string([]byte{digits[c>>4], digits[c&15]})
}

// appendValue writes `%name`, and `#index` where the value is one of a group and that is asked for.
func (n *names) appendValue(dst []byte, v *ir.Value, withIndex bool) []byte {
	if v == nil {
		return append(dst, "<<NULL VALUE>>"...)
	}
	lookup, index := v, -1
	if op := v.DefiningOp(); op != nil && op.NumResults() > 1 {
		lookup, index = n.head(op, v.Index())
	}
	name, ok := n.values.get(unsafe.Pointer(lookup))
	if !ok {
		return append(dst, "<<UNKNOWN SSA VALUE>>"...)
	}
	dst = append(dst, '%')
	if name&textBit != 0 {
		dst = append(dst, n.texts[name&^textBit]...)
	} else {
		dst = strconv.AppendUint(dst, uint64(name), 10)
	}
	if withIndex && index >= 0 {
		dst = strconv.AppendInt(append(dst, '#'), int64(index), 10)
	}
	return dst
}

// head returns the first result of the group of a result and its place in that group, -1 where it is alone.
func (n *names) head(op *ir.Operation, result int) (first *ir.Value, index int) {
	groups, ok := n.groups[op]
	if !ok {
		return op.Result(0), result
	}
	i, found := slices.BinarySearch(groups, result)
	if !found {
		i--
	}
	end := op.NumResults()
	if i+1 < len(groups) {
		end = groups[i+1]
	}
	if end-groups[i] == 1 {
		return op.Result(groups[i]), -1
	}
	return op.Result(groups[i]), result - groups[i]
}

// blockNumber returns the place of a block in its region.
func (n *names) blockNumber(b *ir.Block) uint32 {
	number, _ := n.blocks.get(unsafe.Pointer(b))
	return number
}

// appendBlock writes `^bbN`.
func (n *names) appendBlock(dst []byte, b *ir.Block) []byte {
	if b == nil {
		return append(dst, "<<NULL BLOCK>>"...)
	}
	return strconv.AppendUint(append(dst, "^bb"...), uint64(n.blockNumber(b)), 10)
}
