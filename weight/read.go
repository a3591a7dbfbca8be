package weight

// This file reads the elements of tensors: ranges or all, as bytes or as numbers, in memory or as a stream.

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"tpuir/weight/float16"
)

// ReadFloat32s fills dst with the elements from start on, in row-major order, converted to float32. Floating-point types
// are widened, or narrowed from Float64; integers convert by value, but for Uint16, which in weight files holds bits
// (see Reinterpret). It may be called for many ranges at once, and so streams a tensor of any size.
func (t Tensor) ReadFloat32s(dst []float32, start int64) error {
	if err := t.checkRange(start, int64(len(dst))); err != nil {
		return err
	}
	if t.stored == Uint16 {
		return t.errorf("the bits of U16 elements have no number: say whether they are BF16 or F16")
	}
	size := t.stored.Size()
	if t.contiguous() {
		src, err := t.data.bytes((t.offset+start)*size, int64(len(dst))*size)
		if err != nil {
			return t.wrap(err)
		}
		t.decode(dst, src)
		return nil
	}
	block := int(min(t.blockLen(), int64(len(dst))))
	raw := make([]byte, int64(block)*size)
	for len(dst) > 0 {
		n := min(block, len(dst))
		if err := t.gather(raw[:int64(n)*size], start); err != nil {
			return t.wrap(err)
		}
		t.decode(dst[:n], raw)
		dst, start = dst[n:], start+int64(n)
	}
	return nil
}

// decode converts stored elements to float32 through the view's conversions.
func (t Tensor) decode(dst []float32, src []byte) {
	decodeFloat32(dst, src, t.stored)
	for _, step := range t.steps {
		switch step {
		case BFloat16:
			float16.BFloat16.RoundSlice(dst)
		case Float16:
			float16.Float16.RoundSlice(dst)
		}
	}
}

// ReadBytes fills dst with the little-endian bytes of the elements from start on, in row-major order and of type DType.
func (t Tensor) ReadBytes(dst []byte, start int64) error {
	size := t.DType().Size()
	n := int64(len(dst)) / size
	if err := t.checkRange(start, n); err != nil {
		return err
	}
	if len(t.steps) == 0 {
		return t.wrap(t.gather(dst[:n*size], start))
	}
	block := min(t.blockLen(), n)
	values := make([]float32, block)
	for n > 0 {
		block = min(block, n)
		if err := t.ReadFloat32s(values[:block], start); err != nil {
			return err
		}
		encodeFloat32(dst, values[:block], t.DType())
		dst, start, n = dst[block*size:], start+block, n-block
	}
	return nil
}

func (t Tensor) checkRange(start, n int64) error {
	if start < 0 || n > t.Len()-start {
		return t.errorf("no elements %d to %d among %d", start, start+n, t.Len())
	}
	return nil
}

// wrap makes an error one about this tensor: by its name in the file, if it is in one.
func (t Tensor) wrap(err error) error {
	if err == nil {
		return nil
	}
	if t.file != "" {
		return &Error{File: t.file, Tensor: t.from, Err: err}
	}
	return &Error{Tensor: t.name, Err: err}
}

// Float32s returns all elements as ReadFloat32s gives them, read with all processors.
func (t Tensor) Float32s(ctx context.Context) ([]float32, error) {
	values := make([]float32, t.Len())
	err := t.inBlocks(ctx, func(start, end int64) error { return t.ReadFloat32s(values[start:end], start) })
	return values, err
}

// Bytes returns the little-endian bytes of all elements. They are the file's own where it is mapped and the view changes
// nothing, so the caller must not write to them nor use them after the store is closed.
func (t Tensor) Bytes(ctx context.Context) ([]byte, error) {
	size := t.DType().Size()
	if t.contiguous() && len(t.steps) == 0 {
		raw, err := t.data.bytes(t.offset*size, t.Len()*size)
		return raw, t.wrap(err)
	}
	raw := make([]byte, t.Len()*size)
	err := t.inBlocks(ctx, func(start, end int64) error { return t.ReadBytes(raw[start*size:end*size], start) })
	return raw, err
}

