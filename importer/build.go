package importer

// This file writes the graph: `embedding`, one function a layer, `norm`, `lm_head`, and the sampling heads (heads.go).

import (
	"fmt"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	moduledialect "tpuir/dialect/module"
	"tpuir/dialect/top"
	"tpuir/ir"
	"tpuir/transforms/nets"
)

// Options decide what is built beyond the model itself.
type Options struct {
	// DoSample gives lm_head the logits as its result and adds greedy_head and sample_head.
	DoSample bool
	// EmbeddingDisk leaves the embedding out: the runtime reads rows of the table from a file.
	EmbeddingDisk bool
	// WeightFile and Checkpoint are the module's attributes of these names: where weights, and where tokenizer and generation
	// settings are read from. An empty Checkpoint is left out.
	WeightFile, Checkpoint string
}

// Build writes the model as Top IR: a module of functions over sequences of any length and batch, hidden
// [?,?,Hidden], position_ids [?,?], attention_mask [?,1,?,?], history_k and history_v [?,?,KVHeads,HeadDim].
func (m *Model) Build(c *ir.Context, o Options) (*ir.Operation, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	module := builtin.NewModule(c, c.UnknownLoc(), m.Name)
	set := func(name, value string) {
		if value != "" {
			module.SetAttr(name, c.StringAttr(value))
		}
	}
	set(moduledialect.Checkpoint, o.Checkpoint)
	set(moduledialect.Chip, "ALL")
	set(moduledialect.Platform, "LLM")
	set(moduledialect.State, moduledialect.StateTop)
	set(moduledialect.TopRunMode, "STATIC")
	set(moduledialect.WeightFile, o.WeightFile)
	b := &builder{Model: m, c: c, module: module}
	if !o.EmbeddingDisk {
		b.embedding()
	}
	for layer := range m.Layers {
		b.block(layer)
	}
	b.norm()
	b.head(o.DoSample)
	if o.DoSample {
		b.greedyHead()
		b.sampleHead()
	}
	return module.Operation, nil
}

// builder writes one function after the other.
type builder struct {
	*Model
	c      *ir.Context
	module builtin.Module
	at     *ir.Builder
	fn     funcdialect.Func
	none   *ir.Value
}

const any = ir.Dynamic

func (b *builder) f32(shape ...int64) ir.Type { return b.c.RankedTensorType(shape, b.c.F32(), nil) }

func (b *builder) si32(shape ...int64) ir.Type {
	return b.c.RankedTensorType(shape, b.c.IntegerType(32, ir.Signed), nil)
}

func (b *builder) loc(name string) ir.Location { return b.c.NameLoc(name, nil) }

// function starts a function; its results are typed by finish.
func (b *builder) function(name string, inputs ...ir.Type) {
	b.fn = funcdialect.NewFunc(b.c, b.c.UnknownLoc(), name, b.c.FunctionType(inputs, nil))
	entry := b.fn.AddEntryBlock()
	b.module.Body().Append(b.fn.Operation)
	b.at = ir.BuilderAtEnd(b.c, entry)
	b.none = top.NewNone(b.at, b.c.UnknownLoc(), b.c.NoneType()).Output()
}

func (b *builder) finish(results ...*ir.Value) {
	types := make([]ir.Type, len(results))
	for i, v := range results {
		types[i] = v.Type()
	}
	inputs := b.fn.Type().Inputs
	b.fn.SetType(b.c.FunctionType(inputs, types))
	funcdialect.NewReturn(b.at, b.c.UnknownLoc(), results)
}

// input names an argument. Integers become the numbers that Top computes with, as in TPU-MLIR's files.
func (b *builder) input(i int, name string, attributes top.InputAttributes) *ir.Value {
	argument := b.fn.Entry().Argument(i)
	shape := argument.Type().(*ir.RankedTensorType).Shape
	return top.NewInput(b.at, b.loc(name), argument, attributes, b.f32(shape...)).Output()
}

