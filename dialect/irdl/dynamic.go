package irdl

// This file holds the types and attributes of loaded dialects: what they are made of, and their text.

import "tpuir/ir"

// Definition is a type or an attribute that a loaded dialect defines.
type Definition struct {
	Namespace, Name string
	parameters      *constraintSet
	// wanted are the slots of the constraints on the parameters.
	wanted []int
}

// String returns the full name, "cmath.complex".
func (d *Definition) String() string { return d.Namespace + "." + d.Name }

// verify returns what is wrong with the parameters, "" for nothing.
func (d *Definition) verify(parameters []ir.Attribute) string {
	if len(parameters) != len(d.wanted) {
		return "expected " + itoa(len(d.wanted)) + " type arguments, but had " + itoa(len(parameters))
	}
	check := d.parameters.start()
	for i, p := range parameters {
		if message, ok := check.slot(d.wanted[i], p, true); !ok {
			return message
		}
	}
	return ""
}

// Type is a type of a loaded dialect: `!cmath.complex<f32>`. Types are parameters in the form of [ir.TypeAttr].
type Type struct {
	ir.TypeBase
	Definition *Definition
	Parameters []ir.Attribute
}

// Attribute is an attribute of a loaded dialect: `#cmath.rounding<"up">`.
type Attribute struct {
	ir.AttributeBase
	Definition *Definition
	Parameters []ir.Attribute
}

// key tells the parameters apart; a namespace can't be registered twice, so that the name stands for the definition.
func (d *Definition) key(k ir.Key, parameters []ir.Attribute) ir.Key {
	k = k.Text(d.Namespace).Text(d.Name)
	for _, p := range parameters {
		k = k.Attribute(p)
	}
	return k
}

func (d *Definition) newType(c *ir.Context, parameters []ir.Attribute) *Type {
	return ir.InternType(c, "irdl.Type", func(k ir.Key) ir.Key { return d.key(k, parameters) },
		func(b ir.TypeBase) *Type { return &Type{b.OverAttributes(parameters...), d, parameters} })
}

func (d *Definition) newAttribute(c *ir.Context, parameters []ir.Attribute) *Attribute {
	return ir.InternAttribute(c, "irdl.Attribute", func(k ir.Key) ir.Key { return d.key(k, parameters) },
		func(b ir.AttributeBase) *Attribute { return &Attribute{b.OverAttributes(parameters...), d, parameters} })
}

// String returns the type as it prints.
func (t *Type) String() string { return string(t.AppendText(nil, ir.NewTextWriter())) }

// String returns the attribute as it prints.
func (a *Attribute) String() string { return string(a.AppendText(nil, ir.NewTextWriter())) }

// AppendText writes the type.
func (t *Type) AppendText(dst []byte, w *ir.TextWriter) []byte {
	return t.Definition.append(append(dst, '!'), w, t.Parameters)
}

// AppendText writes the attribute.
func (a *Attribute) AppendText(dst []byte, w *ir.TextWriter) []byte {
	return a.Definition.append(append(dst, '#'), w, a.Parameters)
}

func (d *Definition) append(dst []byte, w *ir.TextWriter, parameters []ir.Attribute) []byte {
	dst = append(append(append(dst, d.Namespace...), '.'), d.Name...)
	for i, p := range parameters {
		if i == 0 {
			dst = append(dst, '<')
		} else {
			dst = append(dst, ", "...)
		}
		dst = w.AppendAttribute(dst, p)
	}
	if len(parameters) > 0 {
		dst = append(dst, '>')
	}
	return dst
}

// parse reads the name of one of the definitions and its parameters; what is "type" or "attribute".
func parse(p ir.AsmParser, definitions map[string]*Definition, what string) (*Definition, []ir.Attribute, error) {
	at := p.Position()
	word, err := p.Keyword()
	if err != nil {
		return nil, nil, err
	}
	d := definitions[word]
	if d == nil {
		return nil, nil, p.ErrorAt(at, "expected dynamic %s", what)
	}
	var parameters []ir.Attribute
	if p.OptionalPunctuation("<") {
		err := p.CommaList(">", func() error {
			a, err := p.Attribute(nil)
			parameters = append(parameters, a)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if message := d.verify(parameters); message != "" {
		return nil, nil, p.ErrorAt(at, "%s", message)
	}
	return d, parameters, nil
}
