package topopt

// This file writes and reads reproducers, and checks that what was read survives printing.

import (
	"bytes"
	"context"

	"tpuir/internal/atomicfile"
	"tpuir/ir"
	"tpuir/parser"
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

// roundTrip prints IR with all that it holds, in its custom and in its generic form, reads it back and compares. It
// returns what went wrong.
func (t *tool) roundTrip(ctx context.Context, o *options, module *ir.Operation) *ir.Diagnostic {
	for _, generic := range []bool{false, true} {
		asm := printer.Options{DebugInfo: true, Generic: generic, AssumeVerified: true}
		reference := printer.Append(nil, module, asm)
		sources := &ir.Sources{}
		fresh, err := t.newContext(ctx, o) // in the same one, resources would get other keys
		if err != nil {
			return module.PlainErrorf("failed to roundtrip: %w", err)
		}
		again, found := parser.Parse(ctx, fresh, sources.Add("<round trip>", reference),
			parser.Options{NoImplicitModule: o.noImplicitModule})
		if again == nil {
			d := module.PlainErrorf("failed to roundtrip: what was printed can't be read")
			for _, f := range found {
				_, line, column := sources.Place(f)
				d.Note(nil, "<round trip>:%d:%d: %s", line, column, f.Message)
			}
			return d
		}
		if printed := printer.Append(nil, again, asm); !bytes.Equal(printed, reference) {
			return module.PlainErrorf("roundTrip testing roundtripped module differs from reference:\n<<<<<<Reference\n%s\n======\n%s\n>>>>>roundtripped",
				reference, printed)
		}
	}
	return nil
}
