package builtin

// This file holds `module`, the operation that a file consists of.

import (
	"strings"

	"tpuir/ir"
)

// ModuleName is the full name of the operation.
const ModuleName = "builtin.module"

// Module is a `module` operation: one region of one block, without arguments, without terminator.
type Module struct{ *ir.Operation }

// NewModule makes a module in no block, named, or nameless where the name is empty.
func NewModule(c *ir.Context, loc ir.Location, name string) Module {
	state := &ir.OperationState{Name: c.OperationName(ModuleName), Loc: loc, Regions: 1}
	if name != "" {
		state.Attributes = c.Dictionary(ir.NamedAttribute{Name: ir.SymbolNameAttribute, Value: c.StringAttr(name)})
	}
	op := ir.NewOperation(state)
	op.Region(0).Append(&ir.Block{})
	return Module{op}
}

// AsModule returns the operation as a module, if it is one.
func AsModule(op *ir.Operation) (Module, bool) {
	if op == nil || !op.Is(ModuleName) {
		return Module{}, false
	}
	return Module{op}, true
}

// Name returns the name, "" where there is none.
func (m Module) Name() string { return ir.SymbolName(m.Operation) }

// Body returns the block.
func (m Module) Body() *ir.Block { return m.Region(0).First() }

var moduleDefinition = &ir.OpDefinition{
	Name:    ModuleName,
	Summary: "a list of functions, or of anything else",
	Traits: ir.IsolatedFromAbove | ir.SymbolTable | ir.Symbol | ir.OptionalSymbol | ir.NoTerminator | ir.SingleBlock |
		ir.NoRegionArguments | ir.GraphRegion | ir.AffineScope,
	UsesProperties: true,
	Inherent:       []string{ir.SymbolNameAttribute, ir.SymbolVisibilityAttribute},
	DefaultDialect: "builtin",
	Attributes:     moduleAttributes,
	Verify:         verifyModule,
	Parse:          parseModule,
	Print:          printModule,
}

var moduleAttributes = []ir.AttributeConstraint{
	{Name: ir.SymbolNameAttribute, Accepts: ir.IsA[*ir.StringAttr], Description: "string attribute"},
	{Name: ir.SymbolVisibilityAttribute, Accepts: ir.IsA[*ir.StringAttr], Description: "string attribute"},
}

func verifyModule(op *ir.Operation) error {
	if err := op.VerifyStructure(ir.Structure{Regions: 1}); err != nil {
		return err
	}
	if err := op.VerifyAttributes(moduleAttributes); err != nil {
		return err
	}
	if !op.Region(0).HasOneBlock() {
		return op.Errorf("region #0 ('bodyRegion') failed to verify constraint: region with 1 blocks")
	}
	for _, e := range op.Attributes().Entries {
		if !strings.Contains(e.Name, ".") {
			return op.Errorf("can only contain attributes with dialect-prefixed names, found: '%s'", e.Name)
		}
	}
	return nil
}

func parseModule(p ir.OpAsmParser, state *ir.OperationState) error {
	name, named, err := p.OptionalSymbolName()
	if err != nil {
		return err
	}
	if state.Attributes, err = p.OwnAttrDict("attributes"); err != nil {
		return err
	}
	if named {
		state.Attributes = state.Attributes.WithDefault(ir.SymbolNameAttribute, p.Context().StringAttr(name))
	}
	if err := p.Region(nil, false); err != nil {
		return err
	}
	p.EnsureEntryBlock()
	return nil
}

func printModule(p ir.OpAsmPrinter, op *ir.Operation) {
	if name, ok := op.StringAttribute(ir.SymbolNameAttribute); ok {
		p.Text(" ")
		p.SymbolName(name)
	}
	p.AttrDictWithKeyword(op.AllAttributes(), ir.SymbolNameAttribute)
	p.Text(" ")
	p.Region(op.Region(0), true, true)
}
