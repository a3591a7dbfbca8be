// Patterns: the text after a directive, parsed into a fixed string or a regular expression with holes that variables
// fill when it is matched.

package filecheck

import (
	"errors"
	"strconv"
	"strings"
)

// maximumBackReference is the highest group that a variable used on the line of its definition may be captured in.
const maximumBackReference = 20

// pattern is one check: what to look for.
type pattern struct {
	directive
	prefix     string
	place      piece // where reports about the check point
	line       int   // line of the directive; 0 for implicit checks
	ignoreCase bool

	fixed         string // the text to find, where there is nothing to match but text
	regexText     string
	regex         *regex // regexText compiled, where it has no holes
	impossible    bool   // nothing matches
	substitutions []substitution
	strings       []stringDefinition
	numbers       []numericDefinition
}

// substitution is a hole in the regular expression.
type substitution struct {
	place  piece // the name or expression
	offset int   // in regexText
	number *numericBlock
}

type stringDefinition struct {
	name  string
	group int
}

type numericDefinition struct {
	variable *numericVariable
	group    int
}

// hasVariable reports what a label may not have. As in LLVM, it may define a number.
func (p *pattern) hasVariable() bool { return len(p.substitutions) > 0 || len(p.strings) > 0 }

// patternParser builds the regular expression of a pattern.
type patternParser struct {
	*pattern
	names  *names
	text   strings.Builder
	groups int // groups opened so far
}

// parsePattern parses text into p, whose directive, prefix and line are set.
func parsePattern(p *pattern, text piece, names *names, options *Options) error {
	fullLine := options.MatchFullLines && p.kind != kindNot
	p.ignoreCase = options.IgnoreCase
	p.place = text
	if !(options.StrictWhitespace && options.MatchFullLines) {
		text = text.trimRight()
	}
	switch {
	case text.empty() && p.kind != kindEmpty:
		return errorAt(p.place, "found empty check string with prefix '%s:'", p.prefix)
	case !text.empty() && p.kind == kindEmpty:
		return errorAt(p.place, "found non-empty check string for empty check with prefix '%s:'", p.prefix)
	case p.kind == kindEmpty:
		return p.compile("(\n$)")
	case p.literal:
		p.fixed = text.String()
		return nil
	case !fullLine && !strings.Contains(text.String(), "{{") && !strings.Contains(text.String(), "[["):
		p.fixed = text.String()
		return nil
	}
	parser := &patternParser{pattern: p, names: names}
	margin := ""
	if !options.StrictWhitespace {
		margin = " *"
	}
	if fullLine {
		parser.text.WriteString("^" + margin)
	}
	if err := parser.parse(text); err != nil {
		return err
	}
	if fullLine {
		parser.text.WriteString(margin + "$")
	}
	return p.compile(parser.text.String())
}

// compile keeps the text of the regular expression, and compiles it unless it has holes. The user's parts were valid one
// by one; in the whole a reference may still name a group that is not complete. As in LLVM, that matches nothing.
func (p *pattern) compile(text string) error {
	p.regexText = text
	if len(p.substitutions) > 0 {
		return nil
	}
	compiled, err := compileRegex(text, p.ignoreCase)
	if err != nil && !errors.Is(err, errBackReference) {
		return errorAt(p.place, "invalid regex: %s", err)
	}
	p.regex, p.impossible = compiled, err != nil
	return nil
}

