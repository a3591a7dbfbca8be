// Package rotary computes the cosine and sine tables of rotary position embedding, bit for bit as TPU-MLIR's importer
// does with numpy's float32 functions, for the scalings that Hugging Face's checkpoints name.
package rotary

import (
	"fmt"
	"math"
)

// Type is a checkpoint's way to scale its frequencies, by the name it has in config.json.
type Type string

const (
	Default Type = "default" // no scaling
	Linear  Type = "linear"  // all frequencies divided by Factor
	Dynamic Type = "dynamic" // a greater theta where the sequence is longer than the model was trained for
	Llama3  Type = "llama3"  // low frequencies divided, high ones kept, a ramp between
	YaRN    Type = "yarn"    // likewise, with a factor on the tables
)

// Parameters are what config.json says of the embedding. Zero fields take the defaults of Hugging Face's library.
type Parameters struct {
	Type    Type
	Theta   float64 // wavelength base, such as 10000
	Dim     int     // elements of a head that are rotated: head_dim, times partial_rotary_factor where there is one
	Factor  float64
	MaxPos  int     // max_position_embeddings; for Dynamic
	OldMax  int     // original_max_position_embeddings; for Llama3 and YaRN
	LowFreq float64 // low_freq_factor of Llama3
	// high_freq_factor of Llama3
	HighFreq float64

	AttentionFactor    float64 // YaRN's factor on the tables; 0 derives it
	MScale, MScaleAll  float64 // mscale and mscale_all_dim of YaRN
	BetaFast, BetaSlow float64 // 0 means 32 and 1
	NoTruncate         bool    // truncate is false: YaRN's range is not widened to integers
}

// Tables are the cosines and sines for the positions 0, 1, …: both [length, Dim], row-major, the frequencies twice.
type Tables struct {
	Length, Dim int
	Cos, Sin    []float32
}

// Make returns the tables for sequences of the given length.
func Make(p Parameters, length int) (Tables, error) {
	frequencies, factor, err := p.Frequencies(length)
	if err != nil {
		return Tables{}, err
	}
	half := len(frequencies)
	t := Tables{Length: length, Dim: 2 * half}
	t.Cos = make([]float32, length*t.Dim)
	t.Sin = make([]float32, length*t.Dim)
	for position := range length {
		cos, sin := t.Cos[position*t.Dim:][:t.Dim], t.Sin[position*t.Dim:][:t.Dim]
		for i, frequency := range frequencies {
			angle := float32(position) * frequency
			cos[i] = cosine(angle) * factor
			sin[i] = sine(angle) * factor
		}
		copy(cos[half:], cos[:half])
		copy(sin[half:], sin[:half])
	}
	return t, nil
}

// maxLength and maxDim bound the tables before memory is taken for them.
const (
	maxLength = 1 << 24
	maxDim    = 1 << 16
)

// Frequencies returns the Dim/2 angles between neighbouring positions, and the factor on the tables, for sequences of the
// given length (which matters to Dynamic alone). Every operation is one of float32 unless config values alone take part.
func (p Parameters) Frequencies(length int) (frequencies []float32, factor float32, err error) {
	if err := p.check(length); err != nil {
		return nil, 0, err
	}
	switch p.Type {
	case Linear:
		frequencies = inverse(powers(p.Theta, p.Dim))
		for i := range frequencies {
			frequencies[i] /= float32(p.Factor)
		}
	case Dynamic:
		frequencies = p.dynamic(length)
	case Llama3:
		frequencies = p.llama3()
	case YaRN:
		return p.yarn(), float32(p.attentionFactor()), nil
	default:
		frequencies = inverse(powers(p.Theta, p.Dim))
	}
	return frequencies, 1, nil
}

// bounded is a parameter that has to lie in a range.
type bounded struct {
	name        string
	value       float64
	least, most float64
}

// Bounds of the parameters: far beyond what models have, and near enough for float32 to hold every result.
const (
	leastTheta, mostTheta   = 2, 1e15
	leastFactor, mostFactor = 1e-3, 1e6
	mostPositions           = 1 << 28
)

// check refuses parameters that the tables can't be computed from, or not sensibly.
func (p Parameters) check(length int) error {
	if p.Dim < 2 || p.Dim%2 != 0 || p.Dim > maxDim {
		return fmt.Errorf("rope over %d elements of a head: not an even number from 2 to %d", p.Dim, maxDim)
	}
	if length < 0 || length > maxLength {
		return fmt.Errorf("rope for %d positions: not a number from 0 to %d", length, maxLength)
	}
	scaling, err := p.scaling()
	if err != nil {
		return err
	}
	for _, b := range append(scaling, bounded{"rope_theta", p.Theta, leastTheta, mostTheta}) {
		if !(b.value >= b.least && b.value <= b.most) {
			return fmt.Errorf("rope_type %q: %s is %v; expected a number from %.10g to %.10g", p.Type, b.name, b.value, b.least, b.most)
		}
	}
	switch {
	case p.Type == Llama3 && p.HighFreq <= p.LowFreq:
		return fmt.Errorf("rope_type %q: high_freq_factor %v is not above low_freq_factor %v", p.Type, p.HighFreq, p.LowFreq)
	case p.Type == YaRN && p.betaFast() < p.betaSlow():
		return fmt.Errorf("rope_type %q: beta_fast %v is below beta_slow %v", p.Type, p.betaFast(), p.betaSlow())
	}
	return nil
}

