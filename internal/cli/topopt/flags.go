package topopt

// This file holds the command line. Passes are flags of their own, run in the order they stand.

import (
	"flag"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"tpuir/internal/cli/version"
	"tpuir/internal/registry"
	"tpuir/pass"
	"tpuir/printer"
)

type options struct {
	input, output     string
	allowUnregistered bool
	splitInput        bool
	verifyDiagnostics bool
	onlyExpected      bool
	verifyEach        bool
	serial            bool
	timing            bool
	color             bool
	dumpPipeline      bool
	pipelineText      string
	passFlags         []passFlag

	printBefore, printAfter             []string
	printBeforeAll, printAfterAll       bool
	printAfterChange, printAfterFailure bool
	printModuleScope                    bool
	debugInfoGiven                      bool
	asm                                 printer.Options
}

// passFlag is a pass that was named by a flag, with its options.
type passFlag struct {
	definition *pass.Definition
	options    string
}

func (o *options) printing() bool {
	return o.printBeforeAll || o.printAfterAll || o.printAfterChange || o.printAfterFailure || len(o.printBefore)+len(o.printAfter) > 0
}

// pipeline makes the pipeline that the flags ask for, fresh instances at every call.
func (o *options) pipeline(r *pass.Registry) (*pass.Pipeline, error) {
	if o.pipelineText != "" {
		return pass.ParsePipeline(r, o.pipelineText)
	}
	p := pass.NewPipeline("builtin.module")
	for _, f := range o.passFlags {
		instance := f.definition.New()
		if err := pass.Configure(instance, f.definition, f.options); err != nil {
			return nil, fmt.Errorf("--%s=%q: %w", f.definition.Argument, f.options, err)
		}
		p.Add(f.definition, instance)
	}
	return p, nil
}

// command holds the flags of the tool by group, for help.
type command struct {
	set    *flag.FlagSet
	groups []group
}

type group struct {
	title string
	names []string
}

func (c *command) group(title string) { c.groups = append(c.groups, group{title: title}) }

func (c *command) note(name string) {
	g := &c.groups[len(c.groups)-1]
	g.names = append(g.names, name)
}

func (c *command) bool(p *bool, name, help string) {
	c.set.BoolVar(p, name, *p, help)
	c.note(name)
}

func (c *command) text(p *string, name, help string) {
	c.set.StringVar(p, name, *p, help)
	c.note(name)
}

// optional is a flag whose value may be left out.
func (c *command) optional(name, help string, set func(value string) error) {
	c.set.BoolFunc(name, help, set)
	c.note(name)
}

func (t *tool) parseFlags(args []string) (*options, error) {
	o := &options{input: standardInput, output: standardInput, verifyEach: true, color: isTerminal(t.stderr)}
	c := &command{set: flag.NewFlagSet("top-opt", flag.ContinueOnError)}
	c.set.SetOutput(io.Discard)
	c.set.Usage = func() {}
	var help, showVersion, showDialects, listPasses bool
	t.define(c, o)
	c.group("Help")
	c.bool(&help, "help", "show this text and every pass with its options")
	c.bool(&showVersion, "version", "show the version")
	c.bool(&showDialects, "show-dialects", "list the registered dialects")
	c.bool(&listPasses, "list-passes", "list the passes with anchors, options and defaults")
	for _, d := range t.passes.All() {
		c.set.BoolFunc(d.Argument, d.Summary, func(value string) error {
			if value == "true" {
				value = ""
			}
			o.passFlags = append(o.passFlags, passFlag{d, value})
			return nil
		})
	}
	if err := t.parse(c, o, args); err != nil {
		return nil, err
	}
	switch {
	case help:
		t.help(c)
		return nil, errDone
	case showVersion:
		fmt.Fprintln(t.stdout, version.Text("top-opt"))
		return nil, errDone
	case showDialects:
		t.showDialects()
		return nil, errDone
	case listPasses:
		t.listPasses()
		return nil, errDone
	case o.pipelineText != "" && len(o.passFlags) > 0:
		return nil, fmt.Errorf("'--pass-pipeline' can't be used with individual pass options: --%s", o.passFlags[0].definition.Argument)
	}
	_, err := o.pipeline(t.passes)
	return o, err
}

// parse goes on behind positional arguments, which may stand anywhere.
func (t *tool) parse(c *command, o *options, args []string) error {
	inputs := 0
	for len(args) > 0 {
		if name, ok := unknownFlag(c.set, args[0]); ok {
			return t.unknown(c, name)
		}
		if !strings.HasPrefix(args[0], "-") || args[0] == standardInput {
			if inputs++; inputs > 1 {
				return fmt.Errorf("too many positional arguments: '%s' after '%s'; give one input file", args[0], o.input)
			}
			o.input = args[0]
			args = args[1:]
			continue
		}
		// One flag at a time, so that an unknown one is found by its name.
		n := 1
		if name := strings.TrimLeft(args[0], "-"); !strings.Contains(name, "=") && len(args) > 1 && takesValue(c.set.Lookup(name)) {
			n = 2
		}
		if err := c.set.Parse(args[:n]); err != nil {
			return err
		}
		args = args[n:]
	}
	return nil
}

