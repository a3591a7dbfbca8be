// Rules of attention ops and of rotary position embedding.

package shape

import "tpuir/ir"

// Heads are the operands and sizes of fused attention. A size of -1 is not known yet.
type Heads struct {
	Queries, Keys, Values, Mask, Output, Lse                          *ir.Value
	Batch, QueryHeads, KeyHeads, QueryDim, ValueDim, Mq, Mk, MaskSize int64
	KeepDims                                                          bool
}

// known makes of an attribute a dimension: -1 is one that is not known.
func known(size int64) int64 {
	if size == -1 {
		return ir.Dynamic
	}
	return size
}

// Attention checks queries [b, mq, heads, dim] (or [b, mq, heads·dim]), keys and values [b, mk, kv_heads, dim] and the
// result [b, mq, heads·dim], or as the queries where the dimensions are kept.
func Attention(op *ir.Operation, h *Heads) error {
	for _, size := range []struct {
		name  string
		value int64
		least int64
	}{
		{"batch", h.Batch, 1}, {"q_head", h.QueryHeads, 1}, {"kv_head", h.KeyHeads, 0}, {"dim", h.QueryDim, 1},
		{"mq", h.Mq, 1}, {"mk", h.Mk, 1}, {"mask_size", h.MaskSize, 0},
	} {
		if size.value < size.least && (size.value != -1 || size.name == "mask_size") {
			return op.Errorf("attribute '%s' must be at least %d, but is %d", size.name, size.least, size.value)
		}
	}
	keyHeads := h.KeyHeads
	if keyHeads == 0 {
		keyHeads = h.QueryHeads // 0 stands for as many as queries
	}
	if keyHeads > 0 && h.QueryHeads > 0 && h.QueryHeads%keyHeads != 0 {
		return op.Errorf("attribute 'q_head' %d is no multiple of 'kv_head' %d", h.QueryHeads, keyHeads)
	}
	batch, mq, mk := known(h.Batch), known(h.Mq), known(h.Mk)
	heads, kv := known(h.QueryHeads), known(keyHeads)
	if err := First(
		projection(op, h.Queries, "queries", batch, mq, heads, known(h.QueryDim)),
		projection(op, h.Keys, "keys", batch, mk, kv, known(h.QueryDim)),
		projection(op, h.Values, "values", batch, mk, kv, known(h.ValueDim)),
		h.mask(op, batch, mq, mk),
	); err != nil {
		return err
	}
	queries, _ := Of(h.Queries)
	if h.KeepDims && len(queries) == 4 {
		if err := Expect(op, h.Output, "output", []int64{batch, mq, heads, known(h.ValueDim)}); err != nil {
			return err
		}
	} else if err := Expect(op, h.Output, "output", []int64{batch, mq, times(heads, known(h.ValueDim))}); err != nil {
		return err
	}
	return First(SameElement(op, h.Queries, h.Output), SameElementAs(op, h.Queries, h.Keys, "keys"),
		SameElementAs(op, h.Queries, h.Values, "values"))
}

func times(a, b int64) int64 { return Product([]int64{a, b}) }

// projection checks queries, keys or values in either of their forms.
func projection(op *ir.Operation, v *ir.Value, what string, batch, length, heads, dim int64) error {
	dims, ok := Of(v)
	if ok && len(dims) == 3 {
		return Expect(op, v, what, []int64{batch, length, times(heads, dim)})
	}
	return Expect(op, v, what, []int64{batch, length, heads, dim})
}

// mask checks a mask that broadcasts to [b, heads, mq, mk], or the square mask of a net of dynamic length.
func (h *Heads) mask(op *ir.Operation, batch, mq, mk int64) error {
	dims, ok := Of(h.Mask)
	if !ok {
		return nil
	}
	if ir.ElementTypeOr(h.Mask.Type()) != ir.Type(op.Context().F32()) {
		if err := SameElementAs(op, h.Queries, h.Mask, "mask"); err != nil {
			return err
		}
	}
	if h.MaskSize > 0 {
		return Expect(op, h.Mask, "mask", []int64{h.MaskSize, h.MaskSize})
	}
	want := []int64{batch, known(h.QueryHeads), mq, mk}
	if len(dims) > len(want) {
		return op.Errorf("mask of shape %s does not broadcast to %s", Text(dims), Text(want))
	}
	for i, d := range dims {
		if w := want[len(want)-len(dims)+i]; d != 1 && !Agree(d, w) {
			return op.Errorf("mask of shape %s does not broadcast to %s", Text(dims), Text(want))
		}
	}
	return nil
}

// Rope checks x [b, m, heads, dim] with tables of cosines and sines that broadcast to it and cover the whole dim, which
// is even because elements are rotated in pairs.
func Rope(op *ir.Operation, input, cosine, sine, output *ir.Value) error {
	dims, ok := Of(input)
	if !ok {
		return nil
	}
	if len(dims) == 0 || dims[len(dims)-1] != ir.Dynamic && dims[len(dims)-1]%2 != 0 {
		return op.Errorf("input of shape %s cannot be rotated in pairs along its last dimension", Text(dims))
	}
	for _, table := range []struct {
		value *ir.Value
		name  string
	}{{cosine, "input2"}, {sine, "input3"}} {
		t, ok := Of(table.value)
		if !ok {
			continue
		}
		want, fits := Broadcast(dims, t)
		if !fits || !AllAgree(want, dims) || !Agree(t[len(t)-1], dims[len(dims)-1]) {
			return op.Errorf("%s of shape %s does not broadcast to the input's %s", table.name, Text(t), Text(dims))
		}
		if err := SameElementAs(op, input, table.value, table.name); err != nil {
			return err
		}
	}
	return First(SameShape(op, input, output), SameElement(op, input, output))
}
