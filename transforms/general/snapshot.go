package general

// This file holds the pass location-snapshot: the IR is written to a file, and every operation's location becomes its
// place there.

import (
	"bytes"

	"tpuir/internal/atomicfile"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
)

func locationSnapshotDefinition(argument string) *pass.Definition {
	return &pass.Definition{
		Argument: argument,
		Name:     "LocationSnapshot",
		Summary:  "write the IR to a file and take the places in it as locations",
		Description: `With a tag the new location, under that name, is fused with the old one; without it takes its place: in a model,
whose tensors are named by locations, give a tag. Without a file name the IR is not written.`,
		New: func() pass.Pass { return &locationSnapshot{} },
	}
}

type locationSnapshot struct {
	file, tag                              string
	debugInfo, pretty, generic, localScope bool
}

// Options binds the options.
func (p *locationSnapshot) Options(set *pass.OptionSet) {
	set.String(&p.file, "filename", "the file to write the IR to")
	set.String(&p.tag, "tag", "a name for the new locations, which are then fused with the old ones")
	set.Bool(&p.debugInfo, "print-debuginfo", "write locations")
	set.Bool(&p.generic, "print-op-generic", "write the generic form")
	set.Bool(&p.localScope, "print-local-scope", "write no aliases")
	set.Bool(&p.pretty, "pretty-debuginfo", "write locations for people")
}

// Run writes the file and sets locations.
func (p *locationSnapshot) Run(run *pass.Run, root *ir.Operation) error {
	type place struct {
		op           *ir.Operation
		line, column int
	}
	var places []place
	var text bytes.Buffer
	options := *printing(run.Session)
	options.DebugInfo, options.PrettyDebugInfo, options.Generic = p.debugInfo, p.pretty, p.generic
	options.LocalScope = options.LocalScope || p.localScope
	options.Track = func(op *ir.Operation, line, column int) { places = append(places, place{op, line, column}) }
	if err := printer.Print(&text, root, options); err != nil {
		return err
	}
	file := p.file
	if file == "" {
		file = "-"
	} else if err := atomicfile.WriteFile(file, text.Bytes()); err != nil {
		return root.PlainErrorf("can't write the snapshot: %w", err)
	}
	c := root.Context()
	for _, at := range places {
		var loc ir.Location = c.FileLoc(file, uint32(at.line), uint32(at.column))
		if p.tag != "" {
			loc = c.FusedLoc([]ir.Location{at.op.Loc(), c.NameLoc(p.tag, loc)}, nil)
		}
		at.op.SetLoc(loc)
	}
	return nil
}
