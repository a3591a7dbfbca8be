package float16

import "encoding/binary"

// This file holds the same conversions for whole slices, the form in which weights and activations come.

// RoundSlice rounds every element of x to the format, in place.
func (f Format) RoundSlice(x []float32) {
	if f == Float16 {
		for i, v := range x {
			x[i] = RoundF16(v)
		}
		return
	}
	for i, v := range x {
		x[i] = RoundBF16(v)
	}
}

// Encode writes the rounded elements of src as little-endian 16-bit words; dst must hold 2·len(src) bytes.
func (f Format) Encode(dst []byte, src []float32) {
	dst = dst[:2*len(src)]
	if f == Float16 {
		for i, v := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], F16Bits(v))
		}
		return
	}
	for i, v := range src {
		binary.LittleEndian.PutUint16(dst[2*i:], BF16Bits(v))
	}
}

// Decode widens little-endian 16-bit words; src must hold 2·len(dst) bytes.
func (f Format) Decode(dst []float32, src []byte) {
	src = src[:2*len(dst)]
	if f == Float16 {
		for i := range dst {
			dst[i] = F16ToFloat32(binary.LittleEndian.Uint16(src[2*i:]))
		}
		return
	}
	for i := range dst {
		dst[i] = BF16ToFloat32(binary.LittleEndian.Uint16(src[2*i:]))
	}
}
