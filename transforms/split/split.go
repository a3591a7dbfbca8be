// Package split turns a model whose layers are written once, for any length, into nets: each layer compiled for prefill,
// prefill with history, and decode, with static shapes.
package split

// This file holds the pass: which nets there are, and in which order.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	moduledialect "tpuir/dialect/module"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/transforms/flops"
	"tpuir/transforms/lowering"
	"tpuir/transforms/nets"
	"tpuir/transforms/shapeinfer"
)

// Definition describes the pass.
func Definition() *pass.Definition {
	return &pass.Definition{
		Argument: "split-stages",
		Name:     "SplitStages",
		Summary:  "compile each layer for prefill, prefill_kv and decode: a module of nets with static shapes",
		Description: `Turns the functions of a whole model, written for any length, into nets: a module of modules. A layer
block_i becomes block_i (prefill), block_kv_i (prefill with history) and block_cache_i (decode); the embedding becomes
embedding and embedding_cache; the final norm moves into the last layer. Works on Top IR and on lowered Tpu IR.

    func.func @block_0(%arg0: tensor<?x?x64xf32>, …)   =>   module @block_0 { func.func @main(%arg0: tensor<1x512x64xf32>, …) }
                                                            module @block_cache_0 { func.func @main(%arg0: tensor<1x1x64xf32>, …) }`,
		Anchor: "builtin.module",
		Model:  true,
		New: func() pass.Pass {
			return &Pass{SequenceLength: 512, Batch: 1, Stages: []string{stagePrefill, stagePrefillKV, stageDecode}, Chip: "bm1684x"}
		},
	}
}

// The stages by the names that the option takes.
const (
	stagePrefill   = "prefill"
	stagePrefillKV = "prefill_kv"
	stageDecode    = "decode"
)

// Pass is the stage split with its options.
type Pass struct {
	// SequenceLength is how many tokens the history holds.
	SequenceLength int64
	// MaxInputLength is how many tokens a prefill takes; 0 means SequenceLength.
	MaxInputLength int64
	// ChunkLength is the history of the shortest of further decode nets, whose histories double up to SequenceLength; 0
	// means that there are none.
	ChunkLength int64
	Stages      []string
	Batch       int64
	// Dynamic makes prefill nets that run on shorter inputs than their types say, with a small causal mask as a weight.
	Dynamic bool
	// Chip decides the size of that mask.
	Chip string
}

// Options binds the options.
func (p *Pass) Options(set *pass.OptionSet) {
	set.Int64(&p.SequenceLength, "seq-length", "tokens that the history holds")
	set.Int64(&p.MaxInputLength, "max-input-length", "tokens of a prefill; 0 is seq-length")
	set.Int64(&p.ChunkLength, "chunk-length", "history of the shortest decode net, at most seq-length/2; 0 makes one decode net")
	set.Strings(&p.Stages, "stages", "the stages to make")
	set.Int64(&p.Batch, "batch", "sequences that are computed at once")
	set.Bool(&p.Dynamic, "dynamic", "make prefill nets that run on shorter inputs, too")
	set.Choice(&p.Chip, "chip", "the chip, for the size of a dynamic net's mask", true, "bm1684x", "bm1688", "cv186x")
}

// smallMask returns the side of a dynamic net's mask: four times the lanes of the chip.
func (p *Pass) smallMask() int64 {
	if p.Chip == "bm1684x" {
		return 4 * 64
	}
	return 4 * 32
}

// maxLength bounds lengths and batch, so that shapes stay far from overflow.
const maxLength = 1 << 24

func (p *Pass) check(op *ir.Operation) error {
	if p.MaxInputLength == 0 {
		p.MaxInputLength = p.SequenceLength
	}
	for _, o := range []struct {
		name       string
		value      int64
		low, limit int64
	}{
		{"seq-length", p.SequenceLength, 1, maxLength}, {"batch", p.Batch, 1, maxLength},
		{"max-input-length", p.MaxInputLength, 1, p.SequenceLength}, {"chunk-length", p.ChunkLength, 0, p.SequenceLength / 2},
	} {
		if o.value < o.low || o.value > o.limit {
			return optionError(op, "--split-stages: %s is %d; expected %d to %d", o.name, o.value, o.low, o.limit)
		}
	}
	known := []string{stagePrefill, stagePrefillKV, stageDecode}
	for _, s := range p.Stages {
		if !slices.Contains(known, s) {
			return optionError(op, "--split-stages: '%s' is no stage; known are %s", s, strings.Join(known, ", "))
		}
	}
	if len(p.Stages) == 0 {
		return optionError(op, "--split-stages: no stage is asked for")
	}
	return nil
}

