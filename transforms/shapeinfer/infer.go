// Package shapeinfer computes the shapes of results from those of operands, for the ops of both dialects that language
// models are made of. The stage split and the shape-infer pass use it.
package shapeinfer

import (
	"slices"

	"tpuir/dialect/shape"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// rule gives the shape of each result of an op; nil leaves a result as it is.
type rule func(op *ir.Operation) ([][]int64, error)

// Rules is the table of what is known, by op name. The zero value is not ready: see [NewRules].
type Rules struct{ table map[string]rule }

// NewRules returns the rules.
func NewRules() *Rules {
	r := &Rules{table: map[string]rule{}}
	for _, dialect := range []string{"top.", "tpu."} {
		for _, name := range []string{"RMSNorm", "SiLU", "Active", "Cast", "Rope", "Softmax", "CumSum", "ScatterElements", "ScatterND",
			"CompareConst", "Input", "MulConst", "AddConst", "LayerNorm", "GELU", "Sigmoid", "Relu", "Exp", "Sqrt", "Rsqrt", "Tanh"} {
			r.table[dialect+name] = first
		}
		for _, name := range []string{"Add", "Mul", "Div", "Sub", "Compare", "Where", "Max", "Min"} {
			r.table[dialect+name] = broadcast
		}
		r.table[dialect+"Reshape"] = reshape
		r.table[dialect+"Gather"] = gather
		r.table[dialect+"GatherElements"] = second
		r.table[dialect+"Concat"] = concat
		r.table[dialect+"Permute"] = permute
		r.table[dialect+"FAttention"] = attention
		r.table[dialect+"TopK"] = topK
		r.table[dialect+"MatMul"] = matMul
		r.table[dialect+"A16MatMul"] = packedMatMul
		r.table[dialect+"None"] = leave
		r.table[dialect+"Weight"] = leave
	}
	r.table["func.return"] = leave
	return r
}

// Apply sets the shapes of an op's results, where they are tensors; element types and encodings stay. It reports whether
// the op is known. A result without operands to follow is left.
func (r *Rules) Apply(op *ir.Operation) (known bool, err error) {
	rule := r.table[op.Name().String()]
	if rule == nil {
		return false, nil
	}
	shapes, err := rule(op)
	if err != nil {
		return true, err
	}
	for i, dims := range shapes {
		if dims == nil || i >= op.NumResults() {
			continue
		}
		SetShape(op.Result(i), dims)
	}
	return true, nil
}

// SetShape gives a tensor value another shape, keeping element type and encoding. A value that is no ranked tensor stays.
func SetShape(v *ir.Value, dims []int64) {
	if t, ok := v.Type().(*ir.RankedTensorType); ok && !slices.Equal(t.Shape, dims) {
		v.SetType(t.Context().RankedTensorType(dims, t.Element, t.Encoding))
	}
}

func leave(*ir.Operation) ([][]int64, error) { return nil, nil }

func one(dims []int64) ([][]int64, error) { return [][]int64{dims}, nil }

// dims returns the shape of an operand, or an error where it has none.
func dims(op *ir.Operation, operand int) ([]int64, error) {
	if operand < op.NumOperands() {
		if d, ok := shape.Of(op.Operand(operand)); ok {
			return d, nil
		}
	}
	return nil, op.Errorf("operand #%d must be a ranked tensor for its result's shape to be known", operand)
}

func first(op *ir.Operation) ([][]int64, error) {
	d, err := dims(op, 0)
	return [][]int64{d}, err
}

func second(op *ir.Operation) ([][]int64, error) {
	d, err := dims(op, 1)
	return [][]int64{d}, err
}

func broadcast(op *ir.Operation) ([][]int64, error) {
	var all [][]int64
	for _, v := range op.Operands() {
		if d, ok := shape.Of(v); ok {
			all = append(all, d)
		}
	}
	out, ok := shape.Broadcast(all...)
	if !ok {
		texts := make([]string, len(all))
		for i, d := range all {
			texts[i] = shape.Text(d)
		}
		return nil, op.Errorf("operands of shapes %v do not broadcast", texts)
	}
	return one(out)
}

func reshape(op *ir.Operation) ([][]int64, error) {
	from, err := dims(op, 0)
	if err != nil {
		return nil, err
	}
	var to []int64
	if o, ok := top.AsReshape(op); ok {
		to = o.Shape()
	} else if o, ok := tpu.AsReshape(op); ok {
		to = o.Shape()
	}
	if len(to) == 0 {
		return nil, nil // the result's own shape is the target
	}
	d, err := shape.Resolve(op, from, to)
	return [][]int64{d}, err
}

func gather(op *ir.Operation) ([][]int64, error) {
	table, err := dims(op, 0)
	if err != nil {
		return nil, err
	}
	indices, err := dims(op, 1)
	if err != nil {
		return nil, err
	}
	axis, _ := op.IntAttribute("axis")
	if axis < 0 {
		axis += int64(len(table))
	}
	if axis < 0 || axis >= int64(len(table)) {
		return nil, op.Errorf("axis is out of range for shape %s", shape.Text(table))
	}
	if keep, ok := op.BoolAttribute("keepdims"); ok && !keep {
		indices = nil
	}
	return one(slices.Concat(table[:axis], indices, table[axis+1:]))
}

func concat(op *ir.Operation) ([][]int64, error) {
	out, err := dims(op, 0)
	if err != nil {
		return nil, err
	}
	out = slices.Clone(out)
	axis, ok := op.IntAttribute("axis")
	if !ok {
		axis = 1
	}
	if axis < 0 {
		axis += int64(len(out))
	}
	if axis < 0 || axis >= int64(len(out)) {
		return nil, op.Errorf("axis is out of range for shape %s", shape.Text(out))
	}
	for i := 1; i < op.NumOperands(); i++ {
		d, err := dims(op, i)
		if err != nil {
			return nil, err
		}
		if len(d) != len(out) {
			return nil, op.Errorf("operands of shapes %s and %s can't be joined", shape.Text(out), shape.Text(d))
		}
		out[axis] = shape.Sum(out[axis], d[axis])
	}
	return one(out)
}

func permute(op *ir.Operation) ([][]int64, error) {
	from, err := dims(op, 0)
	if err != nil {
		return nil, err
	}
	var order []int64
	if o, ok := top.AsPermute(op); ok {
		order = o.Order()
	} else if o, ok := tpu.AsPermute(op); ok {
		order = o.Order()
	}
	if len(order) != len(from) {
		return nil, op.Errorf("attribute 'order' has %d entries for shape %s", len(order), shape.Text(from))
	}
	out := make([]int64, len(order))
	for i, axis := range order {
		if axis < 0 || axis >= int64(len(from)) {
			return nil, op.Errorf("attribute 'order' names dimension %d of shape %s", axis, shape.Text(from))
		}
		out[i] = from[axis]
	}
	return one(out)
}

func attention(op *ir.Operation) ([][]int64, error) {
	queries, err := dims(op, 0)
	if err != nil {
		return nil, err
	}
	if keep, ok := op.BoolAttribute("keep_dims"); ok && keep || len(queries) != 4 {
		return one(queries)
	}
	return one([]int64{queries[0], queries[1], shape.Product(queries[2:])})
}

func topK(op *ir.Operation) ([][]int64, error) {
	out, err := dims(op, 0)
	if err != nil {
		return nil, err
	}
	axis, _ := op.IntAttribute("axis")
	k, _ := op.IntAttribute("K")
	if axis < 0 {
		axis += int64(len(out))
	}
	if axis < 0 || axis >= int64(len(out)) {
		return nil, op.Errorf("axis is out of range for shape %s", shape.Text(out))
	}
	out = slices.Clone(out)
	out[axis] = k
	return [][]int64{out, out}, nil
}

func matMul(op *ir.Operation) ([][]int64, error) {
	left, err := dims(op, 0)
	if err != nil {
		return nil, err
	}
	right, err := dims(op, 1)
	if err != nil {
		return nil, err
	}
	flag := func(name string) bool {
		v, _ := op.BoolAttribute(name)
		return v
	}
	keep, given := op.BoolAttribute("keep_dims")
	if len(left) < 2 || len(right) < 2 || flag("hdim_is_batch") || given && !keep {
		return nil, nil // forms that the flow does not have; their results stay
	}
	m, n := left[len(left)-2], right[len(right)-1]
	if flag("left_transpose") {
		m = left[len(left)-1]
	}
	if flag("right_transpose") {
		n = right[len(right)-2]
	}
	if flag("output_transpose") {
		m, n = n, m
	}
	batch, ok := shape.Broadcast(left[:len(left)-2], right[:len(right)-2])
	if !ok {
		return nil, op.Errorf("batch dimensions of shapes %s and %s do not broadcast", shape.Text(left), shape.Text(right))
	}
	return one(append(batch, m, n))
}

func packedMatMul(op *ir.Operation) ([][]int64, error) {
	input, err := dims(op, 0)
	if err != nil {
		return nil, err
	}
	out, ok := shape.Of(op.Result(0))
	if !ok || len(input) != len(out) || len(out) == 0 {
		return nil, nil
	}
	// The number of columns is the result's already: it does not depend on what changes.
	return one(append(slices.Clone(input[:len(input)-1]), out[len(out)-1]))
}
