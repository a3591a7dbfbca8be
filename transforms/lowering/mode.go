package lowering

// This file holds the modes: what most operations are computed in, and how weights of matrix products are held.

import (
	"fmt"
	"strings"

	"tpuir/ir"
	"tpuir/transforms/nets"
	"tpuir/weight"
	"tpuir/weight/float16"
)

// Mode is a mode of lowering by its name, such as W4BF16.
type Mode string

// The modes.
const (
	F32    Mode = "F32"
	F16    Mode = "F16"
	BF16   Mode = "BF16"
	W8F16  Mode = "W8F16"
	W8BF16 Mode = "W8BF16"
	W4F16  Mode = "W4F16"
	W4BF16 Mode = "W4BF16"
)

// modes are all modes.
var modes = []string{string(F32), string(F16), string(BF16), string(W8F16), string(W8BF16), string(W4F16), string(W4BF16)}

// parseMode reads a mode in any case of letters.
func parseMode(text string) (Mode, error) {
	for _, m := range modes {
		if strings.EqualFold(m, text) {
			return Mode(m), nil
		}
	}
	return "", fmt.Errorf("there is no mode '%s'; known are %s", text, strings.Join(modes, ", "))
}

// WeightBits returns how many bits the weights of matrix products are quantized to, 0 where they are not.
func (m Mode) WeightBits() int64 {
	switch {
	case strings.HasPrefix(string(m), "W4"):
		return 4
	case strings.HasPrefix(string(m), "W8"):
		return 8
	}
	return 0
}

// Element returns the type that operations are computed in.
func (m Mode) Element(c *ir.Context) *ir.FloatType {
	switch {
	case strings.HasSuffix(string(m), "BF16"):
		return c.BF16()
	case strings.HasSuffix(string(m), "F16"):
		return c.F16()
	}
	return c.F32()
}

// format returns a 16-bit type as arithmetic on weights names it.
func format(t ir.Type) float16.Format {
	if t == t.Context().BF16() {
		return float16.BFloat16
	}
	return float16.Float16
}

// storage returns the element type of a weight of that type.
func storage(t ir.Type) weight.DType {
	switch t {
	case t.Context().BF16():
		return weight.BFloat16
	case t.Context().F16():
		return weight.Float16
	}
	return weight.Float32
}

// Names of the chips.
const (
	chipBM1684X = "bm1684x"
	chipBM1688  = "bm1688"
)

var chips = []string{chipBM1684X, chipBM1688}

// settings say how a net is lowered.
type settings struct {
	mode          Mode
	chip          string
	highPrecision bool
	groupSize     int64
	symmetric     bool
	addressMode   string
}

// lanes returns how many lanes compute side by side.
func (s settings) lanes() int64 {
	if s.chip == chipBM1684X {
		return 64
	}
	return 32
}

// ofNet returns what one net of a model gets that is lowered with these settings.
func (s settings) ofNet(n nets.Net) settings {
	own := n.Settings(string(s.mode), s.groupSize, s.symmetric)
	s.mode, s.groupSize, s.symmetric, s.addressMode = Mode(own.Mode), own.GroupSize, own.Symmetric, own.AddressMode
	return s
}
