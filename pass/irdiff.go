package pass

// This file holds the instrument that shows what each pass changed, as a unified diff.

import (
	"bytes"
	"fmt"
	"io"

	"tpuir/internal/textdiff"
	"tpuir/ir"
)

// IRDiffer writes a diff of the IR for each pass. Passes have to run serially, so that diffs stand in order.
type IRDiffer struct {
	Out io.Writer
	// Print writes an operation as the tool prints it.
	Print func(w io.Writer, op *ir.Operation) error
	Color bool
	// ModuleScope compares the whole module around the operation.
	ModuleScope bool
}

type beforeKey struct{}

// BeforePass keeps the text of the operation.
func (d *IRDiffer) BeforePass(s *Step) { s.Data[beforeKey{}] = d.text(s.Op) }

// AfterPass writes what has changed in it.
func (d *IRDiffer) AfterPass(s *Step, err error) {
	how := ""
	if err != nil {
		how = " Failed"
	}
	fmt.Fprintf(d.Out, "// -----// IR Diff After %s%s (%s) on %s //----- //\n", s.Definition.Name, how, s.Definition.Argument, describe(s.Op))
	before := s.Data[beforeKey{}].([]byte)
	diff := textdiff.Unified(before, d.text(s.Op), textdiff.Options{OldName: "before " + s.Definition.Argument,
		NewName: "after " + s.Definition.Argument, Context: 3, Color: d.Color})
	if diff == nil {
		fmt.Fprint(d.Out, "// no change\n\n")
		return
	}
	_, _ = d.Out.Write(append(diff, '\n')) // what can't be shown is lost, as with every message
}

func (d *IRDiffer) text(op *ir.Operation) []byte {
	for d.ModuleScope && op.Parent() != nil {
		op = op.Parent()
	}
	var text bytes.Buffer
	if err := d.Print(&text, op); err != nil {
		fmt.Fprintf(&text, "// could not be printed: %v\n", err)
	}
	return text.Bytes()
}

// describe names an operation as MLIR's messages do: `'func.func' operation: @f`.
func describe(op *ir.Operation) string {
	text := fmt.Sprintf("'%s' operation", op.Name())
	if name := ir.SymbolName(op); name != "" {
		text += ": @" + name
	}
	return text
}
