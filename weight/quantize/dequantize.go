package quantize

// This file goes back from codes to numbers, and orders scales as the chip reads them.

import (
	"context"
	"encoding/binary"
	"fmt"
)

// Code returns element k of row n as stored, without the zero point subtracted.
func (m *Matrix) Code(n, k int) int {
	i := n*m.K + k
	switch {
	case m.Bits == 4:
		return int(m.Codes[i/2]>>(4*(i%2))) & 15
	case m.Signed:
		return int(int8(m.Codes[i]))
	}
	return int(m.Codes[i])
}

// DequantizeRow writes (code − zero point) · scale for the K elements of row n, in float32, not rounded any further.
func (m *Matrix) DequantizeRow(dst []float32, n int) {
	groups := m.Groups()
	for j := range groups {
		scale := m.Format.Float32(m.Scale[n*groups+j])
		zero := int(m.ZeroPoint[n*groups+j])
		for k := j * m.GroupSize; k < (j+1)*m.GroupSize; k++ {
			dst[k] = float32(m.Code(n, k)-zero) * scale
		}
	}
}

// Dequantize returns the weight as [K, N] little-endian 16-bit elements of the scales' format, which is what TPU-MLIR's
// --processor-tpu-optimize makes of weights that are too narrow for the lanes (<op>_dequant_bf16).
func (m *Matrix) Dequantize(ctx context.Context) ([]byte, error) {
	if m.Groups()*m.GroupSize != m.K {
		return nil, fmt.Errorf("rows of %d elements do not divide into groups of %d", m.K, m.GroupSize)
	}
	out := make([]byte, 2*m.N*m.K)
	err := inBlocks(ctx, m.N, max(1, blockElements/max(m.K, 1)), func() func(first, end int) error {
		row := make([]float32, m.K)
		return func(first, end int) error {
			for n := first; n < end; n++ {
				m.DequantizeRow(row, n)
				for k, v := range row {
					binary.LittleEndian.PutUint16(out[2*(k*m.N+n):], m.Format.Bits(v))
				}
			}
			return nil
		}
	})
	return out, err
}

// ReorderLanes orders scales or zero points [n, groups] for the lanes of the chip, as --weight-reorder does: the result is
// [lanes, n/lanes, groups] with element (l, j, g) = old (j·lanes + l, g), so that lane l holds rows l, l+lanes, …
func ReorderLanes[T any](src []T, n, groups, lanes int) ([]T, error) {
	if lanes <= 0 || n%lanes != 0 || len(src) != n*groups {
		return nil, fmt.Errorf("cannot order %d elements as %d rows of %d over %d lanes", len(src), n, groups, lanes)
	}
	dst := make([]T, 0, len(src))
	for lane := range lanes {
		for row := lane; row < n; row += lanes {
			dst = append(dst, src[row*groups:(row+1)*groups]...)
		}
	}
	return dst, nil
}
