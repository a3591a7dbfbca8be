package topopt

// This file writes and reads reproducers.

import (
	"tpuir/internal/atomicfile"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
)

// reproducerText returns IR with the pipeline to run on it.
func (o *options) reproducerText(root *ir.Operation, pipeline string, asm printer.Options) []byte {
	asm.ExternalResources = []*ir.ExternalResource{
		pass.Reproducer{Pipeline: pipeline, DisableThreading: o.serial, VerifyEach: o.verifyEach}.Resource()}
	return printer.Append(nil, root, asm)
}

func writeReproducer(o *options, path string, root *ir.Operation, pipeline string, asm printer.Options) error {
	return atomicfile.WriteFile(path, o.reproducerText(root, pipeline, asm))
}

// reproduced returns the pipeline that stands in the input, followed by that of the command line, and sets the options
// that stand there too.
func (t *tool) reproduced(o *options, module *ir.Operation, rest *pass.Pipeline) (*pass.Pipeline, error) {
	r, ok, err := pass.TakeReproducer(module.Context())
	if !ok || err != nil {
		return rest, err
	}
	o.serial = o.serial || r.DisableThreading
	o.verifyEach = r.VerifyEach
	pipeline, err := pass.ParsePipeline(t.passes, r.Pipeline)
	if err != nil {
		return nil, err
	}
	if !rest.Empty() {
		pipeline.Append(rest)
	}
	return pipeline, nil
}