// scaling returns the parameters that the type reads beside theta. Zeros that stand for a default are among them as that.
func (p Parameters) scaling() ([]bounded, error) {
	factor := func(name string, value float64) bounded { return bounded{name, value, leastFactor, mostFactor} }
	positions := func(name string, value int) bounded { return bounded{name, float64(value), 1, mostPositions} }
	switch p.Type {
	case Default, "":
		return nil, nil
	case Linear:
		return []bounded{factor("factor", p.Factor)}, nil
	case Dynamic:
		return []bounded{factor("factor", p.Factor), positions("max_position_embeddings", p.MaxPos)}, nil
	case Llama3:
		return []bounded{factor("factor", p.Factor), positions("original_max_position_embeddings", p.OldMax),
			factor("low_freq_factor", p.LowFreq), factor("high_freq_factor", p.HighFreq)}, nil
	case YaRN:
		return []bounded{positions("original_max_position_embeddings", p.OldMax), factor("factor", p.yarnFactor()),
			factor("attention_factor", orElse(p.AttentionFactor, 1)), factor("mscale", orElse(p.MScale, 1)),
			factor("mscale_all_dim", orElse(p.MScaleAll, 1)), factor("beta_fast", p.betaFast()), factor("beta_slow", p.betaSlow())}, nil
	}
	return nil, fmt.Errorf("rope_type %q is not supported; known are default, linear, dynamic, llama3, yarn", p.Type)
}

// powers returns theta^(2i/dim), taken in float64 of a float32 exponent and rounded.
func powers(theta float64, dim int) []float32 {
	p := make([]float32, dim/2)
	for i := range p {
		exponent := float32(2*i) / float32(dim)
		p[i] = float32(math.Pow(theta, float64(exponent)))
	}
	return p
}

// inverse replaces the values by their inverses.
func inverse(values []float32) []float32 {
	for i, v := range values {
		values[i] = 1 / v
	}
	return values
}

// dynamic is the NTK scaling: theta grows with the part of the sequence beyond the trained length.
func (p Parameters) dynamic(length int) []float32 {
	if length <= p.MaxPos || p.Dim <= 2 {
		return inverse(powers(p.Theta, p.Dim))
	}
	// The library has the length as a tensor, so these steps are of float32.
	grown := float32(p.Factor) * float32(length) / float32(p.MaxPos)
	grown -= float32(p.Factor - 1)
	exponent := float32(float64(p.Dim) / float64(p.Dim-2))
	theta := float32(p.Theta) * float32(math.Pow(float64(grown), float64(exponent)))
	return inverse(powers(float64(theta), p.Dim))
}

// llama3 divides the frequencies whose wavelength is longer than the trained context, keeps the short ones, and goes
// smoothly from one to the other.
func (p Parameters) llama3() []float32 {
	old := float32(p.OldMax)
	longest, shortest := float32(float64(p.OldMax)/p.LowFreq), float32(float64(p.OldMax)/p.HighFreq)
	factor := float32(p.Factor)
	frequencies := inverse(powers(p.Theta, p.Dim))
	for i, f := range frequencies {
		wavelength := float32(2*math.Pi) / f
		switch {
		case wavelength > longest:
			frequencies[i] = f / factor
		case wavelength >= shortest:
			smooth := (old/wavelength - float32(p.LowFreq)) / float32(p.HighFreq-p.LowFreq)
			divided := float32((1-smooth)*f) / factor
			frequencies[i] = divided + float32(smooth*f)
		}
	}
	return frequencies
}

// yarn interpolates low frequencies and keeps high ones, with a linear ramp over the elements between.
func (p Parameters) yarn() []float32 {
	low, high := p.yarnRange()
	factor := float32(p.yarnFactor())
	frequencies := powers(p.Theta, p.Dim)
	for i, power := range frequencies {
		ramp := (float32(i) - float32(low)) / float32(high-low)
		kept := 1 - min(max(ramp, 0), 1)
		extrapolated, interpolated := 1/power, 1/float32(factor*power)
		frequencies[i] = float32(interpolated*(1-kept)) + float32(extrapolated*kept)
	}
	return frequencies
}

// yarnRange returns the first and last element of the ramp.
func (p Parameters) yarnRange() (low, high float64) {
	element := func(rotations float64) float64 {
		return float64(p.Dim) * math.Log(float64(p.OldMax)/(rotations*2*math.Pi)) / (2 * math.Log(p.Theta))
	}
	low, high = element(p.betaFast()), element(p.betaSlow())
	if !p.NoTruncate {
		low, high = math.Floor(low), math.Ceil(high)
	}
	low, high = max(low, 0), min(high, float64(p.Dim-1))
	if low == high {
		high += 0.001
	}
	return low, high
}

// yarnFactor returns the factor, or where the config has none, how much longer the context became.
func (p Parameters) yarnFactor() float64 {
	if p.Factor == 0 && p.OldMax > 0 {
		return float64(p.MaxPos) / float64(p.OldMax)
	}
	return p.Factor
}

func (p Parameters) betaFast() float64 { return orElse(p.BetaFast, 32) }
func (p Parameters) betaSlow() float64 { return orElse(p.BetaSlow, 1) }

// attentionFactor returns YaRN's factor on the tables.
func (p Parameters) attentionFactor() float64 {
	if p.AttentionFactor != 0 {
		return p.AttentionFactor
	}
	scale := func(mscale float64) float64 {
		if p.yarnFactor() <= 1 {
			return 1
		}
		return 0.1*mscale*math.Log(p.yarnFactor()) + 1
	}
	if p.MScale != 0 && p.MScaleAll != 0 {
		return scale(p.MScale) / scale(p.MScaleAll)
	}
	return scale(1)
}

func orElse(value, otherwise float64) float64 {
	if value == 0 {
		return otherwise
	}
	return value
}
