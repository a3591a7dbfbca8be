package parser

// This file reads operations, in the generic form and by handing over to the dialect for the custom one.

import (
	"fmt"
	"strings"

	"tpuir/ir"
)

// resultGroup is `%name:count` before an operation.
type resultGroup struct {
	name  token
	count int
}

// parseOperation reads an operation and puts it at the end of the current block.
func (p *parser) parseOperation() error {
	p.count++
	if p.count%1024 == 0 && p.cancel.Err() != nil {
		return p.cancel.Err()
	}
	start := p.token.start
	base := len(p.groups)
	defer func() { p.groups = p.groups[:base] }()
	expected, err := p.parseResultGroups()
	if err != nil {
		return err
	}
	var op *ir.Operation
	switch p.token.kind {
	case tokenString:
		op, err = p.parseGenericOperation()
	case tokenBare:
		op, err = p.parseCustomOperation()
	default:
		return p.wrongToken("expected operation name in quotes")
	}
	if err != nil {
		return err
	}
	if base == len(p.groups) {
		return nil
	}
	if op.NumResults() == 0 {
		return p.errorAt(start, "cannot name an operation with no results")
	}
	if op.NumResults() != expected {
		return p.errorfAt(start, "operation defines %d results but was provided %d to bind", op.NumResults(), expected)
	}
	return p.bindResults(op, base)
}

func (p *parser) bindResults(op *ir.Operation, base int) error {
	i := 0
	for _, group := range p.groups[base:] {
		for number := range group.count {
			if err := p.define(p.text[group.name.start:group.name.end], number, group.name.start, op.Result(i)); err != nil {
				return err
			}
			i++
		}
	}
	return nil
}

// parseResultGroups reads `%a, %b:2 =` if it is there and returns how many results are named.
func (p *parser) parseResultGroups() (expected int, err error) {
	if p.token.kind != tokenPercent {
		return 0, nil
	}
	for {
		group := resultGroup{name: p.token, count: 1}
		if err := p.expect(tokenPercent, "expected valid ssa identifier"); err != nil {
			return 0, err
		}
		if p.accept(tokenColon) {
			if p.token.kind != tokenInteger {
				return 0, p.wrongToken("expected integer number of results")
			}
			count, ok := uint64Value(p.spelling())
			if !ok || count < 1 {
				return 0, p.error("expected named operation to have at least 1 result")
			}
			group.count = int(min(count, 1<<40))
			p.advance()
		}
		p.groups = append(p.groups, group)
		expected += group.count
		if !p.accept(tokenComma) {
			return expected, p.expect(tokenEqual, "expected '=' after SSA name")
		}
	}
}

// parts are the pieces of an operation while it is read. They lie on stacks of the parser that nested operations share.
type parts struct {
	start      int
	name       *ir.OperationName
	uses       []use
	successors []*ir.Block
	properties ir.Attribute
	attributes *ir.DictionaryAttr
	regions    []*ir.Region
}

func (p *parser) parseGenericOperation() (*ir.Operation, error) {
	o := parts{start: p.token.start}
	quoted := p.spelling()
	o.name = p.memo.operation(p, quoted)
	if err := p.checkName(o.name); err != nil {
		return nil, err
	}
	p.advance()
	base, successors, regions := len(p.uses), len(p.successors), len(p.regions)
	defer func() {
		p.uses, p.successors, p.regions = p.uses[:base], p.successors[:successors], p.regions[:regions]
	}()
	if err := p.parseUses(); err != nil {
		return nil, err
	}
	end := len(p.uses)
	if err := p.parseSuccessorsAndProperties(&o); err != nil {
		return nil, err
	}
	if p.token.kind == tokenLeftParen {
		if err := p.parseRegionList(); err != nil {
			return nil, err
		}
	}
	if p.token.kind == tokenLeftBrace {
		var err error
		if o.attributes, err = p.parseDictionary(); err != nil {
			return nil, err
		}
	}
	if err := p.expect(tokenColon, "expected ':' followed by operation type"); err != nil {
		return nil, err
	}
	t, err := p.operationType()
	if err != nil {
		return nil, err
	}
	at := p.typeAt
	o.uses, o.successors, o.regions = p.uses[base:end], p.successors[successors:], p.regions[regions:]
	if len(t.Inputs) != len(o.uses) {
		plural := "s"
		if len(o.uses) == 1 {
			plural = ""
		}
		return nil, p.errorfAt(at, "expected %d operand type%s but had %d", len(o.uses), plural, len(t.Inputs))
	}
	return p.buildGeneric(&o, t)
}