func (b *builder) weight(name string, shape ...int64) *ir.Value {
	return top.NewWeight(b.at, b.loc(name), top.WeightAttributes{}, b.f32(shape...)).Output()
}

func (b *builder) embedding() {
	b.function(nets.EmbeddingName, b.si32(any, any))
	ids := b.input(0, nets.InputIDs, top.InputAttributes{})
	table := b.weight(b.Architecture.name(Embedding, 0)+".weight", b.Vocabulary, b.Hidden)
	b.finish(top.NewGather(b.at, b.loc(nets.EmbeddingName), table, ids, top.GatherAttributes{}, b.f32(any, any, b.Hidden)).Output())
}

// linear writes a matrix product with the weight of a role.
func (b *builder) linear(r Role, layer int64, input *ir.Value, from, to int64) *ir.Value {
	name := b.Architecture.name(r, layer)
	bias := b.none
	if b.Biases[r] {
		bias = b.weight(name+".bias", 1, 1, to)
	}
	matrix := b.weight(name+".weight", from, to)
	return top.NewMatMul(b.at, b.loc(name), input, matrix, bias, top.MatMulAttributes{}, b.f32(any, any, to)).Output()
}

// rmsNorm writes the norm of a role over the last dimension of input.
func (b *builder) rmsNorm(r Role, layer int64, input *ir.Value, result string) *ir.Value {
	name := b.Architecture.name(r, layer)
	if result == "" {
		result = name
	}
	shape := input.Type().(*ir.RankedTensorType).Shape
	gamma := make([]int64, len(shape))
	for i := range gamma {
		gamma[i] = 1
	}
	gamma[len(gamma)-1] = shape[len(shape)-1]
	weight := b.weight(name+".weight", gamma...)
	return top.NewRMSNorm(b.at, b.loc(result), input, weight, top.RMSNormAttributes{Eps: b.Epsilon}, input.Type()).Output()
}

func (b *builder) block(layer int64) {
	history := b.f32(any, any, b.KVHeads, b.HeadDim)
	b.function(nets.BlockName(layer), b.f32(any, any, b.Hidden), b.si32(any, any), b.f32(any, 1, any, any), history, history)
	hidden := b.input(0, nets.InputStates, top.InputAttributes{})
	positions := b.input(1, nets.PositionIDs, top.InputAttributes{})
	mask := b.input(2, nets.AttentionMask, top.InputAttributes{})
	historyK := b.input(3, nets.HistoryK, top.InputAttributes{})
	historyV := b.input(4, nets.HistoryV, top.InputAttributes{})

	attended, k, v := b.attention(layer, hidden, positions, mask, historyK, historyV)
	residual := b.add(b.Architecture.name(AttentionOut, layer)+".add", hidden, attended)
	output := nets.OutputStates
	if layer == b.Layers-1 {
		output = b.Architecture.name(Down, layer) + ".add" // the final norm is the last layer's output
	}
	b.finish(b.add(output, residual, b.feedForward(layer, residual)), k, v)
}

func (b *builder) add(name string, left, right *ir.Value) *ir.Value {
	return top.NewAdd(b.at, b.loc(name), []*ir.Value{left, right}, top.AddAttributes{}, left.Type()).Output()
}

