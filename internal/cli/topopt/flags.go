package topopt

// This file holds the command line. Passes are flags of their own, run in the order they stand.

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tpuir/bytecode"
	"tpuir/internal/cli/flags"
	"tpuir/internal/cli/version"
	"tpuir/parser"
	"tpuir/pass"
	"tpuir/printer"
)

type options struct {
	input, output     string
	allowUnregistered bool
	noImplicitModule  bool
	verifyRoundTrip   bool
	irdlFile          string
	splitInput        bool
	splitMarker       string
	outputMarker      string
	emitBytecode      bool
	bytecodeVersion   int64
	verifyDiagnostics bool
	onlyExpected      bool
	diagnosticFormat  string
	operationInNotes  bool
	color             bool

	verifyEach   bool
	serial       bool
	dumpPipeline bool
	pipelineText string
	// pipelineGiven tells an empty text, which is an error, from none.
	pipelineGiven bool
	passFlags     []passFlag

	printBefore, printAfter             []string
	printBeforeAll, printAfterAll       bool
	printAfterChange, printAfterFailure bool
	printModuleScope, printDiff         bool
	printTree                           string
	timing, statistics                  bool
	timingDisplay, timingFormat         string
	statisticsDisplay                   string

	crashReproducer string
	localReproducer bool
	reproducer      string
	runReproducer   bool

	bisect        string
	reduce        bool
	reduceCommand string
	numerics      string
	tolerance     float64

	debugInfoGiven bool
	asm            printer.Options
}

// passFlag is a pass that was named by a flag, with its options.
type passFlag struct {
	definition *pass.Definition
	options    string
}

// printing reports whether the IR is printed around passes. As in mlir-opt, -after-change alone asks for nothing.
func (o *options) printing() bool {
	return o.printBeforeAll || o.printAfterAll || o.printAfterFailure || len(o.printBefore)+len(o.printAfter) > 0
}

// pipeline makes the pipeline that the flags ask for, fresh instances at every call.
func (o *options) pipeline(r *pass.Registry) (*pass.Pipeline, error) {
	if o.pipelineGiven {
		return pass.ParsePipeline(r, o.pipelineText)
	}
	p := pass.NewPipeline(moduleAnchor)
	for _, f := range o.passFlags {
		instance := f.definition.New()
		if err := pass.Configure(instance, f.definition, f.options); err != nil {
			return nil, fmt.Errorf("--%s=%q: %w", f.definition.Argument, f.options, err)
		}
		p.Add(f.definition, instance)
	}
	return p, nil
}

// moduleAnchor is what the pipeline of passes that are given as flags runs on.
const moduleAnchor = "builtin.module"

// parseFlags reads the command line. The error errDone says that the answer has been printed.
func (t *tool) parseFlags(args []string) (*options, error) {
	o := &options{input: standardInput, output: standardInput, verifyEach: true, color: isTerminal(t.stderr), operationInNotes: true,
		outputMarker: parser.SplitMarker, diagnosticFormat: "text", timingDisplay: "tree", timingFormat: "text", statisticsDisplay: "pipeline",
		tolerance: 0.99, bytecodeVersion: bytecode.CurrentVersion}
	set := flags.New("top-opt")
	t.define(set, o)
	var help, showVersion, showDialects, listPasses bool
	set.Group("Help")
	set.Bool(&help, "help", "show this text and every pass with its options")
	set.Bool(&showVersion, "version", "show the version")
	set.Bool(&showDialects, "show-dialects", "list the registered dialects")
	set.Bool(&listPasses, "list-passes", "list the passes with anchors, options and defaults")
	t.definePasses(set, o)
	positional, err := set.Parse(args)
	if err != nil {
		return o, err
	}
	if len(positional) > 0 {
		o.input = positional[0]
	}
	switch {
	case help:
		t.help(set)
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
	}
	return o, t.check(o)
}

