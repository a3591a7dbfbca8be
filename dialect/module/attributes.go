package module

// This file names the attributes, and the values of those that decide what a pass may do.

import (
	"strings"

	"tpuir/ir"
)

// Names of module attributes.
const (
	AddressMode   = "module.addr_mode"
	Asymmetric    = "module.asymmetric"
	Checkpoint    = "module.checkpoint" // where tokenizer and generation settings are read from
	Chip          = "module.chip"
	Cores         = "module.cores"
	Devices       = "module.devices"
	FLOPs         = "module.FLOPs"
	GroupSize     = "module.q_group_size"
	HighPrecision = "module.high_precision"
	Mode          = "module.mode"
	Platform      = "module.platform"
	Quantization  = "module.quantization" // the importer's suggestion, from the checkpoint's own quantization
	State         = "module.state"
	Symmetric     = "module.q_symmetric"
	TopRunMode    = "module.top_run_mode"
	WeightFile    = "module.weight_file"
)

// Values of [State]. Those of Tpu IR begin alike.
const (
	StateTop     = "TOP_F32"
	StateLowered = "TPU_LOWERED"

	statesOfTpu = "TPU_"
)

// IsLowered reports whether a module says that it holds Tpu IR, lowered or further on.
func IsLowered(op *ir.Operation) bool {
	state, _ := op.StringAttribute(State)
	return strings.HasPrefix(state, statesOfTpu)
}
