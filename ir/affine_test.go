package ir

import "testing"

// TestAffineSimplification gives expressions as their constructors are called, and what mlir-opt 22 prints of them.
func TestAffineSimplification(t *testing.T) {
	c := NewContext()
	d0, d1, s0, s1 := c.AffineDim(0), c.AffineDim(1), c.AffineSymbol(0), c.AffineSymbol(1)
	n := c.AffineConst
	for _, test := range []struct {
		got  *AffineExpr
		want string
	}{
		{d1.Add(d0), "d0 + d1"},
		{s1.Mul(s0), "s0 * s1"},
		{n(2).Add(d0), "d0 + 2"},
		{d0.Add(n(1)).Add(n(2)), "d0 + 3"},
		{d0.Add(n(2)).Add(d1), "d0 + d1 + 2"},
		{d0.Add(d0), "d0 * 2"},
		{d0.Mul(n(2)).Add(d0.Mul(n(3))), "d0 * 5"},
		{s0.Add(d0), "d0 + s0"},
		{d0.Sub(d0), "0"},
		{d0.Mul(n(2)).Mul(n(3)), "d0 * 6"},
		{d0.Mul(n(2)).Mul(s0), "(d0 * s0) * 2"},
		{d0.Mul(n(0)), "0"},
		{d0.Neg().Neg(), "d0"},
		{d0.Sub(d1.Mul(n(2))), "d0 - d1 * 2"},
		{d0.Sub(d1.Sub(n(2))), "d0 - (d1 - 2)"},
		{d0.Add(n(-3)), "d0 - 3"},
		{d0.Mul(n(4)).FloorDiv(n(4)), "d0"},
		{d0.Mul(n(-4)).FloorDiv(n(-4)), "d0"},
		{d0.Add(d1.Mul(n(4))).FloorDiv(n(4)), "d0 floordiv 4 + d1"},
		{d0.FloorDiv(n(0)), "d0 floordiv 0"},
		{n(-7).FloorDiv(n(2)), "-4"},
		{n(7).FloorDiv(n(-2)), "-4"},
		{n(-7).CeilDiv(n(2)), "-3"},
		{n(7).CeilDiv(n(-2)), "-3"},
		{n(-7).Mod(n(3)), "2"},
		{n(7).Mod(n(-3)), "7 mod -3"},
		{d0.Mul(n(8)).Mod(n(4)), "0"},
		{d0.Mul(n(4)).Add(d1).Mod(n(4)), "d1 mod 4"},
		{d0.Mod(n(8)).Mod(n(4)), "d0 mod 4"},
		{d0.Sub(d0.FloorDiv(n(4)).Mul(n(4))), "d0 mod 4"},
		{d0.Sub(d0.FloorDiv(s0).Mul(s0)), "d0 mod s0"},
		{d1.Add(d0).Mul(n(2)), "(d0 + d1) * 2"},
		{d0.Mul(n(2)).FloorDiv(n(3)).Mod(n(5)), "((d0 * 2) floordiv 3) mod 5"},
	} {
		if got := test.got.String(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestAffineMapsAreUnique(t *testing.T) {
	c := NewContext()
	one := c.AffineMap(2, 1, c.AffineDim(1), c.AffineDim(0).Add(c.AffineSymbol(0)))
	other := c.AffineMap(2, 1, c.AffineDim(1), c.AffineSymbol(0).Add(c.AffineDim(0)))
	if one != other || c.AffineMapAttr(one) != c.AffineMapAttr(other) {
		t.Error("equal maps are not one")
	}
	if got, want := c.AffineMapAttr(one).String(), "affine_map<(d0, d1)[s0] -> (d1, d0 + s0)>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if one.IsIdentity() || !c.AffineMap(2, 0, c.AffineDim(0), c.AffineDim(1)).IsIdentity() {
		t.Error("identity is not told apart")
	}
	set := c.IntegerSet(1, 0, AffineConstraint{Expr: c.AffineDim(0).Sub(c.AffineConst(5))}, AffineConstraint{c.AffineConst(0), true})
	if got, want := c.IntegerSetAttr(set).String(), "affine_set<(d0) : (d0 - 5 >= 0, 0 == 0)>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
