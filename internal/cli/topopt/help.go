package topopt

// This file holds the texts that --help, --list-passes and --show-dialects print.

import (
	"fmt"
	"sort"
	"strings"

	"tpuir/internal/cli/flags"
	"tpuir/internal/registry"
	"tpuir/pass"
)

func (t *tool) help(set *flags.Set) {
	fmt.Fprint(t.stdout, `top-opt reads MLIR, runs passes over it in the order of their flags, and prints it.

Usage: top-opt [FLAGS] [FILE]      (FILE may be - for standard input)

  top-opt in.mlir --canonicalize --cse -o out.mlir
  top-opt --split-stages="seq-length=64" --lower-to-tpu stories.mlir
  top-opt --pass-pipeline='builtin.module(func.func(canonicalize{max-iterations=2}))' in.mlir
  top-opt --bisect='! grep -q top.Relu' --canonicalize --lower-to-tpu in.mlir -o reproducer.mlir
`)
	set.WriteHelp(t.stdout)
	fmt.Fprintf(t.stdout, "\nEvery pass is a flag, its options in quotes behind =:\n\n")
	t.listPasses()
}

func (t *tool) listPasses() {
	for _, d := range t.passes.All() {
		anchor := d.Anchor
		if anchor == "" {
			anchor = "any operation"
		}
		fmt.Fprintf(t.stdout, "  --%-38s %s  [%s]\n", d.Argument, d.Summary, anchor)
		for _, o := range pass.Options(d.New()) {
			fmt.Fprintf(t.stdout, "      %-36s %s (%s, default %q)\n", o.Name+"=…", o.Help, o.Type, o.Default)
		}
	}
}

func (t *tool) showDialects() {
	var names []string
	for _, d := range registry.NewContext().Dialects() {
		if (d.OperationNames == nil || len(d.OperationNames()) == 0) && d.ParseType == nil && d.ParseAttribute == nil {
			continue // a namespace of attributes alone (module) is no dialect to a user
		}
		names = append(names, d.Namespace)
	}
	sort.Strings(names)
	fmt.Fprintf(t.stdout, "Available Dialects: %s\n", strings.Join(names, ","))
}
