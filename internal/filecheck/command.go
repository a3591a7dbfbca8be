// The command line of FileCheck: tools/filecheck runs it, and testscript suites run it in their own process.

package filecheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// command is a parsed command line.
type command struct {
	folder    string
	options   Options
	checkFile string
	inputFile string
	help      bool
	color     bool // accepted; reports are plain text
	dumpHelp  bool
	update    bool
}

// Main runs filecheck with the arguments after its name. It reads the input from stdin unless --input-file names a
// file, reports on stderr, and gives the exit status: 0 the input matches, 1 it does not, 2 it could not be checked.
func Main(ctx context.Context, arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return MainIn(ctx, "", arguments, stdin, stdout, stderr)
}

// MainIn is Main with file names relative to a folder; "" is the working folder.
func MainIn(ctx context.Context, folder string, arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	arguments = append(strings.Fields(os.Getenv("FILECHECK_OPTS")), arguments...)
	c, err := parseCommand(arguments)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		fmt.Fprintf(stderr, "filecheck: %s\n", err)
		return statusUsage
	}
	c.folder = folder
	switch {
	case c.help:
		_, err = io.WriteString(stdout, usage)
	case c.dumpHelp:
		_, err = io.WriteString(stdout, dumpUsage)
	case c.update:
		err = c.runUpdate(stdin)
	default:
		return c.run(stdin, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "filecheck: %s\n", err)
		return statusUsage
	}
	return 0
}

func (c *command) run(stdin io.Reader, stderr io.Writer) int {
	if c.checkFile == "" {
		fmt.Fprintln(stderr, "<check-file> not specified")
		return statusUsage
	}
	if !c.checkDefines(stderr) {
		return statusUsage
	}
	if _, _, err := c.options.prefixes(); err != nil {
		fmt.Fprintf(stderr, "error: %s\n", err)
		return statusUsage
	}
	checkName, text, err := c.read(c.checkFile, stdin)
	if err != nil {
		fmt.Fprintf(stderr, "Could not open check file '%s': %s\n", c.checkFile, reason(err))
		return statusUsage
	}
	file, err := Parse(checkName, text, c.options)
	var fault *ParseError
	if errors.As(err, &fault) {
		fmt.Fprintln(stderr, fault)
		return fault.Status
	}
	name, input, err := c.read(c.inputFile, stdin)
	if err != nil {
		fmt.Fprintf(stderr, "Could not open input file '%s': %s\n", c.inputFile, reason(err))
		return statusUsage
	}
	if len(input) == 0 && !c.options.AllowEmpty {
		fmt.Fprintf(stderr, "FileCheck error: '%s' is empty.\n", name)
		return statusUsage
	}
	report := file.Check(name, input)
	fmt.Fprint(stderr, report)
	return report.Status
}

func (c *command) inFolder(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.folder, name)
}

// standardInput is its name on a command line.
const standardInput = "-"

// read gives a file's text and what reports call it.
func (c *command) read(name string, stdin io.Reader) (string, []byte, error) {
	if name == standardInput {
		text, err := io.ReadAll(stdin)
		return "<stdin>", text, err
	}
	text, err := os.ReadFile(c.inFolder(name))
	return name, text, err
}