// check refuses flags that do not go together, and pipelines that can't be made.
func (t *tool) check(o *options) error {
	switch {
	case o.bytecodeVersion != bytecode.CurrentVersion && !o.emitBytecode:
		return errors.New("bytecode version while not emitting bytecode: give --emit-bytecode, too")
	case o.pipelineGiven && len(o.passFlags) > 0:
		return fmt.Errorf("'--pass-pipeline' can't be used with individual pass options: --%s", o.passFlags[0].definition.Argument)
	case o.localReproducer && !o.serial:
		return fmt.Errorf("--mlir-pass-pipeline-local-reproducer may not be used without --mlir-disable-threading")
	case o.bisect != "" && o.reduce:
		return fmt.Errorf("--bisect already reduces what it finds: give it or --reduce")
	case (o.bisect != "" || o.reduce) && o.numerics != "":
		return fmt.Errorf("--bisect and --reduce ask a command: leave --verify-numerics out, or let the command evaluate")
	case (o.bisect != "" || o.reduce) && o.emitBytecode:
		return fmt.Errorf("--bisect and --reduce write a reproducer as text: leave --emit-bytecode out")
	case (o.bisect != "" || o.reduce) && (o.splitInput || o.verifyDiagnostics):
		return fmt.Errorf("--bisect and --reduce work on one whole input: leave --split-input-file and --verify-diagnostics out")
	}
	_, err := o.pipeline(t.passes)
	return err
}

// definePasses makes a flag of every pass.
func (t *tool) definePasses(set *flags.Set, o *options) {
	for _, d := range t.passes.All() {
		set.Hidden(d.Argument, d.Summary, func(value string) error {
			if value == "true" {
				value = ""
			}
			o.passFlags = append(o.passFlags, passFlag{d, value})
			return nil
		})
	}
}

func (t *tool) define(set *flags.Set, o *options) {
	o.defineInput(set)
	o.defineRunning(set)
	o.definePrinting(set)
	t.defineWatching(set, o)
	o.defineSearching(set)
}

// choice defines a flag whose value is one of a few words.
func choice(set *flags.Set, p *string, name, help string, words ...string) {
	set.Func(name, help+": "+strings.Join(words, ", ")+" (default "+*p+")", func(v string) error {
		for _, w := range words {
			if v == w {
				*p = v
				return nil
			}
		}
		message := fmt.Sprintf("'%s' is none of %s", v, strings.Join(words, ", "))
		if closest := pass.Closest(v, words); closest != "" {
			message += fmt.Sprintf("; did you mean '%s'?", closest)
		}
		return fmt.Errorf("%s", message)
	})
}

// wanted defines a flag with a text that is not empty: a variable of a script without a value does not turn a check off.
func wanted(set *flags.Set, p *string, name, help string) {
	set.Func(name, help, func(v string) error {
		if v == "" {
			return errors.New("a value is missing")
		}
		*p = v
		return nil
	})
}

// limit defines a flag with a number, not below least, that is nil until it is given.
func limit(set *flags.Set, p **int64, least int64, name, help string) {
	set.Func(name, help, func(v string) error {
		n, err := strconv.ParseInt(v, 0, 64)
		if err != nil {
			return fmt.Errorf("'%s' is no whole number", v)
		}
		if n < least {
			return fmt.Errorf("'%s' is below %d", v, least)
		}
		*p = &n
		return nil
	})
}

