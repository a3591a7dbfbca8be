// Package quant is the dialect of quantized element types, `!quant.uniform<i8:f32, 0.1:3>` and its kin, and of the casts
// between them and the types that they stand for.
package quant

import "tpuir/ir"

// Register makes the dialect known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect) }

var dialect = &ir.Dialect{
	Namespace: "quant",
	ParseType: parseType,
	Operation: func(name string) *ir.OpDefinition {
		for _, d := range casts {
			if d.Name == name {
				return d
			}
		}
		return nil
	},
	OperationNames: func() []string {
		names := make([]string, len(casts))
		for i, d := range casts {
			names[i] = d.Name
		}
		return names
	},
}

// casts is sorted by name.
var casts = []*ir.OpDefinition{
	cast("quant.dcast", "turns quantized values into those that they stand for"),
	cast("quant.qcast", "quantizes values"),
	cast("quant.scast", "takes quantized values for their storage, or the other way"),
}

// cast defines `%r = quant.xcast %a {…} : T to T`.
func cast(name, summary string) *ir.OpDefinition {
	return &ir.OpDefinition{
		Name:    name,
		Summary: summary,
		Traits:  ir.Pure,
		Verify: func(op *ir.Operation) error {
			return op.VerifyStructure(ir.Structure{Operands: 1, Results: 1})
		},
		Parse: parseCast,
		Print: func(p ir.OpAsmPrinter, op *ir.Operation) {
			p.Text(" ")
			p.Value(op.Operand(0))
			p.AttrDict(op.Attributes())
			p.Text(" : ")
			p.Type(op.Operand(0).Type())
			p.Text(" to ")
			p.Type(op.Result(0).Type())
		},
	}
}

func parseCast(p ir.OpAsmParser, state *ir.OperationState) error {
	operand, err := p.Operand()
	if err != nil {
		return err
	}
	if state.Attributes, err = p.OptionalAttrDict(); err != nil {
		return err
	}
	if err := p.Punctuation(":"); err != nil {
		return err
	}
	from, err := p.Type()
	if err != nil {
		return err
	}
	if !p.OptionalKeyword("to") {
		return p.Errorf("expected 'to'")
	}
	to, err := p.Type()
	if err != nil {
		return err
	}
	value, err := p.Resolve(operand, from)
	state.Operands, state.Types = []*ir.Value{value}, []ir.Type{to}
	return err
}
