package lowering

// This file holds the end of lowering: what nobody uses goes, and the weights get a file name.

import (
	"slices"
	"strings"

	moduledialect "tpuir/dialect/module"
	"tpuir/dialect/top"
	"tpuir/ir"
)

// EraseUnused erases the operations of functions whose results nobody uses, but for weights that hold a place.
func EraseUnused(root *ir.Operation) {
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if !op.Is("func.func") {
			return ir.Advance
		}
		for i := range op.NumRegions() {
			for block := range op.Region(i).Blocks() {
				eraseUnused(block)
			}
		}
		return ir.Skip
	})
}

// eraseUnused goes backwards, so that what only unused operations use goes too.
func eraseUnused(block *ir.Block) {
	for op := range block.Backward() {
		if namespace := op.Name().Namespace(); namespace != "top" && namespace != "tpu" || op.NumResults() == 0 || !op.Unused() {
			continue
		}
		if _, input := top.AsInput(op); input {
			continue
		}
		if w, ok := top.AsWeight(op); ok {
			if _, placeholder := w.Placeholder(); placeholder {
				continue
			}
		}
		op.Erase()
	}
}

// WeightFileName returns the name that TPU-MLIR gives the weights of a module when its passes end.
func WeightFileName(module *ir.Operation) string {
	words := []string{ir.SymbolName(module)}
	for _, name := range []string{moduledialect.State, moduledialect.Chip, moduledialect.Mode} {
		word, _ := module.StringAttribute(name)
		words = append(words, strings.ToLower(word))
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	return strings.Join(append(words, "weight.npz"), "_")
}
