package quantize

// This file holds the arithmetic of one group. round is to nearest, halves away from zero, of the quotient alone, before
// the zero point is added.

import "math"

const (
	leastPlain   = 0x1p-100   // a denormal divided by a scale from here on rounds to 0 by itself
	leastRange   = 1e-5       // an asymmetric group's range counts as at least this
	exactLimit   = 1 << 22    // up to here a float32 has halves
	beforeHalf   = 0x3effffff // bits of the float32 before 0.5
	exponentMask = 0x7f800000
	signMask     = 0x80000000
)

// flush returns x, or 0 for a denormal.
func flush(x float32) float32 {
	if math.Float32bits(x)&exponentMask == 0 {
		return 0
	}
	return x
}

// extent is what the parameters of a group depend on.
type extent struct {
	least, greatest float32 // denormals flushed, NaNs passed over
	hasNaN          bool
}

// extentOf looks at all values. It compares them as integers of the same order, which takes no branches.
func extentOf(values []float32) extent {
	if len(values) == 0 {
		return extent{}
	}
	least, greatest := int32(math.MaxInt32), int32(math.MinInt32)
	for _, v := range values {
		key := orderKey(math.Float32bits(v))
		least = min(least, key)
		greatest = max(greatest, key)
	}
	if least < -infinityKey-1 || greatest > infinityKey {
		return extentAmongNaNs(values)
	}
	return extent{least: flush(fromOrderKey(least)), greatest: flush(fromOrderKey(greatest))}
}

// infinityKey is the order key of +Inf; that of -Inf is -infinityKey - 1.
const infinityKey = exponentMask

// orderKey maps the bits of float32 values to integers in the same order; NaNs come first and last, by their sign.
func orderKey(bits uint32) int32 { return int32(bits) ^ int32(bits)>>31&math.MaxInt32 }

func fromOrderKey(key int32) float32 {
	return math.Float32frombits(uint32(key ^ key>>31&math.MaxInt32))
}

// extentAmongNaNs is extentOf for values of which some are not numbers.
func extentAmongNaNs(values []float32) extent {
	e := extent{least: float32(math.Inf(1)), greatest: float32(math.Inf(-1)), hasNaN: true}
	for _, v := range values {
		if v == v {
			e.least, e.greatest = min(e.least, v), max(e.greatest, v)
		}
	}
	e.least, e.greatest = flush(e.least), flush(e.greatest)
	return e
}

// parameters returns the scale, unrounded, and the zero point of a group.
func (e extent) parameters(bits int, symmetric bool) (scale float32, zeroPoint byte) {
	limit := float32(int(1)<<bits - 1)
	if symmetric {
		magnitude := max(e.greatest, -e.least)
		return flush((magnitude + magnitude) / limit), 1 << (bits - 1)
	}
	scale = max(e.greatest-e.least, leastRange) / limit
	return scale, byte(quotient(-e.least, scale, 0, int32(limit), int32Limit))
}

// The reference turns rounded quotients into integers of 32 bits for zero points and of 64 for codes, with the
// processor's instruction, which gives the least integer for whatever does not fit: large numbers, +Inf, NaN.
const (
	int32Limit = 0x1p31
	int64Limit = 0x1p63
)

// quotient returns round(x / scale) inside least and greatest, or least where it is not below the limit of the integers.
func quotient(x, scale float32, least, greatest int32, limit float32) int32 {
	q := x / scale
	switch {
	case !(q < limit):
		return least
	case q >= float32(greatest):
		return greatest
	case q <= float32(least):
		return least
	}
	return roundSmall(q)
}

// roundSmall rounds a number of magnitude up to exactLimit to the nearest integer, halves away from zero. Adding the
// number before one half carries exactly those that are at least half way.
func roundSmall(q float32) int32 {
	half := math.Float32frombits(math.Float32bits(q)&signMask | beforeHalf)
	return int32(q + half)
}

// encodeGroup writes the codes of a group, clamp(round(value / scale) + zeroPoint).
func encodeGroup(codes []byte, values []float32, e extent, bits int, scale float32, zeroPoint byte) {
	steps := max(e.greatest, -e.least) / scale
	if scale < leastPlain || !(steps < exactLimit) || e.hasNaN {
		encodeGroupSlow(codes, values, bits, scale, zeroPoint)
		return
	}
	zero := int32(zeroPoint)
	if bits == 8 {
		for i, v := range values {
			codes[i] = byte(min(max(roundSmall(v/scale)+zero, 0), 255))
		}
		return
	}
	for i := range codes {
		low := min(max(roundSmall(values[2*i]/scale)+zero, 0), 15)
		high := min(max(roundSmall(values[2*i+1]/scale)+zero, 0), 15)
		codes[i] = byte(low | high<<4)
	}
}

// encodeGroupSlow is encodeGroup for groups with huge quotients, denormals or numbers that are none.
func encodeGroupSlow(codes []byte, values []float32, bits int, scale float32, zeroPoint byte) {
	clear(codes)
	greatest := int32(1)<<bits - 1
	for i, v := range values {
		// Beyond twice the range the zero point no longer matters.
		code := quotient(flush(v), scale, -2*256, 2*256, int64Limit) + int32(zeroPoint)
		code = min(max(code, 0), greatest)
		if bits == 8 {
			codes[i] = byte(code)
		} else {
			codes[i/2] |= byte(code << (4 * (i % 2)))
		}
	}
}