// Stream writes the bytes of all elements to w, a block at a time. Blocks are made ready by all processors.
func (t Tensor) Stream(ctx context.Context, w io.Writer) error {
	if t.contiguous() && len(t.steps) == 0 {
		return t.streamStored(ctx, w)
	}
	size, block := t.DType().Size(), t.blockLen()
	workers := runtime.GOMAXPROCS(0)
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(workers + 1)               // and the writer
	free := make(chan []byte, 2*workers)      // buffers
	blocks := make(chan chan []byte, workers) // in their order
	for range cap(free) {
		free <- nil
	}
	group.Go(func() error {
		for ready := range blocks {
			select {
			case raw := <-ready:
				if _, err := w.Write(raw); err != nil {
					return err
				}
				free <- raw
			case <-running.Done():
				return running.Err()
			}
		}
		return nil
	})
	t.makeBlocks(running, group, block, size, free, blocks)
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err() // no block fails for it, but blocks may be missing
}

// makeBlocks starts reading one block after the other for Stream's writer.
func (t Tensor) makeBlocks(ctx context.Context, group *errgroup.Group, block, size int64, free chan []byte,
	blocks chan<- chan []byte) {
	defer close(blocks)
	for start := int64(0); start < t.Len(); start += block {
		var raw []byte
		select {
		case raw = <-free:
		case <-ctx.Done():
			return
		}
		ready := make(chan []byte, 1)
		select {
		case blocks <- ready:
		case <-ctx.Done():
			return
		}
		n := min(block, t.Len()-start) * size
		group.Go(func() error {
			if int64(cap(raw)) < n {
				raw = make([]byte, n)
			}
			raw = raw[:n]
			if err := t.ReadBytes(raw, start); err != nil {
				return err
			}
			ready <- raw
			return nil
		})
	}
}

