package interp

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"tpuir/internal/shareddata"
)

// rows returns rows start…end along the second dimension of a value whose first is 1.
func rows(t *Tensor, start, end int64) *Tensor {
	width := int64(len(t.Floats)) / t.Shape[1]
	shape := slices.Clone(t.Shape)
	shape[1] = end - start
	return NewFloats(slices.Clone(t.Floats[start*width:end*width]), shape...)
}

func positions(start, end int64) *Tensor {
	var list []int64
	for i := start; i < end; i++ {
		list = append(list, i)
	}
	return NewIntegers(list, 1, end-start)
}

func mustRun(t *testing.T, p *Program, inputs ...*Tensor) []*Tensor {
	t.Helper()
	outputs, err := p.Run(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// TestStagesAgree checks that a token's numbers do not depend on the stage that computes them nor on the length of the
// run: dynamic nets on inputs shorter than their types say, prefill with history, and decode over a history that is
// longer than what is filled.
func TestStagesAgree(t *testing.T) {
	folder := filepath.Join(shareddata.Dir(t), "golden", "nano-qwen3-w4bf16-history")
	for _, stage := range []string{"top", "lowered"} {
		t.Run(stage, func(t *testing.T) {
			net := func(name string) *Program {
				return compileFile(t, filepath.Join(folder, name, stage+".mlir"), Options{})
			}
			prefill, extend, decode := net("block_0"), net("block_kv_0"), net("block_cache_0")
			const n, chunk = 15, 5
			hidden := NewFloats(randomFloats(3, n*64), 1, n, 64)
			roundTo(BF16, hidden.Floats)
			whole := mustRun(t, prefill, hidden, positions(0, n))

			first := mustRun(t, prefill, rows(hidden, 0, n-chunk), positions(0, n-chunk))
			compareRows(t, "shorter prefill", first, whole, 0)

			history := []*Tensor{rows(whole[1], 0, n-chunk), rows(whole[2], 0, n-chunk)}
			compareRows(t, "prefill with history",
				mustRun(t, extend, rows(hidden, n-chunk, n), positions(n-chunk, n), history[0], history[1]), whole, n-chunk)

			compareRows(t, "decode", mustRun(t, decode, decodeInputs(hidden, whole, n-1)...), whole, n-1)
		})
	}
}

// decodeInputs are those of decoding the token at a position, behind a history of 64 of which the rest holds anything.
func decodeInputs(hidden *Tensor, whole []*Tensor, at int64) []*Tensor {
	mask := make([]float32, 65)
	for i := at; i < 64; i++ {
		mask[i] = -10000
	}
	inputs := []*Tensor{rows(hidden, at, at+1), positions(at, at+1), NewFloats(mask, 1, 1, 1, 65)}
	for i := 1; i <= 2; i++ {
		buffer := randomFloats(uint64(i), 64*32)
		copy(buffer, whole[i].Floats[:at*32])
		inputs = append(inputs, NewFloats(buffer, 1, 64, 1, 32))
	}
	return inputs
}

// compareRows compares a run's outputs with the rows of a longer one, from start on.
func compareRows(t *testing.T, what string, got, whole []*Tensor, start int64) {
	t.Helper()
	for i := range got {
		want := rows(whole[i], start, start+got[i].Shape[1])
		if at := sameBits(got[i].Floats, want.Floats); at >= 0 {
			t.Errorf("%s: output %d is %v at element %d, want %v", what, i, got[i].Floats[at], at, want.Floats[at])
		}
	}
}

func TestInputsAreChecked(t *testing.T) {
	folder := filepath.Join(shareddata.Dir(t), "golden", "nano-qwen3-w4bf16-history")
	p := compileFile(t, filepath.Join(folder, "block_0", "top.mlir"), Options{})
	hidden := func(n int64) *Tensor { return NewFloats(make([]float32, n*64), 1, n, 64) }
	for name, inputs := range map[string][]*Tensor{
		"too long":        {hidden(17), positions(0, 17)},
		"another rank":    {NewFloats(make([]float32, 64), 1, 64), positions(0, 1)},
		"too few values":  {{Kind: F32, Shape: []int64{1, 2, 64}, Floats: make([]float32, 64)}, positions(0, 2)},
		"negative size":   {{Kind: F32, Shape: []int64{1, -2, 64}}, positions(0, 2)},
		"one missing":     {hidden(2), nil},
		"too few":         {hidden(2)},
		"lengths differ":  {hidden(2), positions(0, 3)},
		"position beyond": {hidden(2), positions(63, 65)},
	} {
		if _, err := p.Run(t.Context(), inputs); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	// An error leaves the program usable.
	mustRun(t, p, hidden(2), positions(0, 2))
}

// TestThreads checks that results do not depend on the number of processors, nor on what the cache has room for.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	folder := filepath.Join(shareddata.Dir(t), "golden", "nano-qwen2-w4bf16", "block_0")
	inputs := readTensors(t, filepath.Join(folder, "num_input.npz"))
	var want []*Tensor
	for _, processors := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(processors)
		p := compileFile(t, filepath.Join(folder, "lowered.mlir"), Options{})
		p.cache.limit = int64(processors-1) * 1000 // nothing fits, little fits
		got := mustRun(t, p, namedInputs(t, p, inputs)...)
		if want == nil {
			want = got
		}
		for i := range got {
			if at := sameBits(got[i].Floats, want[i].Floats); at >= 0 {
				t.Errorf("%d processors: output %d differs at element %d", processors, i, at)
			}
		}
	}
}

// TestConcurrentRuns runs one program many times at once.
func TestConcurrentRuns(t *testing.T) {
	folder := goldenNet(t, "nano-qwen2-w4bf16", "block_cache_0")
	p := compileFile(t, filepath.Join(folder, "lowered.mlir"), Options{})
	inputs := namedInputs(t, p, readTensors(t, filepath.Join(folder, "num_input.npz")))
	want := mustRun(t, p, inputs...)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				got, err := p.Run(t.Context(), inputs)
				if err != nil {
					t.Error(err)
					return
				}
				for i := range got {
					if sameBits(got[i].Floats, want[i].Floats) >= 0 {
						t.Errorf("output %d differs among concurrent runs", i)
					}
				}
			}
		})
	}
	group.Wait()
}

// TestCancelled checks that a run that was cancelled leaves a program that works, its weights not yet decoded.
func TestCancelled(t *testing.T) {
	folder := goldenNet(t, "nano-qwen2-w4bf16", "block_cache_0")
	p := compileFile(t, filepath.Join(folder, "lowered.mlir"), Options{})
	inputs := namedInputs(t, p, readTensors(t, filepath.Join(folder, "num_input.npz")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(ctx, inputs); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	for _, m := range p.cache.matrices {
		if err := m.load(ctx); !errors.Is(err, context.Canceled) || m.dense != nil {
			t.Errorf("loading gave error %v, want that of the context", err)
		}
	}
	mustRun(t, p, inputs...)
}
