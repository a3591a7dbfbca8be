// Package evaluator is the device that evaluates IR: Top or Tpu, whatever state the nets are in.
package evaluator

import (
	"context"
	"fmt"
	"slices"

	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/interp"
	"tpuir/ir"
	"tpuir/runtime"
)

// Net is a net's IR and its weights.
type Net struct {
	Name string
	// Module is the net's module, with the function @main. It must have been verified.
	Module *ir.Operation
	// Weights are the constants; an [interp.Cache] that nets share keeps them decoded once.
	Weights interp.Weights
}

// Device evaluates nets.
type Device struct {
	names []string
	nets  map[string]Net
}

// New returns a device that has these nets.
func New(nets []Net) (*Device, error) {
	d := &Device{nets: map[string]Net{}}
	for _, n := range nets {
		if _, ok := d.nets[n.Name]; ok {
			return nil, fmt.Errorf("net %s is there twice", n.Name)
		}
		d.names = append(d.names, n.Name)
		d.nets[n.Name] = n
	}
	return d, nil
}

// Nets lists the names of the nets.
func (d *Device) Nets() []string { return d.names }

func (d *Device) net(name string) (Net, *ir.Operation, error) {
	n, ok := d.nets[name]
	if !ok {
		return n, nil, fmt.Errorf("there is no net %s", name)
	}
	main, err := interp.FindMain(n.Module)
	return n, main, err
}

// Describe returns a net's ports, from the types of its function.
func (d *Device) Describe(name string) (runtime.Description, error) {
	var found runtime.Description
	_, main, err := d.net(name)
	if err != nil {
		return found, err
	}
	found.Dynamic = interp.IsDynamic(main)
	body := main.Region(0).First()
	for _, argument := range body.Arguments() {
		p, err := port(interp.InputName(argument), argument)
		if err != nil {
			return found, fmt.Errorf("net %s: %w", name, err)
		}
		found.Inputs = append(found.Inputs, p)
	}
	for _, result := range body.Last().Operands() {
		p, err := port(interp.OutputName(result), result)
		if err != nil {
			return found, fmt.Errorf("net %s: %w", name, err)
		}
		found.Outputs = append(found.Outputs, p)
	}
	return found, nil
}

func port(name string, v *ir.Value) (runtime.Port, error) {
	t, ok := v.Type().(*ir.RankedTensorType)
	kind, known := interp.KindOf(v.Type())
	if !ok || !known || kind == interp.None || !ir.HasStaticShape(t) {
		return runtime.Port{}, fmt.Errorf("%q has type %v; expected a tensor of numbers with static shape", name, v.Type())
	}
	p := runtime.Port{Name: name, Kind: runtime.Float, Shape: t.Shape}
	if kind == interp.Integer {
		p.Kind = runtime.Integer
	}
	return p, nil
}

// Open compiles a net.
func (d *Device) Open(ctx context.Context, name string) (runtime.Net, error) {
	n, main, err := d.net(name)
	if err != nil {
		return nil, err
	}
	return compile(ctx, n, main)
}

func compile(ctx context.Context, n Net, main *ir.Operation) (*program, error) {
	compiled, err := interp.Compile(ctx, main, n.Weights, interp.Options{})
	if err != nil {
		return nil, err
	}
	return &program{name: n.Name, compiled: compiled}, nil
}

// OpenLogits compiles a head that returns the token so that it returns the values it chooses among.
func (d *Device) OpenLogits(ctx context.Context, name string) (runtime.Net, int64, error) {
	n, main, err := d.net(name)
	if err != nil {
		return nil, 0, err
	}
	clone := main.Clone()
	back := clone.Region(0).First().Last()
	if back == nil || !back.Is(funcdialect.ReturnName) || back.NumOperands() != 1 {
		return nil, 0, main.Errorf("must return one value for logits to be had from it")
	}
	logits := chosenAmong(back.Operand(0))
	if logits == nil {
		return nil, 0, main.Errorf("returns neither logits nor the index of the greatest")
	}
	t, ok := logits.Type().(*ir.RankedTensorType)
	if !ok || !ir.HasStaticShape(t) || len(t.Shape) == 0 {
		return nil, 0, main.Errorf("chooses among values of type %v; expected a static shape", logits.Type())
	}
	back.SetOperand(0, logits)
	opened, err := compile(ctx, n, clone)
	return opened, t.Shape[len(t.Shape)-1], err
}

