// Package runtime generates text with a model that was compiled into nets: one loop over prefill, prefill with history and
// decode, whatever device runs the nets. The names of the nets and the layouts of their tensors are the contract with the
// compiler, and with other runtimes that read its files.
//
//	embedding, embedding_cache   input_ids [1,n]                                      -> hidden [1,n,h]
//	block_i                      hidden [1,n,h], position_ids [1,n], mask [1,1,n,n]   -> hidden, keys [1,n,kv,d], values
//	block_kv_i                   the same, mask [1,1,n,m+n], history keys and values [1,m,kv,d]
//	block_cache_i[_k]            the same for n = 1; the shorter ones have shorter histories m
//	lm_head                      hidden [1,h] -> the likeliest token [1,1], or logits [1,v]
//	greedy_head, sample_head     logits [1,v] -> the likeliest token, or a distribution
//
// Dynamic nets take no mask, run on fewer tokens than their types say, and need no more history than there is.
package runtime

// This file says what a device is.

import "context"

// Kind is how a device holds the elements of a tensor for the host: whatever 16-bit type a net computes in, its inputs and
// outputs are float32 or int32.
type Kind uint8

// The kinds.
const (
	Float Kind = iota
	Integer
)

// Port is an input or an output of a net.
type Port struct {
	Name  string
	Kind  Kind
	Shape []int64
}

// Device runs nets. Its methods are for one goroutine.
type Device interface {
	// Nets lists the names of the nets.
	Nets() []string
	// Describe returns what a net takes and returns.
	Describe(net string) (Description, error)
	// Open makes a net ready to run.
	Open(ctx context.Context, net string) (Net, error)
	// Allocate returns memory of the device for n elements, all 0.
	Allocate(kind Kind, n int64) (Memory, error)
}

// Description is what is known of a net before it is opened.
type Description struct {
	Inputs, Outputs []Port
	// Dynamic nets run on shorter inputs than their ports say.
	Dynamic bool
}

// Net is a net that is ready to run.
type Net interface {
	// Run computes the outputs from the inputs, one tensor for each port. An output may lie in the same memory as an input:
	// the inputs are read before outputs are written.
	Run(ctx context.Context, inputs, outputs []Tensor) error
}

// LogitsDevice is a device that can give the logits of a head that returns the likeliest token only.
type LogitsDevice interface {
	Device
	// OpenLogits opens such a net so that it returns logits, and says how many.
	OpenLogits(ctx context.Context, net string) (Net, int64, error)
}

// Memory is a piece of a device's memory. Offsets and lengths are in elements, and reach no further than its end.
type Memory interface {
	Len() int64
	WriteFloats(offset int64, values []float32)
	ReadFloats(offset int64, values []float32)
	WriteIntegers(offset int64, values []int64)
	ReadIntegers(offset int64, values []int64)
}

// Tensor is a part of a memory, row-major.
type Tensor struct {
	Memory Memory
	Offset int64
	Shape  []int64
}
