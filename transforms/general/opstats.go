package general

// This file holds the pass print-op-stats: how often each operation occurs.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tpuir/ir"
	"tpuir/pass"
)

func printOpStatsDefinition() *pass.Definition {
	return &pass.Definition{
		Argument:    "print-op-stats",
		Name:        "PrintOpStats",
		Summary:     "print how often each operation occurs",
		Description: `Counts an operation and all that is nested in it, as a table or as JSON. The IR is left as it is.`,
		New:         func() pass.Pass { return &printOpStats{} },
	}
}

type printOpStats struct{ json bool }

// Options binds the options.
func (p *printOpStats) Options(set *pass.OptionSet) {
	set.Bool(&p.json, "json", "print the counts as JSON")
}

// Run counts and prints.
func (p *printOpStats) Run(run *pass.Run, root *ir.Operation) error {
	counts := map[string]int{}
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		counts[op.Name().String()]++
		return ir.Advance
	})
	return run.Print(func(w io.Writer) error {
		out := bufio.NewWriter(w)
		if p.json {
			writeCountsJSON(out, counts)
		} else {
			writeCounts(out, counts)
		}
		return out.Flush()
	})
}

// splitName returns dialect and rest of an operation's name.
func splitName(name string) (dialect, rest string) {
	dialect, rest, found := strings.Cut(name, ".")
	if !found {
		return "", name
	}
	return dialect, rest
}

// writeCounts aligns the names at their dots.
func writeCounts(w io.Writer, counts map[string]int) {
	fmt.Fprint(w, "Operations encountered:\n-----------------------\n")
	dialectWidth, restWidth := 0, 0
	for name := range counts {
		dialect, rest := splitName(name)
		dialectWidth, restWidth = max(dialectWidth, len(dialect)), max(restWidth, len(rest))
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		dialect, rest := splitName(name)
		// Widths are in bytes, as mlir-opt has them; those of fmt are in characters.
		before, after := strings.Repeat(" ", dialectWidth-len(dialect)), strings.Repeat(" ", restWidth-len(rest))
		if dialect == "" {
			fmt.Fprintf(w, "%s   %s%s , %d\n", before, rest, after, counts[name])
			continue
		}
		fmt.Fprintf(w, "  %s%s.%s%s , %d\n", before, dialect, rest, after, counts[name])
	}
}

func writeCountsJSON(w io.Writer, counts map[string]int) {
	fmt.Fprint(w, "{\n")
	for i, name := range slices.Sorted(maps.Keys(counts)) {
		if i > 0 {
			fmt.Fprint(w, ",\n")
		}
		quoted, _ := json.Marshal(name) // a string can be encoded
		fmt.Fprintf(w, "  %s : %d", quoted, counts[name])
	}
	fmt.Fprint(w, "\n}\n")
}
