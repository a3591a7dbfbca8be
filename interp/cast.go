package interp

// This file holds the ops that hand on a value, converted to the kind of the result where that differs: inputs, casts,
// and the moves between memories.

import "fmt"

func buildCast[T unary](b *builder, op T) (kernel, error) {
	in, err := b.required(op.Input())
	if err != nil {
		return nil, err
	}
	kind, ok := KindOf(op.Output().Type())
	if !ok {
		return nil, fmt.Errorf("has a result of type %v, which the evaluator lacks", op.Output().Type())
	}
	if kind == b.program.kinds[in] {
		return b.buildAlias(op.Input(), op.Output(), func(_ *frame, shape []int64) ([]int64, error) { return shape, nil })
	}
	out, _, err := b.out(op.Output())
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		src := f.values[in]
		dst, err := f.alloc(out, src.Shape...)
		if err != nil {
			return err
		}
		dst.convert(src)
		return nil
	}, nil
}
