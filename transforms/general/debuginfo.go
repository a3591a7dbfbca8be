package general

// This file holds the pass strip-debuginfo: every location becomes unknown.

import (
	"tpuir/ir"
	"tpuir/pass"
)

func stripDebugInfoDefinition() *pass.Definition {
	return &pass.Definition{
		Argument:    "strip-debuginfo",
		Name:        "StripDebugInfo",
		Summary:     "make the location of every operation and block argument unknown",
		Description: `In a model locations are the names of tensors: it can't be compiled afterwards.`,
		New:         func() pass.Pass { return stripDebugInfo{} },
	}
}

type stripDebugInfo struct{}

// Run strips locations.
func (stripDebugInfo) Run(_ *pass.Run, root *ir.Operation) error {
	unknown := root.Context().UnknownLoc()
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		op.SetLoc(unknown)
		for i := range op.NumRegions() {
			for b := range op.Region(i).Blocks() {
				for n := range b.NumArguments() {
					b.SetArgumentLoc(n, unknown)
				}
			}
		}
		return ir.Advance
	})
	return nil
}
