package interp

// This file holds compiled nets and how they run.

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tpuir/ir"
)

// Port is an input or an output of a net.
type Port struct {
	Name string
	// Type is the declared type. What `?` and the lengths of a dynamic net leave open is seen in the tensors of a run.
	Type ir.Type
	Kind Kind
}

// Program is a function made ready to run. It is safe for concurrent use.
type Program struct {
	inputs, outputs []Port
	dynamic         bool // inputs may be shorter than their types say
	steps           []step
	kinds           []Kind // of the slots
	constants       []constant
	arguments       []slot
	results         []slot
	last            []slot // released when the results were copied
	cache           *Cache

	mu     sync.Mutex
	frames []*frame // not in use
}

// slot is the place of a value in a frame; noSlot stands for an operand that is none.
type slot int32

const noSlot slot = -1

// step is one op of the plan.
type step struct {
	op  *ir.Operation
	run kernel
	// results are what an observer sees of the step.
	results []namedSlot
	// release are the slots whose memory nobody needs behind this step.
	release []slot
}

type namedSlot struct {
	name string
	slot slot
}

// kernel computes one op in a frame.
type kernel func(f *frame) error

type constant struct {
	slot  slot
	value *Tensor
}

// frame holds the values of one run.
type frame struct {
	ctx     context.Context
	program *Program
	values  []*Tensor // by slot; headers are reused by later runs
	headers []Tensor
}

// Inputs returns the net's inputs in order, named as their top.Input.
func (p *Program) Inputs() []Port { return p.inputs }

// Outputs returns the net's outputs in order, named as the values that are returned.
func (p *Program) Outputs() []Port { return p.outputs }

// Run evaluates the net and returns new tensors, one for each of Outputs.
func (p *Program) Run(ctx context.Context, inputs []*Tensor) ([]*Tensor, error) {
	outputs := make([]*Tensor, len(p.outputs))
	for i := range outputs {
		outputs[i] = new(Tensor)
	}
	return outputs, p.RunInto(ctx, inputs, outputs)
}

// RunInto is Run into tensors of the caller's, whose memory is used where it is large enough. The inputs are read where
// they are, and not changed: they may be large buffers of the caller's, such as the history of a KV cache. An output
// must not share memory with an input. inputs has one tensor for each of Inputs; a tensor of another kind than the
// port's is converted.
func (p *Program) RunInto(ctx context.Context, inputs, outputs []*Tensor) error {
	return p.run(ctx, inputs, outputs, nil)
}

// Observe is Run that also shows every named value as soon as it is computed; the tensor is the callee's only during the
// call. All values are seen if the program was compiled Observable. Names are those of the IR's locations, as TPU-MLIR's
// tools use them.
func (p *Program) Observe(ctx context.Context, inputs []*Tensor, see func(name string, value *Tensor)) ([]*Tensor, error) {
	outputs := make([]*Tensor, len(p.outputs))
	for i := range outputs {
		outputs[i] = new(Tensor)
	}
	return outputs, p.run(ctx, inputs, outputs, see)
}

func (p *Program) run(ctx context.Context, inputs, outputs []*Tensor, see func(string, *Tensor)) error {
	if len(inputs) != len(p.inputs) || len(outputs) != len(p.outputs) {
		return fmt.Errorf("the net has %d inputs and %d outputs, not %d and %d", len(p.inputs), len(p.outputs), len(inputs),
			len(outputs))
	}
	f := p.frame()
	f.ctx = ctx
	for i, given := range inputs {
		if err := p.bind(f, i, given); err != nil {
			return err
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := s.run(f); err != nil {
			return located(s.op, err)
		}
		if see != nil {
			for _, result := range s.results {
				see(result.name, f.values[result.slot])
			}
		}
		for _, r := range s.release {
			f.release(r)
		}
	}
	for i, r := range p.results {
		outputs[i].CopyFrom(f.values[r])
	}
	for _, r := range p.last {
		f.release(r)
	}
	p.giveBack(f)
	return nil
}

// located makes an error one of the op, with its location, unless it is one already.
func located(op *ir.Operation, err error) error {
	if _, ok := err.(*ir.Diagnostic); ok {
		return err
	}
	return op.Errorf("%w", err)
}

// frame returns a frame that no run uses.
func (p *Program) frame() *frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.frames); n > 0 {
		f := p.frames[n-1]
		p.frames = p.frames[:n-1]
		return f
	}
	f := &frame{program: p, values: make([]*Tensor, len(p.kinds)), headers: make([]Tensor, len(p.kinds))}
	for i := range f.headers {
		f.headers[i].Kind = p.kinds[i]
		f.values[i] = &f.headers[i]
	}
	for _, c := range p.constants {
		f.values[c.slot] = c.value
	}
	return f
}

// giveBack keeps a frame for the next run, without the caller's tensors.
func (p *Program) giveBack(f *frame) {
	f.ctx = nil
	for _, a := range p.arguments {
		f.values[a] = &f.headers[a]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames = append(p.frames, f)
}

// bind makes a given tensor the value of argument i.
func (p *Program) bind(f *frame, i int, given *Tensor) error {
	port := &p.inputs[i]
	if given == nil {
		return fmt.Errorf("input %q is missing", port.Name)
	}
	if err := given.Check(); err != nil {
		return fmt.Errorf("input %q: %w", port.Name, err)
	}
	declared, _ := port.Type.(*ir.RankedTensorType)
	fits := declared != nil && len(declared.Shape) == len(given.Shape)
	for axis := 0; fits && axis < len(given.Shape); axis++ {
		have, want := given.Shape[axis], declared.Shape[axis]
		fits = have == want || want == ir.Dynamic || p.dynamic && have < want
	}
	if !fits {
		return fmt.Errorf("input %q has shape %v, which its type %v does not allow", port.Name, given.Shape, port.Type)
	}
	a := p.arguments[i]
	if given.Kind != port.Kind {
		converted := &Tensor{Kind: port.Kind, Shape: given.Shape}
		converted.make(given.Len())
		converted.convert(given)
		given = converted
	}
	f.values[a] = given
	return nil
}

// make gives a tensor fresh memory for n elements.
func (t *Tensor) make(n int) {
	if t.Kind == Integer {
		t.Integers = make([]int64, n)
		return
	}
	t.Floats = make([]float32, n)
}

// alloc gives the value of a slot a shape, and memory that the kernel must fill.
func (f *frame) alloc(s slot, shape ...int64) (*Tensor, error) {
	n, err := countElements(shape)
	if err != nil {
		return nil, err
	}
	t := f.values[s]
	t.Shape = append(t.Shape[:0], shape...)
	if t.Kind == Integer {
		t.Integers = slices.Grow(t.Integers[:0], n)[:n]
		return t, nil
	}
	t.Floats = f.program.cache.buffers.take(n)
	return t, nil
}

// scratch lends a buffer, to be given back with done.
func (f *frame) scratch(n int) []float32 { return f.program.cache.buffers.take(n) }

func (f *frame) done(buffer []float32) { f.program.cache.buffers.give(buffer) }

// release gives a value's memory back.
func (f *frame) release(s slot) {
	t := f.values[s]
	f.program.cache.buffers.give(t.Floats)
	t.Floats = nil
}
