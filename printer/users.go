package printer

// This file writes the comments of --mlir-print-value-users.

import (
	"strconv"

	"tpuir/ir"
)

// usersComment writes ` // users: %3, %4`, or the number of an operation without results, which such comments refer to.
func (p *printer) usersComment(op *ir.Operation) {
	n := op.NumResults()
	switch {
	case n == 0 && op.NumOperands() > 0:
		p.buf = append(p.buf, " // id: "...)
		p.operationID(op)
		return
	case n == 0:
		return
	case op.Unused():
		p.buf = append(p.buf, " // unused"...)
		return
	}
	if n > 1 || usersAreMany(op) {
		p.buf = append(p.buf, " // users: "...)
	} else {
		p.buf = append(p.buf, " // user: "...)
	}
	for i := range n {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		if n > 1 {
			p.buf = append(p.buf, '(')
		}
		p.valueUsers(op.Result(i))
		if n > 1 {
			p.buf = append(p.buf, ')')
		}
	}
}

// usersAreMany reports whether more than one operation, or one with more than one result, uses an operation's only result.
func usersAreMany(op *ir.Operation) bool {
	var first *ir.Operation
	for user := range op.Result(0).Users() {
		if first != nil && user != first {
			return true
		}
		first = user
	}
	return first.NumResults() > 1
}

// argumentUsers writes the line about an argument of a block.
func (p *printer) argumentUsers(v *ir.Value) {
	p.buf = p.names.appendValue(append(p.buf, "// "...), v, true)
	if v.HasUses() {
		p.buf = append(p.buf, " is used by "...)
		p.valueUsers(v)
	} else {
		p.buf = append(p.buf, " is unused"...)
	}
	p.buf = append(p.buf, '\n')
}

func (p *printer) valueUsers(v *ir.Value) {
	if !v.HasUses() {
		p.buf = append(p.buf, "unused"...)
	}
	seen := map[*ir.Operation]bool{}
	index := 0
	for user := range v.Users() {
		if !seen[user] {
			seen[user] = true
			if index > 0 {
				p.buf = append(p.buf, ", "...)
			}
			p.userID(user)
		}
		index++
	}
}

func (p *printer) userID(user *ir.Operation) {
	if user.NumResults() == 0 {
		p.operationID(user)
		return
	}
	for i := range user.NumResults() {
		if i > 0 {
			p.buf = append(p.buf, ", "...)
		}
		p.buf = p.names.appendValue(p.buf, user.Result(i), true)
	}
}

func (p *printer) operationID(op *ir.Operation) {
	id, ok := p.names.operations[op]
	if !ok {
		p.buf = append(p.buf, "<<UNKNOWN OPERATION>>"...)
		return
	}
	p.buf = strconv.AppendUint(append(p.buf, '%'), uint64(id), 10)
}
