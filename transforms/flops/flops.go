// Package flops counts the operations of a net as TPU-MLIR's module.FLOPs does.
package flops

import (
	"math"

	"tpuir/dialect/shape"
	"tpuir/ir"
)

// perElement is the cost of one element of the first result.
var perElement = map[string]int64{
	"Add": 1, "Sub": 1, "Mul": 1, "Div": 1, "Where": 1, "Compare": 1, "CompareConst": 1, "AddConst": 1, "MulConst": 1,
	"RMSNorm": 3, "SiLU": 5, "Active": 5, "Softmax": 5, "Rope": 4,
}

// Count returns the number of operations in everything nested in op. All shapes have to be static.
func Count(root *ir.Operation) (int64, error) {
	total := int64(0)
	var failed error
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		n, err := cost(op)
		if err != nil {
			failed = err
			return ir.Interrupt
		}
		total += n
		return ir.Advance
	})
	return total, failed
}

func cost(op *ir.Operation) (int64, error) {
	name := op.Name()
	if name.Namespace() != "top" && name.Namespace() != "tpu" || op.NumResults() == 0 {
		return 0, nil
	}
	kind := name.String()[len("top."):]
	switch kind {
	case "MatMul", "A16MatMul":
		return matMul(op)
	case "FAttention":
		return attention(op)
	}
	elements, err := size(op, op.Result(0))
	if err != nil {
		return 0, err
	}
	if kind == "CumSum" {
		return cumSum(op, elements)
	}
	return perElement[kind] * elements, nil
}

// size returns the number of elements; 0 for what is no ranked tensor.
func size(op *ir.Operation, v *ir.Value) (int64, error) {
	dims, ok := shape.Of(v)
	if !ok {
		return 0, nil
	}
	n, ok := ir.NumElements(dims)
	if !ok || n > math.MaxInt64>>20 {
		return 0, op.Errorf("has a result of shape %s; operations can be counted for static shapes only", shape.Text(dims))
	}
	return n, nil
}

// matMul is 2·M·N·K, and M·N more where there is a bias (or a residual in its place).
func matMul(op *ir.Operation) (int64, error) {
	n, err := size(op, op.Result(0))
	if err != nil {
		return 0, err
	}
	left, ok := shape.Of(op.Operand(0))
	if !ok || len(left) == 0 {
		return 0, nil
	}
	inner := left[len(left)-1]
	if transposed, _ := op.BoolAttribute("left_transpose"); transposed && len(left) > 1 {
		inner = left[len(left)-2]
	}
	bias := 2 // the number of the operand
	if op.Is("tpu.A16MatMul") || op.Is("top.A16MatMul") {
		bias = 4
	}
	total := 2 * n * inner
	if _, ok := op.Operand(bias).Type().(*ir.NoneType); !ok {
		total += n
	}
	return total, nil
}

func attention(op *ir.Operation) (int64, error) {
	total := int64(4)
	for _, name := range []string{"batch", "mq", "mk", "dim", "q_head"} {
		n, _ := op.IntAttribute(name)
		if n <= 0 {
			return 0, op.Errorf("attribute '%s' is %d; operations can be counted for static shapes only", name, n)
		}
		total *= n
	}
	return total, nil
}

// cumSum adds all but the first element along its axis.
func cumSum(op *ir.Operation, elements int64) (int64, error) {
	dims, _ := shape.Of(op.Result(0))
	axis, _ := op.IntAttribute("axis")
	if axis < 0 {
		axis += int64(len(dims))
	}
	if axis < 0 || axis >= int64(len(dims)) || dims[axis] == 0 {
		return 0, nil
	}
	return elements / dims[axis] * (dims[axis] - 1), nil
}
