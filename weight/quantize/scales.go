package quantize

// This file computes scales before they are rounded, which TPU-MLIR's IR names although no file holds them.

import "context"

// Scales returns the unrounded scales that [Quantize] uses: [n, k/GroupSize], or one a row where GroupSize is 0.
func Scales(ctx context.Context, w Source, n, k int, options Options) ([]float32, error) {
	m, err := newMatrix(n, k, options)
	if err != nil {
		return nil, err
	}
	size := options.GroupSize
	if size == 0 {
		size = k
	}
	groups := k / max(size, 1)
	scales := make([]float32, n*groups)
	rows := max(1, blockElements/max(k, 1))
	err = inBlocks(ctx, n, rows, func() func(first, end int) error {
		values := make([]float32, rows*k)
		return func(first, end int) error {
			block := values[:(end-first)*k]
			if err := w.ReadFloat32s(block, int64(first)*int64(k)); err != nil {
				return err
			}
			for i := range (end - first) * groups {
				scales[first*groups+i] = m.unroundedScale(extentOf(block[i*size:][:size]), options)
			}
			return nil
		}
	})
	return scales, err
}

func (m *Matrix) unroundedScale(e extent, options Options) float32 {
	if options.GroupSize == 0 && m.Bits == 8 {
		return flush(max(e.greatest, -e.least) / 127)
	}
	scale, _ := e.parameters(m.Bits, options.Symmetric && options.GroupSize > 0)
	return scale
}
