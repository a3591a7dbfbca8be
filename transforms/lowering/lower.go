package lowering

// This file holds the pass lower-to-tpu: the whole lowering in one, of a net, of a module of nets, or of a model that is not
// split into stages yet.
//
//	module @block_0 attributes {module.chip = "ALL", module.state = "TOP_F32", …} { … "top.MatMul" … }
//	=>  module @block_0 attributes {module.chip = "bm1684x", module.state = "TPU_LOWERED", …} { … "tpu.A16MatMul" … }

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	moduledialect "tpuir/dialect/module"
	"tpuir/internal/atomicfile"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/rewrite"
	"tpuir/transforms/flops"
	"tpuir/transforms/nets"
	"tpuir/transforms/weightfile"
)

// lowerArgument is the flag of the pass.
const lowerArgument = "lower-to-tpu"

// LowerDefinition describes lower-to-tpu.
func LowerDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: lowerArgument,
		Name:     "LowerToTpu",
		Summary:  "the whole lowering: choose chip and mode, convert Top to Tpu IR, fold, quantize weights",
		Description: `Does what --processor-assign, --processor-top-optimize, --convert-top-to-tpu, --canonicalize, --weight-fold and
--deinit do, and gives each net its own mode: embeddings and lm_head the 16-bit type, greedy and sample heads F32. Takes a
net, a module of nets (see --split-stages) or a model that is not split yet. Needs module.state TOP_F32 and leaves
TPU_LOWERED; a lowered module stays as it is. The weights are written to an npz that appears with the output.

    %3 = "top.MatMul"(%1, %2, %0) : (tensor<1x64x64xf32>, tensor<64x64xf32>, none) -> tensor<1x64x64xf32>
    =>  %6 = "tpu.A16MatMul"(%1, %5, %3, %4, %0) : (tensor<1x64x64xbf16>, tensor<64x32xui8>, …) -> tensor<1x64x64xbf16>`,
		Anchor: "builtin.module",
		Model:  true,
		New:    func() pass.Pass { return &Lower{Chip: chipBM1684X, GroupSize: 64, HighPrecision: true} },
	}
}

// Lower is lower-to-tpu with its options.
type Lower struct {
	Chip string
	// Mode is a mode's name; "" is what the module suggests, else W4BF16.
	Mode                     string
	GroupSize                int64
	Symmetric, HighPrecision bool
	// Cores is how many cores share the work, 0 for all of the chip.
	Cores int64
	// WeightFile is the npz to write; "" makes a name of the net's or the output's.
	WeightFile string
}

// Options binds the options.
func (p *Lower) Options(set *pass.OptionSet) {
	set.Choice(&p.Chip, "chip", "the chip", true, chips...)
	set.Choice(&p.Mode, "mode", "what is computed in; nothing is what the checkpoint's own quantization suggests, else W4BF16", true, append([]string{""}, modes...)...)
	set.Int64(&p.GroupSize, "q-group-size", "weights that share a scale in W4 and W8; 0 is a row")
	set.Bool(&p.Symmetric, "q-symmetric", "quantize weights around zero")
	set.Bool(&p.HighPrecision, "high-precision", "compute softmax in f32")
	set.Int64(&p.Cores, "num-core", "cores that share the work; 0 is all of the chip: 1 of bm1684x, 2 of bm1688")
	set.String(&p.WeightFile, "weight-file", "the npz to write; nothing is NET_CHIP_MODE_tpu_weights.npz for a net, else OUT_weights.npz beside OUT.mlir")
}

// Run lowers the module.
func (p *Lower) Run(run *pass.Run, op *ir.Operation) error {
	l := &wholeLowering{Lower: p, weights: weightfile.Of(run.Session)}
	if err := checkGroupSize(op, "--lower-to-tpu: q-group-size", p.GroupSize); err != nil {
		return err
	}
	if p.Cores < 0 {
		return op.PlainErrorf("--lower-to-tpu: num-core is %d; expected 1 or more, or 0 for all", p.Cores)
	}
	lower, err := l.kind(op)
	if err != nil || lower == nil {
		return err
	}
	return lower(run.Context, op)
}

