package weight

import (
	"path/filepath"
	"testing"
)

// The matrix is that of a 0.5B model's MLP, bfloat16 as a checkpoint has it. Bytes are the stored ones.
const benchRows, benchColumns = 4864, 896

func benchTensor(b *testing.B) Tensor {
	raw := make([]byte, 2*benchRows*benchColumns)
	for i := range raw {
		raw[i] = byte(i*7) & 0x3f
	}
	w, err := FromBytes("w", BFloat16, []int64{benchRows, benchColumns}, raw)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	return w
}

func BenchmarkFloat32s(b *testing.B) {
	w := benchTensor(b)
	transposed, err := w.Transpose()
	if err != nil {
		b.Fatal(err)
	}
	for name, v := range map[string]Tensor{"plain": w, "transposed": transposed} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(2 * benchRows * benchColumns)
			for b.Loop() {
				if _, err := v.Float32s(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHasNaN(b *testing.B) {
	w := benchTensor(b)
	for b.Loop() {
		if _, found, err := w.HasNaN(b.Context()); found || err != nil {
			b.Fatal(found, err)
		}
	}
}

// BenchmarkWriteNPZ writes the matrix as TPU-MLIR's Top files have it: widened, transposed.
func BenchmarkWriteNPZ(b *testing.B) {
	w, err := benchTensor(b).Transpose()
	if err != nil {
		b.Fatal(err)
	}
	if w, err = w.Convert(Float32); err != nil {
		b.Fatal(err)
	}
	s, err := NewMemory("", w)
	if err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(b.TempDir(), "w.npz")
	for b.Loop() {
		if err := WriteNPZ(b.Context(), name, s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSum is what the first read of a stored entry costs beyond the read.
func BenchmarkSum(b *testing.B) {
	raw := make([]byte, 2*benchRows*benchColumns)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		c := &stored{raw: section{source: memorySource(raw), length: int64(len(raw))}}
		if _, err := c.bytes(0, 1); err == nil {
			b.Fatal("zeros have another sum")
		}
	}
}
