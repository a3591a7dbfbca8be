package pass

// This file holds the manager: it runs a pipeline, nested operations in parallel, checks the IR between passes and
// tells the instruments.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"

	"tpuir/ir"
)

// Instrument watches passes run. Its methods may be called from several goroutines at once.
type Instrument interface {
	BeforePass(s *Step)
	// AfterPass is called with the error that ended the pass, nil where it went well. It stands behind the
	// verification of what the pass left.
	AfterPass(s *Step, err error)
}

// Step is one run of one pass on one operation.
type Step struct {
	Definition *Definition
	Pass       Pass
	Op         *ir.Operation
	// Data is for the instruments, under a key of their own.
	Data  map[any]any
	stage *stage
}

// stage is a place in the pipeline: the same for all operations that a pass runs on.
type stage struct {
	parent *stage
	index  int
	name   string
}

// Manager runs pipelines.
type Manager struct {
	Pipeline *Pipeline
	// Verify says that the IR is checked after every pass.
	Verify bool
	// Serial says that everything runs on the calling goroutine.
	Serial      bool
	Instruments []Instrument
	Statistics  *Statistics
	// Print is where passes write that are there to print; nil drops what they write.
	Print io.Writer
	// Check is called after every pass that went well, behind the verification; its error ends the run. Nil checks nothing.
	Check func(ctx context.Context, s *Step) error
	// Failed is told of a pass's error before the instruments are, where passes run serially; what it returns takes the error's
	// place. Nil leaves errors as they are.
	Failed func(error) error
	// Warn takes warnings; nil drops them.
	Warn func(*ir.Diagnostic)
	// Session is shared by the passes; nil makes one for each run.
	Session *Session

	warnMu sync.Mutex
}

// Run runs the pipeline on an operation. Errors are diagnostics, joined where there are several.
func (m *Manager) Run(ctx context.Context, op *ir.Operation) (err error) {
	if m.Pipeline.Anchor != Any && !op.Is(m.Pipeline.Anchor) {
		d := op.PlainErrorf("can't run '%s' pass manager on '%s' op", m.Pipeline.Anchor, op.Name())
		d.Op = nil // to show it would tell nothing
		return d
	}
	session := m.Session
	if session == nil {
		session = NewSession()
		defer func() { err = errors.Join(err, session.Close()) }()
	}
	r := &runner{Manager: m, session: session, met: map[*Pipeline]bool{}, output: &output{w: m.Print}}
	if m.Verify {
		r.makers.input(op)
	}
	if !m.Serial {
		r.slots = make(chan struct{}, runtime.GOMAXPROCS(0)-1)
	}
	err = r.run(ctx, m.Pipeline, op, &stage{name: m.Pipeline.Anchor})
	if err == nil {
		r.warnUnmet(m.Pipeline, op)
	}
	return err
}

// runner is one run of a manager.
type runner struct {
	*Manager
	session *Session
	slots   chan struct{} // one for each further goroutine
	metMu   sync.Mutex
	met     map[*Pipeline]bool
	makers  makers
	output  *output
}

func (r *runner) run(ctx context.Context, p *Pipeline, op *ir.Operation, at *stage) error {
	for i, s := range p.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if s.nested != nil {
			err = r.nested(ctx, s.nested, op, &stage{at, i, s.nested.Anchor})
		} else {
			err = r.pass(ctx, s, op, &stage{at, i, s.definition.Name})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) pass(ctx context.Context, s step, op *ir.Operation, at *stage) error {
	current := &Step{Definition: s.definition, Pass: s.pass, Op: op, Data: map[any]any{}, stage: at}
	for _, i := range r.Instruments {
		i.BeforePass(current)
	}
	run := &Run{Context: ctx, Session: r.session, Warn: r.warn, output: r.output, statistics: r.Statistics, stage: at}
	err := protect(s.definition, op, func() error { return s.pass.Run(run, op) })
	if err == nil && r.Verify {
		err = r.verify(ctx, s.definition, op)
	}
	if err == nil && r.Check != nil {
		err = r.Check(ctx, current)
	}
	if err != nil && r.Serial && r.Failed != nil && ctx.Err() == nil {
		err = r.Failed(err)
	}
	for i := len(r.Instruments) - 1; i >= 0; i-- {
		r.Instruments[i].AfterPass(current, err)
	}
	return err
}

// protect turns a crash of a pass into an error, so that a reproducer can be written.
func protect(definition *Definition, op *ir.Operation, run func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = op.PlainErrorf("pass '%s' crashed, which is a mistake of the program: %v\n%s", definition.Argument, reason, debug.Stack())
		}
	}()
	return run()
}

