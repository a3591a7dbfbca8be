package transforms

// This file holds the pass deinit, TPU-MLIR's last: unused operations go, the weights are written.

import (
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/transforms/lowering"
	"tpuir/transforms/weightfile"
)

func deinitDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "deinit",
		Name:     "Deinit",
		Summary:  "drop unused operations and write the weights; put behind TPU-MLIR's passes where the module names a weight file",
		Description: `Erases operations whose results nobody uses, and has the remaining weights written to the npz that
--convert-top-to-tpu names, else to NAME_STATE_CHIP_MODE_weight.npz, which module.weight_file then says. The file appears
with the output. Any state is taken, and left as it is.

    module @block_0 attributes {module.weight_file = "../block_0_top_weights.npz", …}
    =>  module @block_0 attributes {module.weight_file = "block_0_top_f32_all_weight.npz", …}`,
		Anchor: "builtin.module",
		Peer:   true,
		Model:  true,
		New:    func() pass.Pass { return &deinitialize{} },
	}
}

type deinitialize struct{ keepFile bool }

// Options binds the options.
func (p *deinitialize) Options(set *pass.OptionSet) {
	set.Bool(&p.keepFile, "no_save_weight", "leave the weight file as it is")
}

// Run erases and names the file.
func (p *deinitialize) Run(run *pass.Run, op *ir.Operation) error {
	lowering.EraseUnused(op)
	if p.keepFile || weightfile.FileOf(op) == "" {
		return nil
	}
	weights := weightfile.Of(run.Session)
	file := weights.Target
	if file == "" {
		file = lowering.WeightFileName(op)
	}
	weights.Move(op, file)
	return nil
}