// optionError is about an option and not about the module that it can't be applied to, which messages shall not show.
func optionError(module *ir.Operation, format string, args ...any) error {
	d := module.PlainErrorf(format, args...)
	d.Op = nil
	return d
}

// Run splits the module.
func (p *Pass) Run(run *pass.Run, op *ir.Operation) error {
	if err := p.check(op); err != nil {
		return err
	}
	model, err := findModel(op)
	if err != nil {
		return err
	}
	s := &splitter{Pass: p, context: op.Context(), model: model, rules: shapeinfer.NewRules()}
	s.state, _ = op.StringAttribute(moduledialect.State)
	var modules []*ir.Operation
	for _, plan := range s.plans() {
		if err := run.Context.Err(); err != nil {
			return err
		}
		module, err := s.makeNet(run.Context, plan)
		if err != nil {
			return err
		}
		modules = append(modules, module)
	}
	s.replaceBody(op, modules)
	return nil
}

// model is the functions of a whole model by what they do.
type model struct {
	module  *ir.Operation
	single  map[nets.Kind]funcdialect.Func
	blocks  []funcdialect.Func
	ordered []nets.Kind // the single ones that are there, as they stand
}

// findModel looks for the functions that a model consists of.
func findModel(op *ir.Operation) (*model, error) {
	m := &model{module: op, single: map[nets.Kind]funcdialect.Func{}}
	for nested := range op.Region(0).First().Operations() {
		fn, ok := funcdialect.AsFunc(nested)
		if !ok {
			return nil, nested.Errorf("stands in the module that is to be split; expected the functions of a model, such as @block_0")
		}
		net := nets.Parse(fn.Name())
		switch net.Kind {
		case nets.Block:
			if net.Layer != int64(len(m.blocks)) {
				return nil, nested.Errorf("@%s is out of order; expected @block_%d", fn.Name(), len(m.blocks))
			}
			m.blocks = append(m.blocks, fn)
		case nets.Embedding, nets.Norm, nets.Head, nets.GreedyHead, nets.SampleHead:
			m.single[net.Kind] = fn
			m.ordered = append(m.ordered, net.Kind)
		default:
			return nil, nested.Errorf("@%s is no function of a model; known are embedding, block_0, block_1, …, norm, lm_head, "+
				"greedy_head, sample_head", fn.Name())
		}
		if fn.IsDeclaration() {
			return nil, nested.Errorf("@%s has no body", fn.Name())
		}
	}
	if len(m.blocks) == 0 {
		return nil, op.PlainErrorf("--split-stages: there is no function @block_0; is the module a whole model?")
	}
	return m, nil
}

// plan is one net to make.
type plan struct {
	net  nets.Net
	from funcdialect.Func
	// tokens is how many tokens the net takes, history how many came before; hasHistory tells none from no place for it.
	tokens, history int64
	hasHistory      bool
	// dynamic says that the net runs on shorter inputs.
	dynamic bool
}

