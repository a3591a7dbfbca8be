package parser

// This file holds attribute and type aliases. A model with debug info has one alias for every operation, `#loc123`: those
// are found by their number.

import (
	"strconv"

	"tpuir/ir"
)

// alias is an attribute alias, defined or only used so far. Until it is defined it may stand for a location that is filled
// in at the end of the file.
type alias struct {
	ir.LocationBase
	value ir.Attribute // nil: not defined yet
	at    int          // where it was used first as a location
}

// String returns what the location is until the alias is defined.
func (*alias) String() string { return "loc(unknown)" }

type aliasPage [pageSize]alias

// aliasTable finds attribute aliases by name. What the outer table defines is found, too; it is only read.
type aliasTable struct {
	outer *aliasTable
	pages []*aliasPage // of loc<number>
	named map[string]*alias
}

// find returns an alias, made now if it is new.
func (t *aliasTable) find(name []byte) *alias {
	if t.outer != nil {
		if a := t.outer.defined(name); a != nil {
			return a
		}
	}
	if n, ok := locNumber(name); ok && n/pageSize < 2*len(t.pages)+64 {
		for n/pageSize >= len(t.pages) {
			t.pages = append(t.pages, nil)
		}
		if t.pages[n/pageSize] == nil {
			t.pages[n/pageSize] = new(aliasPage)
		}
		return &t.pages[n/pageSize][n%pageSize]
	}
	if a := t.named[string(name)]; a != nil {
		return a
	}
	if t.named == nil {
		t.named = map[string]*alias{}
	}
	a := &alias{}
	t.named[string(name)] = a
	return a
}

// defined returns an alias that is defined here or in an outer table, or nil.
func (t *aliasTable) defined(name []byte) *alias {
	for ; t != nil; t = t.outer {
		if n, ok := locNumber(name); ok && n/pageSize < len(t.pages) && t.pages[n/pageSize] != nil {
			if a := &t.pages[n/pageSize][n%pageSize]; a.value != nil {
				return a
			}
		}
		if a := t.named[string(name)]; a != nil && a.value != nil {
			return a
		}
	}
	return nil
}

// waiting calls a function with the aliases of this table that were used as locations and are not defined.
func (t *aliasTable) waiting(visit func(name []byte, a *alias)) {
	var name []byte
	for i, page := range t.pages {
		if page == nil {
			continue
		}
		for j := range page {
			if a := &page[j]; a.value == nil && a.at > 0 {
				name = strconv.AppendInt(append(name[:0], "loc"...), int64(i*pageSize+j), 10)
				visit(name, a)
			}
		}
	}
	for key, a := range t.named {
		if a.value == nil && a.at > 0 {
			visit([]byte(key), a)
		}
	}
}

// anyDefined reports whether an alias is defined in this table.
func (t *aliasTable) anyDefined() bool {
	for _, page := range t.pages {
		if page == nil {
			continue
		}
		for j := range page {
			if page[j].value != nil {
				return true
			}
		}
	}
	for _, a := range t.named {
		if a.value != nil {
			return true
		}
	}
	return false
}

// locNumber returns the number in loc<number>.
func locNumber(name []byte) (int, bool) {
	if len(name) < 4 || name[0] != 'l' || name[1] != 'o' || name[2] != 'c' {
		return 0, false
	}
	return numberName(name[2:])
}

func (p *parser) parseAttributeAlias() error {
	name, at := p.spelling()[1:], p.token.start
	a := p.attributeAliases.find(name)
	if a.value != nil {
		return p.error("redefinition of attribute alias id '" + string(name) + "'")
	}
	if hasDot(name) {
		return p.error("attribute names with a '.' are reserved for dialect-defined names")
	}
	p.advance()
	if err := p.expect(tokenEqual, "expected '=' in attribute alias definition"); err != nil {
		return err
	}
	value, err := p.parseAttribute(nil)
	if err == nil {
		if _, isLocation := value.(ir.Location); !isLocation && p.expansion.Attribute(value) > p.maxExpansion() {
			err = p.errorAt(at, "attribute alias '#"+string(name)+"' stands for too long a text")
		} else if value.Depth() > ir.MaxDepth {
			err = p.tooDeep(at)
		}
	}
	a.value = value
	return err
}

// maxExpansion bounds the text that an alias stands for, in characters: a few aliases that each name the one before twice
// would else print as more than any memory holds.
func (p *parser) maxExpansion() int64 { return max(64<<20, 16*int64(len(p.text))) }

func (p *parser) parseTypeAlias() error {
	name, at := string(p.spelling()[1:]), p.token.start
	if p.typeAliases[name] != nil {
		return p.error("redefinition of type alias id '" + name + "'")
	}
	if hasDot(p.spelling()) {
		return p.error("type names with a '.' are reserved for dialect-defined names")
	}
	p.advance()
	if err := p.expect(tokenEqual, "expected '=' in type alias definition"); err != nil {
		return err
	}
	t, err := p.parseType()
	if err != nil {
		return err
	}
	if p.expansion.Type(t) > p.maxExpansion() {
		return p.errorAt(at, "type alias '!"+name+"' stands for too long a text")
	}
	if t.Depth() > ir.MaxDepth {
		return p.tooDeep(at)
	}
	p.typeAliases[name] = t
	return nil
}
