package quantize_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tpuir/weight"
	"tpuir/weight/quantize"
)

// BenchmarkQuantize measures a matrix of the size of a 0.5B model's MLP, as it comes from a checkpoint (bf16 [N, K]) and
// from a Top npz (float32 [K, N]). Bytes are those of a 16-bit weight.
func BenchmarkQuantize(b *testing.B) {
	const n, k = 4864, 896
	values := make([]float32, n*k)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range values {
		values[i] = float32(random.NormFloat64()) * 0.02
	}
	f32, err := weight.FromFloat32s("w", []int64{k, n}, values)
	if err != nil {
		b.Fatal(err)
	}
	transposed, err := f32.Transpose()
	if err != nil {
		b.Fatal(err)
	}
	half, err := transposed.Convert(weight.BFloat16)
	if err != nil {
		b.Fatal(err)
	}
	raw, err := half.Bytes(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	bf16, err := weight.FromBytes("w", weight.BFloat16, []int64{n, k}, raw)
	if err != nil {
		b.Fatal(err)
	}
	for _, source := range []struct {
		name string
		w    weight.Tensor
	}{{"checkpoint", bf16}, {"npz", transposed}} {
		for _, bits := range []int{4, 8} {
			b.Run(fmt.Sprintf("%s/w%d", source.name, bits), func(b *testing.B) {
				b.SetBytes(2 * n * k)
				for b.Loop() {
					o := quantize.Options{Bits: bits, GroupSize: 64}
					if _, err := quantize.Quantize(b.Context(), source.w, n, k, o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