func (p *parser) checkName(name *ir.OperationName) error {
	text := name.String()
	if text == "" {
		return p.error("empty operation name is invalid")
	}
	if strings.IndexByte(text, 0) >= 0 {
		return p.error("null character not allowed in operation name")
	}
	if name.Definition() == nil && name.Dialect() == nil && !p.context.AllowUnregisteredDialects {
		p.advance()
		return p.error("operation being parsed with an unregistered dialect. If this is intended, please use " +
			"-allow-unregistered-dialect with the MLIR tool used")
	}
	return nil
}

// parseUses reads `(%a, %b)` and leaves the names on the stack p.uses.
func (p *parser) parseUses() error {
	if err := p.expect(tokenLeftParen, "expected '(' to start operand list"); err != nil {
		return err
	}
	if p.token.kind == tokenPercent {
		for {
			u, err := p.parseUse(true)
			if err != nil {
				return err
			}
			p.uses = append(p.uses, u)
			if !p.accept(tokenComma) {
				break
			}
		}
	}
	return p.expect(tokenRightParen, "expected ')' to end operand list")
}

// parseSuccessorsAndProperties reads `[^a, ^b]`, the blocks of which it leaves on the stack p.successors, and `<{…}>`.
func (p *parser) parseSuccessorsAndProperties(o *parts) error {
	if p.token.kind == tokenLeftSquare {
		if d := o.name.Definition(); d != nil && d.Traits&ir.Terminator == 0 {
			return p.error("successors in non-terminator")
		}
		p.advance()
		if p.token.kind == tokenRightSquare {
			return p.wrongToken("expected list element")
		}
		err := p.list(tokenRightSquare, "expected ',' or ']'", func() error {
			b, err := p.parseSuccessor()
			p.successors = append(p.successors, b)
			return err
		})
		if err != nil {
			return err
		}
	}
	if p.accept(tokenLess) {
		var err error
		if o.properties, err = p.parseAttribute(nil); err != nil {
			return err
		}
		return p.expect(tokenGreater, "expected '>' to close properties")
	}
	return nil
}

// parseRegionList reads `({…}, {…})` and leaves the regions on the stack p.regions.
func (p *parser) parseRegionList() error {
	p.advance()
	for {
		r, err := p.parseRegion(nil, false)
		if err != nil {
			return err
		}
		p.regions = append(p.regions, r)
		if !p.accept(tokenComma) {
			return p.expect(tokenRightParen, "expected ')' to end region list")
		}
	}
}

// operationType reads the type of an operation; p.typeAt is where it starts.
func (p *parser) operationType() (*ir.FunctionType, error) {
	p.typeAt = p.token.start
	if p.token.kind == tokenLeftParen {
		return p.parseFunctionTypeMemo()
	}
	t, err := p.parseType()
	if err != nil {
		return nil, err
	}
	f, ok := t.(*ir.FunctionType)
	if !ok {
		return nil, p.errorAt(p.typeAt, "expected function type")
	}
	return f, nil
}

// buildGeneric makes the operation of its parts, with the location that follows it.
func (p *parser) buildGeneric(o *parts, t *ir.FunctionType) (*ir.Operation, error) {
	base := len(p.values)
	defer func() { p.values = p.values[:base] }()
	for i, u := range o.uses {
		v, err := p.resolve(u, t.Inputs[i])
		if err != nil {
			return nil, err
		}
		p.values = append(p.values, v)
	}
	if err := p.checkProperties(o); err != nil {
		return nil, err
	}
	state := ir.OperationState{Name: o.name, Loc: p.context.UnknownLoc(), Operands: p.values[base:], Types: t.Results,
		Attributes: o.attributes, Properties: o.properties, Successors: o.successors, Regions: len(o.regions),
		Position: p.source.Position(o.start), Slab: &p.slab}
	return p.finish(&state, o.regions, o.start, nil)
}