func takesValue(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}

func unknownFlag(set *flag.FlagSet, arg string) (string, bool) {
	if !strings.HasPrefix(arg, "-") || arg == standardInput {
		return "", false
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	return name, set.Lookup(name) == nil
}

func (t *tool) unknown(c *command, name string) error {
	var names []string
	c.set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	message := fmt.Sprintf("unknown command line argument '--%s'; try 'top-opt --help'", name)
	if closest := pass.Closest(name, names); closest != "" {
		message += fmt.Sprintf("; did you mean '--%s'?", closest)
	}
	return fmt.Errorf("%s", message)
}

func (t *tool) define(c *command, o *options) {
	c.group("Input and output")
	c.text(&o.output, "o", "write to this file; - is standard output")
	c.bool(&o.allowUnregistered, "allow-unregistered-dialect", "accept operations, types and attributes of unknown dialects")
	c.bool(&o.splitInput, "split-input-file", "treat the parts between '// -----' lines as inputs of their own")
	c.optional("verify-diagnostics", "compare diagnostics with the comments `// expected-error {{…}}`; =only-expected ignores others", func(v string) error {
		switch v {
		case "true", "all":
			o.verifyDiagnostics = true
		case "only-expected":
			o.verifyDiagnostics, o.onlyExpected = true, true
		case "false":
			o.verifyDiagnostics = false
		default:
			return fmt.Errorf("'%s' is none of all, only-expected", v)
		}
		return nil
	})

	c.group("Passes")
	c.text(&o.pipelineText, "pass-pipeline", "run this pipeline, e.g. 'builtin.module(canonicalize{max-iterations=2})'")
	c.bool(&o.verifyEach, "verify-each", "verify the IR after each pass")
	c.bool(&o.serial, "mlir-disable-threading", "run everything on one thread")
	c.bool(&o.dumpPipeline, "dump-pass-pipeline", "print the pipeline to standard error before it runs")

	c.group("Printing")
	c.bool(&o.asm.Generic, "mlir-print-op-generic", "print every operation in the generic form")
	c.optional("mlir-print-debuginfo", "print locations; by default they are printed where a model's passes run", func(v string) error {
		value, err := strconv.ParseBool(v)
		o.asm.DebugInfo, o.debugInfoGiven = value, true
		return err
	})
	c.bool(&o.asm.LocalScope, "mlir-print-local-scope", "print types, attributes and locations in place, without aliases")
	c.set.Func("mlir-elide-elementsattrs-if-larger", "print dense attributes with more elements as __elided__", func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		o.asm.ElideElementsLargerThan = &n
		return err
	})
	c.note("mlir-elide-elementsattrs-if-larger")

	c.group("Watching passes")
	list := func(p *[]string) func(string) error {
		return func(v string) error {
			for name := range strings.SplitSeq(v, ",") {
				if t.passes.Lookup(name) == nil {
					return fmt.Errorf("'%s' is no pass", name)
				}
				*p = append(*p, name)
			}
			return nil
		}
	}
	c.set.Func("mlir-print-ir-before", "print the IR before these passes", list(&o.printBefore))
	c.note("mlir-print-ir-before")
	c.bool(&o.printBeforeAll, "mlir-print-ir-before-all", "print the IR before each pass")
	c.set.Func("mlir-print-ir-after", "print the IR after these passes", list(&o.printAfter))
	c.note("mlir-print-ir-after")
	c.bool(&o.printAfterAll, "mlir-print-ir-after-all", "print the IR after each pass")
	c.bool(&o.printAfterChange, "mlir-print-ir-after-change", "print the IR after a pass only where it changed")
	c.bool(&o.printAfterFailure, "mlir-print-ir-after-failure", "print the IR after a pass that failed")
	c.bool(&o.printModuleScope, "mlir-print-ir-module-scope", "print the whole module, not only the pass's operation")
	c.bool(&o.timing, "mlir-timing", "print how long each pass took")
	t.ignored(c)
}

// ignored accepts flags of tpuc-opt that only its own debugging uses, so that its command lines run unchanged.
func (t *tool) ignored(c *command) {
	c.set.Func("debug_cmd", "accepted for TPU-MLIR's command lines, and ignored", func(string) error { return nil })
	c.note("debug_cmd")
}

func (t *tool) help(c *command) {
	fmt.Fprintf(t.stdout, `top-opt reads MLIR, runs passes over it in the order of their flags, and prints it.

Usage: top-opt [FLAGS] [FILE]      (FILE may be - for standard input)

  top-opt in.mlir --canonicalize --cse -o out.mlir
  top-opt --split-stages="seq-length=64" --lower-to-tpu stories.mlir
  top-opt --pass-pipeline='builtin.module(func.func(canonicalize{max-iterations=2}))' in.mlir
`)
	for _, g := range c.groups {
		fmt.Fprintf(t.stdout, "\n%s:\n", g.title)
		for _, name := range g.names {
			f := c.set.Lookup(name)
			shown := "--" + name
			if takesValue(f) {
				shown += "=…"
			}
			fmt.Fprintf(t.stdout, "  %-40s %s\n", shown, f.Usage)
		}
	}
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
