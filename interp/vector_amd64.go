package interp

// This file chooses between vector and plain code. Both compute the same, bit for bit.

import (
	"golang.org/x/sys/cpu"

	"tpuir/weight/float16"
)

// dotRows writes the inner products of x with consecutive rows of w, which begin stride elements apart, to out.
func dotRows(out, x, w []float32, stride int) {
	k := len(x)
	if !cpu.X86.HasAVX || k < 8 || len(out) < 4 {
		dotRowsGo(out, x, w, stride)
		return
	}
	_ = w[(len(out)-1)*stride+k-1]
	i := 0
	if cpu.X86.HasAVX512F {
		for ; i+8 <= len(out); i += 8 {
			dot8AVX512(&out[i], &x[0], &w[i*stride], stride, k)
		}
	}
	for ; i+4 <= len(out); i += 4 {
		dot4AVX(&out[i], &x[0], &w[i*stride], stride, k)
	}
	if rest := len(out) - i; rest > 0 { // the last four once more: no row is computed another way
		var last [4]float32
		dot4AVX(&last[0], &x[0], &w[(len(out)-4)*stride], stride, k)
		copy(out[i:], last[4-rest:])
	}
}

// addScaled adds p[j] times row j of v to sum, row after row. Rows begin stride elements apart.
func addScaled(sum, p, v []float32, stride int) {
	n := len(sum) &^ 7
	if !cpu.X86.HasAVX || n == 0 || len(p) == 0 {
		addScaledGo(sum, p, v, stride)
		return
	}
	_ = v[(len(p)-1)*stride+len(sum)-1]
	addScaledAVX(&sum[0], &p[0], &v[0], stride, len(p), n)
	if n < len(sum) {
		addScaledGo(sum[n:], p, v[n:], stride)
	}
}

// roundBF16 rounds values to bfloat16 in place.
func roundBF16(values []float32) {
	n := 0
	if cpu.X86.HasAVX2 && len(values) >= 8 {
		n = len(values) &^ 7
		roundBF16AVX2(&values[0], n)
	}
	float16.BFloat16.RoundSlice(values[n:])
}

//go:noescape
func roundBF16AVX2(x *float32, n int)

//go:noescape
func dot8AVX512(out, x, w *float32, stride, k int)

//go:noescape
func dot4AVX(out, x, w *float32, stride, k int)

//go:noescape
func addScaledAVX(sum, p, v *float32, stride, rows, n int)
