package chat

// This file reads Jinja expressions with Jinja's own precedence and writes them for gonja. gonja's parser knows no
// conditional inside of an expression, no method of an expression in parentheses and no operators right of "in", it does
// not tell none from undefined, and its arithmetic panics on some operands and has no bounds. So what we write has all its
// parentheses, and operators, methods and tests are calls of functions of ours.

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// maxDepth bounds how deep expressions, tags and values are nested.
	maxDepth = 100
	// maxTokens bounds a tag, and with it how deep the calls are nested that it becomes. Published templates stay below 200.
	maxTokens = 2000
)

// An expressionParser reads the tokens of one tag and writes gonja's text. Its methods return expressions that can stand
// anywhere, from the loosest precedence to the tightest.
type expressionParser struct {
	tokens    []token
	constants *constants
	depth     int
}

// constants are the strings of a template, which the text for gonja holds as names.
type constants struct{ values []string }

func (c *constants) add(value string) string {
	c.values = append(c.values, value)
	return constantName(len(c.values) - 1)
}

func constantName(index int) string { return "__c" + strconv.Itoa(index) }

func (p *expressionParser) peek() token {
	if len(p.tokens) == 0 {
		return token{}
	}
	return p.tokens[0]
}

func (p *expressionParser) next() token {
	t := p.peek()
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *expressionParser) symbol(text string) bool {
	if t := p.peek(); t.kind == symbolToken && t.text == text {
		p.next()
		return true
	}
	return false
}

func (p *expressionParser) keyword(text string) bool {
	if t := p.peek(); t.kind == nameToken && t.text == text {
		p.next()
		return true
	}
	return false
}

func (p *expressionParser) expect(symbol string) error {
	if !p.symbol(symbol) {
		return p.unexpected(strconv.Quote(symbol))
	}
	return nil
}

func (p *expressionParser) unexpected(want string) error {
	if p.peek().kind == endToken {
		return fmt.Errorf("expected %s at the end of the tag", want)
	}
	return fmt.Errorf("expected %s, not %q", want, p.peek().text)
}

// end is an error where tokens are left.
func (p *expressionParser) end() error {
	if p.peek().kind != endToken {
		return p.unexpected("the end of the tag")
	}
	return nil
}

// tuple reads an expression, or several with commas between.
func (p *expressionParser) tuple() (string, error) {
	first, err := p.expression()
	if err != nil || !p.symbol(",") {
		return first, err
	}
	items := []string{first}
	for p.peek().kind != endToken {
		item, err := p.expression()
		if err != nil {
			return "", err
		}
		if items = append(items, item); !p.symbol(",") {
			break
		}
	}
	return "[" + strings.Join(items, ", ") + "]", nil
}