// attention writes the first half of a layer, and returns the new keys and values with it.
func (b *builder) attention(layer int64, hidden, positions, mask, historyK, historyV *ir.Value) (out, k, v *ir.Value) {
	name := func(r Role) string { return b.Architecture.name(r, layer) }
	width, kvWidth := b.Heads*b.HeadDim, b.KVHeads*b.HeadDim
	normed := b.rmsNorm(InputNorm, layer, hidden, "")
	q := b.linear(Query, layer, normed, b.Hidden, width)
	k = b.linear(Key, layer, normed, b.Hidden, kvWidth)
	v = b.linear(Value, layer, normed, b.Hidden, kvWidth)
	q = b.heads(name(Query)+".reshape", q, b.Heads)
	k = b.heads(name(Key)+".reshape", k, b.KVHeads)
	v = b.heads(nets.NewV, v, b.KVHeads)
	if b.Architecture.HeadNorms {
		q = b.rmsNorm(QueryNorm, layer, q, "")
		k = b.rmsNorm(KeyNorm, layer, k, "")
	}
	cos := b.rotaryRows(nets.RotaryCos, positions)
	sin := b.rotaryRows(nets.RotarySin, positions)
	q = b.rotate("q_proj", q, sin, cos)
	k = b.rotate(nets.NewK, k, sin, cos)
	keys := b.join(name(Key)+".concat", historyK, k)
	values := b.join(name(Value)+".concat", historyV, v)
	attended := top.NewFAttention(b.at, b.loc(fmt.Sprintf("model.layers.%d.fattention", layer)), q, keys, values, mask, b.none,
		top.FAttentionAttributes{Scale: b.attentionScale(), Batch: -1, QHead: b.Heads, KvHead: b.KVHeads, Dim: b.HeadDim,
			Mq: -1, Mk: -1, KeepDims: new(false), MaskSize: new(int64(0))}, b.f32(any, any, width)).Output()
	return b.linear(AttentionOut, layer, attended, width, b.Hidden), k, v
}

// heads cuts the last dimension into heads.
func (b *builder) heads(name string, input *ir.Value, heads int64) *ir.Value {
	return top.NewReshape(b.at, b.loc(name), input, nil, top.ReshapeAttributes{Shape: []int64{0, -1, heads, b.HeadDim}},
		b.f32(any, any, heads, b.HeadDim)).Output()
}

// rotaryRows takes the rows of a rotary table that positions name. The table is as long as the model's longest sequence;
// the stage split shortens it.
func (b *builder) rotaryRows(name string, positions *ir.Value) *ir.Value {
	table := b.weight(name+".weight", b.Positions, 1, b.HeadDim)
	return top.NewGather(b.at, b.loc(name), table, positions, top.GatherAttributes{}, b.f32(any, any, 1, b.HeadDim)).Output()
}

func (b *builder) rotate(name string, input, sin, cos *ir.Value) *ir.Value {
	return top.NewRope(b.at, b.loc(name), input, sin, cos, top.RopeAttributes{RopeMode: new("contiguous_halves")}, input.Type()).Output()
}

// join puts what is new behind the history.
func (b *builder) join(name string, history, fresh *ir.Value) *ir.Value {
	return top.NewConcat(b.at, b.loc(name), []*ir.Value{history, fresh}, top.ConcatAttributes{Axis: new(int64(1)), OnlyMerge: new(true)},
		history.Type()).Output()
}

// feedForward writes the second half of a layer.
func (b *builder) feedForward(layer int64, residual *ir.Value) *ir.Value {
	name := func(r Role) string { return b.Architecture.name(r, layer) }
	normed := b.rmsNorm(AttentionNorm, layer, residual, "")
	gate := b.linear(Gate, layer, normed, b.Hidden, b.Intermediate)
	gate = top.NewSiLU(b.at, b.loc(name(Gate)+".silu"), gate, gate.Type()).Output()
	up := b.linear(Up, layer, normed, b.Hidden, b.Intermediate)
	product := top.NewMul(b.at, b.loc(name(Up)+".mul"), []*ir.Value{gate, up}, top.MulAttributes{}, up.Type()).Output()
	return b.linear(Down, layer, product, b.Intermediate, b.Hidden)
}

func (b *builder) norm() {
	b.function(nets.NormName, b.f32(any, any, b.Hidden))
	hidden := b.input(0, nets.InputStates, top.InputAttributes{})
	b.finish(b.rmsNorm(FinalNorm, 0, hidden, nets.OutputStates))
}