// reason is the system's part of a file error.
func reason(err error) error {
	var fault *os.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// parseCommand parses arguments in the manner of LLVM's tools: one hyphen or two, a value after an equals sign or as
// the next argument.
func parseCommand(arguments []string) (*command, error) {
	c := &command{inputFile: standardInput}
	c.options.Dump = Dump{Mode: DumpOnFailure, Context: -1}
	dumps := &dumpChoice{}
	for len(arguments) > 0 {
		argument := arguments[0]
		arguments = arguments[1:]
		if len(argument) < 2 || argument[0] != '-' {
			if c.checkFile != "" {
				return nil, fmt.Errorf("more than one check file: '%s'", argument)
			}
			c.checkFile = argument
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(argument, "-"), "-")
		if definition, ok := strings.CutPrefix(name, "D"); ok {
			c.options.Defines = append(c.options.Defines, definition)
			continue
		}
		name, value, hasValue := strings.Cut(name, "=")
		if flag := c.flag(name); flag != nil {
			set, err := parseSwitch(value)
			if err != nil {
				return nil, fmt.Errorf("the --%s option: %w", name, err)
			}
			*flag = set
			continue
		}
		set := c.setter(name, dumps)
		if set == nil {
			return nil, fmt.Errorf("unknown command line argument '%s'", argument)
		}
		if !hasValue {
			if len(arguments) == 0 {
				return nil, fmt.Errorf("the %s option requires a value", argument)
			}
			value, arguments = arguments[0], arguments[1:]
		}
		if err := set(value); err != nil {
			return nil, fmt.Errorf("the --%s option: %w", name, err)
		}
	}
	dumps.apply(c)
	c.options.Verbose = c.options.Verbose || c.options.VeryVerbose
	return c, nil
}

// parseSwitch takes the words that LLVM's switches take, and nothing.
func parseSwitch(value string) (bool, error) {
	switch value {
	case "", "true", "TRUE", "True", "1":
		return true, nil
	case "false", "FALSE", "False", "0":
		return false, nil
	}
	return false, fmt.Errorf("'%s' is invalid value for boolean argument! Try 0 or 1", value)
}

// flag gives the switch of a name without a value, or nil.
func (c *command) flag(name string) *bool {
	o := &c.options
	return map[string]*bool{
		"help": &c.help, "h": &c.help, "color": &c.color, "update": &c.update,
		"strict-whitespace": &o.StrictWhitespace, "match-full-lines": &o.MatchFullLines, "ignore-case": &o.IgnoreCase,
		"allow-empty": &o.AllowEmpty, "enable-var-scope": &o.EnableVarScope,
		"allow-unused-prefixes": &o.AllowUnusedPrefixes, "allow-deprecated-dag-overlap": &o.AllowDeprecatedDAGOverlap,
		"v": &o.Verbose, "vv": &o.VeryVerbose,
	}[name]
}

// setter gives what an option with a value does, or nil.
func (c *command) setter(name string, dumps *dumpChoice) func(value string) error {
	switch name {
	case "check-prefix", "check-prefixes":
		return appendTo(&c.options.CheckPrefixes, ",")
	case "comment-prefixes":
		return appendTo(&c.options.CommentPrefixes, ",")
	case "implicit-check-not":
		return appendTo(&c.options.ImplicitCheckNot, "")
	case "input-file":
		return func(value string) error { c.inputFile = value; return nil }
	case "dump-input":
		return dumps.mode
	case "dump-input-filter":
		return dumps.filter
	case "dump-input-context":
		return number(func(value int) { c.options.Dump.Context = max(c.options.Dump.Context, value) })
	}
	return nil
}

// appendTo collects values, divided at separator if there is one.
func appendTo(list *[]string, separator string) func(string) error {
	return func(value string) error {
		if separator == "" {
			*list = append(*list, value)
		} else {
			*list = append(*list, strings.Split(value, separator)...)
		}
		return nil
	}
}

func number(set func(int)) func(string) error {
	return func(text string) error {
		value, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return fmt.Errorf("'%s' is no number", text)
		}
		set(int(value))
		return nil
	}
}

// checkDefines reports definitions without the form NAME=VALUE; what they mean is checked with the check file.
func (c *command) checkDefines(stderr io.Writer) bool {
	good := true
	for _, definition := range c.options.Defines {
		switch strings.IndexByte(definition, '=') {
		case -1:
			fmt.Fprintf(stderr, "Missing equal sign in command-line definition '-D%s'\n", definition)
		case 0:
			fmt.Fprintf(stderr, "Missing variable name in command-line definition '-D%s'\n", definition)
		default:
			continue
		}
		good = false
	}
	return good
}

// dumpChoice collects the options of the dump, of which the strongest counts.
type dumpChoice struct {
	modes   map[string]bool
	filters map[string]bool
}

func (d *dumpChoice) mode(value string) error {
	return choose(&d.modes, value, "help", "always", "fail", "never")
}

func (d *dumpChoice) filter(value string) error {
	return choose(&d.filters, value, "all", "annotation-full", "annotation", "error")
}

func choose(chosen *map[string]bool, value string, known ...string) error {
	for _, word := range known {
		if word == value {
			if *chosen == nil {
				*chosen = map[string]bool{}
			}
			(*chosen)[value] = true
			return nil
		}
	}
	return fmt.Errorf("'%s' is none of its values", value)
}

func (d *dumpChoice) apply(c *command) {
	dump := &c.options.Dump
	switch {
	case d.modes["help"]:
		c.dumpHelp = true
	case d.modes["always"]:
		dump.Mode = DumpAlways
	case d.modes["never"] && !d.modes["fail"]:
		dump.Mode = DumpNever
	}
	switch {
	case d.filters["all"]:
		dump.Filter = DumpAll
	case d.filters["annotation-full"]:
		dump.Filter = DumpAnnotationsFull
	case d.filters["annotation"]:
		dump.Filter = DumpAnnotations
	case d.filters["error"]:
		dump.Filter = DumpErrors
	}
	if dump.Context < 0 {
		dump.Context = DefaultDumpContext
	}
}
