package interp

// This file is the table of all kernels, by op name. What an op computes stands in the file of its family.

import (
	"errors"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

// factory builds the kernel of an op.
type factory func(b *builder, op *ir.Operation) (kernel, error)

// typed makes a factory of a function that takes the op's generated wrapper.
func typed[T any](as func(*ir.Operation) (T, bool), build func(*builder, T) (kernel, error)) factory {
	return func(b *builder, op *ir.Operation) (kernel, error) {
		t, ok := as(op)
		if !ok {
			return nil, errors.New("is not what its name says")
		}
		return build(b, t)
	}
}

// unary is an op of one operand and one result.
type unary interface {
	Input() *ir.Value
	Output() *ir.Value
}

// nary is an op of a group of operands and one result.
type nary interface {
	Inputs() []*ir.Value
	Output() *ir.Value
}

// relu is what ops that end in an activation have.
type relu interface {
	DoRelu() bool
	ReluLimit() float64
}

// kernels is read-only.
var kernels = map[string]factory{
	"top.Input":           typed(top.AsInput, buildCast),
	"tpu.Cast":            typed(tpu.AsCast, buildCast),
	"tpu.Load":            typed(tpu.AsLoad, buildCast),
	"tpu.Store":           typed(tpu.AsStore, buildCast),
	"tpu.Device2Host":     typed(tpu.AsDevice2Host, buildCast),
	"tpu.Host2Device":     typed(tpu.AsHost2Device, buildCast),
	"top.MatMul":          typed(top.AsMatMul, buildMatMul),
	"tpu.MatMul":          typed(tpu.AsMatMul, buildMatMul),
	"top.A16MatMul":       typed(top.AsA16MatMul, buildTopA16MatMul),
	"tpu.A16MatMul":       typed(tpu.AsA16MatMul, buildTpuA16MatMul),
	"top.FAttention":      typed(top.AsFAttention, buildFAttention),
	"tpu.FAttention":      typed(tpu.AsFAttention, buildFAttention),
	"top.RMSNorm":         typed(top.AsRMSNorm, buildRMSNorm),
	"tpu.RMSNorm":         typed(tpu.AsRMSNorm, buildRMSNorm),
	"top.LayerNorm":       typed(top.AsLayerNorm, buildLayerNorm),
	"tpu.LayerNorm":       typed(tpu.AsLayerNorm, buildLayerNorm),
	"top.Rope":            typed(top.AsRope, buildTopRope),
	"tpu.Rope":            typed(tpu.AsRope, buildTpuRope),
	"tpu.Active":          typed(tpu.AsActive, buildActive),
	"top.SiLU":            typed(top.AsSiLU, activation[top.SiLUOp](silu)),
	"top.GELU":            typed(top.AsGELU, buildTopGELU),
	"top.Sigmoid":         typed(top.AsSigmoid, buildTopSigmoid),
	"top.Tanh":            typed(top.AsTanh, activation[top.TanhOp](tanh)),
	"top.Softplus":        typed(top.AsSoftplus, activation[top.SoftplusOp](softplus)),
	"top.Exp":             typed(top.AsExp, activation[top.ExpOp](exp)),
	"top.Sin":             typed(top.AsSin, activation[top.SinOp](sine)),
	"top.Cos":             typed(top.AsCos, activation[top.CosOp](cosine)),
	"top.Sqrt":            typed(top.AsSqrt, activation[top.SqrtOp](squareRoot)),
	"top.Rsqrt":           typed(top.AsRsqrt, activation[top.RsqrtOp](inverseRoot)),
	"top.Abs":             typed(top.AsAbs, activation[top.AbsOp](absolute)),
	"top.Relu":            typed(top.AsRelu, buildTopRelu),
	"top.Clip":            typed(top.AsClip, buildTopClip),
	"tpu.Clip":            typed(tpu.AsClip, buildTpuClip),
	"top.Reciprocal":      typed(top.AsReciprocal, buildReciprocal),
	"tpu.Reciprocal":      typed(tpu.AsReciprocal, buildReciprocal),
	"top.Pow":             typed(top.AsPow, buildTopPow),
	"top.Add":             typed(top.AsAdd, buildAdd),
	"tpu.Add":             typed(tpu.AsAdd, buildAdd),
	"top.Sub":             typed(top.AsSub, buildSub),
	"tpu.Sub":             typed(tpu.AsSub, buildSub),
	"top.Mul":             typed(top.AsMul, buildMul),
	"tpu.Mul":             typed(tpu.AsMul, buildTpuMul),
	"top.Div":             typed(top.AsDiv, buildDiv),
	"tpu.Div":             typed(tpu.AsDiv, buildDiv),
	"top.Max":             typed(top.AsMax, buildMax[top.MaxOp]),
	"tpu.Max":             typed(tpu.AsMax, buildMax[tpu.MaxOp]),
	"top.Min":             typed(top.AsMin, buildMin[top.MinOp]),
	"tpu.Min":             typed(tpu.AsMin, buildMin[tpu.MinOp]),
	"top.AddConst":        typed(top.AsAddConst, buildAddConst),
	"tpu.AddConst":        typed(tpu.AsAddConst, buildAddConst),
	"top.SubConst":        typed(top.AsSubConst, buildSubConst),
	"tpu.SubConst":        typed(tpu.AsSubConst, buildSubConst),
	"top.MulConst":        typed(top.AsMulConst, buildMulConst),
	"tpu.MulConst":        typed(tpu.AsMulConst, buildMulConst),
	"top.DivConst":        typed(top.AsDivConst, buildDivConst),
	"top.MaxConst":        typed(top.AsMaxConst, buildMaxConst),
	"tpu.MaxConst":        typed(tpu.AsMaxConst, buildMaxConst),
	"top.MinConst":        typed(top.AsMinConst, buildMinConst),
	"tpu.MinConst":        typed(tpu.AsMinConst, buildMinConst),
	"top.Compare":         typed(top.AsCompare, buildCompare),
	"tpu.Compare":         typed(tpu.AsCompare, buildCompare),
	"top.CompareConst":    typed(top.AsCompareConst, buildCompareConst),
	"tpu.CompareConst":    typed(tpu.AsCompareConst, buildCompareConst),
	"top.Where":           typed(top.AsWhere, buildWhere),
	"tpu.Where":           typed(tpu.AsWhere, buildWhere),
	"top.MaskedFill":      typed(top.AsMaskedFill, buildMaskedFill),
	"tpu.MaskedFill":      typed(tpu.AsMaskedFill, buildMaskedFill),
	"top.Softmax":         typed(top.AsSoftmax, buildSoftmax),
	"tpu.Softmax":         typed(tpu.AsSoftmax, buildSoftmax),
	"top.CumSum":          typed(top.AsCumSum, buildCumSum),
	"tpu.CumSum":          typed(tpu.AsCumSum, buildCumSum),
	"top.Reduce":          typed(top.AsReduce, buildReduce),
	"tpu.Reduce":          typed(tpu.AsReduce, buildReduce),
	"top.Arg":             typed(top.AsArg, buildArg),
	"tpu.Arg":             typed(tpu.AsArg, buildArg),
	"top.TopK":            typed(top.AsTopK, buildTopK),
	"tpu.TopK":            typed(tpu.AsTopK, buildTopK),
	"top.Sort":            typed(top.AsSort, buildSort),
	"tpu.Sort":            typed(tpu.AsSort, buildSort),
	"top.Gather":          typed(top.AsGather, buildTopGather),
	"tpu.Gather":          typed(tpu.AsGather, buildTpuGather),
	"top.GatherElements":  typed(top.AsGatherElements, buildGatherElements),
	"tpu.GatherElements":  typed(tpu.AsGatherElements, buildGatherElements),
	"top.ScatterElements": typed(top.AsScatterElements, buildScatterElements),
	"tpu.ScatterElements": typed(tpu.AsScatterElements, buildScatterElements),
	"top.ScatterND":       typed(top.AsScatterND, buildScatterND),
	"tpu.ScatterND":       typed(tpu.AsScatterND, buildScatterND),
	"top.Concat":          typed(top.AsConcat, buildConcat),
	"tpu.Concat":          typed(tpu.AsConcat, buildConcat),
	"tpu.CoreJoin":        typed(tpu.AsCoreJoin, buildCoreJoin),
	"tpu.CoreSplit":       typed(tpu.AsCoreSplit, buildCoreSplit),
	"top.Split":           typed(top.AsSplit, buildSplit),
	"top.Reshape":         typed(top.AsReshape, buildReshape),
	"tpu.Reshape":         typed(tpu.AsReshape, buildReshape),
	"top.Squeeze":         typed(top.AsSqueeze, buildSqueeze),
	"tpu.Squeeze":         typed(tpu.AsSqueeze, buildSqueeze),
	"top.Unsqueeze":       typed(top.AsUnsqueeze, buildUnsqueeze),
	"tpu.Unsqueeze":       typed(tpu.AsUnsqueeze, buildUnsqueeze),
	"top.Flatten":         typed(top.AsFlatten, buildFlatten),
	"top.Permute":         typed(top.AsPermute, buildPermute),
	"tpu.Permute":         typed(tpu.AsPermute, buildPermute),
	"top.Transpose":       typed(top.AsTranspose, buildTranspose),
	"top.Slice":           typed(top.AsSlice, buildSlice),
	"tpu.Slice":           typed(tpu.AsSlice, buildSlice),
	"top.Tile":            typed(top.AsTile, buildTile),
	"tpu.Tile":            typed(tpu.AsTile, buildTile),
	"top.Expand":          typed(top.AsExpand, buildExpand),
}