// verify checks what a pass left, and says of every error whose it is.
func (r *runner) verify(ctx context.Context, definition *Definition, op *ir.Operation) error {
	check := ir.Verify
	if r.Serial {
		check = ir.VerifySerially
	}
	found := check(ctx, op)
	r.makers.made(definition, op)
	all := make([]error, len(found))
	for i, d := range found {
		d.Note(nil, "%s", r.makers.blame(d.Op, definition))
		d.Notes[len(d.Notes)-1].Aside = true
		all[i] = d
	}
	return errors.Join(all...)
}

func (r *runner) warn(d *ir.Diagnostic) {
	if r.Warn == nil {
		return
	}
	r.warnMu.Lock()
	defer r.warnMu.Unlock()
	r.Warn(d)
}

// nested runs a pipeline on the operations directly inside op that it is for.
func (r *runner) nested(ctx context.Context, p *Pipeline, op *ir.Operation, at *stage) error {
	var targets []*ir.Operation
	for i := range op.NumRegions() {
		for b := range op.Region(i).Blocks() {
			for nested := range b.Operations() {
				if p.Anchor == Any && nested.HasTrait(ir.IsolatedFromAbove) || nested.Is(p.Anchor) {
					targets = append(targets, nested)
				}
			}
		}
	}
	if len(targets) > 0 {
		r.metMu.Lock()
		r.met[p] = true
		r.metMu.Unlock()
	}
	errs := make([]error, len(targets))
	var workers sync.WaitGroup
	for i, target := range targets {
		if !target.HasTrait(ir.IsolatedFromAbove) {
			workers.Wait()
			return target.PlainErrorf("pass pipeline '%s' can only run on operations that are isolated from above", p.Anchor)
		}
		select {
		case r.slots <- struct{}{}: // never ready where slots is nil
			copied := p.clone()
			workers.Go(func() {
				defer func() { <-r.slots }()
				errs[i] = r.run(ctx, copied, target, at)
				r.joined(p, copied)
			})
		default:
			errs[i] = r.run(ctx, p, target, at)
		}
		if r.Serial && errs[i] != nil {
			break
		}
	}
	workers.Wait()
	return errors.Join(errs...)
}

// joined carries back which nested pipelines of a copy met an operation.
func (r *runner) joined(original, copied *Pipeline) {
	r.metMu.Lock()
	defer r.metMu.Unlock()
	var walk func(o, c *Pipeline)
	walk = func(o, c *Pipeline) {
		for i := range o.steps {
			if o.steps[i].nested != nil {
				if r.met[c.steps[i].nested] {
					r.met[o.steps[i].nested] = true
				}
				delete(r.met, c.steps[i].nested)
				walk(o.steps[i].nested, c.steps[i].nested)
			}
		}
	}
	walk(original, copied)
}

// warnUnmet says of every nested pipeline that met no operation, since it did nothing without a word.
func (r *runner) warnUnmet(p *Pipeline, root *ir.Operation) {
	for _, s := range p.steps {
		if s.nested == nil {
			continue
		}
		if !r.met[s.nested] {
			missing := "'" + s.nested.Anchor + "'"
			if s.nested.Anchor == Any {
				missing = "isolated operation"
			}
			r.warn(&ir.Diagnostic{Severity: ir.SeverityWarning, Loc: root.Loc(), Position: root.Position(),
				Message: fmt.Sprintf("pass pipeline '%s' met no operation: there is no %s directly inside '%s'", s.nested, missing, p.Anchor)})
			continue
		}
		r.warnUnmet(s.nested, root)
	}
}
