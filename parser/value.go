package parser

// This file knows which value a name stands for. Most names are numbers, which index a table; the others are in a map. A
// name that is used before it is defined stands for a placeholder until then.

import (
	"errors"
	"slices"
	"strconv"

	"tpuir/ir"
)

// use is a value name in the text, `%name` or `%name#number`.
type use struct {
	token  token
	number int
}

// slot is what is known of one name and result number.
type slot struct {
	value   *ir.Value // nil: nothing
	at      int       // where it was defined, or first used
	forward bool      // value is a placeholder
}

// binding is what is known of a name: the result 0, and the others.
type binding struct {
	slot
	others *[]slot
}

const (
	pageSize   = 1024
	maxNumbers = 1 << 28 // names with greater numbers are kept as text
)

type page [pageSize]binding

// nameTable holds the bindings of the names that can be seen.
type nameTable struct {
	pages []*page
	named map[string]*binding
}

// find returns the binding of a name (with its %), made now if it is new.
func (t *nameTable) find(name []byte) *binding {
	if n, ok := numberName(name); ok && n/pageSize < 2*len(t.pages)+64 {
		for n/pageSize >= len(t.pages) {
			t.pages = append(t.pages, nil)
		}
		if t.pages[n/pageSize] == nil {
			t.pages[n/pageSize] = new(page)
		}
		return &t.pages[n/pageSize][n%pageSize]
	}
	if b := t.named[string(name)]; b != nil {
		return b
	}
	if t.named == nil {
		t.named = map[string]*binding{}
	}
	b := &binding{}
	t.named[string(name)] = b
	return b
}

// numberName returns the number that a name is, %0 or %123 but not %01.
func numberName(name []byte) (int, bool) {
	if len(name) < 2 || len(name) > 9 || name[1] == '0' && len(name) > 2 {
		return 0, false
	}
	n := 0
	for _, c := range name[1:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, n < maxNumbers
}

// at returns the slot of a result number, which exists afterwards; nil for a number that no text can define.
func (b *binding) result(number int) *slot {
	if number == 0 {
		return &b.slot
	}
	if b.others == nil {
		b.others = new([]slot)
	}
	for number > len(*b.others) {
		if number > 2*len(*b.others)+pageSize {
			return nil
		}
		*b.others = append(*b.others, slot{})
	}
	return &(*b.others)[number-1]
}

// nameScope is a region: the names it defines are gone when it ends.
type nameScope struct {
	defined  int        // where its names start in the parser's stack of them
	isolated *nameTable // the names outside, for a region that hides them
}

func (p *parser) pushNames(isolated bool) {
	s := nameScope{defined: len(p.defined)}
	if isolated {
		s.isolated = p.names
		p.names = &nameTable{}
	}
	p.scopes = append(p.scopes, s)
}

func (p *parser) popNames() {
	s := &p.scopes[len(p.scopes)-1]
	for _, b := range p.defined[s.defined:] {
		*b = binding{}
	}
	p.defined = p.defined[:s.defined]
	if s.isolated != nil {
		p.names = s.isolated
	}
	p.scopes = p.scopes[:len(p.scopes)-1]
}

func (p *parser) useText(u use) string { return string(p.text[u.token.start:u.token.end]) }

// resolve returns the value behind a name, or a placeholder for one that is not defined yet.
func (p *parser) resolve(u use, t ir.Type) (*ir.Value, error) {
	return p.resolveName(p.text[u.token.start:u.token.end], u.number, u.token.start, t)
}

func (p *parser) resolveName(name []byte, number, at int, t ir.Type) (*ir.Value, error) {
	b := p.names.find(name)
	s := b.result(number)
	if s != nil && s.value != nil {
		if s.value.Type() == t {
			return s.value, nil
		}
		d := p.errorAt(at, "use of value '"+string(name)+"' expects different type than prior uses: '"+
			t.String()+"' vs '"+s.value.Type().String()+"'")
		return nil, p.noteAt(d, s.at, "prior use here")
	}
	if b.value != nil && !b.forward {
		return nil, p.errorAt(at, "reference to invalid result number")
	}
	if s == nil {
		return nil, p.errorAt(at, "use of undeclared SSA value name")
	}
	placeholder := ir.NewOperation(&ir.OperationState{Name: p.placeholder, Loc: p.context.UnknownLoc(), Types: []ir.Type{t}})
	*s = slot{value: placeholder.Result(0), at: at, forward: true}
	p.forward[s.value] = at
	return s.value, nil
}

// define says what a name stands for from now on.
func (p *parser) define(name []byte, number, at int, v *ir.Value) error {
	b := p.names.find(name)
	s := b.result(number)
	if s.value != nil {
		if !s.forward {
			return p.noteAt(p.errorAt(at, "redefinition of SSA value '"+string(name)+"'"), s.at, "previously defined here")
		}
		if s.value.Type() != v.Type() {
			d := p.errorAt(at, "definition of SSA value '"+string(name)+"#"+strconv.Itoa(number)+"' has type '"+
				v.Type().String()+"'")
			return p.noteAt(d, s.at, "previously used here with type '"+s.value.Type().String()+"'")
		}
		s.value.ReplaceAllUsesWith(v)
		delete(p.forward, s.value)
	}
	first := number == 0 || b.value == nil
	*s = slot{value: v, at: at}
	if first {
		p.defined = append(p.defined, b)
	}
	return nil
}

func (p *parser) noteAt(err error, at int, message string) error {
	if d, ok := err.(*ir.Diagnostic); ok && d != p.lexical {
		note := p.diagnosticAt(at, message)
		note.Severity = ir.SeverityNote
		d.Notes = append(d.Notes, note)
	}
	return err
}

// undefinedNames makes the errors of the names that were used and never defined, in the order of the text.
func (p *parser) undefinedNames() error {
	if len(p.forward) == 0 {
		return nil
	}
	places := make([]int, 0, len(p.forward))
	for _, at := range p.forward {
		places = append(places, at)
	}
	slices.Sort(places)
	var errs []error
	for _, at := range places {
		errs = append(errs, p.errorAt(at, "use of undeclared SSA value name"))
	}
	return errors.Join(errs...)
}

// parseUse reads `%name`, with a result number where that is allowed.
func (p *parser) parseUse(allowNumber bool) (use, error) {
	u := use{token: p.token}
	if err := p.expect(tokenPercent, "expected SSA operand"); err != nil {
		return u, err
	}
	if p.token.kind != tokenHash {
		return u, nil
	}
	if !allowNumber {
		return u, p.error("result number not allowed in argument list")
	}
	number, err := strconv.ParseUint(string(p.spelling()[1:]), 10, 32)
	if err != nil {
		return u, p.error("invalid SSA value result number")
	}
	u.number = int(number)
	p.advance()
	return u, nil
}
