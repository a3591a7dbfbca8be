package transforms

// This file holds the pass init, TPU-MLIR's first: it opens the weight file.

import (
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/transforms/weightfile"
)

func initDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "init",
		Name:     "Init",
		Summary:  "open the module's weight file; put before TPU-MLIR's passes where the module names one",
		Description: `Opens module.weight_file, so that a missing or damaged one is found before the work begins. Any state is taken,
and left as it is.

    module @block_0 attributes {module.weight_file = "missing.npz"} {…}  =>  error: weight file 'missing.npz' doesn't exist`,
		Anchor: "builtin.module",
		Peer:   true,
		Model:  true,
		New:    func() pass.Pass { return &initialize{} },
	}
}

// initialize is init. Its options concern how TPU-MLIR holds weights and clocks a chip; they change nothing here.
type initialize struct {
	frequency, level int64
	inMemory         bool
}

// Options binds the options.
func (p *initialize) Options(set *pass.OptionSet) {
	set.Int64(&p.frequency, "freq", "clock of the chip; for estimates")
	set.Int64(&p.level, "level", "how much is told")
	set.Bool(&p.inMemory, "weight_in_mem", "keep weights in memory")
}

// Run opens the file.
func (p *initialize) Run(run *pass.Run, op *ir.Operation) error {
	return weightfile.Of(run.Session).Open(op)
}
