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
	err = readRows(ctx, w, n, k, func(row int, values []float32) {
		for i := range groups {
			scales[row*groups+i] = m.unroundedScale(extentOf(values[i*size:][:size]), options)
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
