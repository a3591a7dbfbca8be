package rewrite

// This file holds the conversion: each operation that was there at the start is offered to its patterns once, in order.

import (
	"context"

	"tpuir/ir"
)

// Convert offers every operation inside root to the patterns for its name, the first that changes it wins, and returns
// how many were changed. Operations that patterns make are not visited. Operations that a pattern erased beside its own
// are left out.
func Convert(ctx context.Context, root *ir.Operation, patterns []Pattern) (int, error) {
	d := &conversionDriver{erased: map[*ir.Operation]bool{}}
	r := newRewriter(root.Context(), d)
	table := byRoot(patterns)
	var all []*ir.Operation
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if op != root && len(patternsFor(table, op)) > 0 {
			all = append(all, op)
		}
		return ir.Advance
	})
	converted := 0
	for _, op := range all {
		if err := ctx.Err(); err != nil {
			return converted, err
		}
		if d.erased[op] {
			continue
		}
		for _, p := range patternsFor(table, op) {
			r.SetBefore(op)
			changed, err := p.Rewrite(op, r)
			if err != nil {
				return converted, err
			}
			if changed {
				converted++
				break
			}
		}
	}
	return converted, nil
}

type conversionDriver struct {
	erased map[*ir.Operation]bool
}

func (d *conversionDriver) OperationInserted(*ir.Operation)  {}
func (d *conversionDriver) operationModified(*ir.Operation)  {}
func (d *conversionDriver) valueReplaced(*ir.Value)          {}
func (d *conversionDriver) operationErased(op *ir.Operation) { d.erased[op] = true }
