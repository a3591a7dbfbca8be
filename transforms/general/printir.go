package general

// This file holds the pass print-ir: it prints the operation it runs on.

import (
	"fmt"
	"io"

	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
)

func printIRDefinition() *pass.Definition {
	return &pass.Definition{
		Argument:    "print-ir",
		Name:        "PrintIRPass",
		Summary:     "print the IR to standard error",
		Description: `Prints the operation with a heading that holds the label. The IR is left as it is.`,
		New:         func() pass.Pass { return &printIR{} },
	}
}

type printIR struct{ label string }

// Options binds the options.
func (p *printIR) Options(set *pass.OptionSet) {
	set.String(&p.label, "label", "a text for the heading")
}

// Run prints.
func (p *printIR) Run(run *pass.Run, op *ir.Operation) error {
	return run.Print(func(w io.Writer) error {
		label := p.label
		if label != "" {
			label = " " + label
		}
		fmt.Fprintf(w, "// -----// IR Dump%s //----- //\n", label)
		options := *printing(run.Session)
		options.LocalScope, options.NoExternalResources = true, true
		if err := printer.Print(w, op, options); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\n")
		return err
	})
}
