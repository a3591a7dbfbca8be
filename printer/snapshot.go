package printer

// This file prints many operations of IR that stays as it is: what messages about a large function show.

import "tpuir/ir"

// Snapshot prints operations one by one with the same options, while the IR does not change. Values are numbered once for all
// operations that are numbered together, where [Append] would number them again for each. It is for one goroutine.
type Snapshot struct {
	options Options
	named   map[*ir.Operation]*names
}

// NewSnapshot returns a snapshot that prints with these options.
func NewSnapshot(options Options) *Snapshot {
	return &Snapshot{options: options, named: map[*ir.Operation]*names{}}
}

// Append writes an operation to the end of a slice.
func (s *Snapshot) Append(dst []byte, op *ir.Operation) []byte {
	p := newPrinter(op, s.options)
	p.snapshot, p.buf = s, dst
	p.print(op)
	return p.buf
}

// valueNames returns the names of what is numbered together with an operation.
func (p *printer) valueNames(op *ir.Operation) *names {
	root := numberingRoot(op, p.options.LocalScope)
	if p.snapshot == nil {
		return nameValues(root, &p.options)
	}
	known := p.snapshot.named[root]
	if known == nil {
		known = nameValues(root, &p.options)
		p.snapshot.named[root] = known
	}
	return known
}
