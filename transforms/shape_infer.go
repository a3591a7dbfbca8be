package transforms

// This file holds the pass shape-infer: shapes of results follow from those of operands.
//
//	%2 = "top.Add"(%1, %1) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<?x?xf32>
//	=>  %2 = "top.Add"(%1, %1) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>

import (
	funcdialect "tpuir/dialect/func"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/transforms/shapeinfer"
)

func shapeInferDefinition() *pass.Definition {
	return &pass.Definition{
		Argument: "shape-infer",
		Name:     "ShapeInfer",
		Summary:  "compute the shapes of results from those of operands",
		Description: `Goes through functions in order; results of operations whose rule is not known keep their shapes. The type of a
function follows from its return. Any state is taken, and left as it is.

    %2 = "top.Add"(%1, %1) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<?x?xf32>
    =>  %2 = "top.Add"(%1, %1) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>`,
		Anchor: "builtin.module",
		Peer:   true,
		Model:  true,
		New:    func() pass.Pass { return shapeInfer{} },
	}
}

type shapeInfer struct{}

// Run infers the shapes in every function.
func (shapeInfer) Run(run *pass.Run, module *ir.Operation) error {
	rules := shapeinfer.NewRules()
	var failed error
	module.Walk(func(op *ir.Operation) ir.WalkResult {
		if failed = run.Context.Err(); failed != nil {
			return ir.Interrupt
		}
		if fn, ok := funcdialect.AsFunc(op); ok && !fn.IsDeclaration() {
			if failed = inferFunction(rules, fn); failed != nil {
				return ir.Interrupt
			}
			return ir.Skip
		}
		return ir.Advance
	})
	return failed
}

func inferFunction(rules *shapeinfer.Rules, fn funcdialect.Func) error {
	for op := range fn.Entry().Operations() {
		if op.NumResults() > 0 {
			if _, err := rules.Apply(op); err != nil {
				return err
			}
		}
	}
	if end := fn.Return(); end != nil {
		fn.SetType(end.Context().FunctionType(fn.Type().Inputs, end.OperandTypes()))
	}
	return nil
}
