package numerics

import (
	"math"
	"testing"

	"tpuir/interp"
)

func TestDifference(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		name        string
		a, b        []float32
		cosine, max float64
		at          int
		exact, near bool // beyond a tolerance of 0, of 0.01
	}{
		{"equal", []float32{1, 2, 3}, []float32{1, 2, 3}, 1, 0, 0, false, false},
		{"zeros", []float32{0, 0}, []float32{0, 0}, 1, 0, 0, false, false},
		{"a little", []float32{3, 4}, []float32{3, 4.5}, 27 / (5 * math.Sqrt(9+4.5*4.5)), 0.5, 1, true, false},
		{"turned", []float32{1, 0}, []float32{0, 1}, 0, 1, 0, true, true},
		{"the same NaN and infinity", []float32{nan, inf, 1}, []float32{nan, inf, 1}, 1, 0, 0, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := difference(interp.NewFloats(test.a, int64(len(test.a))), interp.NewFloats(test.b, int64(len(test.b))))
			if math.Abs(d.cosine-test.cosine) > 1e-12 || d.max != test.max || d.at != test.at {
				t.Errorf("got %+v, want cosine %v, max %v at %d", d, test.cosine, test.max, test.at)
			}
			if d.beyond(0) != test.exact || d.beyond(0.01) != test.near {
				t.Errorf("beyond 0: %v, beyond 0.01: %v", d.beyond(0), d.beyond(0.01))
			}
		})
	}
	d := difference(interp.NewFloats([]float32{1}, 1), interp.NewFloats([]float32{nan}, 1))
	if !d.beyond(0) || !d.beyond(0.01) {
		t.Errorf("a number that became NaN is not seen: %+v", d)
	}
}
