// Package module is the namespace of the attributes that TPU-MLIR keeps on modules: module.chip, module.state and so on.
// It has no operations; registering it makes the verifier look at these attributes.
package module

import (
	"tpuir/dialect/definition"
	"tpuir/ir"
)

// Register makes the namespace known to the context.
func Register(c *ir.Context) { c.RegisterDialect(dialect) }

var dialect = &ir.Dialect{
	Namespace:       "module",
	Operation:       func(string) *ir.OpDefinition { return nil },
	OperationNames:  func() []string { return nil },
	VerifyAttribute: verify,
}

// attribute is a module attribute, and the least that a number may be.
type attribute struct {
	definition.Attribute
	least int64
}

func text(name string, cases ...string) attribute {
	return attribute{Attribute: definition.Attribute{Name: name, Kind: definition.String, Cases: cases}}
}

func number(name string, least int64) attribute {
	return attribute{definition.Attribute{Name: name, Kind: definition.I64}, least}
}

func flag(name string) attribute {
	return attribute{Attribute: definition.Attribute{Name: name, Kind: definition.Bool}}
}

// find returns what is known of an attribute. Attributes that TPU-MLIR does not define are let through.
func find(name string) (attribute, bool) {
	switch name {
	case Chip:
		return text(name, "ALL", "bm1684", "bm1684x", "bm1688", "cv186x", "bm1690", "cv184x", "bm1690e", "sg2380", "sgtpuv8",
			"bm1684x2", "cv180x", "cv181x", "cv182x", "cv183x", "sg2262"), true
	case Mode:
		return text(name, "INT8", "UINT8", "INT4", "BF16", "F16", "F32", "W8F16", "W8BF16", "W4F16", "W4BF16", "F8", "F8E4M3",
			"F8E5M2", "W4F8E4M3", "W4F8E5M2", "W4INT8", "INT8F16DYN", "INT8BF16DYN", "INT4F16DYN", "INT4BF16DYN",
			"F8E4M3F16DYN", "F8E4M3BF16DYN", "F4F16DYN", "F4BF16DYN", "MXF4F16DYN", "MXF4BF16DYN"), true
	case Platform:
		return text(name, "ONNX", "TORCH", "TFLITE", "CAFFE", "TPULANG", "FX", "LLM", "LLM_QUANTIZED"), true
	case State:
		return text(name, StateTop, "TOP_CALIBRATED", "TOP_QUANTIZED", StateLowered, "TPU_REORDERED", "TPU_DIVIDED",
			"TPU_ADDRESSED", "TOSA_F32"), true
	case AddressMode:
		return text(name, "basic", "io_alone", "io_tag", "io_tag_fuse", "io_reloc", "in_reuse"), true
	case TopRunMode:
		return text(name, "STATIC", "DYNAMIC"), true
	case WeightFile, Checkpoint:
		return text(name), true
	case Cores, Devices:
		return number(name, 1), true
	case GroupSize, FLOPs, "module.device_id", "module.step", "module.coeff_addr", "module.coeff_size",
		"module.neuron_addr", "module.neuron_size", "module.io_addr", "module.io_size", "module.dynamic_coeff_offset",
		"module.lora_rank":
		return number(name, 0), true
	case HighPrecision, Asymmetric, Symmetric:
		return flag(name), true
	}
	return attribute{}, false
}

func verify(op *ir.Operation, named ir.NamedAttribute) error {
	known, ok := find(named.Name)
	if !ok {
		return nil
	}
	if !known.Accepts(named.Value) {
		return op.Errorf("attribute '%s' failed to satisfy constraint: %s", known.Name, known.Constraint())
	}
	if value, ok := named.Value.(*ir.IntegerAttr); ok && value.Int() < known.least {
		return op.Errorf("attribute '%s' must be at least %d, but is %d", known.Name, known.least, value.Int())
	}
	return nil
}