// expression reads a conditional: a if condition else b.
func (p *expressionParser) expression() (string, error) {
	if p.depth++; p.depth > maxDepth {
		return "", fmt.Errorf("expressions are nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	value, err := p.or()
	for err == nil && p.keyword("if") {
		var condition string
		if condition, err = p.or(); err != nil {
			return "", err
		}
		otherwise := "__undefined"
		if p.keyword("else") {
			if otherwise, err = p.expression(); err != nil {
				return "", err
			}
		}
		// gonja's "and" and "or" evaluate no more than they need, and a list with one item is true.
		value = fmt.Sprintf("__first(%s and [%s] or [%s])", condition, value, otherwise)
	}
	return value, err
}

func (p *expressionParser) or() (string, error) { return p.logical("or", p.and) }

func (p *expressionParser) and() (string, error) { return p.logical("and", p.not) }

func (p *expressionParser) logical(word string, operand func() (string, error)) (string, error) {
	left, err := operand()
	for err == nil && p.keyword(word) {
		var right string
		if right, err = operand(); err == nil {
			left = fmt.Sprintf("(%s %s %s)", left, word, right)
		}
	}
	return left, err
}

func (p *expressionParser) not() (string, error) {
	if !p.keyword("not") {
		return p.compare()
	}
	if p.depth++; p.depth > maxDepth {
		return "", fmt.Errorf("expressions are nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	value, err := p.not()
	return "__not(" + value + ")", err
}

var comparisons = map[string]string{
	"==": "__equal", "!=": "__unequal", "<": "__less", "<=": "__atmost", ">": "__greater", ">=": "__atleast",
}

// compare reads a chain of comparisons: a < b < c holds where both hold.
func (p *expressionParser) compare() (string, error) {
	left, err := p.sum()
	if err != nil {
		return "", err
	}
	var parts []string
	for {
		name, negate := "", false
		switch t := p.peek(); {
		case t.kind == symbolToken && comparisons[t.text] != "":
			name = comparisons[t.text]
			p.next()
		case p.keyword("in"):
			name = "__in"
		case t.kind == nameToken && t.text == "not" && len(p.tokens) > 1 && p.tokens[1] == token{nameToken, "in"}:
			p.tokens = p.tokens[2:]
			name, negate = "__in", true
		}
		if name == "" {
			break
		}
		right, err := p.sum()
		if err != nil {
			return "", err
		}
		part := fmt.Sprintf("%s(%s, %s)", name, left, right)
		if negate {
			part = "__not(" + part + ")"
		}
		parts = append(parts, part)
		left = right
	}
	switch len(parts) {
	case 0:
		return left, nil
	case 1:
		return parts[0], nil
	}
	return "(" + strings.Join(parts, " and ") + ")", nil
}

func (p *expressionParser) sum() (string, error) {
	return p.binary(p.concat, map[string]string{"+": "__add", "-": "__subtract"})
}

func (p *expressionParser) concat() (string, error) {
	return p.binary(p.product, map[string]string{"~": "__concat"})
}

func (p *expressionParser) product() (string, error) {
	return p.binary(p.power, map[string]string{
		"*": "__multiply", "/": "__divide", "//": "__floordivide", "%": "__modulo"})
}

func (p *expressionParser) binary(operand func() (string, error), functions map[string]string) (string, error) {
	left, err := operand()
	for err == nil {
		t := p.peek()
		if t.kind != symbolToken || functions[t.text] == "" {
			break
		}
		p.next()
		var right string
		if right, err = operand(); err == nil {
			left = fmt.Sprintf("%s(%s, %s)", functions[t.text], left, right)
		}
	}
	return left, err
}

// power binds looser than a sign: -2 ** 2 is 4, as in Jinja and unlike Python.
func (p *expressionParser) power() (string, error) {
	operand := func() (string, error) { return p.unary(true) }
	return p.binary(operand, map[string]string{"**": "__power"})
}

// unary reads a sign, and what has one; filters and tests belong to the value with its sign.
func (p *expressionParser) unary(filtered bool) (string, error) {
	var value string
	var err error
	if p.symbol("-") {
		if p.depth++; p.depth > maxDepth {
			return "", fmt.Errorf("expressions are nested deeper than %d", maxDepth)
		}
		value, err = p.unary(false)
		value = "__subtract(0, " + value + ")"
		p.depth--
	} else {
		p.symbol("+")
		value, err = p.primary()
	}
	if err != nil {
		return "", err
	}
	if value, err = p.postfix(value); err != nil || !filtered {
		return value, err
	}
	return p.filtersAndTests(value)
}

func (p *expressionParser) primary() (string, error) {
	t := p.next()
	switch {
	case t.kind == stringToken:
		for p.peek().kind == stringToken {
			t.text += p.next().text
		}
		return p.constants.add(t.text), nil
	case t.kind == numberToken:
		if _, err := strconv.ParseFloat(t.text, 64); err != nil || len(t.text) > 18 {
			return "", fmt.Errorf("%q is no number that fits", t.text)
		}
		return t.text, nil
	case t.kind == nameToken:
		return name(t.text)
	case t == token{symbolToken, "("}:
		if p.symbol(")") {
			return "[]", nil
		}
		value, err := p.tuple()
		if err != nil {
			return "", err
		}
		return value, p.expect(")")
	case t == token{symbolToken, "["}:
		items, err := p.list("]", p.expression)
		return "[" + items + "]", err
	case t == token{symbolToken, "{"}:
		items, err := p.list("}", p.pair)
		return "{" + items + "}", err
	}
	p.tokens = append([]token{t}, p.tokens...)
	return "", p.unexpected("an expression")
}

// name writes a name or a constant; names that begin with __ are ours.
func name(text string) (string, error) {
	switch text {
	case "true", "True":
		return "True", nil
	case "false", "False":
		return "False", nil
	case "none", "None":
		return "__none", nil
	case "and", "or", "not", "in", "is", "if", "else", "nil":
		return "", fmt.Errorf("unexpected %q", text)
	}
	if strings.HasPrefix(text, "__") {
		return "", fmt.Errorf("the name %q may not begin with __", text)
	}
	return text, nil
}

func (p *expressionParser) pair() (string, error) {
	key, err := p.expression()
	if err != nil {
		return "", err
	}
	if err := p.expect(":"); err != nil {
		return "", err
	}
	value, err := p.expression()
	return key + ": " + value, err
}

// list reads items up to the closing symbol; a comma may follow the last one.
func (p *expressionParser) list(end string, item func() (string, error)) (string, error) {
	var items []string
	for !p.symbol(end) {
		text, err := item()
		if err != nil {
			return "", err
		}
		items = append(items, text)
		if !p.symbol(",") {
			if err := p.expect(end); err != nil {
				return "", err
			}
			break
		}
	}
	return strings.Join(items, ", "), nil
}

// postfix reads attributes, items, slices and calls.
func (p *expressionParser) postfix(value string) (string, error) {
	for {
		var err error
		switch {
		case p.symbol("."):
			t := p.next()
			if t.kind != nameToken && t.kind != numberToken || strings.HasPrefix(t.text, "__") {
				return "", fmt.Errorf("expected the name of an attribute, not %q", t.text)
			}
			if t.kind == numberToken {
				value = fmt.Sprintf("__item(%s, %s)", value, t.text)
			} else if p.symbol("(") {
				var arguments string
				if arguments, err = p.list(")", p.argument); err != nil {
					return "", err
				}
				if arguments != "" {
					arguments = ", " + arguments
				}
				value = fmt.Sprintf("__method(%s, %s%s)", value, p.constants.add(t.text), arguments)
			} else {
				value = fmt.Sprintf("__attribute(%s, %s)", value, p.constants.add(t.text))
			}
		case p.symbol("["):
			if value, err = p.item(value); err != nil {
				return "", err
			}
		case p.symbol("("):
			arguments, err := p.list(")", p.argument)
			if err != nil {
				return "", err
			}
			value = fmt.Sprintf("%s(%s)", value, arguments)
		default:
			return value, nil
		}
	}
}

func (p *expressionParser) argument() (string, error) {
	if len(p.tokens) > 1 && p.tokens[0].kind == nameToken && p.tokens[1] == (token{symbolToken, "="}) {
		name := p.next().text
		p.next()
		value, err := p.expression()
		return name + "=" + value, err
	}
	return p.expression()
}

// item reads what stands in brackets: an index, or up to three parts of a slice.
func (p *expressionParser) item(value string) (string, error) {
	var parts []string
	slice := false
	for !p.symbol("]") {
		if p.symbol(":") {
			slice = true
			if parts == nil {
				parts = []string{"__none"}
			}
			if next := p.peek(); next == (token{symbolToken, ":"}) || next == (token{symbolToken, "]"}) {
				parts = append(parts, "__none")
				continue
			}
		} else if len(parts) > 0 {
			return "", p.unexpected(`"]"`)
		}
		part, err := p.expression()
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 || len(parts) > 3 {
		return "", fmt.Errorf("brackets hold %d parts", len(parts))
	}
	if !slice {
		return fmt.Sprintf("__item(%s, %s)", value, parts[0]), nil
	}
	for len(parts) < 3 {
		parts = append(parts, "__none")
	}
	return fmt.Sprintf("__slice(%s, %s)", value, strings.Join(parts, ", ")), nil
}

// filtersAndTests reads what follows with | and is.
func (p *expressionParser) filtersAndTests(value string) (string, error) {
	for {
		switch {
		case p.symbol("|"):
			t := p.next()
			if t.kind != nameToken {
				return "", fmt.Errorf("expected the name of a filter, not %q", t.text)
			}
			arguments := ""
			if p.symbol("(") {
				list, err := p.list(")", p.argument)
				if err != nil {
					return "", err
				}
				arguments = "(" + list + ")"
			}
			// The identity function keeps what follows from binding to the filter's name.
			value = fmt.Sprintf("__self(%s | %s%s)", value, t.text, arguments)
			var err error
			if value, err = p.postfix(value); err != nil {
				return "", err
			}
		case p.keyword("is"):
			var err error
			if value, err = p.test(value); err != nil {
				return "", err
			}
		default:
			return value, nil
		}
	}
}

// test reads the name of a test and its argument, which may stand without parentheses.
func (p *expressionParser) test(value string) (string, error) {
	negate := p.keyword("not")
	t := p.next()
	if t.kind != nameToken {
		return "", fmt.Errorf("expected the name of a test, not %q", t.text)
	}
	arguments := p.constants.add(t.text) + ", " + value
	next := p.peek()
	isWord := next.kind == nameToken && next.text != "and" && next.text != "or" && next.text != "else" && next.text != "if" &&
		next.text != "is" && next.text != "in" && next.text != "not"
	switch {
	case p.symbol("("):
		list, err := p.list(")", p.argument)
		if err != nil {
			return "", err
		}
		if list != "" {
			arguments += ", " + list
		}
	case isWord || next.kind == stringToken || next.kind == numberToken || next == token{symbolToken, "["} ||
		next == token{symbolToken, "{"}:
		argument, err := p.primary()
		if err != nil {
			return "", err
		}
		if argument, err = p.postfix(argument); err != nil {
			return "", err
		}
		arguments += ", " + argument
	}
	value = "__test(" + arguments + ")"
	if negate {
		value = "__not(" + value + ")"
	}
	return value, nil
}
