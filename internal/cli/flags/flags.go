// Package flags reads command lines as LLVM's tools do: flags with one dash or two and arguments between them in any order,
// a hint where a flag is misspelt, and a help text in groups.
package flags

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"tpuir/internal/cli/version"
	"tpuir/pass"
)

// Set holds the flags of one tool.
type Set struct {
	tool   string
	flags  *flag.FlagSet
	groups []group
	// Limit is how many arguments that are no flags the tool takes; Excess says what to give instead of more.
	Limit  int
	Excess string

	help, version bool // see About
}

type group struct {
	title string
	names []string
}

// New returns the empty set of a tool, which takes one argument.
func New(tool string) *Set {
	set := flag.NewFlagSet(tool, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	return &Set{tool: tool, flags: set, Limit: 1, Excess: "give one input file"}
}

// Group starts a group of the help text. Every flag but a hidden one belongs to a group.
func (s *Set) Group(title string) { s.groups = append(s.groups, group{title: title}) }

func (s *Set) note(name string) {
	g := &s.groups[len(s.groups)-1]
	g.names = append(g.names, name)
}

// Bool defines a switch; *p holds the default.
func (s *Set) Bool(p *bool, name, help string) {
	s.flags.BoolVar(p, name, *p, help)
	s.note(name)
}

// Text defines a flag with a text.
func (s *Set) Text(p *string, name, help string) {
	s.flags.StringVar(p, name, *p, help)
	s.note(name)
}

// Int64 defines a flag with a number.
func (s *Set) Int64(p *int64, name, help string) {
	s.flags.Int64Var(p, name, *p, help)
	s.note(name)
}

// Func defines a flag whose value is given to set.
func (s *Set) Func(name, help string, set func(value string) error) {
	s.flags.Func(name, help, set)
	s.note(name)
}

// Optional is Func for a flag whose value may be left out; set is then called with "true".
func (s *Set) Optional(name, help string, set func(value string) error) {
	s.Hidden(name, help, set)
	s.note(name)
}

// Hidden is Optional for a flag that the help text shows elsewhere.
func (s *Set) Hidden(name, help string, set func(value string) error) {
	s.flags.BoolFunc(name, help, set)
}

// About defines --help and --version, which [Set.Answer] answers.
func (s *Set) About() {
	s.Bool(&s.help, "help", "show this text")
	s.Bool(&s.version, "version", "show the version")
}

// Answer writes what --help or --version ask for, and reports whether one of them was on the command line. The help text
// begins with what the tool does.
func (s *Set) Answer(out io.Writer, does string) bool {
	switch {
	case s.help:
		io.WriteString(out, does)
		s.WriteHelp(out)
	case s.version:
		fmt.Fprintln(out, version.Text(s.tool))
	}
	return s.help || s.version
}

// Given reports whether a flag was on the command line.
func (s *Set) Given(name string) bool {
	given := false
	s.flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// Parse reads a command line and returns the arguments that are no flags. "-" is such an argument; what stands behind "--"
// is, whatever it looks like.
func (s *Set) Parse(args []string) ([]string, error) {
	var positional []string
	for len(args) > 0 {
		if args[0] == "--" {
			for _, arg := range args[1:] {
				if err := s.add(&positional, arg); err != nil {
					return nil, err
				}
			}
			break
		}
		if !strings.HasPrefix(args[0], "-") || args[0] == "-" {
			if err := s.add(&positional, args[0]); err != nil {
				return nil, err
			}
			args = args[1:]
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "=")
		f := s.lookup(name)
		if f == nil {
			return nil, s.unknown(name)
		}
		args = args[1:]
		switch {
		case hasValue:
		case !takesValue(f):
			value = "true"
		case len(args) == 0:
			return nil, fmt.Errorf("flag needs a value: -%s", name)
		default:
			value, args = args[0], args[1:]
		}
		if err := s.flags.Set(f.Name, value); err != nil {
			return nil, fmt.Errorf("invalid value %q for flag -%s: %s", value, f.Name, words(f, err))
		}
	}
	return positional, nil
}

func (s *Set) add(positional *[]string, arg string) error {
	if n := len(*positional); n == s.Limit {
		if n == 0 {
			return fmt.Errorf("too many positional arguments: '%s'; %s", arg, s.Excess)
		}
		return fmt.Errorf("too many positional arguments: '%s' after '%s'; %s", arg, (*positional)[n-1], s.Excess)
	}
	*positional = append(*positional, arg)
	return nil
}

// lookup finds a flag; -h is --help.
func (s *Set) lookup(name string) *flag.Flag {
	if f := s.flags.Lookup(name); f != nil || name != "h" {
		return f
	}
	return s.flags.Lookup("help")
}

// words says what is wrong with a value where package flag has only its kind of error.
func words(f *flag.Flag, err error) string {
	switch text := err.Error(); {
	case text != "parse error":
		return text
	case takesValue(f):
		return "expected a whole number"
	default:
		return "expected true or false"
	}
}

func takesValue(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}

func (s *Set) unknown(name string) error {
	var names []string
	s.flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	message := fmt.Sprintf("unknown command line argument '--%s'; try '%s --help'", name, s.tool)
	if closest := pass.Closest(name, names); closest != "" {
		message += fmt.Sprintf("; did you mean '--%s'?", closest)
	}
	return fmt.Errorf("%s", message)
}

// WriteHelp writes the groups with their flags.
func (s *Set) WriteHelp(w io.Writer) {
	for _, g := range s.groups {
		fmt.Fprintf(w, "\n%s:\n", g.title)
		for _, name := range g.names {
			f := s.flags.Lookup(name)
			shown := "--" + name
			if len(name) == 1 {
				shown = "-" + name
			}
			if takesValue(f) {
				shown += "=…"
			}
			usage := f.Usage
			if takesValue(f) && f.DefValue != "" && f.DefValue != "0" {
				usage += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(w, "  %-40s %s\n", shown, usage)
		}
	}
}
