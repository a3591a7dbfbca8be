package nets

// This file names what goes in and out: inputs and outputs of the nets, and of the functions of a model that is not split
// yet. TPU-MLIR's tools and the runtimes know them by these names.

import "strings"

// Names of inputs and outputs.
const (
	InputIDs      = "input_ids"      // of the embedding
	InputStates   = "input_states"   // of a layer: the hidden states
	PositionIDs   = "position_ids"   // of a layer
	AttentionMask = "attention_mask" // of a layer
	HistoryK      = "history_k"      // of a layer
	HistoryV      = "history_v"      // of a layer
	OutputStates  = "output_states"  // of a layer
	NewK          = "k_cache"        // of a layer: the keys of its tokens
	NewV          = "v_cache"        // of a layer: the values of its tokens
	HiddenStates  = "hidden_states"  // of lm_head
	Logits        = "m_logits"       // of the heads that choose a token
)

// Names of weights that no checkpoint holds.
const (
	RotaryCos = "rotary_cos" // the table's weight has the suffix .weight
	RotarySin = "rotary_sin"
	// MaskWeight is the causal mask that dynamic nets share.
	MaskWeight = AttentionMask + ".weight"

	rotaryPrefix = "rotary_"
)

// IsRotary reports whether a weight is a rotary table, which has a row for each position: a net may want fewer than there
// are. Lowering puts a suffix behind the name.
func IsRotary(name string) bool { return strings.HasPrefix(name, rotaryPrefix) }