func (p *patternParser) parse(text piece) error {
	for !text.empty() {
		var err error
		switch {
		case text.startsWith("{{"):
			text, err = p.regexBlock(text)
		case text.startsWith("[[") && !text.startsWith("[[["):
			text, err = p.substitutionBlock(text)
		default:
			text = p.plain(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plain takes text up to the next block.
func (p *patternParser) plain(text piece) piece {
	end := text.length()
	for _, opening := range []string{"{{", "[["} {
		if at := strings.Index(text.String()[1:], opening); at >= 0 {
			end = min(end, at+1)
		}
	}
	p.text.WriteString(escapeERE(text.upTo(end).String()))
	return text.from(end)
}

// escapeERE writes text so that an expression matches it literally.
func escapeERE(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if strings.IndexByte(`()^$|*+?.[]\{}`, text[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// regexBlock takes {{…}}.
func (p *patternParser) regexBlock(text piece) (piece, error) {
	end := strings.Index(text.String(), "}}")
	if end < 0 {
		return text, errorAt(text, "found start of regex string with no end '}}'")
	}
	// An alternative must not reach beyond its block. The group counts, so it is opened only where it is needed.
	alternation := strings.Contains(text.String(), "|")
	if alternation {
		p.text.WriteByte('(')
		p.groups++
	}
	if err := p.embed(text.from(2).upTo(end-2).String(), text.from(2)); err != nil {
		return text, err
	}
	if alternation {
		p.text.WriteByte(')')
	}
	return text.from(end + 2), nil
}

// embed adds an expression of the user's, which has to be valid on its own.
func (p *patternParser) embed(text string, place piece) error {
	parsed, err := parseERE(text, false)
	if err != nil {
		return errorAt(place, "invalid regex: %s", err)
	}
	p.text.WriteString(text)
	p.groups += parsed.groups
	return nil
}

// bracketError is the one fault of a check file that makes LLVM's FileCheck exit with status 1.
type bracketError struct{ *placedError }

// blockEnd finds the brackets that close a substitution block; -1 means that there are none. Brackets inside of it
// nest, and a backslash hides the byte after it.
func blockEnd(text piece) (int, error) {
	depth := 0
	s := text.String()
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth > 0 {
				depth--
				continue
			}
			if strings.HasPrefix(s[i:], "]]") {
				return i, nil
			}
			return 0, bracketError{errorAt(text.from(i), `missing closing "]" for regex variable`)}
		}
	}
	return -1, nil
}

// substitutionBlock takes [[…]].
func (p *patternParser) substitutionBlock(text piece) (piece, error) {
	inside := text.from(2)
	end, err := blockEnd(inside)
	if err != nil {
		return text, err
	}
	if end < 0 {
		return text, errorAt(text, "Invalid substitution block, no ]] found")
	}
	rest := inside.from(end + 2)
	inside = inside.upTo(end)
	if inside.take("#") {
		return rest, p.numericSubstitution(inside, false)
	}
	return rest, p.stringSubstitution(inside)
}

// stringSubstitution handles [[NAME]], [[NAME:regex]] and [[@LINE+1]].
func (p *patternParser) stringSubstitution(inside piece) error {
	colon := strings.IndexByte(inside.String(), ':')
	head := inside
	if colon >= 0 {
		head = inside.upTo(colon)
	}
	if space := strings.IndexAny(head.String(), horizontalSpace); space >= 0 {
		return errorAt(inside.from(space), "unexpected whitespace")
	}
	rest := inside
	name, err := parseName(&rest)
	if err != nil {
		return err
	}
	switch {
	case colon >= 0:
		return p.defineString(name, rest)
	case isPseudo(name):
		return p.numericSubstitution(inside, true)
	case !rest.empty():
		return errorAt(name, "invalid name in string variable use")
	}
	return p.useString(name)
}

func (p *patternParser) defineString(name, rest piece) error {
	if isPseudo(name) || !rest.take(":") {
		return errorAt(name, "invalid name in string variable definition")
	}
	if p.names.numeric[name.String()] != nil {
		return errorAt(name, "numeric variable with name '%s' already exists", name)
	}
	p.text.WriteByte('(')
	p.groups++
	p.setString(name.String(), p.groups)
	p.names.strings[name.String()] = true
	if !rest.empty() {
		if err := p.embed(rest.String(), rest); err != nil {
			return err
		}
	}
	p.text.WriteByte(')')
	return nil
}

// setString records a definition; a later one of the same name in the pattern takes its place.
func (p *patternParser) setString(name string, group int) {
	for i := range p.strings {
		if p.strings[i].name == name {
			p.strings[i].group = group
			return
		}
	}
	p.strings = append(p.strings, stringDefinition{name, group})
}

// useString refers back to a definition in the same pattern, or leaves a hole.
func (p *patternParser) useString(name piece) error {
	for _, definition := range p.strings {
		if definition.name != name.String() {
			continue
		}
		if definition.group > maximumBackReference {
			return errorAt(name, "Can't back-reference more than %d variables", maximumBackReference)
		}
		number := strconv.Itoa(definition.group)
		if definition.group > 9 {
			number = "g{" + number + "}"
		}
		p.text.WriteString(`\` + number)
		return nil
	}
	p.substitutions = append(p.substitutions, substitution{place: name, offset: p.text.Len()})
	return nil
}

// numericSubstitution handles the inside of [[#…]].
func (p *patternParser) numericSubstitution(inside piece, legacy bool) error {
	block, err := p.names.parseNumericBlock(inside, legacy, p.line)
	if err != nil {
		return err
	}
	if block.defines != nil {
		p.text.WriteByte('(')
		p.groups++
		p.setNumber(block.defines, p.groups)
		p.names.numeric[block.defines.name] = block.defines
	}
	if block.constraint != nil {
		hole := substitution{place: inside, offset: p.text.Len(), number: block}
		p.substitutions = append(p.substitutions, hole)
	} else if err := p.embed(block.format.wildcard(), inside); err != nil {
		return err
	}
	if block.defines != nil {
		p.text.WriteByte(')')
	}
	return nil
}

func (p *patternParser) setNumber(variable *numericVariable, group int) {
	for i := range p.numbers {
		if p.numbers[i].variable.name == variable.name {
			p.numbers[i] = numericDefinition{variable, group}
			return
		}
	}
	p.numbers = append(p.numbers, numericDefinition{variable, group})
}
