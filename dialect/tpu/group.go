// What the verifier checks of groups in local memory and of work divided over cores.

package tpu

import (
	"fmt"

	"tpuir/dialect/shape"
	"tpuir/ir"
)

// verifyGroupParallel shares the results out over the regions, in order, as many to each as it yields.
func verifyGroupParallel(op GroupParallelOp) error {
	results := op.Outputs()
	for i := range op.Operation.NumRegions() {
		yielded := shape.Yielded(op.Operation, op.Operation.Region(i))
		if yielded == nil {
			return nil // a missing terminator is reported on its own
		}
		n := min(yielded.NumOperands(), len(results))
		if err := shape.Yields(op.Operation, op.Operation.Region(i), fmt.Sprintf("region #%d", i), results[:n]); err != nil {
			return err
		}
		results = results[n:]
	}
	if len(results) > 0 {
		return op.Operation.Errorf("the regions yield %d values less than there are results", len(results))
	}
	return nil
}

func verifyGroup(op GroupOp) error {
	sections := [...]struct {
		name  string
		count int64
	}{{"nsecs", op.Nsecs()}, {"csecs", op.Csecs()}, {"dsecs", op.Dsecs()}, {"hsecs", op.Hsecs()}, {"wsecs", op.Wsecs()}}
	for _, s := range sections {
		if s.count < 1 {
			return op.Operation.Errorf("attribute '%s' must be at least 1, but is %d", s.name, s.count)
		}
	}
	if err := shape.Yields(op.Operation, op.Body(), "body", op.Outputs()); err != nil {
		return err
	}
	for inner := range op.Body().First().Operations() {
		layout, ok := AsLayerGroup(inner.Attr("ginfo"))
		if !ok || inner.NumResults() == 0 {
			continue
		}
		axes := [...]slicing{
			{"n", layout.NIdx, layout.NSlice}, {"c", layout.CIdx, layout.CSlice}, {"d", layout.DIdx, layout.DSlice},
			{"h", layout.HIdx, layout.HSlice}, {"w", layout.WIdx, layout.WSlice},
		}
		if layout.GroupType != op.GroupType() {
			return inner.Errorf("ginfo has group_type %d, but the group has %d", layout.GroupType, op.GroupType())
		}
		if least := min(layout.OutAddr, layout.OutSize, layout.BufferAddr, layout.BufferSize, layout.Id, layout.Stage, layout.SliceIdx); least < 0 {
			return inner.Errorf("addresses, sizes and numbers in ginfo must not be negative, but one is %d", least)
		}
		whole, covered := true, int64(1)
		for i := range axes {
			if err := axes[i].check(inner, sections[i].count); err != nil {
				return err
			}
			whole = whole && sections[i].count == 1
			covered *= axes[i].extent()
		}
		if err := coverage(inner, covered, whole); err != nil {
			return err
		}
	}
	return nil
}

// slicing is how ginfo cuts one axis: where each slice begins and how long it is.
type slicing struct {
	axis           string
	begins, length []int64
}

func (s *slicing) check(op *ir.Operation, sections int64) error {
	if int64(len(s.begins)) != sections || int64(len(s.length)) != sections {
		return op.Errorf("ginfo must have %d entries in %s_idx and %s_slice as the group has sections, but has %d and %d",
			sections, s.axis, s.axis, len(s.begins), len(s.length))
	}
	for i := range s.begins {
		if s.begins[i] < 0 || s.length[i] < 1 {
			return op.Errorf("slice #%d of axis %s in ginfo begins at %d and is %d long", i, s.axis, s.begins[i], s.length[i])
		}
	}
	return nil
}

// extent is how far the slices reach.
func (s *slicing) extent() int64 {
	end := int64(0)
	for i := range s.begins {
		end = max(end, s.begins[i]+s.length[i])
	}
	return end
}

// coverage compares what the slices span with the op's result: all of it where nothing is cut, no more than it where
// something is (what no later op reads need not be computed).
func coverage(op *ir.Operation, covered int64, whole bool) error {
	dims, ok := shape.Of(op.Result(0))
	if !ok {
		return nil
	}
	if n := shape.Product(dims); n != ir.Dynamic && (covered > n || whole && covered < n) {
		return op.Errorf("the slices in ginfo span %d elements, but the result of shape %s has %d", covered, shape.Text(dims), n)
	}
	return nil
}