// plans lists the nets in the order of TPU-MLIR's tasks: embeddings, heads, then the stages layer by layer.
func (s *splitter) plans() []plan {
	has := func(stage string) bool { return slices.Contains(s.Stages, stage) }
	var all []plan
	if fn, ok := s.model.single[nets.Embedding]; ok {
		if has(stagePrefill) || has(stagePrefillKV) {
			all = append(all, plan{net: nets.Net{Kind: nets.Embedding}, from: fn, tokens: s.MaxInputLength})
		}
		if has(stageDecode) {
			all = append(all, plan{net: nets.Net{Kind: nets.EmbeddingCache}, from: fn, tokens: 1})
		}
	}
	for _, kind := range []nets.Kind{nets.Head, nets.GreedyHead, nets.SampleHead} {
		if fn, ok := s.model.single[kind]; ok {
			all = append(all, plan{net: nets.Net{Kind: kind}, from: fn})
		}
	}
	for i, fn := range s.model.blocks {
		layer := int64(i)
		if has(stagePrefill) {
			all = append(all, plan{net: nets.Net{Kind: nets.Block, Layer: layer}, from: fn, tokens: s.MaxInputLength, dynamic: s.Dynamic})
		}
		if has(stagePrefillKV) {
			all = append(all, plan{net: nets.Net{Kind: nets.BlockKV, Layer: layer}, from: fn, tokens: s.MaxInputLength,
				history: s.SequenceLength, hasHistory: true, dynamic: s.Dynamic})
		}
		if has(stageDecode) {
			for chunk, history := range s.histories() {
				all = append(all, plan{net: nets.Net{Kind: nets.BlockCache, Layer: layer, Chunk: int64(chunk)}, from: fn, tokens: 1,
					history: history, hasHistory: true})
			}
		}
	}
	return all
}

// histories returns the lengths of the decode nets' histories, the longest first.
func (s *splitter) histories() []int64 {
	lengths := []int64{s.SequenceLength}
	if s.ChunkLength > 0 {
		for n := s.ChunkLength; n < s.SequenceLength; n *= 2 {
			lengths = slices.Insert(lengths, 1, n)
		}
	}
	return lengths
}

// splitter is one run of the pass.
type splitter struct {
	*Pass
	context *ir.Context
	model   *model
	rules   *shapeinfer.Rules
	state   string // module.state
}

// outerAttributes stay with the module of modules; all others go to the nets.
var outerAttributes = []string{moduledialect.Checkpoint, moduledialect.WeightFile}

// replaceBody puts the nets in the place of the functions.
func (s *splitter) replaceBody(op *ir.Operation, modules []*ir.Operation) {
	body := op.Region(0).First()
	for fn := range body.Operations() {
		fn.Erase()
	}
	for _, module := range modules {
		body.Append(module)
	}
	for _, e := range op.Attributes().Entries {
		if !slices.Contains(outerAttributes, e.Name) {
			op.RemoveAttr(e.Name)
		}
	}
}

// lowered reports whether the module holds Tpu IR.
func (s *splitter) lowered() bool { return s.state == moduledialect.StateLowered }

// makeNet makes one net's module.
func (s *splitter) makeNet(ctx context.Context, p plan) (*ir.Operation, error) {
	module := builtin.NewModule(s.context, s.context.UnknownLoc(), p.net.String())
	for _, e := range s.model.module.Attributes().Entries {
		if !slices.Contains(outerAttributes, e.Name) {
			module.SetAttr(e.Name, e.Value)
		}
	}
	main := p.from.Operation.Clone()
	main.SetAttr(ir.SymbolNameAttribute, s.context.StringAttr("main"))
	module.Body().Append(main)
	fn, _ := funcdialect.AsFunc(main)
	n := &netBuilder{splitter: s, plan: p, fn: fn}
	if err := n.build(); err != nil {
		return nil, err
	}
	if s.lowered() {
		if err := lowering.FoldStatic(ctx, module.Operation); err != nil {
			return nil, err
		}
		mode, _ := module.StringAttribute(moduledialect.Mode)
		group, _ := module.IntAttribute(moduledialect.GroupSize)
		symmetric, _ := module.BoolAttribute(moduledialect.Symmetric)
		settings := p.net.Settings(mode, group, symmetric)
		module.SetAttr(moduledialect.Mode, s.context.StringAttr(settings.Mode))
		module.SetAttr(moduledialect.AddressMode, s.context.StringAttr(settings.AddressMode))
		module.SetAttr(moduledialect.GroupSize, s.context.I64Attr(settings.GroupSize))
		module.SetAttr(moduledialect.Symmetric, s.context.Bool(settings.Symmetric))
		count, err := flops.Count(main)
		if err != nil {
			return nil, fmt.Errorf("net %s: %w", p.net, err)
		}
		module.SetAttr(moduledialect.FLOPs, s.context.I64Attr(count))
	}
	return module.Operation, nil
}
