package ir

// This file checks that IR is well formed: what MLIR itself demands of every operation, what the definitions demand,
// then that every use is dominated by its definition.

import (
	"context"
	"runtime"
	"sync"
)

// Verify checks an operation and everything in it and returns what is wrong, in the order of the text. Operations whose
// enclosing part is broken are not looked at any deeper. Functions and other isolated operations are checked in
// parallel; the result is the same. Where ctx is cancelled the rest is left out.
func Verify(ctx context.Context, op *Operation) []*Diagnostic {
	v := verifier{ctx: ctx, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	return v.operation(op, true)
}

// VerifySerially is Verify on the calling goroutine alone.
func VerifySerially(ctx context.Context, op *Operation) []*Diagnostic {
	v := verifier{ctx: ctx}
	return v.operation(op, true)
}

type verifier struct {
	ctx   context.Context
	slots chan struct{} // one a running goroutine; nil: none are started
}

// operation checks op and what is nested in it; dominance only where op is the root of what is isolated.
func (v *verifier) operation(op *Operation, isolated bool) []*Diagnostic {
	if v.ctx.Err() != nil {
		return nil
	}
	if found := v.self(op); len(found) > 0 {
		return found
	}
	if len(op.regions()) == 0 {
		return nil
	}
	found := v.regions(op)
	if op.HasTrait(SymbolTable) {
		found = append(found, verifySymbolTable(op)...)
	}
	if len(found) > 0 {
		return found
	}
	if def := op.name.definition; def != nil {
		if def.Traits&SymbolTable != 0 {
			found = verifySymbolUses(op)
		}
		if def.VerifyRegions != nil {
			found = append(found, Diagnostics(def.VerifyRegions(op))...)
		}
		if len(found) > 0 {
			return found
		}
	}
	if isolated {
		return verifyDominance(op)
	}
	return nil
}

// self checks what does not depend on nested operations.
func (v *verifier) self(op *Operation) []*Diagnostic {
	for i := range op.operands() {
		if op.operands()[i].value == nil {
			return []*Diagnostic{op.Errorf("null operand found")}
		}
	}
	c := op.Context()
	for _, e := range op.attributes.Entries {
		if err := verifyDialectAttribute(c, op, e); err != nil {
			return Diagnostics(err)
		}
	}
	def := op.name.definition
	if def == nil {
		return verifyUnregistered(op)
	}
	if def.Traits&(SingleBlock|NoRegionArguments) != 0 {
		if d := verifyRegionTraits(op, def); d != nil {
			return []*Diagnostic{d}
		}
	}
	if def.Verify != nil {
		if found := Diagnostics(def.Verify(op)); len(found) > 0 {
			return found
		}
	}
	if def.Traits&Symbol != 0 {
		if d := verifySymbol(op); d != nil {
			return []*Diagnostic{d}
		}
	}
	if def.VerifyInterfaces != nil {
		if found := Diagnostics(def.VerifyInterfaces(op)); len(found) > 0 {
			return found
		}
	}
	if d := verifyTerminator(op, def); d != nil {
		return []*Diagnostic{d}
	}
	return nil
}

func verifyDialectAttribute(c *Context, op *Operation, e NamedAttribute) error {
	for i := range len(e.Name) {
		if e.Name[i] == '.' {
			if d := c.Dialect(e.Name[:i]); d != nil && d.VerifyAttribute != nil {
				return d.VerifyAttribute(op, e)
			}
			return nil
		}
	}
	return nil
}

func verifyUnregistered(op *Operation) []*Diagnostic {
	dialect := op.name.dialect
	if dialect == nil {
		if op.Context().AllowUnregisteredDialects {
			return nil
		}
		if op.name.namespace == "" {
			return []*Diagnostic{op.PlainErrorf("'%s' op created with unregistered dialect. If this is intended, please use "+
				"--allow-unregistered-dialect", op.name.name)}
		}
		return []*Diagnostic{op.Errorf("created with unregistered dialect. If this is intended, please use " +
			"--allow-unregistered-dialect")}
	}
	if dialect.AllowsUnknownOperations {
		return nil
	}
	return []*Diagnostic{op.PlainErrorf("unregistered operation '%s' found in dialect ('%s') that does not allow unknown operations",
		op.name.name, dialect.Namespace)}
}

func verifyTerminator(op *Operation, def *OpDefinition) *Diagnostic {
	if def.Traits&Terminator != 0 {
		if op.block == nil || op.next != nil {
			return op.Errorf("must be the last operation in the parent block")
		}
	} else if len(op.successors()) > 0 {
		return op.Errorf("requires 0 successors but found %d", len(op.successors()))
	}
	return nil
}

func verifyRegionTraits(op *Operation, def *OpDefinition) *Diagnostic {
	if def.Traits&NoRegionArguments != 0 {
		for i := range op.regions() {
			if r := &op.regions()[i]; r.first != nil && r.first.NumArguments() > 0 {
				if len(op.regions()) == 1 {
					return op.Errorf("region should have no arguments")
				}
				return op.Errorf("region #%d should have no arguments", i)
			}
		}
	}
	if def.Traits&SingleBlock != 0 {
		for i := range op.regions() {
			r := &op.regions()[i]
			if r.first != nil && !r.HasOneBlock() {
				return op.Errorf("expects region #%d to have 0 or 1 blocks", i)
			}
			if r.first != nil && r.first.Empty() && def.Traits&NoTerminator == 0 {
				return op.Errorf("expects a non-empty block")
			}
		}
	}
	return nil
}

func (v *verifier) regions(op *Operation) []*Diagnostic {
	var found []*Diagnostic
	var jobs []*job
	for i := range op.regions() {
		r := &op.regions()[i]
		if r.first != nil && r.first.HasPredecessors() {
			found = append(found, op.locErrorf("entry block of region may not have predecessors"))
		}
		for b := range r.Blocks() {
			if d := verifyBlockShape(op, b); d != nil {
				found = append(found, d)
				continue
			}
			for nested := range b.Operations() {
				isolated := nested.HasTrait(IsolatedFromAbove)
				if isolated && v.slots != nil && nested.next != nil {
					jobs = append(jobs, v.start(nested, len(found)))
					continue
				}
				found = append(found, v.operation(nested, isolated)...)
			}
		}
	}
	return merge(found, jobs)
}

// job is the check of one isolated operation on a goroutine of its own.
type job struct {
	after int // how many diagnostics come before its own
	done  sync.WaitGroup
	found []*Diagnostic
}

func (v *verifier) start(op *Operation, after int) *job {
	j := &job{after: after}
	select {
	case v.slots <- struct{}{}:
		j.done.Go(func() {
			defer func() { <-v.slots }()
			j.found = v.operation(op, true)
		})
	default: // every processor is busy: do it here
		j.found = v.operation(op, true)
	}
	return j
}

func merge(found []*Diagnostic, jobs []*job) []*Diagnostic {
	if len(jobs) == 0 {
		return found
	}
	var all []*Diagnostic
	at := 0
	for _, j := range jobs {
		j.done.Wait()
		all = append(append(all, found[at:j.after]...), j.found...)
		at = j.after
	}
	return append(all, found[at:]...)
}

// blockError is an error about a block: it has no location of its own, so it takes its first operation's.
func (op *Operation) blockError(b *Block, format string, args ...any) *Diagnostic {
	at := op
	if b.first != nil {
		at = b.first
	}
	return at.locErrorf(format, args...)
}

func verifyBlockShape(op *Operation, b *Block) *Diagnostic {
	for i, argument := range b.arguments {
		if argument.block != b || int(argument.index) != i {
			return op.blockError(b, "block argument not owned by block")
		}
	}
	needsTerminator := !b.region.HasOneBlock() || !op.MightHaveTrait(NoTerminator)
	if b.Empty() {
		if needsTerminator {
			return op.locErrorf("empty block: expect at least a terminator")
		}
		return nil
	}
	for nested := b.first; nested != nil; nested = nested.next {
		if len(nested.successors()) > 0 {
			if nested.next != nil {
				return nested.PlainErrorf("operation with block successors must terminate its parent block")
			}
			for i := range nested.successors() {
				if nested.successors()[i].block.region != b.region {
					return nested.Errorf("branching to block of a different region")
				}
			}
		}
	}
	if needsTerminator && !b.last.MightBeTerminator() {
		d := b.last.PlainErrorf("block with no terminator, has ")
		d.EndsInOp = true
		return d
	}
	return nil
}

// verifySymbolUses checks the symbols that operations in a symbol table refer to; nested tables are checked on their own.
// Regions are looked into in MLIR's order, which tells what error comes first: those met last.
func verifySymbolUses(table *Operation) []*Diagnostic {
	var found []*Diagnostic
	var tables SymbolTables
	var open []*Region
	push := func(op *Operation) {
		for i := range op.regions() {
			open = append(open, &op.regions()[i])
		}
	}
	push(table)
	for len(open) > 0 {
		last := len(open) - 1
		region := open[last]
		open = open[:last]
		for b := region.first; b != nil; b = b.next {
			for op := b.first; op != nil; op = op.next {
				def := op.name.definition
				if def != nil && def.VerifySymbolUses != nil {
					found = append(found, Diagnostics(def.VerifySymbolUses(op, &tables))...)
				}
				if def == nil || def.Traits&SymbolTable == 0 {
					push(op)
				}
			}
		}
	}
	return found
}
