package lowering

// This file holds the pass processor-assign: it says for which chip and in which mode a module will be lowered.
//
//	module attributes {module.chip = "ALL"}  =>  module attributes {module.chip = "bm1684x", module.mode = "W4BF16", …}

import (
	"slices"
	"strings"

	moduledialect "tpuir/dialect/module"
	"tpuir/ir"
	"tpuir/pass"
)

// AssignDefinition describes processor-assign.
func AssignDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "processor-assign",
		Name:     "ProcessorAssign",
		Summary:  "record the chip, the mode and how many cores and devices a module is compiled for",
		Description: `Sets module.chip, module.mode, module.cores, module.devices, module.addr_mode and module.high_precision.
Needs module.state TOP_F32, and leaves it; of a lowered module chip and mode can't change any more.

    module @block_0 attributes {module.chip = "ALL", …}
    =>  module @block_0 attributes {module.addr_mode = "basic", module.chip = "bm1684x", module.cores = 1 : i64, …}`,
		Anchor: "builtin.module",
		Peer:   true,
		Model:  true,
		New:    func() pass.Pass { return &Assign{Devices: 1, Cores: 1, AddressMode: addressModeOfChip} },
	}
}

// Assign is processor-assign with its options.
type Assign struct {
	Chip, Mode, AddressMode string
	Devices, Cores          int64
	HighPrecision           bool
}

// Options binds the options.
func (p *Assign) Options(set *pass.OptionSet) {
	set.String(&p.Chip, "chip", "the chip: "+strings.Join(chips, ", "))
	set.String(&p.Mode, "mode", "what is computed in: "+strings.Join(modes, ", "))
	set.Int64(&p.Devices, "num_device", "devices that share the work")
	set.Int64(&p.Cores, "num_core", "cores of a device that share the work")
	set.Choice(&p.AddressMode, "addr_mode", "how tensors are placed in memory", false, addressModeOfChip, "basic",
		"io_alone", "io_tag", "io_tag_fuse", "io_reloc", "in_reuse")
	set.Bool(&p.HighPrecision, "high_precision", "compute some operations in f32")
}

// Run sets the attributes.
func (p *Assign) Run(_ *pass.Run, op *ir.Operation) error {
	mode, err := parseMode(p.Mode)
	if err != nil {
		return op.PlainErrorf("--processor-assign: %w", err)
	}
	chip := strings.ToLower(p.Chip)
	if !slices.Contains(chips, chip) {
		return op.PlainErrorf("--processor-assign: there is no chip '%s'; known are %s", p.Chip, strings.Join(chips, ", "))
	}
	if p.Devices < 1 || p.Cores < 1 {
		return op.PlainErrorf("--processor-assign: num_device is %d and num_core %d; expected 1 or more", p.Devices, p.Cores)
	}
	if err := keepsLowering(op, chip, mode); err != nil {
		return err
	}
	p.assign(op, chip, mode)
	return nil
}

// addressModeOfChip leaves the choice of the address mode to the chip.
const addressModeOfChip = "auto"

func (p *Assign) addressMode(chip string) string {
	switch {
	case p.AddressMode != addressModeOfChip:
		return p.AddressMode
	case chip == chipBM1684X:
		return "basic"
	}
	return "io_tag"
}

// keepsLowering refuses another chip or mode for a module that was lowered for one.
func keepsLowering(op *ir.Operation, chip string, mode Mode) error {
	if state, ok := op.StringAttribute(moduledialect.State); !ok || state == moduledialect.StateTop {
		return nil
	}
	oldChip, _ := op.StringAttribute(moduledialect.Chip)
	oldMode, _ := op.StringAttribute(moduledialect.Mode)
	if oldChip != chip || oldMode != string(mode) {
		return op.Errorf("is lowered for chip %s in mode %s; --processor-assign can't make it chip %s in mode %s any more", oldChip, oldMode, chip, mode)
	}
	return nil
}

func (p *Assign) assign(op *ir.Operation, chip string, mode Mode) {
	c := op.Context()
	setAttributes(op, ir.NamedAttribute{Name: moduledialect.Chip, Value: c.StringAttr(chip)},
		ir.NamedAttribute{Name: moduledialect.Mode, Value: c.StringAttr(string(mode))},
		ir.NamedAttribute{Name: moduledialect.Devices, Value: c.I64Attr(p.Devices)},
		ir.NamedAttribute{Name: moduledialect.Cores, Value: c.I64Attr(p.Cores)},
		ir.NamedAttribute{Name: moduledialect.AddressMode, Value: c.StringAttr(p.addressMode(chip))},
		ir.NamedAttribute{Name: moduledialect.HighPrecision, Value: c.Bool(p.HighPrecision)})
}

func setAttributes(op *ir.Operation, entries ...ir.NamedAttribute) {
	for _, e := range entries {
		op.SetAttr(e.Name, e.Value)
	}
}

// settingsOf reads from a module how it is to be lowered.
func settingsOf(module *ir.Operation) (settings, error) {
	s := settings{}
	text, ok := module.StringAttribute(moduledialect.Mode)
	if !ok {
		return s, module.Errorf("has no %s; run --processor-assign first", moduledialect.Mode)
	}
	mode, err := parseMode(text)
	if err != nil {
		return s, module.Errorf("%w", err)
	}
	s.mode = mode
	s.chip, _ = module.StringAttribute(moduledialect.Chip)
	if !slices.Contains(chips, s.chip) {
		return s, module.Errorf("has %s \"%s\"; known are %s", moduledialect.Chip, s.chip, strings.Join(chips, ", "))
	}
	s.highPrecision, _ = module.BoolAttribute(moduledialect.HighPrecision)
	s.groupSize, _ = module.IntAttribute(moduledialect.GroupSize)
	return s, nil
}
