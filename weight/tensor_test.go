package weight

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/weight/float16"
)

// numbered returns a tensor of the elements 0, 1, 2, ….
func numbered(t *testing.T, dtype DType, shape ...int64) Tensor {
	t.Helper()
	n, _ := elementCount(shape)
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i)
	}
	raw := make([]byte, n*dtype.Size())
	switch dtype {
	case Float32, BFloat16, Float16:
		encodeFloat32(raw, values, dtype)
	case Uint8:
		for i := range raw {
			raw[i] = byte(i)
		}
	case Int64:
		for i := range values {
			binary.LittleEndian.PutUint64(raw[8*i:], uint64(i))
		}
	default:
		t.Fatalf("no numbers of type %v", dtype)
	}
	tensor, err := FromBytes("numbered", dtype, shape, raw)
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}

func floats(t *testing.T, w Tensor) []float32 {
	t.Helper()
	values, err := w.Float32s(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// do applies a view operation that must succeed.
func do(t *testing.T) func(Tensor, error) Tensor {
	return func(w Tensor, err error) Tensor {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

func TestViews(t *testing.T) {
	tests := []struct {
		name  string
		shape []int64
		view  View
		want  []float32
		as    []int64
	}{
		{"as it is", []int64{2, 3}, View{}, []float32{0, 1, 2, 3, 4, 5}, []int64{2, 3}},
		{"transposed", []int64{2, 3}, View{Transpose: true}, []float32{0, 3, 1, 4, 2, 5}, []int64{3, 2}},
		{"reshaped", []int64{6}, View{Shape: []int64{1, 1, 6}}, []float32{0, 1, 2, 3, 4, 5}, []int64{1, 1, 6}},
		{"rows", []int64{4, 2}, View{Rows: [2]int64{1, 3}}, []float32{2, 3, 4, 5}, []int64{2, 2}},
		{"one row", []int64{4, 2}, View{Rows: [2]int64{3, 4}}, []float32{6, 7}, []int64{1, 2}},
		{"rows transposed", []int64{4, 2}, View{Rows: [2]int64{2, 4}, Transpose: true}, []float32{4, 6, 5, 7}, []int64{2, 2}},
		{"rows of a vector", []int64{5}, View{Rows: [2]int64{2, 4}}, []float32{2, 3}, []int64{2}},
		{"permuted", []int64{3, 2}, View{Order: []int{2, 0, 1}}, []float32{4, 5, 0, 1, 2, 3}, []int64{3, 2}},
		{"one of them", []int64{3, 2}, View{Order: []int{2}}, []float32{4, 5}, []int64{1, 2}},
		{"permuted and transposed", []int64{3, 2}, View{Order: []int{2, 0, 1}, Transpose: true},
			[]float32{4, 0, 2, 5, 1, 3}, []int64{2, 3}},
		{"transposed and reshaped", []int64{2, 3}, View{Transpose: true, Shape: []int64{1, 6}},
			[]float32{0, 3, 1, 4, 2, 5}, []int64{1, 6}},
		{"column vector", []int64{3, 1}, View{Transpose: true}, []float32{0, 1, 2}, []int64{1, 3}},
		{"rows, then order", []int64{4, 1}, View{Rows: [2]int64{1, 4}, Order: []int{2, 1, 0}}, []float32{3, 2, 1}, []int64{3, 1}},
		{"a row of a cube", []int64{2, 2, 2}, View{Rows: [2]int64{1, 2}}, []float32{4, 5, 6, 7}, []int64{1, 2, 2}},
		{"empty", []int64{0, 3}, View{Transpose: true}, []float32{}, []int64{3, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, dtype := range []DType{Float32, BFloat16, Float16, Uint8, Int64} {
				w := do(t)(tt.view.Apply(numbered(t, dtype, tt.shape...)))
				if diff := cmp.Diff(tt.want, floats(t, w)); diff != "" {
					t.Errorf("%v elements (-want +got):\n%s", dtype, diff)
				}
				if diff := cmp.Diff(tt.as, w.Shape()); diff != "" {
					t.Errorf("shape (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestViewsOfViews(t *testing.T) {
	w := numbered(t, Float32, 2, 3)
	back := do(t)(do(t)(w.Transpose()).Transpose())
	if !back.contiguous() {
		t.Error("transposing twice leaves the elements out of order")
	}
	columns := do(t)(do(t)(w.Transpose()).Rows(1, 3)) // columns 1 and 2
	if diff := cmp.Diff([]float32{1, 4, 2, 5}, floats(t, columns)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float32{1, 2, 4, 5}, floats(t, do(t)(w.Columns(1, 3)))); diff != "" {
		t.Errorf("columns of a plain matrix (-want +got):\n%s", diff)
	}
	again := do(t)(columns.Transpose())
	if diff := cmp.Diff([]float32{1, 2, 4, 5}, floats(t, again)); diff != "" {
		t.Errorf("columns, transposed (-want +got):\n%s", diff)
	}
	one := do(t)(do(t)(w.Transpose()).Rows(2, 3))
	if diff := cmp.Diff([]float32{2, 5}, floats(t, one)); diff != "" {
		t.Errorf("one column (-want +got):\n%s", diff)
	}
	twice := do(t)(do(t)(numbered(t, Float32, 4, 1).PermuteRows([]int{3, 2, 1, 0})).PermuteRows([]int{1, 1, 3}))
	if diff := cmp.Diff([]float32{2, 2, 0}, floats(t, twice)); diff != "" {
		t.Errorf("permuted twice (-want +got):\n%s", diff)
	}
}

func TestBadViews(t *testing.T) {
	w := numbered(t, Float32, 2, 3)
	transposed := do(t)(w.Transpose())
	flat := do(t)(transposed.Reshape(1, 2, 3))
	tests := []struct {
		name string
		make func() (Tensor, error)
		want string
	}{
		{"reshape", func() (Tensor, error) { return w.Reshape(4) }, `tensor "numbered": shape [4] does not fit [2 3]`},
		{"transpose a cube", func() (Tensor, error) { return flat.Transpose() },
			`tensor "numbered": cannot transpose shape [1 2 3]: not a matrix`},
		{"transpose what lies in another order", func() (Tensor, error) {
			v, err := transposed.Reshape(2, 3)
			if err != nil {
				return v, err
			}
			return v.Transpose()
		}, `tensor "numbered": cannot transpose 2×3 elements that lie in another order`},
		{"rows", func() (Tensor, error) { return w.Rows(1, 3) }, `tensor "numbered": no rows 1 to 3 in shape [2 3]`},
		{"order", func() (Tensor, error) { return w.PermuteRows([]int{0, 2}) }, `tensor "numbered": no row 2 in shape [2 3]`},
		{"convert", func() (Tensor, error) { return numbered(t, Uint8, 2).Convert(Float32) },
			`tensor "numbered": cannot convert U8 to F32`},
		{"reinterpret", func() (Tensor, error) { return w.Reinterpret(BFloat16) },
			`tensor "numbered": the bits of F32 are not those of BF16`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.make()
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
}

// TestLargeViews reads views larger than a block, in one piece and in odd ranges, and compares with reading element by
// element.
func TestLargeViews(t *testing.T) {
	const rows, columns = 130, 1100
	random := rand.New(rand.NewPCG(5, 6))
	values := make([]float32, rows*columns)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	w := do(t)(FromFloat32s("w", []int64{rows, columns}, values))
	order := random.Perm(rows)
	permuted := do(t)(w.PermuteRows(order))
	for name, v := range map[string]Tensor{
		"plain":                   w,
		"transposed":              do(t)(w.Transpose()),
		"permuted":                permuted,
		"permuted and transposed": do(t)(permuted.Transpose()),
		"rounded":                 do(t)(do(t)(w.Transpose()).Convert(BFloat16)),
	} {
		t.Run(name, func(t *testing.T) {
			all := floats(t, v)
			want := make([]float32, len(all))
			raw := make([]byte, 4)
			for i := range want {
				if err := (Tensor{shape: v.shape, data: v.data, stored: v.stored, offset: v.offset, dims: v.dims}).
					gatherEach(raw, int64(i)); err != nil {
					t.Fatal(err)
				}
				want[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw))
				if name == "rounded" {
					want[i] = float16.RoundBF16(want[i])
				}
			}
			if !slices.Equal(want, all) {
				t.Fatal("reading at once differs from reading each element")
			}
			checkRanges(t, v, want, random)
		})
	}
}

// checkRanges reads random ranges of v, as floats and as bytes.
func checkRanges(t *testing.T, v Tensor, want []float32, random *rand.Rand) {
	t.Helper()
	size := v.DType().Size()
	for range 20 {
		start := random.IntN(len(want))
		part := make([]float32, random.IntN(min(len(want)-start, 5000)+1))
		if err := v.ReadFloat32s(part, int64(start)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(want[start:start+len(part)], part) {
			t.Fatalf("reading %d elements at %d differs", len(part), start)
		}
		raw := make([]byte, int64(len(part))*size)
		if err := v.ReadBytes(raw, int64(start)); err != nil {
			t.Fatal(err)
		}
		decoded := make([]float32, len(part))
		decodeFloat32(decoded, raw, v.DType())
		if !slices.Equal(part, decoded) {
			t.Fatalf("reading %d elements at %d as bytes differs", len(part), start)
		}
	}
}

func TestConversionsAreKeptApart(t *testing.T) {
	denormal := do(t)(FromUint16s("w", BFloat16, []int64{2}, []uint16{0x0001, 0x3f80}))
	wide := do(t)(denormal.Convert(Float32))
	back := do(t)(wide.Convert(BFloat16))
	if diff := cmp.Diff([]float32{math.Float32frombits(0x10000), 1}, floats(t, wide)); diff != "" {
		t.Errorf("widened (-want +got):\n%s", diff)
	}
	got, err := back.Uint16s(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint16{0, 0x3f80}, got); diff != "" {
		t.Errorf("widened and rounded (-want +got):\n%s", diff)
	}
}

func TestElementTypes(t *testing.T) {
	tests := []struct {
		dtype DType
		raw   []byte
		want  []float32
	}{
		{Float64, binary.LittleEndian.AppendUint64(nil, math.Float64bits(1.1)), []float32{1.1}},
		{Float8E4M3FN, []byte{0x38, 0xb8, 0x01, 0x7e, 0x08}, []float32{1, -1, 0x1p-9, 448, 0x1p-6}},
		{Float8E5M2, []byte{0x3c, 0xbc, 0x01, 0x7b}, []float32{1, -1, 0x1p-16, 57344}},
		{Bool, []byte{1, 0}, []float32{1, 0}},
		{Int8, []byte{0xff, 5}, []float32{-1, 5}},
		{Int16, []byte{0xfe, 0xff}, []float32{-2}},
		{Int32, []byte{0xfd, 0xff, 0xff, 0xff}, []float32{-3}},
		{Uint32, []byte{0, 0, 0, 0x80}, []float32{0x1p31}},
		{Int64, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []float32{-1}},
		{Uint64, []byte{1, 0, 0, 0, 0, 0, 0, 0}, []float32{1}},
	}
	for _, tt := range tests {
		t.Run(tt.dtype.String(), func(t *testing.T) {
			w := do(t)(FromBytes("w", tt.dtype, []int64{int64(len(tt.want))}, tt.raw))
			if diff := cmp.Diff(tt.want, floats(t, w)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	bits := do(t)(FromUint16s("w", Uint16, []int64{1}, []uint16{0x3f80}))
	if _, err := bits.Float32s(t.Context()); err == nil {
		t.Error("the bits of U16 elements were read as numbers")
	}
	if got := floats(t, do(t)(bits.Reinterpret(BFloat16))); got[0] != 1 {
		t.Errorf("the bits as BF16 are %v", got)
	}
}

func TestHasNaN(t *testing.T) {
	const rows, columns, at = 100, 1001, 70_123
	for _, dtype := range []DType{Float32, BFloat16, Float16, Float64} {
		t.Run(dtype.String(), func(t *testing.T) {
			values := make([]float32, rows*columns)
			for i := range values {
				values[i] = float32(math.Inf(1 - 2*(i%2)))
			}
			raw := make([]byte, int64(len(values))*dtype.Size())
			set := func(i int, v float32) {
				if dtype == Float64 {
					binary.LittleEndian.PutUint64(raw[8*i:], math.Float64bits(float64(v)))
				} else {
					encodeFloat32(raw[int64(i)*dtype.Size():], []float32{v}, dtype)
				}
			}
			for i, v := range values {
				set(i, v)
			}
			w := do(t)(FromBytes("w", dtype, []int64{rows, columns}, raw))
			if _, found, err := w.HasNaN(t.Context()); found || err != nil {
				t.Errorf("found %t, %v among infinities", found, err)
			}
			for _, i := range []int{0, at, len(values) - 1} {
				set(i, float32(math.NaN()))
				got, found, err := w.HasNaN(t.Context())
				if got != int64(i) || !found || err != nil {
					t.Errorf("found %t at %d, %v; want %d", found, got, err, i)
				}
				if i == at {
					got, _, err := do(t)(w.Transpose()).HasNaN(t.Context())
					if want := int64(at%columns*rows + at/columns); got != want || err != nil {
						t.Errorf("transposed: found at %d, %v; want %d", got, err, want)
					}
					first := do(t)(w.Rows(0, 2))
					if _, found, err := first.HasNaN(t.Context()); found || err != nil {
						t.Errorf("found %t, %v in rows without one", found, err)
					}
				}
				set(i, 1)
			}
		})
	}
}
