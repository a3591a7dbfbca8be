// Package quantize holds TPU-MLIR's group quantization of linear weights to 4 and 8 bits, bit for bit: packing,
// dequantization, and how scales and zero points are ordered for the chip's lanes. A weight is seen as [N, K], a row of
// K elements for each of the N outputs; a group is a run of elements in a row that share a scale and a zero point.
//
// All arithmetic is float32 with denormals flushed to zero, as in the process this is compared with.
package quantize

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"tpuir/weight/float16"
)

// Options say how a weight is quantized.
type Options struct {
	Bits      int            // 4 or 8
	GroupSize int            // elements that share a scale; 0 quantizes whole rows ("per channel")
	Symmetric bool           // zero points fixed at the middle of the range; has no effect on 4 bits with GroupSize 0
	Scale     float16.Format // type of the stored scales
}

// PerChannelGroup is the q_group_size that a weight quantized per channel pretends to have.
const PerChannelGroup = 128

// Matrix is a quantized weight.
type Matrix struct {
	N, K      int
	Bits      int
	GroupSize int            // of the stored scales: PerChannelGroup where the options had 0
	Signed    bool           // codes are int8 (8 bits per channel) instead of uint8
	Codes     []byte         // [N, K] for 8 bits, [N, K/2] for 4: element 2i in the low, 2i+1 in the high nibble of byte i
	Scale     []uint16       // [N, Groups], bits of Format
	ZeroPoint []byte         // [N, Groups]
	Format    float16.Format // of Scale
}

// Groups returns the number of scales in a row.
func (m *Matrix) Groups() int { return m.K / m.GroupSize }

// Source gives the elements of a [N, K] weight in row-major order from start on, as weight.Tensor does. It is called from
// several goroutines.
type Source interface {
	ReadFloat32s(dst []float32, start int64) error
}

// Floats is a weight in memory.
type Floats []float32

// ReadFloat32s copies from the slice.
func (f Floats) ReadFloat32s(dst []float32, start int64) error {
	if start < 0 || start > int64(len(f)) || copy(dst, f[start:]) < len(dst) {
		return fmt.Errorf("no elements %d to %d among %d", start, start+int64(len(dst)), len(f))
	}
	return nil
}

// Quantize quantizes the weight w of n rows of k elements. k must be a multiple of the group size, and even for 4 bits.
func Quantize(ctx context.Context, w Source, n, k int, options Options) (*Matrix, error) {
	m, err := newMatrix(n, k, options)
	if err != nil {
		return nil, err
	}
	err = readRows(ctx, w, n, k, func(row int, values []float32) { m.quantizeRow(row, values, options) })
	return m, err
}

// readRows calls use, from several goroutines, for each of n rows of k elements.
func readRows(ctx context.Context, w Source, n, k int, use func(row int, values []float32)) error {
	rows := max(1, blockElements/max(k, 1))
	return inBlocks(ctx, n, rows, func() func(first, end int) error {
		values := make([]float32, rows*k)
		return func(first, end int) error {
			block := values[:(end-first)*k]
			if err := w.ReadFloat32s(block, int64(first)*int64(k)); err != nil {
				return err
			}
			for row := first; row < end; row++ {
				use(row, block[(row-first)*k:][:k])
			}
			return nil
		}
	})
}

// blockElements is about how many elements a goroutine takes at a time: enough rows to read a transposed weight well.
const blockElements = 128 << 10

// newMatrix checks the options and makes room for the result.
func newMatrix(n, k int, options Options) (*Matrix, error) {
	if options.Bits != 4 && options.Bits != 8 {
		return nil, fmt.Errorf("cannot quantize to %d bits: only 4 and 8", options.Bits)
	}
	if n < 0 || k < 0 || options.GroupSize < 0 {
		return nil, fmt.Errorf("cannot quantize %d×%d elements in groups of %d", n, k, options.GroupSize)
	}
	m := &Matrix{N: n, K: k, Bits: options.Bits, GroupSize: options.GroupSize, Format: options.Scale}
	if options.GroupSize == 0 {
		m.GroupSize = PerChannelGroup
		m.Signed = options.Bits == 8
	} else if k%options.GroupSize != 0 {
		return nil, fmt.Errorf("rows of %d elements do not divide into groups of %d", k, options.GroupSize)
	}
	if options.Bits == 4 && (k%2 != 0 || options.GroupSize%2 != 0) {
		return nil, fmt.Errorf("rows of %d elements in groups of %d do not fill whole bytes with 4 bits", k,
			options.GroupSize)
	}
	m.Codes = make([]byte, n*k*options.Bits/8)
	m.Scale = make([]uint16, n*m.Groups())
	m.ZeroPoint = make([]byte, n*m.Groups())
	return m, nil
}

// quantizeRow quantizes the elements of one row, which it may change.
func (m *Matrix) quantizeRow(row int, values []float32, options Options) {
	codes := m.Codes[row*m.K*m.Bits/8:][:m.K*m.Bits/8]
	scales := m.Scale[row*m.Groups():][:m.Groups()]
	zeroPoints := m.ZeroPoint[row*m.Groups():][:m.Groups()]
	if options.GroupSize == 0 {
		scale, zeroPoint := m.quantizeWholeRow(codes, values)
		for j := range scales {
			scales[j], zeroPoints[j] = m.Format.Bits(scale), zeroPoint
		}
		return
	}
	size := options.GroupSize
	for j := range scales {
		group := values[j*size:][:size]
		e := extentOf(group)
		scale, zeroPoint := e.parameters(m.Bits, options.Symmetric)
		encodeGroup(codes[j*size*m.Bits/8:][:size*m.Bits/8], group, e, m.Bits, scale, zeroPoint)
		scales[j], zeroPoints[j] = m.Format.Bits(scale), zeroPoint
	}
}

// quantizeWholeRow quantizes a row per channel: 4 bits always asymmetric, 8 bits symmetric and signed.
func (m *Matrix) quantizeWholeRow(codes []byte, values []float32) (scale float32, zeroPoint byte) {
	e := extentOf(values)
	if m.Bits == 4 {
		scale, zeroPoint = e.parameters(4, false)
		encodeGroup(codes, values, e, 4, scale, zeroPoint)
		return scale, zeroPoint
	}
	scale = flush(max(e.greatest, -e.least) / 127)
	for i, v := range values {
		codes[i] = byte(int8(quotient(flush(v), scale, -128, 127, int64Limit)))
	}
	return scale, 0
}

// inBlocks calls the functions that worker makes, one a goroutine, for blocks of rows from 0 up to n.
func inBlocks(ctx context.Context, n, rows int, worker func() func(first, end int) error) error {
	blocks := (n + rows - 1) / rows
	workers := min(runtime.GOMAXPROCS(0), blocks)
	group, ctx := errgroup.WithContext(ctx)
	for first := range workers {
		group.Go(func() error {
			work := worker()
			for block := first; block < blocks; block += workers {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := work(block*rows, min((block+1)*rows, n)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return nil
}
