package topopt

// This file holds --verify-roundtrip: what was read survives being written as text, in both forms, and as bytecode.

import (
	"bytes"
	"context"
	"errors"

	"tpuir/bytecode"
	"tpuir/ir"
	"tpuir/printer"
)

// roundTrip writes IR with all that it holds, reads it back and compares. It returns what went wrong.
func (t *tool) roundTrip(ctx context.Context, o *options, module *ir.Operation) *ir.Diagnostic {
	generic := printer.Options{DebugInfo: true, Generic: true, AssumeVerified: true}
	custom := generic
	custom.Generic = false
	for _, form := range []printer.Options{custom, generic} {
		text := printer.Append(nil, module, form)
		if d := t.readBack(ctx, o, module, "ASM", text, form, text); d != nil {
			return d
		}
	}
	var binary bytes.Buffer
	if err := bytecode.Write(&binary, module, bytecode.Options{Version: int(o.bytecodeVersion)}); err != nil {
		d := module.PlainErrorf("failed to write bytecode, cannot verify round-trip")
		for _, found := range ir.Diagnostics(err) {
			d.Note(found.Loc, "%s", found.Message)
		}
		return d
	}
	return t.readBack(ctx, o, module, "bytecode", binary.Bytes(), generic, printer.Append(nil, module, generic))
}

// readBack reads what was written, and compares how it prints with the reference.
func (t *tool) readBack(ctx context.Context, o *options, module *ir.Operation, form string, written []byte, asm printer.Options,
	reference []byte) *ir.Diagnostic {
	fresh, err := t.newContext(ctx, o) // in the same one, resources would get other keys
	if errors.Is(err, errReported) {
		return module.PlainErrorf("failed to roundtrip: the dialects can't be loaded again")
	} else if err != nil {
		return module.PlainErrorf("failed to roundtrip: %w", err)
	}
	sources := &ir.Sources{}
	again, found := readInput(ctx, o, fresh, sources.Add("<round trip>", written))
	if again == nil || hasErrors(found) {
		d := module.PlainErrorf("failed to parse %s back, cannot verify round-trip", form)
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
	return nil
}
