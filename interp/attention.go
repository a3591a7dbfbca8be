package interp

// This file holds attention: softmax(q·kᵀ·scale + mask)·v for each head, over keys and values that may lie in several
// parts (the history, and what this run adds).

import (
	"errors"
	"fmt"
	"math"

	"tpuir/ir"
)

type fAttention interface {
	Queries() *ir.Value
	Keys() *ir.Value
	Values() *ir.Value
	Mask() *ir.Value
	Output() *ir.Value
	Scale() float64
	Batch() int64
	QHead() int64
	KvHead() int64
	Dim() int64
	KeepDims() bool
	MaskSize() int64
}

// attentionOp is one FAttention. Queries are [b, n, heads, dim], keys and values [b, m, kvHeads, dim].
type attentionOp struct {
	queries, mask, out         slot
	keys, values               []slot // the parts, in order of m
	scale                      float32
	batch, heads, kvHeads, dim int
	causal, keepDims           bool
}

func buildFAttention[T fAttention](b *builder, op T) (kernel, error) {
	a := &attentionOp{scale: float32(op.Scale()), batch: int(op.Batch()), heads: int(op.QHead()), kvHeads: int(op.KvHead()),
		dim: int(op.Dim()), keepDims: op.KeepDims(), causal: op.MaskSize() > 0}
	if a.kvHeads == 0 {
		a.kvHeads = a.heads
	}
	if a.heads <= 0 || a.kvHeads <= 0 || a.dim <= 0 || a.heads%a.kvHeads != 0 {
		return nil, fmt.Errorf("has %d heads for %d key heads of %d channels", a.heads, a.kvHeads, a.dim)
	}
	_, err := countElements([]int64{int64(max(a.batch, 1)), int64(a.heads), int64(a.dim)})
	if err != nil {
		return nil, err
	}
	if a.queries, err = b.required(op.Queries()); err != nil {
		return nil, err
	}
	if a.mask, err = b.in(op.Mask()); err != nil {
		return nil, err
	}
	if a.keys, err = b.parts(op.Keys()); err != nil {
		return nil, err
	}
	if a.values, err = b.parts(op.Values()); err != nil {
		return nil, err
	}
	if a.out, _, err = b.out(op.Output()); err != nil {
		return nil, err
	}
	return a.run, nil
}

// parts returns the slots of keys or values: those of the operands of a concatenation that was left out for it.
func (b *builder) parts(v *ir.Value) ([]slot, error) {
	if parts, ok := b.joined[v]; ok {
		for _, s := range parts {
			b.use(s)
		}
		return parts, nil
	}
	s, err := b.required(v)
	return []slot{s}, err
}

// attention is one run of an attentionOp.
type attention struct {
	*attentionOp
	queries      []float32
	keys, values [][]float32
	partRows     []int // keys in each part
	n, m         int   // queries and keys of one batch
	mask         []float32
	maskSteps    [4]int // by batch, head, query, key
	out          []float32
}

func (a *attentionOp) run(f *frame) error {
	r := &attention{attentionOp: a, queries: f.floats(a.queries)}
	if err := r.sizes(f); err != nil {
		return err
	}
	shape := f.values[a.queries].Shape
	if !a.keepDims || len(shape) != 4 {
		shape = []int64{int64(a.batch), int64(r.n), int64(a.heads * a.dim)}
		if given := f.values[a.queries].Shape; len(given) == 4 {
			shape[0] = given[0]
		}
	}
	out, values, err := f.result(a.out, shape...)
	if err != nil {
		return err
	}
	r.out = values
	batch := len(r.queries) / max(r.n*a.heads*a.dim, 1)
	const rows = 16 // of queries in one task
	blocks := (r.n + rows - 1) / rows
	parallel(batch*a.heads*blocks, 1, 2*batch*a.heads*r.n*r.m*a.dim, func(start, end int) {
		scores := f.scratch(r.m)
		defer f.done(scores)
		for task := start; task < end; task++ {
			first := task % blocks * rows
			head := task / blocks
			for i := first; i < min(first+rows, r.n); i++ {
				r.row(scores, head/a.heads, head%a.heads, i)
			}
		}
	})
	f.finish(out, values)
	return nil
}

