package importer

// This file says how the weights that the graph names are had: those of the checkpoint as views, the others computed.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"tpuir/dialect/top"
	"tpuir/ir"
	"tpuir/weight"
	"tpuir/weight/rotary"
)

// Views returns, for every weight of the checkpoint that the graph names, the view of a checkpoint's tensor that it
// is: float32, matrices of layers [in, out], biases and norms as they lie.
func (m *Model) Views() map[string]weight.View {
	views := map[string]weight.View{}
	for _, want := range m.expected() {
		views[want.name] = weight.View{Source: want.source, Transpose: want.transpose, DType: weight.Float32}
	}
	return views
}

// expectedTensor is a weight of the graph and the checkpoint's tensor that it is made from.
type expectedTensor struct {
	name      string
	source    string
	shape     []int64 // in the checkpoint
	transpose bool
}

// expected lists what the checkpoint has to hold.
func (m *Model) expected() []expectedTensor {
	var all []expectedTensor
	add := func(r Role, layer int64, suffix string, transpose bool, shape ...int64) {
		name := m.Architecture.name(r, layer) + suffix
		all = append(all, expectedTensor{name, name, shape, transpose})
	}
	add(Embedding, 0, ".weight", false, m.Vocabulary, m.Hidden)
	add(FinalNorm, 0, ".weight", false, m.Hidden)
	add(Head, 0, ".weight", false, m.Vocabulary, m.Hidden)
	if m.TiedHead {
		all[len(all)-1].source = all[0].source
	}
	width, kvWidth := m.Heads*m.HeadDim, m.KVHeads*m.HeadDim
	matrices := map[Role][2]int64{ // [out, in], as checkpoints have them
		Query: {width, m.Hidden}, Key: {kvWidth, m.Hidden}, Value: {kvWidth, m.Hidden}, AttentionOut: {m.Hidden, width},
		Gate: {m.Intermediate, m.Hidden}, Up: {m.Intermediate, m.Hidden}, Down: {m.Hidden, m.Intermediate},
	}
	for layer := range m.Layers {
		add(InputNorm, layer, ".weight", false, m.Hidden)
		add(AttentionNorm, layer, ".weight", false, m.Hidden)
		if m.Architecture.HeadNorms {
			add(QueryNorm, layer, ".weight", false, m.HeadDim)
			add(KeyNorm, layer, ".weight", false, m.HeadDim)
		}
		for _, r := range linear {
			size := matrices[r]
			add(r, layer, ".weight", true, size[0], size[1])
			if m.Biases[r] {
				add(r, layer, ".bias", false, size[0])
			}
		}
	}
	return all
}

// CheckTensors compares a checkpoint's tensors with what the model needs: the first that is missing, has another shape or
// type, or that the model has no use for, is an error.
func (m *Model) CheckTensors(store weight.Store) error {
	needed := map[string]bool{}
	for _, want := range m.expected() {
		needed[want.source] = true
		t, ok := store.Lookup(want.source)
		if !ok {
			return &weight.Error{File: store.File(), Tensor: want.source, Err: fmt.Errorf("the tensor is missing; model_type %s needs it with shape %v",
				m.Architecture.ModelType, want.shape)}
		}
		if !slices.Equal(t.Shape(), want.shape) {
			return &weight.Error{File: store.File(), Tensor: want.source,
				Err: fmt.Errorf("the shape is %v; by config.json it has to be %v", t.Shape(), want.shape)}
		}
		if !t.DType().IsFloat() {
			return &weight.Error{File: store.File(), Tensor: want.source, Err: fmt.Errorf("the elements are %v; expected floating-point numbers", t.DType())}
		}
	}
	for _, name := range store.Names() {
		if !needed[name] && !m.ignored(name) {
			return &weight.Error{File: store.File(), Tensor: name, Err: fmt.Errorf("model_type %s has no use for this tensor", m.Architecture.ModelType)}
		}
	}
	return nil
}

// ignored reports whether a tensor may lie in a checkpoint unused: the head where it is tied, and the frequencies that old
// versions of transformers stored.
func (m *Model) ignored(name string) bool {
	return m.TiedHead && name == m.Architecture.name(Head, 0)+".weight" || strings.HasSuffix(name, ".rotary_emb.inv_freq")
}

// Weights gives the weights of a model's graph by name. It is safe for concurrent use.
type Weights struct {
	model *Model
	store weight.Store

	mu     sync.Mutex
	tables map[int64]rotary.Tables
}

