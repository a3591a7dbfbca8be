// Package transforms gathers the passes: each has a file or a folder below, and its line here.
package transforms

import (
	"tpuir/pass"
	"tpuir/printer"
	"tpuir/transforms/general"
	"tpuir/transforms/lowering"
	"tpuir/transforms/split"
	"tpuir/transforms/weightfile"
)

// Files names the files of a run, for passes that look for weights beside the input and write them beside the output.
type Files = weightfile.Files

// Configure tells the passes of a session about the files of the run.
func Configure(s *pass.Session, f Files) { weightfile.Configure(s, f) }

// SetPrinting tells the passes of a session that print how the tool does it.
func SetPrinting(s *pass.Session, options printer.Options) { general.SetPrinting(s, options) }

// Register adds all passes.
func Register(r *pass.Registry) {
	r.Add(
		lowering.AssignDefinition(),
		lowering.ConvertDefinition(),
		lowering.LowerDefinition(),
		lowering.TopOptimizeDefinition(),
		canonicalizeDefinition(),
		deinitDefinition(),
		initDefinition(),
		shapeInferDefinition(),
		split.Definition(),
		weightFoldDefinition(),
	)
	r.Add(general.Definitions(r)...)
}
