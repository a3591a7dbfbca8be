package ir_test

import (
	"sync"
	"testing"

	"tpuir/ir"
)

// An operation with a pending location has the location itself, uniqued, whoever asks and however many at once.
func TestPendingLoc(t *testing.T) {
	c := ir.NewContext()
	c.AllowUnregisteredDialects = true
	var slab ir.Slab
	for _, test := range []struct {
		pending *ir.PendingLoc
		want    ir.Location
		name    string
	}{
		{slab.PendingNameLoc(c, "conv"), c.NameLoc("conv", nil), "conv"},
		{slab.PendingFileLoc(c, "f.x", 3, 7), c.FileLoc("f.x", 3, 7), ""},
		{slab.PendingFileLoc(c, "", 1, 2), c.FileLoc("-", 1, 2), ""},
	} {
		op := ir.NewOperation(&ir.OperationState{Name: c.OperationName("t.a"), Loc: test.pending, Types: []ir.Type{c.I32()}})
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if got := op.Loc(); got != test.want {
					t.Errorf("Loc is %v, want %v", got, test.want)
				}
			})
		}
		group.Wait()
		if op.Context() != c {
			t.Error("the context is another")
		}
		if got := op.Result(0).Loc(); got != test.want {
			t.Errorf("the result's Loc is %v, want %v", got, test.want)
		}
		if got := ir.ValueName(op.Result(0)); got != test.name {
			t.Errorf("ValueName is %q, want %q", got, test.name)
		}
		if got := op.Errorf("wrong").Loc; got != test.want {
			t.Errorf("the error's Loc is %v, want %v", got, test.want)
		}
		if got := test.pending.String(); got != test.want.String() {
			t.Errorf("String is %s, want %s", got, test.want)
		}
	}
}