// streamStored writes the stored bytes as they are.
func (t Tensor) streamStored(ctx context.Context, w io.Writer) error {
	const block = 4 << 20
	size := t.stored.Size()
	for start, end := t.offset*size, (t.offset+t.Len())*size; start < end; start += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, err := t.data.bytes(start, min(block, end-start))
		if err != nil {
			return t.wrap(err)
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return nil
}

// inBlocks calls read for consecutive ranges of elements, on all processors where the tensor is large.
func (t Tensor) inBlocks(ctx context.Context, read func(start, end int64) error) error {
	block := t.blockLen()
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for start := int64(0); start < t.Len() && running.Err() == nil; start += block {
		end := min(start+block, t.Len())
		if t.Len() <= block {
			return read(start, end)
		}
		group.Go(func() error { return read(start, end) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// Uint8s returns the elements of a Uint8 or Bool tensor; as Bytes, they may be the file's own.
func (t Tensor) Uint8s(ctx context.Context) ([]uint8, error) {
	if d := t.DType(); d != Uint8 && d != Bool {
		return nil, t.errorf("holds %v, not U8", d)
	}
	return t.Bytes(ctx)
}

// Int8s returns the elements of an Int8 tensor.
func (t Tensor) Int8s(ctx context.Context) ([]int8, error) {
	return readIntegers(ctx, t, func(raw []byte) int8 { return int8(raw[0]) }, Int8)
}

// Uint16s returns the elements of a Uint16 tensor, or the bits of a BFloat16 or Float16 one.
func (t Tensor) Uint16s(ctx context.Context) ([]uint16, error) {
	return readIntegers(ctx, t, binary.LittleEndian.Uint16, Uint16, BFloat16, Float16)
}

// Int32s returns the elements of an Int32 tensor.
func (t Tensor) Int32s(ctx context.Context) ([]int32, error) {
	return readIntegers(ctx, t, func(raw []byte) int32 { return int32(binary.LittleEndian.Uint32(raw)) }, Int32)
}

// Int64s returns the elements of an Int64 tensor.
func (t Tensor) Int64s(ctx context.Context) ([]int64, error) {
	return readIntegers(ctx, t, func(raw []byte) int64 { return int64(binary.LittleEndian.Uint64(raw)) }, Int64)
}

func readIntegers[T any](ctx context.Context, t Tensor, element func([]byte) T, types ...DType) ([]T, error) {
	ok := false
	for _, d := range types {
		ok = ok || d == t.DType()
	}
	if !ok {
		return nil, t.errorf("holds %v, not %v", t.DType(), types[0])
	}
	raw, err := t.Bytes(ctx)
	if err != nil {
		return nil, err
	}
	size := int(types[0].Size())
	values := make([]T, len(raw)/size)
	for i := range values {
		values[i] = element(raw[i*size:])
	}
	return values, nil
}

// decodeFloat32 converts len(dst) little-endian elements of a type to float32.
func decodeFloat32(dst []float32, src []byte, d DType) {
	switch d {
	case Float32:
		src = src[:4*len(dst)]
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case BFloat16:
		float16.BFloat16.Decode(dst, src)
	case Float16:
		float16.Float16.Decode(dst, src)
	default:
		size := int(d.Size())
		for i := range dst {
			dst[i] = decodeElement(src[i*size:], d)
		}
	}
}

// decodeElement converts one element of the rarer types.
func decodeElement(src []byte, d DType) float32 {
	switch d {
	case Float64:
		return float32(math.Float64frombits(binary.LittleEndian.Uint64(src)))
	case Float8E5M2:
		return float16.F16ToFloat32(uint16(src[0]) << 8)
	case Float8E4M3FN:
		return float8E4M3FN(src[0])
	case Bool, Uint8:
		return float32(src[0])
	case Int8:
		return float32(int8(src[0]))
	case Int16:
		return float32(int16(binary.LittleEndian.Uint16(src)))
	case Int32:
		return float32(int32(binary.LittleEndian.Uint32(src)))
	case Uint32:
		return float32(binary.LittleEndian.Uint32(src))
	case Int64:
		return float32(int64(binary.LittleEndian.Uint64(src)))
	case Uint64:
		return float32(binary.LittleEndian.Uint64(src))
	}
	return 0
}

// float8E4M3FN widens an 8-bit float with 4 exponent bits of bias 7 and no infinities.
func float8E4M3FN(bits byte) float32 {
	magnitude := bits & 0x7f
	value := float32(math.NaN())
	switch {
	case magnitude < 8:
		value = float32(magnitude) * 0x1p-9
	case magnitude < 0x7f:
		value = math.Float32frombits(uint32(magnitude)<<20 + (127-7)<<23)
	}
	if bits&0x80 != 0 {
		value = -value
	}
	return value
}

// encodeFloat32 writes values that were already rounded as elements of one of Convert's types.
func encodeFloat32(dst []byte, src []float32, d DType) {
	switch d {
	case BFloat16:
		float16.BFloat16.Encode(dst, src)
	case Float16:
		float16.Float16.Encode(dst, src)
	case Float32:
		dst = dst[:4*len(src)]
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
		}
	}
}

// FromFloat32s returns a Float32 tensor in memory with a copy of the values.
func FromFloat32s(name string, shape []int64, values []float32) (Tensor, error) {
	raw := make([]byte, 4*len(values))
	encodeFloat32(raw, values, Float32)
	return FromBytes(name, Float32, shape, raw)
}

// FromUint16s returns a tensor in memory of 16-bit elements, Uint16, BFloat16 or Float16, with a copy of the bits.
func FromUint16s(name string, dtype DType, shape []int64, bits []uint16) (Tensor, error) {
	raw := make([]byte, 2*len(bits))
	for i, b := range bits {
		binary.LittleEndian.PutUint16(raw[2*i:], b)
	}
	return FromBytes(name, dtype, shape, raw)
}

// FromInt32s returns an Int32 tensor in memory with a copy of the values.
func FromInt32s(name string, shape []int64, values []int32) (Tensor, error) {
	raw := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(raw[4*i:], uint32(v))
	}
	return FromBytes(name, Int32, shape, raw)
}
