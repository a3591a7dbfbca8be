package lowering

// This file holds the pass convert-top-to-tpu: Top operations become Tpu operations.
//
//	"top.MatMul"(%1, %2, %0) : (tensor<1x64x64xf32>, tensor<64x64xf32>, none) -> tensor<1x64x64xf32>
//	=>  "tpu.MatMul"(%3, %4, %0, %0, %0) : (tensor<1x64x64xbf16>, tensor<64x64xbf16>, none, none, none) -> tensor<1x64x64xbf16>

import (
	"context"

	funcdialect "tpuir/dialect/func"
	moduledialect "tpuir/dialect/module"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/transforms/flops"
	"tpuir/transforms/weightfile"
)

// convertArgument is the flag of the pass.
const convertArgument = "convert-top-to-tpu"

// ConvertDefinition describes convert-top-to-tpu.
func ConvertDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: convertArgument,
		Name:     "ConvertTopToTpu",
		Summary:  "lower Top to Tpu IR in the module's mode, with casts where types meet",
		Description: `Needs module.state TOP_F32 with the chip and the mode that --processor-assign sets, and leaves TPU_LOWERED; a
lowered module stays as it is. Weights of quantized products are still f32 behind it: --canonicalize quantizes them.

    %3 = "top.SiLU"(%2) : (tensor<1x64x128xf32>) -> tensor<1x64x128xf32>
    =>  %3 = "tpu.Cast"(%2) … : (tensor<1x64x128xbf16>) -> tensor<1x64x128xf32>
        %4 = "tpu.Active"(%3) {mode = #tpu<active_mode SILU>} : (tensor<1x64x128xf32>) -> tensor<1x64x128xf32>`,
		Anchor: "builtin.module",
		Peer:   true,
		Model:  true,
		New:    func() pass.Pass { return &Convert{GeluMode: "normal"} },
	}
}

// Convert is convert-top-to-tpu with its options.
type Convert struct {
	WeightFile                                        string
	GroupSize                                         int64
	Symmetric, Asymmetric, Winograd, MatMulPerChannel bool
	QuantizationTable, GeluMode                       string
}

// Options binds the options.
func (p *Convert) Options(set *pass.OptionSet) {
	set.String(&p.WeightFile, "weightFileName", "the npz that --deinit writes")
	set.Int64(&p.GroupSize, "q_group_size", "weights that share a scale; 0 is a row")
	set.Bool(&p.Symmetric, "q_symmetric", "quantize weights around zero")
	set.Bool(&p.Asymmetric, "asymmetric", "quantize activations around any zero (integer modes)")
	set.Bool(&p.Winograd, "doWinograd", "convolutions by Winograd's method")
	set.Bool(&p.MatMulPerChannel, "matmul_perchannel", "a scale for each column (integer modes)")
	set.String(&p.QuantizationTable, "qtable", "a file with a mode for single operations")
	set.Choice(&p.GeluMode, "gelu_mode", "how GELU is approximated", false, "normal", "tanh", "sigm")
}

// Run lowers the functions of the module.
func (p *Convert) Run(run *pass.Run, op *ir.Operation) error {
	if err := p.check(op); err != nil {
		return err
	}
	weights := weightfile.Of(run.Session)
	if p.WeightFile != "" {
		weights.Target = p.WeightFile
	}
	if lowered, err := isLowered(op, convertArgument); lowered || err != nil {
		return err
	}
	s, err := settingsOf(op)
	if err != nil {
		return err
	}
	s.groupSize = p.GroupSize
	return p.lowerModule(run.Context, op, s, weights)
}

func (p *Convert) check(op *ir.Operation) error {
	for _, o := range []struct {
		name  string
		given bool
	}{{"asymmetric", p.Asymmetric}, {"doWinograd", p.Winograd}, {"matmul_perchannel", p.MatMulPerChannel}, {"qtable", p.QuantizationTable != ""}} {
		if o.given {
			return op.PlainErrorf("--convert-top-to-tpu: %s is not for the modes that there are here", o.name)
		}
	}
	return checkGroupSize(op, "--convert-top-to-tpu: q_group_size", p.GroupSize)
}

// checkGroupSize refuses what can't be a group.
func checkGroupSize(op *ir.Operation, option string, size int64) error {
	if size < 0 || size > 1<<20 || size%2 != 0 {
		return op.PlainErrorf("%s is %d; expected an even number of weights, or 0", option, size)
	}
	return nil
}

// lowerModule lowers a net: all functions of its module get the same settings.
func (p *Convert) lowerModule(ctx context.Context, module *ir.Operation, s settings, weights *weightfile.Session) error {
	for op := range module.Region(0).First().Operations() {
		fn, ok := funcdialect.AsFunc(op)
		if !ok || fn.IsDeclaration() {
			return op.Errorf("stands in a module that is to be lowered; expected functions with bodies")
		}
		if err := lowerFunction(ctx, fn, s, weights); err != nil {
			return err
		}
	}
	count, err := flops.Count(module)
	if err != nil {
		return err
	}
	module.SetAttr(moduledialect.FLOPs, module.Context().I64Attr(count))
	setLowered(module, p.GroupSize, p.Symmetric)
	return nil
}

// setLowered records how weights are quantized, and that the module is lowered.
func setLowered(module *ir.Operation, groupSize int64, symmetric bool) {
	c := module.Context()
	setAttributes(module, ir.NamedAttribute{Name: moduledialect.Asymmetric, Value: c.Bool(false)},
		ir.NamedAttribute{Name: moduledialect.GroupSize, Value: c.I64Attr(groupSize)},
		ir.NamedAttribute{Name: moduledialect.Symmetric, Value: c.Bool(symmetric)},
		ir.NamedAttribute{Name: moduledialect.State, Value: c.StringAttr(moduledialect.StateLowered)})
}