// finish makes an operation of its state, puts it into the block and reads its location. own is a location that the
// operation's custom form has read already, or nil.
func (p *parser) finish(state *ir.OperationState, regions []*ir.Region, start int, own ir.Location) (*ir.Operation, error) {
	loc, err := p.parseTrailingLoc()
	if err != nil {
		return nil, err
	}
	if loc == nil {
		loc = own
	}
	if loc == nil {
		loc = p.defaultLoc(start)
	}
	if _, later := loc.(*alias); !later {
		state.Loc = loc
	}
	op := ir.NewOperation(state)
	for i, r := range regions {
		op.Region(i).TakeBody(r)
	}
	p.setLoc(op, loc)
	p.block.Append(op)
	return op, nil
}

func (p *parser) checkProperties(o *parts) error {
	d := o.name.Definition()
	if d == nil {
		return nil
	}
	if o.properties == nil {
		if o.attributes != nil && len(d.Attributes) > 0 {
			if reason := d.InvalidInherent(o.attributes); reason != "" {
				return p.errorAt(o.start, reason)
			}
		}
		return nil
	}
	switch {
	case d.Dynamic:
		return p.invalidProperties(o, "extensible Dialects don't support properties")
	case !d.UsesProperties:
		return p.invalidProperties(o, "this operation does not support properties")
	}
	properties, ok := o.properties.(*ir.DictionaryAttr)
	if !ok {
		return p.invalidProperties(o, "expected DictionaryAttr to set properties")
	}
	if reason := d.InvalidProperties(properties); reason != "" {
		return p.invalidProperties(o, reason)
	}
	return nil
}

func (p *parser) invalidProperties(o *parts, reason string) error {
	return p.errorAt(o.start, "invalid properties "+o.properties.String()+" for op "+o.name.String()+": "+reason)
}

// parseCustomOperation reads an operation whose name stands without quotes.
func (p *parser) parseCustomOperation() (*ir.Operation, error) {
	start := p.token.start
	original := string(p.spelling())
	name, err := p.customName(original)
	p.advance()
	if err != nil {
		if p.token.kind == tokenError { // MLIR has read it already
			err = p.lexical
		}
		return nil, err
	}
	definition := name.Definition()
	p.defaults = append(p.defaults, definition.DefaultDialect)
	defer func() { p.defaults = p.defaults[:len(p.defaults)-1] }()
	state := &ir.OperationState{Name: name, Loc: p.context.UnknownLoc(), Position: p.source.Position(start), Slab: &p.slab}
	custom := &operationParser{dialectParser: dialectParser{p}, state: state, start: start}
	if definition.Parse == nil {
		return nil, custom.ErrorAt(p.source.Position(start), "has no custom assembly form")
	}
	if err := definition.Parse(custom, state); err != nil {
		return nil, err
	}
	var own ir.Location
	if state.Loc != ir.Location(p.context.UnknownLoc()) {
		own = state.Loc
		state.Loc = p.context.UnknownLoc()
	}
	return p.finish(state, custom.regions, start, own)
}

// customName finds the operation that a bare name means: one of a registered dialect, or of the default dialect.
func (p *parser) customName(original string) (*ir.OperationName, error) {
	name := original
	dialect, rest, _ := strings.Cut(original, ".")
	if rest == "" {
		dialect = p.defaults[len(p.defaults)-1]
		name = dialect + "." + original
	}
	tried := ""
	if name != original {
		tried = fmt.Sprintf(" (tried '%s' as well)", name)
	}
	if p.context.Dialect(dialect) == nil {
		err := p.error(fmt.Sprintf("Dialect `%s' not found for custom op '%s' %s", dialect, original, tried))
		if d, ok := err.(*ir.Diagnostic); ok {
			var known []string
			for _, d := range p.context.Dialects() {
				known = append(known, d.Namespace)
			}
			d.Note(nil, "Available dialects: %s ; for more info on dialect registration see "+
				"https://mlir.llvm.org/getting_started/Faq/#registered-loaded-dependent-whats-up-with-dialects-management",
				strings.Join(known, ", "))
		}
		return nil, err
	}
	found := p.context.OperationName(name)
	if found.Definition() == nil {
		return nil, p.error(fmt.Sprintf("custom op '%s' is unknown%s", original, tried))
	}
	return found, nil
}