func (o *options) defineInput(set *flags.Set) {
	set.Group("Input and output")
	set.Text(&o.output, "o", "write to this file; - is standard output")
	set.Bool(&o.allowUnregistered, "allow-unregistered-dialect", "accept operations, types and attributes of unknown dialects")
	set.Text(&o.irdlFile, "irdl-file", "register the dialects that this IRDL text defines before the input is read")
	set.Bool(&o.noImplicitModule, "no-implicit-module", "take the only operation of the input as it is, without a module around it")
	set.Optional("split-input-file", "treat the parts between `"+parser.SplitMarker+"`, or the text given, as inputs of their own", func(v string) error {
		o.splitInput, o.splitMarker = v != "false", parser.SplitMarker
		if v != "true" {
			o.splitMarker = v
		}
		return nil
	})
	set.Text(&o.outputMarker, "output-split-marker", "the line between the parts of the output")
	set.Bool(&o.emitBytecode, "emit-bytecode", "write MLIR's binary form, which is read like text")
	set.Int64(&o.bytecodeVersion, "emit-bytecode-version", fmt.Sprintf("the version of the binary form, %d to %d", bytecode.MinVersion, bytecode.CurrentVersion))
	set.Bool(&o.verifyRoundTrip, "verify-roundtrip", "print what was read, read it back and compare")

	set.Group("Messages")
	set.Optional("verify-diagnostics", "compare diagnostics with comments `// expected-error {{…}}`: all (default), only-expected", func(v string) error {
		switch v {
		case "true", "all", "":
			o.verifyDiagnostics, o.onlyExpected = true, false
		case "only-expected":
			o.verifyDiagnostics, o.onlyExpected = true, true
		case "false":
			o.verifyDiagnostics = false
		default:
			return fmt.Errorf("'%s' is none of all, only-expected", v)
		}
		return nil
	})
	choice(set, &o.diagnosticFormat, "diagnostic-format", "write messages as", "text", "json", "sarif")
	set.Bool(&o.color, "color", "colour messages and diffs; by default where they go to a terminal")
	set.Bool(&o.operationInNotes, "mlir-print-op-on-diagnostic", "show the operation that a message is about in a note")
}

func (o *options) defineRunning(set *flags.Set) {
	set.Group("Passes")
	set.Func("pass-pipeline", "run this pipeline, e.g. 'builtin.module(canonicalize{max-iterations=2})'", func(v string) error {
		o.pipelineText, o.pipelineGiven = v, true
		return nil
	})
	set.Bool(&o.verifyEach, "verify-each", "verify the IR after each pass")
	set.Bool(&o.serial, "mlir-disable-threading", "run everything on one thread")
	set.Bool(&o.dumpPipeline, "dump-pass-pipeline", "print the pipeline to standard error before it runs")
	set.Text(&o.reproducer, "mlir-generate-reproducer", "write the input and the pipeline to this file")
	set.Text(&o.crashReproducer, "mlir-pass-pipeline-crash-reproducer", "where a pass fails, write the input and the pipeline to this file")
	set.Bool(&o.localReproducer, "mlir-pass-pipeline-local-reproducer", "write the IR before the failed pass, with that pass alone")
	set.Bool(&o.runReproducer, "run-reproducer", "run the pipeline that stands in the input")
	// Accepted for TPU-MLIR's command lines, which use it for the debugging of passes that are not these.
	set.Func("debug_cmd", "accepted for TPU-MLIR's command lines, and ignored", func(string) error { return nil })
}

func (o *options) definePrinting(set *flags.Set) {
	set.Group("Printing")
	set.Bool(&o.asm.Generic, "mlir-print-op-generic", "print every operation in the generic form")
	set.Optional("mlir-print-debuginfo", "print locations; by default they are printed where a model's passes run", func(v string) error {
		value, err := strconv.ParseBool(v)
		o.asm.DebugInfo, o.debugInfoGiven = value, true
		return err
	})
	set.Bool(&o.asm.PrettyDebugInfo, "mlir-pretty-debuginfo", "print locations, with --mlir-print-debuginfo, for people")
	set.Bool(&o.asm.LocalScope, "mlir-print-local-scope", "print types, attributes and locations in place, without aliases")
	set.Bool(&o.asm.AssumeVerified, "mlir-print-assume-verified", "print custom forms without verification before")
	set.Bool(&o.asm.SkipRegions, "mlir-print-skip-regions", "print {...} for every region")
	set.Bool(&o.asm.ValueUsers, "mlir-print-value-users", "print the users of values as comments")
	set.Bool(&o.asm.UniqueSSAIDs, "mlir-print-unique-ssa-ids", "use no value name twice")
	set.Bool(&o.asm.NameLocAsPrefix, "mlir-use-nameloc-as-prefix", "name values after their name locations")
	limit(set, &o.asm.ElideElementsLargerThan, 0, "mlir-elide-elementsattrs-if-larger", "print dense attributes with more elements as __elided__")
	limit(set, &o.asm.HexElementsLargerThan, math.MinInt64, "mlir-print-elementsattrs-with-hex-if-larger",
		"print dense attributes with more elements as a hex string; -1 never (default 100)")
	limit(set, &o.asm.ElideResourcesLargerThan, 0, "mlir-elide-resource-strings-if-larger", "leave out resources with more characters")
}

