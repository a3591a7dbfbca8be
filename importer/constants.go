package importer

// This file holds the weights of the graph that no checkpoint has: constants that are computed wherever they are missing, and
// rotary tables, of which a net takes the rows that it needs.

import (
	"fmt"

	"tpuir/transforms/nets"
	"tpuir/weight"
)

// Names of the weights that are computed.
const (
	rotaryCos = nets.RotaryCos + ".weight"
	rotarySin = nets.RotarySin + ".weight"

	sampleAxis    = "Constant0" // of the sample head's sums
	sampleIndices = "Constant1" // of the places that it always keeps
	sampleOnes    = "Constant2" // what it writes there
)

// maxMask bounds the side of a mask; chips have one of 128 or 256.
const maxMask = 1 << 13

// maxConstant bounds the elements of the sample head's constants, which have some for each sequence of a batch.
const maxConstant = 1 << 24

// Constant returns a weight that is the same for every model: the causal mask of dynamic nets, and the sample head's
// constants. It reports false for other names.
func Constant(name string, shape []int64) (weight.Tensor, bool, error) {
	var values []float32
	switch name {
	case nets.MaskWeight:
		if len(shape) != 2 || shape[0] != shape[1] || shape[0] > maxMask {
			return weight.Tensor{}, true, fmt.Errorf("a mask of shape %v can't be made; expected a square up to %d", shape, maxMask)
		}
		values = CausalMask(shape[0])
	case sampleAxis:
		values, shape = []float32{1}, []int64{1}
	case sampleIndices:
		if len(shape) != 3 || shape[2] != 2 {
			return weight.Tensor{}, true, fmt.Errorf("positions of shape %v can't be made; expected [batch, places, 2]", shape)
		}
		if _, err := constantLen(shape); err != nil {
			return weight.Tensor{}, true, err
		}
		values = scatterIndices(shape)
	case sampleOnes:
		n, err := constantLen(shape)
		if err != nil {
			return weight.Tensor{}, true, err
		}
		values = make([]float32, n)
		for i := range values {
			values[i] = 1
		}
	default:
		return weight.Tensor{}, false, nil
	}
	t, err := weight.FromFloat32s(name, shape, values)
	return t, true, err
}

// constantLen counts the elements of a shape, which a file may have made up.
func constantLen(shape []int64) (int64, error) {
	n := int64(1)
	for _, size := range shape {
		if size < 0 || size > maxConstant || n*size > maxConstant {
			return 0, fmt.Errorf("a constant of shape %v can't be made; expected at most %d elements", shape, maxConstant)
		}
		n *= size
	}
	return n, nil
}

// maskedOut is what TPU-MLIR adds to attention scores that a small mask hides.
const maskedOut = -1e9

// CausalMask returns the small mask of a dynamic net, row-major [size, size]: 0 on and below the diagonal.
func CausalMask(size int64) []float32 {
	values := make([]float32, size*size)
	for row := range size {
		for column := row + 1; column < size; column++ {
			values[row*size+column] = maskedOut
		}
	}
	return values
}

// scatterIndices returns the positions (batch, place) of the places that always stay, [batch, places, 2].
func scatterIndices(shape []int64) []float32 {
	values := make([]float32, 0, shape[0]*shape[1]*2)
	for batch := range shape[0] {
		for place := range shape[1] {
			values = append(values, float32(batch), float32(place))
		}
	}
	return values
}

// CutTable returns the first rows of a rotary table that is longer than the shape that the IR asks for, and other weights as
// they are.
func CutTable(t weight.Tensor, name string, shape []int64) (weight.Tensor, error) {
	stored := t.Shape()
	if !nets.IsRotary(name) || len(shape) == 0 || len(shape) != len(stored) || shape[0] >= stored[0] {
		return t, nil
	}
	return t.Rows(0, shape[0])
}
