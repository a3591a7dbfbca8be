package pass

// This file holds the instrument that prints IR around passes.

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"tpuir/ir"
)

// IRPrinter prints IR before and after passes, with MLIR's headings. Passes have to run serially, so that dumps stand
// in order.
type IRPrinter struct {
	Out io.Writer
	// Print writes an operation as the tool prints it.
	Print func(w io.Writer, op *ir.Operation) error
	// Before and After name passes by argument; BeforeAll and AfterAll mean every pass.
	Before, After       []string
	BeforeAll, AfterAll bool
	// OnlyChange leaves out what a pass did not change, OnlyFailure all but what a failed pass left.
	OnlyChange, OnlyFailure bool
	// ModuleScope prints the whole module around the operation.
	ModuleScope bool
	// Tree writes each dump to a file of its own instead of Out; nil for none.
	Tree *DumpTree

	seed maphash.Seed
}

type fingerprintKey struct{}

// BeforePass prints where that is asked for, and remembers what the IR was.
func (p *IRPrinter) BeforePass(s *Step) {
	if p.OnlyChange {
		s.Data[fingerprintKey{}] = p.fingerprint(s.Op)
	}
	if p.BeforeAll || slices.Contains(p.Before, s.Definition.Argument) {
		p.dump(s, "Before", "")
	}
}

// AfterPass prints where that is asked for.
func (p *IRPrinter) AfterPass(s *Step, err error) {
	if !p.AfterAll && !p.OnlyFailure && !slices.Contains(p.After, s.Definition.Argument) {
		return
	}
	if err != nil {
		p.dump(s, "After", " Failed")
		return
	}
	if p.OnlyFailure {
		return
	}
	if before, ok := s.Data[fingerprintKey{}]; ok && before == p.fingerprint(s.Op) {
		return
	}
	if p.AfterAll || slices.Contains(p.After, s.Definition.Argument) {
		p.dump(s, "After", "")
	}
}

func (p *IRPrinter) fingerprint(op *ir.Operation) uint64 {
	var zero maphash.Seed
	if p.seed == zero {
		p.seed = maphash.MakeSeed()
	}
	var text bytes.Buffer
	_ = p.Print(&text, op) // a buffer does not fail
	return maphash.Bytes(p.seed, text.Bytes())
}

func (p *IRPrinter) dump(s *Step, when, how string) {
	scope := ""
	op := s.Op
	if p.ModuleScope {
		scope = fmt.Sprintf(" ('%s' operation", op.Name())
		if name := ir.SymbolName(op); name != "" {
			scope += ": @" + name
		}
		scope += ")"
		for op.Parent() != nil {
			op = op.Parent()
		}
	}
	heading := fmt.Sprintf("// -----// IR Dump %s %s%s (%s)%s //----- //\n", when, s.Definition.Name, how, s.Definition.Argument, scope)
	write := func(w io.Writer) {
		fmt.Fprint(w, heading)
		if err := p.Print(w, op); err != nil {
			fmt.Fprintf(w, "// could not be printed: %v\n", err)
		}
		fmt.Fprint(w, "\n\n")
	}
	if p.Tree == nil {
		write(p.Out)
		return
	}
	if err := p.Tree.write(s, write); err != nil {
		fmt.Fprintf(p.Out, "// IR dump was not written: %v\n", err)
	}
}