// wholeLowering is one run of the pass.
type wholeLowering struct {
	*Lower
	weights *weightfile.Session
}

// kind finds out what a module holds, and returns how that is lowered: nil where it is lowered already.
func (l *wholeLowering) kind(op *ir.Operation) (func(context.Context, *ir.Operation) error, error) {
	var modules, functions int
	for nested := range op.Region(0).First().Operations() {
		if _, ok := builtin.AsModule(nested); ok {
			modules++
		} else if fn, ok := funcdialect.AsFunc(nested); ok && !fn.IsDeclaration() {
			functions++
		} else {
			return nil, nested.Errorf("stands in a module that is to be lowered; expected functions with bodies, or nets")
		}
	}
	if modules > 0 && functions > 0 {
		return nil, op.Errorf("holds nets and functions; expected one or the other")
	}
	if modules > 0 {
		return l.lowerNets, nil
	}
	if lowered, err := isLowered(op, lowerArgument); lowered || err != nil {
		return nil, err
	}
	if only, ok := funcdialect.AsFunc(op.Region(0).First().First()); ok && functions == 1 && nets.Parse(only.Name()).Kind == nets.Unknown {
		return l.lowerSingle, nil
	}
	return l.lowerModel, nil
}

// isLowered reads from a module's state whether it is lowered already. A pass can't lower one in another state.
func isLowered(module *ir.Operation, argument string) (bool, error) {
	switch state, _ := module.StringAttribute(moduledialect.State); state {
	case moduledialect.StateTop:
		return false, nil
	case moduledialect.StateLowered:
		return true, nil
	default:
		return false, module.Errorf("has %s \"%s\"; --%s needs %s", moduledialect.State, state, argument, moduledialect.StateTop)
	}
}

// lowerSingle lowers a net that is a module of its own.
func (l *wholeLowering) lowerSingle(ctx context.Context, module *ir.Operation) error {
	if err := l.lowerNet(ctx, module); err != nil {
		return err
	}
	l.moveWeights(module, l.netWeightFile(module))
	return nil
}

// lowerNets lowers a module of nets, several at once.
func (l *wholeLowering) lowerNets(ctx context.Context, module *ir.Operation) error {
	modules := slices.Collect(module.Region(0).First().Operations())
	err := inParallel(len(modules), func(i int) error {
		lowered, err := isLowered(modules[i], lowerArgument)
		if err != nil || lowered {
			return err
		}
		return l.lowerNet(ctx, modules[i])
	})
	if err != nil {
		return err
	}
	for _, net := range modules {
		if net.Attr(moduledialect.WeightFile) != nil {
			l.moveWeights(net, l.netWeightFile(net))
		}
	}
	l.moveWeights(module, l.modelWeightFile())
	return nil
}