// Weights returns the weights of the graph over a checkpoint's tensors, which it checks. Closing it closes the store.
func (m *Model) Weights(checkpoint weight.Store) (*Weights, error) {
	if err := m.CheckTensors(checkpoint); err != nil {
		return nil, err
	}
	views, err := weight.NewViews(checkpoint, m.Views())
	if err != nil {
		return nil, err
	}
	return &Weights{model: m, store: views, tables: map[int64]rotary.Tables{}}, nil
}

// File returns the checkpoint's path.
func (w *Weights) File() string { return w.store.File() }

// Close lets go of the checkpoint.
func (w *Weights) Close() error { return w.store.Close() }

// Names returns the names of the weights that lie in the checkpoint, sorted; computed ones are not among them.
func (w *Weights) Names() []string { return w.store.Names() }

// Tensor returns the weight of that name; shape is what the IR's type says, of as many elements as the tensor has. Weights
// that no checkpoint holds are computed: rotary tables of as many positions as the shape has, causal masks, and the
// sample head's constants.
func (w *Weights) Tensor(name string, shape []int64) (weight.Tensor, error) {
	t, ok, err := w.computed(name, shape)
	if err == nil && !ok {
		t, err = weight.Find(w.store, name)
	}
	if err != nil || slices.Equal(t.Shape(), shape) {
		return t, err
	}
	if reshaped, err := t.Reshape(shape...); err == nil {
		return reshaped, nil
	}
	return weight.Tensor{}, w.explain(name, fmt.Errorf("shape %v does not fit the %v that the IR asks for", t.Shape(), shape))
}

// computed makes a weight that no checkpoint holds; it reports false for others.
func (w *Weights) computed(name string, shape []int64) (weight.Tensor, bool, error) {
	if name != rotaryCos && name != rotarySin {
		made, ok, err := Constant(name, shape)
		return made, ok, w.explain(name, err)
	}
	if len(shape) == 0 {
		return weight.Tensor{}, true, w.explain(name, errors.New("a rotary table has rows; its type in the IR has none"))
	}
	tables, err := w.rotary(shape[0])
	if err != nil {
		return weight.Tensor{}, true, w.explain(name, err)
	}
	values := tables.Cos
	if name == rotarySin {
		values = tables.Sin
	}
	t, err := weight.FromFloat32s(name, []int64{int64(tables.Length), 1, int64(tables.Dim)}, values)
	return t, true, w.explain(name, err)
}

// explain makes an error one of a weight of this checkpoint.
func (w *Weights) explain(name string, err error) error {
	if err == nil {
		return nil
	}
	return &weight.Error{File: w.store.File(), Tensor: name, Err: err}
}

// maxPositions bounds a rotary table; no IR asks for more in earnest.
const maxPositions = 1 << 24

func (w *Weights) rotary(length int64) (rotary.Tables, error) {
	if length <= 0 || length > maxPositions {
		return rotary.Tables{}, fmt.Errorf("a table for %d positions can't be made; expected 1 to %d", length, maxPositions)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if t, ok := w.tables[length]; ok {
		return t, nil
	}
	t, err := rotary.Make(w.model.Rotary, int(length))
	if err == nil {
		w.tables[length] = t
	}
	return t, err
}

// CheckNumbers reads the checkpoint's tensors and gives an error that names the first with an element that is no number.
func (w *Weights) CheckNumbers(ctx context.Context) error {
	for _, name := range w.store.Names() {
		t, err := weight.Find(w.store, name)
		if err != nil {
			return err
		}
		position, found, err := t.HasNaN(ctx)
		if err != nil {
			return err
		}
		if found {
			return &weight.Error{File: w.store.File(), Tensor: name, Err: fmt.Errorf("element %d is not a number (NaN)", position)}
		}
	}
	return nil
}

// WriteNPZ writes the weights that the IR under root names to an npz file, one after the other in the order of their names:
// each with the shape of its type. Constants whose shape is not decided before the stage split are left out, since they are
// computed wherever they are missing. progress, where it is not nil, is told of each name before it is written.
func (w *Weights) WriteNPZ(ctx context.Context, root *ir.Operation, path string, progress func(name string)) error {
	shapes := map[string][]int64{}
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if found, ok := top.AsWeight(op); ok {
			if t, ok := found.Output().Type().(*ir.RankedTensorType); ok && ir.HasStaticShape(t) {
				shapes[ir.LocationName(op.Loc())] = t.Shape
			}
		}
		return ir.Advance
	})
	out, err := weight.CreateNPZ(path)
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		if progress != nil {
			progress(name)
		}
		t, err := w.Tensor(name, shapes[name])
		if err != nil {
			return err
		}
		if err := out.Add(ctx, t.Rename(name)); err != nil {
			return err
		}
	}
	return out.Close()
}
