// Rules of attention ops and of rotary position embedding.

package shape

import "tpuir/ir"

// AttentionOp is fused attention in either dialect. A size of -1 is not known yet.
type AttentionOp interface {
	Queries() *ir.Value
	Keys() *ir.Value
	Values() *ir.Value
	Mask() *ir.Value
	Output() *ir.Value
	Batch() int64
	QHead() int64
	KvHead() int64
	Mq() int64
	Mk() int64
	MaskSize() int64
	KeepDims() bool
}

// known makes of an attribute a dimension: -1 is one that is not known.
func known(size int64) int64 {
	if size == -1 {
		return ir.Dynamic
	}
	return size
}

// Attention checks queries [b, mq, heads, dim] (or [b, mq, heads·dim]), keys and values [b, mk, kv_heads, dim] and the
// result [b, mq, heads·dim], or as the queries where the dimensions are kept. Values may be wider than queries and keys.
func Attention(op *ir.Operation, a AttentionOp, queryDim, valueDim int64) error {
	for _, size := range []struct {
		name  string
		value int64
		least int64
	}{
		{"batch", a.Batch(), 1}, {"q_head", a.QHead(), 1}, {"kv_head", a.KvHead(), 0}, {"dim", queryDim, 1},
		{"mq", a.Mq(), 1}, {"mk", a.Mk(), 1}, {"mask_size", a.MaskSize(), 0},
	} {
		if size.value < size.least && (size.value != -1 || size.name == "mask_size") {
			return op.Errorf("attribute '%s' must be at least %d, but is %d", size.name, size.least, size.value)
		}
	}
	keyHeads := a.KvHead()
	if keyHeads == 0 {
		keyHeads = a.QHead() // 0 stands for as many as queries
	}
	if keyHeads > 0 && a.QHead() > 0 && a.QHead()%keyHeads != 0 {
		return op.Errorf("attribute 'q_head' %d is no multiple of 'kv_head' %d", a.QHead(), keyHeads)
	}
	batch, mq, mk := known(a.Batch()), known(a.Mq()), known(a.Mk())
	heads, kv := known(a.QHead()), known(keyHeads)
	if err := First(
		projection(op, a.Queries(), "queries", batch, mq, heads, known(queryDim)),
		projection(op, a.Keys(), "keys", batch, mk, kv, known(queryDim)),
		projection(op, a.Values(), "values", batch, mk, kv, known(valueDim)),
		attentionMask(op, a, batch, mq, mk),
	); err != nil {
		return err
	}
	queries, _ := Of(a.Queries())
	if a.KeepDims() && len(queries) == 4 {
		if err := Expect(op, a.Output(), "output", []int64{batch, mq, heads, known(valueDim)}); err != nil {
			return err
		}
	} else if err := Expect(op, a.Output(), "output", []int64{batch, mq, times(heads, known(valueDim))}); err != nil {
		return err
	}
	return First(SameElement(op, a.Queries(), a.Output()), SameElementAs(op, a.Queries(), a.Keys(), "keys"),
		SameElementAs(op, a.Queries(), a.Values(), "values"))
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

// attentionMask checks a mask that broadcasts to [b, heads, mq, mk], or the square mask of a net of dynamic length.
func attentionMask(op *ir.Operation, a AttentionOp, batch, mq, mk int64) error {
	dims, ok := Of(a.Mask())
	if !ok {
		return nil
	}
	if ir.ElementTypeOr(a.Mask().Type()) != ir.Type(op.Context().F32()) {
		if err := SameElementAs(op, a.Queries(), a.Mask(), "mask"); err != nil {
			return err
		}
	}
	if a.MaskSize() > 0 {
		return Expect(op, a.Mask(), "mask", []int64{a.MaskSize(), a.MaskSize()})
	}
	want := []int64{batch, known(a.QHead()), mq, mk}
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
