package lowering

// This file holds the pass processor-top-optimize: what is rewritten in Top IR for the sake of a chip, before lowering.

import (
	"tpuir/ir"
	"tpuir/pass"
)

// TopOptimizeDefinition describes processor-top-optimize.
func TopOptimizeDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "processor-top-optimize",
		Name:     "ProcessorOptimize",
		Summary:  "rewrite Top IR for the chip before lowering",
		Description: `TPU-MLIR's rewrites here are for convolutions, image models and other chips: in the nets of language models
nothing matches, and the IR stays as it is. Any state is taken, and left as it is.

    module @block_0 {…}  =>  the same`,
		Anchor: "builtin.module",
		Peer:   true,
		Model:  true,
		New:    func() pass.Pass { return topOptimize{} },
	}
}

type topOptimize struct{}

func (topOptimize) Run(*pass.Run, *ir.Operation) error { return nil }