func (t *tool) defineWatching(set *flags.Set, o *options) {
	set.Group("Watching passes")
	list := func(p *[]string) func(string) error {
		return func(v string) error {
			for name := range strings.SplitSeq(v, ",") {
				if t.passes.Lookup(name) == nil {
					return fmt.Errorf("'%s' is no pass%s", name, hint(t.passes.Suggest(name)))
				}
				*p = append(*p, name)
			}
			return nil
		}
	}
	set.Func("mlir-print-ir-before", "print the IR before these passes", list(&o.printBefore))
	set.Bool(&o.printBeforeAll, "mlir-print-ir-before-all", "print the IR before each pass")
	set.Func("mlir-print-ir-after", "print the IR after these passes", list(&o.printAfter))
	set.Bool(&o.printAfterAll, "mlir-print-ir-after-all", "print the IR after each pass")
	set.Bool(&o.printAfterChange, "mlir-print-ir-after-change", "print the IR after a pass only where it changed")
	set.Bool(&o.printAfterFailure, "mlir-print-ir-after-failure", "print the IR after a pass that failed")
	set.Bool(&o.printModuleScope, "mlir-print-ir-module-scope", "print the whole module, not only the pass's operation")
	set.Text(&o.printTree, "mlir-print-ir-tree-dir", "print the IR to files below this folder, one for each pass and operation")
	set.Bool(&o.printDiff, "mlir-print-ir-diff", "print after each pass what it changed, as a diff")
	set.Bool(&o.timing, "mlir-timing", "print how long each pass took")
	choice(set, &o.timingDisplay, "mlir-timing-display", "show times as", "tree", "list")
	choice(set, &o.timingFormat, "mlir-output-format", "show times as", "text", "json")
	set.Bool(&o.statistics, "mlir-pass-statistics", "print what the passes counted")
	choice(set, &o.statisticsDisplay, "mlir-pass-statistics-display", "show statistics as", "pipeline", "list")
}

func (o *options) defineSearching(set *flags.Set) {
	set.Group("Searching for mistakes")
	wanted(set, &o.bisect, "bisect", "find the first pass after which this shell command, given a file, fails; reduce its input; write a reproducer")
	set.Optional("reduce", "find the smallest input for which the pipeline fails, or, after it, the command given as the value", func(v string) error {
		o.reduce = v != "false"
		if v != "true" && v != "false" {
			o.reduceCommand = v
		}
		return nil
	})
	wanted(set, &o.numerics, "verify-numerics", "evaluate the module on the inputs in this .npz before and after every pass, and stop where a tensor moves")
	set.Func("numeric-tolerance", "how far the cosine of a tensor with its value before may be from 1; 0 wants equal numbers (default 0.01)", func(v string) (err error) {
		if o.tolerance, err = strconv.ParseFloat(v, 64); err != nil || !(o.tolerance >= 0) {
			return fmt.Errorf("'%s' is no distance", v)
		}
		return nil
	})
}

// hint is the end of a message about an unknown word.
func hint(closest string) string {
	if closest == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean '%s'?", closest)
}