// sizes finds the lengths of the run from the operands' shapes, and checks them.
func (r *attention) sizes(f *frame) error {
	q := f.values[r.attentionOp.queries].Shape
	batch := max(r.batch, 1)
	if len(q) == 4 {
		batch = int(q[0])
	}
	row := r.heads * r.dim
	if batch == 0 || len(r.queries)%(batch*row) != 0 {
		return fmt.Errorf("queries of shape %v do not hold %d heads of %d channels", q, r.heads, r.dim)
	}
	r.n = len(r.queries) / (batch * row)
	for i, s := range r.attentionOp.keys {
		k, v := f.floats(s), f.floats(r.attentionOp.values[i])
		if len(k) != len(v) || len(k)%(batch*r.kvHeads*r.dim) != 0 {
			return fmt.Errorf("keys %v and values %v do not hold %d batches of %d heads of %d channels", f.values[s].Shape,
				f.values[r.attentionOp.values[i]].Shape, batch, r.kvHeads, r.dim)
		}
		r.keys, r.values = append(r.keys, k), append(r.values, v)
		r.partRows = append(r.partRows, len(k)/(batch*r.kvHeads*r.dim))
		r.m += r.partRows[i]
	}
	if r.causal {
		if r.m < r.n {
			return fmt.Errorf("has %d keys for %d queries", r.m, r.n)
		}
		return nil
	}
	if r.attentionOp.mask == noSlot {
		return nil
	}
	r.mask = f.floats(r.attentionOp.mask)
	return r.maskShape(f.values[r.attentionOp.mask].Shape, batch)
}

// maskShape finds how a mask steps with batch, head, query and key.
func (r *attention) maskShape(shape []int64, batch int) error {
	want := [4]int{batch, r.heads, r.n, r.m}
	step := 1
	for i := 3; i >= 0; i-- {
		at := i - 4 + len(shape)
		switch {
		case at < 0 || shape[at] == 1:
		case int(shape[at]) == want[i]:
			r.maskSteps[i] = step
			step *= want[i]
		default:
			return fmt.Errorf("has a mask of shape %v for %v", shape, want)
		}
	}
	if len(shape) > 4 {
		return errors.New("has a mask of more than four dimensions")
	}
	return nil
}

// row computes query i of a head.
func (r *attention) row(scores []float32, batch, head, i int) {
	d := r.dim
	at := ((batch*r.n+i)*r.heads + head) * d
	query, out := r.queries[at:at+d], r.out[at:at+d]
	kvHead := head / (r.heads / r.kvHeads)
	stride := r.kvHeads * d
	seen := r.m
	if r.causal {
		seen = r.m - r.n + i + 1
	}
	scores = scores[:seen]
	for part, start := 0, 0; start < seen; part++ {
		rows := min(r.partRows[part], seen-start)
		if rows > 0 {
			keys := r.keys[part][batch*r.partRows[part]*stride+kvHead*d:]
			dotRows(scores[start:start+rows], query, keys, stride)
		}
		start += rows
	}
	r.scaleAndMask(scores, batch, head, i)
	softmax(scores)
	clear(out)
	for part, start := 0, 0; start < seen; part++ {
		rows := min(r.partRows[part], seen-start)
		if rows > 0 {
			weigh(out, scores[start:start+rows], r.values[part][batch*r.partRows[part]*stride+kvHead*d:], stride)
		}
		start += rows
	}
}

func (r *attention) scaleAndMask(scores []float32, batch, head, i int) {
	if r.mask == nil {
		for j := range scores {
			scores[j] *= r.scale
		}
		return
	}
	at := batch*r.maskSteps[0] + head*r.maskSteps[1] + i*r.maskSteps[2]
	if r.maskSteps[3] == 0 {
		for j := range scores {
			scores[j] = float32(scores[j]*r.scale) + r.mask[at]
		}
		return
	}
	mask := r.mask[at : at+len(scores)]
	for j := range scores {
		scores[j] = float32(scores[j]*r.scale) + mask[j]
	}
}

// weigh adds p[j] times row j of v to out. Rows of weight 0, which masks make, are left out: they add nothing, and may
// hold anything.
func weigh(out, p, v []float32, stride int) {
	for j := 0; j < len(p); {
		if p[j] == 0 {
			j++
			continue
		}
		end := j + 1
		for end < len(p) && p[end] != 0 {
			end++
		}
		addScaled(out, p[j:end], v[j*stride:], stride)
		j = end
	}
}

// softmax replaces values by their softmax.
func softmax(values []float32) {
	most := float32(math.Inf(-1))
	for _, v := range values {
		if v > most {
			most = v
		}
	}
	sum := 0.0
	for i, v := range values {
		e := exp64(float64(v - most))
		values[i] = float32(e)
		sum += float64(values[i])
	}
	scale := 1 / sum
	for i, v := range values {
		values[i] = float32(float64(v) * scale)
	}
}
