package interp

// This file holds what the programs of one model share: decoded weights, up to a bound, and buffers.

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"tpuir/ir"
	"tpuir/weight"
)

// DefaultMemory is the bound on decoded weights of a Cache that states none, in bytes.
const DefaultMemory = 2 << 30

// Cache is a Weights that keeps what it decoded, so that programs compiled with the same Cache (the stages of a model)
// share it. Matrices that no longer fit the bound are decoded again at each use, a few rows at a time.
type Cache struct {
	weights Weights
	limit   int64

	mu       sync.Mutex
	used     int64
	matrices map[matrixKey]*matrix

	buffers arena
}

// NewCache returns a cache over weights that keeps at most limit bytes of them decoded; 0 stands for DefaultMemory.
func NewCache(weights Weights, limit int64) *Cache {
	if limit == 0 {
		limit = DefaultMemory
	}
	return &Cache{weights: weights, limit: limit, matrices: map[matrixKey]*matrix{}}
}

// Tensor is that of the weights underneath.
func (c *Cache) Tensor(name string, t *ir.RankedTensorType) (weight.Tensor, error) {
	return c.weights.Tensor(name, t)
}

// reserve takes bytes from the bound, and reports whether they were left. A negative number gives bytes back.
func (c *Cache) reserve(n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > c.limit-c.used {
		return false
	}
	c.used += n
	return true
}

// matrixKey is what makes two uses of a weight want the same decoded matrix: the name, and how it was packed.
type matrixKey struct {
	name, scale, zeroPoint string
	typ                    ir.Type
	transpose              bool
	bits, group            int64
}

// matrix returns the cached matrix of a key, or the new one that build describes.
func (c *Cache) matrix(key matrixKey, build func() (*matrix, error)) (*matrix, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.matrices[key]; m != nil {
		return m, nil
	}
	m, err := build()
	if err != nil {
		return nil, err
	}
	m.cache = c
	c.matrices[key] = m
	return m, nil
}

// matrix is a constant matrix of rows×columns, row-major, of which products take the inner product of rows.
type matrix struct {
	rows, columns int
	// decode writes rows first… to dst, which holds whole rows.
	decode func(dst []float32, first int) error

	cache  *Cache
	mu     sync.Mutex
	loaded atomic.Bool
	dense  []float32 // all rows, where the cache had room
}

// load decodes all rows at the first call, if the cache has room for them. A call that fails may be repeated.
func (m *matrix) load(ctx context.Context) error {
	if m.loaded.Load() {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded.Load() {
		return nil
	}
	size := 4 * int64(m.rows) * int64(m.columns)
	if m.cache.reserve(size) {
		dense, err := m.decodeAll(ctx)
		if err != nil {
			m.cache.reserve(-size)
			return err
		}
		m.dense = dense
	}
	m.loaded.Store(true)
	return nil
}

// decodeAll decodes all rows with all processors.
func (m *matrix) decodeAll(ctx context.Context) ([]float32, error) {
	dense := make([]float32, m.rows*m.columns)
	var mu sync.Mutex
	var failed error
	parallel(m.rows, 64, len(dense), func(start, end int) {
		err := context.Cause(ctx)
		if err == nil {
			err = m.decode(dense[start*m.columns:end*m.columns], start)
		}
		if err != nil {
			mu.Lock()
			failed = err
			mu.Unlock()
		}
	})
	return dense, failed
}

// read returns rows start…end: a part of the decoded matrix, or decoded into scratch, which has room for them.
func (m *matrix) read(scratch []float32, start, end int) ([]float32, error) {
	if m.dense != nil {
		return m.dense[start*m.columns : end*m.columns], nil
	}
	scratch = scratch[:(end-start)*m.columns]
	return scratch, m.decode(scratch, start)
}

// arena lends float buffers and takes them back, so that a run allocates little. Buffers are lent by size class, a power
// of two, and hold whatever their last user left.
type arena struct {
	mu       sync.Mutex
	free     [32][][]float32
	retained int64
}

// retainedMemory is what an arena keeps at most, in bytes.
const retainedMemory = 1 << 30

func (a *arena) take(n int) []float32 {
	if n == 0 {
		return nil
	}
	class := bits.Len(uint(n - 1))
	a.mu.Lock()
	defer a.mu.Unlock()
	if list := a.free[class]; len(list) > 0 {
		buffer := list[len(list)-1]
		a.free[class] = list[:len(list)-1]
		a.retained -= 4 << class
		return buffer[:n]
	}
	return make([]float32, n, 1<<class)
}

// give takes back a buffer that take lent.
func (a *arena) give(buffer []float32) {
	if cap(buffer) == 0 {
		return
	}
	class := bits.Len(uint(cap(buffer) - 1))
	if cap(buffer) != 1<<class {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.retained+4<<class > retainedMemory {
		return
	}
	a.retained += 4 << class
	a.free[class] = append(a.free[class], buffer)
}
