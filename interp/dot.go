package interp

// This file holds the inner products that matrix products and attention are made of, and says in which order they add:
// element k goes to partial sum k mod 16, in order of k, and the partial sums are added as a tree. Vector units of 8 and
// 16 lanes compute the same sums, bit for bit; dot_amd64.s does. Products are converted to float32 before they are
// added, so that no compiler fuses the two.

// lanes is the number of partial sums.
const lanes = 16

// sumLanes adds the partial sums: neighbours at distance 8, then 4, 2 and 1.
func sumLanes(l *[lanes]float32) float32 {
	for i := range 8 {
		l[i] += l[i+8]
	}
	for i := range 4 {
		l[i] += l[i+4]
	}
	return (l[0] + l[2]) + (l[1] + l[3])
}

// dotGo returns the inner product of two slices of equal length.
func dotGo(x, w []float32) float32 {
	w = w[:len(x)]
	var l [lanes]float32
	// Eight sums at a time: sixteen and their operands do not fit the registers of scalar code.
	for half := 0; half < lanes; half += 8 {
		var a0, a1, a2, a3, a4, a5, a6, a7 float32
		for k := half; k+8 <= len(x); k += lanes {
			xs, ws := (*[8]float32)(x[k:]), (*[8]float32)(w[k:])
			a0 += float32(xs[0] * ws[0])
			a1 += float32(xs[1] * ws[1])
			a2 += float32(xs[2] * ws[2])
			a3 += float32(xs[3] * ws[3])
			a4 += float32(xs[4] * ws[4])
			a5 += float32(xs[5] * ws[5])
			a6 += float32(xs[6] * ws[6])
			a7 += float32(xs[7] * ws[7])
		}
		*(*[8]float32)(l[half:]) = [8]float32{a0, a1, a2, a3, a4, a5, a6, a7}
	}
	for k := len(x) &^ 7; k < len(x); k++ {
		l[k%lanes] += float32(x[k] * w[k])
	}
	return sumLanes(&l)
}

// dotRowsGo writes the inner products of x with consecutive rows of w, which begin stride elements apart, to out.
func dotRowsGo(out, x, w []float32, stride int) {
	for i := range out {
		out[i] = dotGo(x, w[i*stride:i*stride+len(x)])
	}
}

// addScaledGo adds p[j] times row j of v to sum, row after row. Rows begin stride elements apart.
func addScaledGo(sum, p, v []float32, stride int) {
	j := 0
	for ; j+4 <= len(p); j += 4 {
		p0, p1, p2, p3 := p[j], p[j+1], p[j+2], p[j+3]
		v0, v1 := v[j*stride:][:len(sum)], v[(j+1)*stride:][:len(sum)]
		v2, v3 := v[(j+2)*stride:][:len(sum)], v[(j+3)*stride:][:len(sum)]
		for d, s := range sum {
			s += float32(p0 * v0[d])
			s += float32(p1 * v1[d])
			s += float32(p2 * v2[d])
			s += float32(p3 * v3[d])
			sum[d] = s
		}
	}
	for ; j < len(p); j++ {
		pj, vj := p[j], v[j*stride:][:len(sum)]
		for d, x := range vj {
			sum[d] += float32(pj * x)
		}
	}
}