// chosenAmong returns the input of the TopK that an index comes from, nil where it comes from elsewhere.
func chosenAmong(index *ir.Value) *ir.Value {
	for {
		op := index.DefiningOp()
		if op == nil {
			return nil
		}
		if cast, ok := tpu.AsCast(op); ok {
			index = cast.Input()
			continue
		}
		if k, ok := top.AsTopK(op); ok {
			return k.Input()
		}
		if k, ok := tpu.AsTopK(op); ok {
			return k.Input()
		}
		return nil
	}
}

// maxElements bounds what one allocation may ask for: 16 GiB.
const maxElements = 1 << 32

// Allocate returns memory of this process.
func (d *Device) Allocate(kind runtime.Kind, n int64) (runtime.Memory, error) {
	if n < 0 || n > maxElements {
		return nil, fmt.Errorf("%d elements can't be allocated", n)
	}
	if kind == runtime.Integer {
		return &memory{integers: make([]int64, n)}, nil
	}
	return &memory{floats: make([]float32, n)}, nil
}

// memory is a slice; one of the two is used.
type memory struct {
	floats   []float32
	integers []int64
}

func (m *memory) Len() int64                            { return int64(len(m.floats) + len(m.integers)) }
func (m *memory) WriteFloats(offset int64, v []float32) { copy(m.floats[offset:], v) }
func (m *memory) ReadFloats(offset int64, v []float32)  { copy(v, m.floats[offset:]) }
func (m *memory) WriteIntegers(offset int64, v []int64) { copy(m.integers[offset:], v) }
func (m *memory) ReadIntegers(offset int64, v []int64)  { copy(v, m.integers[offset:]) }

// program is a compiled net with the headers of its last run, for the next.
type program struct {
	name            string
	compiled        *interp.Program
	inputs, outputs []*interp.Tensor
}

// Run evaluates the net.
func (p *program) Run(ctx context.Context, inputs, outputs []runtime.Tensor) error {
	var err error
	if p.inputs, err = headers(p.inputs, inputs); err == nil {
		p.outputs, err = headers(p.outputs, outputs)
	}
	if err == nil {
		err = p.compiled.RunInto(ctx, p.inputs, p.outputs)
	}
	if err != nil {
		return err
	}
	for i, o := range outputs {
		if !slices.Equal(p.outputs[i].Shape, o.Shape) {
			return fmt.Errorf("net %s: output %s has shape %v; expected %v", p.name, p.compiled.Outputs()[i].Name, p.outputs[i].Shape, o.Shape)
		}
		deliver(o, p.outputs[i])
	}
	return nil
}

// headers describes parts of memories as tensors of the evaluator, which share them.
func headers(reused []*interp.Tensor, tensors []runtime.Tensor) ([]*interp.Tensor, error) {
	for len(reused) < len(tensors) {
		reused = append(reused, new(interp.Tensor))
	}
	reused = reused[:len(tensors)]
	for i, t := range tensors {
		m, ok := t.Memory.(*memory)
		n := int64(1)
		for _, size := range t.Shape {
			n *= size
		}
		if !ok || t.Offset < 0 || n < 0 || t.Offset+n > m.Len() {
			return nil, fmt.Errorf("tensor %d of shape %v does not lie in its memory", i, t.Shape)
		}
		h := reused[i]
		h.Shape = append(h.Shape[:0], t.Shape...)
		end := t.Offset + n
		if m.integers != nil {
			h.Kind, h.Integers, h.Floats = interp.Integer, m.integers[t.Offset:end:end], nil
		} else {
			h.Kind, h.Floats, h.Integers = interp.F32, m.floats[t.Offset:end:end], nil
		}
	}
	return reused, nil
}

// deliver makes sure that an output lies where it was asked for: a result of the memory's own kind was written there
// already, another one is converted.
func deliver(want runtime.Tensor, got *interp.Tensor) {
	m := want.Memory.(*memory)
	n := int64(got.Len())
	switch {
	case n == 0:
	case m.integers != nil && got.Kind.IsFloat():
		for i, v := range got.Floats {
			m.integers[want.Offset+int64(i)] = int64(v)
		}
	case m.integers == nil && !got.Kind.IsFloat():
		for i, v := range got.Integers {
			m.floats[want.Offset+int64(i)] = float32(v)
		}
	}
}