// inParallel calls work for 0 to n-1, several at once, and returns all errors in order: which there are does not depend on
// who comes first.
func inParallel(n int, work func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	errs := make([]error, n)
	for i := range n {
		group.Go(func() error {
			errs[i] = work(i)
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	return errors.Join(errs...)
}

// lowerNet lowers one net's module but for the name of its weight file.
func (l *wholeLowering) lowerNet(ctx context.Context, module *ir.Operation) error {
	net := nets.Parse(ir.SymbolName(module))
	s, err := l.settings(module)
	if err != nil {
		return err
	}
	s = s.ofNet(net)
	for op := range module.Region(0).First().Operations() {
		fn, ok := funcdialect.AsFunc(op)
		if !ok || fn.IsDeclaration() {
			return op.Errorf("stands in a net that is to be lowered; expected functions with bodies")
		}
		if err := lowerFunction(ctx, fn, s, l.weights); err != nil {
			return err
		}
	}
	l.assign(module, s)
	if err := l.finish(ctx, module); err != nil {
		return err
	}
	count, err := flops.Count(module)
	if err != nil {
		return err
	}
	module.SetAttr(moduledialect.FLOPs, module.Context().I64Attr(count))
	return nil
}

// lowerModel lowers the functions of a model that is not split yet, each as the nets that will be made of it.
func (l *wholeLowering) lowerModel(ctx context.Context, module *ir.Operation) error {
	s, err := l.settings(module)
	if err != nil {
		return err
	}
	functions := slices.Collect(module.Region(0).First().Operations())
	err = inParallel(len(functions), func(i int) error {
		fn, _ := funcdialect.AsFunc(functions[i])
		return lowerFunction(ctx, fn, s.ofNet(nets.Parse(fn.Name())), l.weights)
	})
	if err != nil {
		return err
	}
	l.assign(module, s)
	if err := l.finish(ctx, module); err != nil {
		return err
	}
	l.moveWeights(module, l.modelWeightFile())
	return nil
}

// settings returns how a module is lowered.
func (l *wholeLowering) settings(module *ir.Operation) (settings, error) {
	s := settings{mode: Mode(l.Mode), chip: l.Chip, highPrecision: l.HighPrecision, groupSize: l.GroupSize, symmetric: l.Symmetric,
		addressMode: "basic"}
	for op := module; op != nil && s.mode == ""; op = op.Parent() {
		suggested, ok := op.StringAttribute(moduledialect.Quantization)
		if !ok {
			continue
		}
		var err error
		if s.mode, err = parseMode(suggested); err != nil {
			return s, op.Errorf("suggests by %s what can't be done: %w", moduledialect.Quantization, err)
		}
	}
	if s.mode == "" {
		s.mode = W4BF16
	}
	if s.mode.WeightBits() == 0 {
		s.groupSize = 0
	}
	return s, nil
}

// assign records on a module how it was lowered.
func (l *wholeLowering) assign(module *ir.Operation, s settings) {
	assign := Assign{Devices: 1, Cores: l.Cores, AddressMode: s.addressMode, HighPrecision: s.highPrecision}
	if assign.Cores == 0 {
		assign.Cores = 1
		if s.chip == chipBM1688 {
			assign.Cores = 2
		}
	}
	assign.assign(module, s.chip, s.mode)
	setLowered(module, s.groupSize, s.symmetric)
}

// finish canonicalizes and quantizes, and drops what nobody uses.
func (l *wholeLowering) finish(ctx context.Context, module *ir.Operation) error {
	g := rewrite.Greedy{Patterns: Patterns(l.weights, module)}
	if _, err := g.Apply(ctx, module); err != nil {
		return err
	}
	EraseUnused(module)
	return nil
}

// moveWeights has the weights of a module written to a file, where they are in one.
func (l *wholeLowering) moveWeights(module *ir.Operation, file string) {
	if weightfile.FileOf(module) != "" {
		l.weights.Move(module, file)
	}
}

// netWeightFile returns the name of a net's weight file.
func (l *wholeLowering) netWeightFile(module *ir.Operation) string {
	if l.WeightFile != "" {
		return l.WeightFile
	}
	chip, _ := module.StringAttribute(moduledialect.Chip)
	mode, _ := module.StringAttribute(moduledialect.Mode)
	return strings.Join([]string{ir.SymbolName(module), chip, strings.ToLower(mode), "tpu_weights.npz"}, "_")
}

// modelWeightFile returns the name of the weight file of several nets, made of the output's name; where the output has none,
// of the input's.
func (l *wholeLowering) modelWeightFile() string {
	if l.WeightFile != "" {
		return l.WeightFile
	}
	files := l.weights.Files()
	for _, named := range []struct{ path, suffix string }{{files.Output, "_weights.npz"}, {files.Input, "_tpu_weights.npz"}} {
		base := filepath.Base(named.path)
		if atomicfile.HasPlace(named.path) {
			return strings.TrimSuffix(base, filepath.Ext(base)) + named.suffix
		}
	}
	return "model_tpu_weights.npz"
}
