package ir

// This file holds affine expressions, maps and integer sets. Expressions are simplified when they are made, by the same
// rules as in MLIR, because text is printed from what is left.

import (
	"math"
	"math/bits"
	"slices"
)

// AffineKind is the kind of an affine expression.
type AffineKind uint8

// The kinds of affine expressions.
const (
	AffineAdd AffineKind = iota
	AffineMul
	AffineMod
	AffineFloorDiv
	AffineCeilDiv
	AffineConstant
	AffineDim
	AffineSymbol
)

// AffineExpr is a uniqued affine expression: equal ones of a context are ==.
type AffineExpr struct {
	base
	// Kind says which of the other fields count.
	Kind AffineKind
	// LHS and RHS are the operands of a binary expression.
	LHS, RHS *AffineExpr
	// Value is the constant, or the number of the dimension or symbol.
	Value int64

	symbolic bool
	divisor  uint64
}

// AffineMap is `(d0)[s0] -> (d0 + s0)`.
type AffineMap struct {
	base
	// Dims and Symbols are the numbers of inputs.
	Dims, Symbols int
	Results       []*AffineExpr
}

// AffineConstraint is `expr == 0` or `expr >= 0`.
type AffineConstraint struct {
	Expr *AffineExpr
	// Equality says that the expression is 0, not only at least that.
	Equality bool
}

// IntegerSet is `(d0)[s0] : (d0 - 1 >= 0, s0 == 0)`.
type IntegerSet struct {
	base
	// Dims and Symbols are the numbers of inputs.
	Dims, Symbols int
	Constraints   []AffineConstraint
}

// AffineMapAttr is `affine_map<…>`.
type AffineMapAttr struct {
	AttributeBase
	Map *AffineMap
}

// IntegerSetAttr is `affine_set<…>`.
type IntegerSetAttr struct {
	AttributeBase
	Set *IntegerSet
}

func (c *Context) newBase() base { return base{context: c, id: c.nextID.Add(1)} }

// AffineConst returns the constant expression.
func (c *Context) AffineConst(value int64) *AffineExpr { return c.affineLeaf(AffineConstant, value) }

// AffineDim returns the expression `d<number>`.
func (c *Context) AffineDim(number int) *AffineExpr { return c.affineLeaf(AffineDim, int64(number)) }

// AffineSymbol returns the expression `s<number>`.
func (c *Context) AffineSymbol(number int) *AffineExpr {
	return c.affineLeaf(AffineSymbol, int64(number))
}

func (c *Context) affineLeaf(kind AffineKind, value int64) *AffineExpr {
	var buf [32]byte
	key := append(newKey(buf[:], keyAffineExpr), byte(kind)).Uint(uint64(value))
	return intern(c, key, func() *AffineExpr {
		e := &AffineExpr{base: c.newBase(), Kind: kind, Value: value, symbolic: kind != AffineDim, divisor: 1}
		if kind == AffineConstant {
			e.divisor = magnitude(value)
		}
		return e
	})
}

func (c *Context) affineBinary(kind AffineKind, lhs, rhs *AffineExpr) *AffineExpr {
	var buf [32]byte
	key := append(newKey(buf[:], keyAffineExpr), byte(kind)).id(lhs.id).id(rhs.id)
	return intern(c, key, func() *AffineExpr {
		e := &AffineExpr{base: c.newBase(), Kind: kind, LHS: lhs, RHS: rhs, symbolic: lhs.symbolic && rhs.symbolic,
			divisor: knownDivisor(kind, lhs, rhs)}
		e.enclose(lhs)
		e.enclose(rhs)
		return e
	})
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// knownDivisor returns a number that divides every value of the expression; 0 divides 0 alone.
func knownDivisor(kind AffineKind, lhs, rhs *AffineExpr) uint64 {
	switch kind {
	case AffineFloorDiv:
		if by, ok := rhs.Constant(); ok && by != 0 && lhs.divisor%magnitude(by) == 0 {
			return lhs.divisor / magnitude(by)
		}
		return 1
	case AffineMul:
		if high, low := bits.Mul64(lhs.divisor, rhs.divisor); high == 0 {
			return low
		}
		return 1
	case AffineAdd, AffineMod:
		a, b := lhs.divisor, rhs.divisor
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}
	return 1
}

// Constant returns the value of a constant expression.
func (e *AffineExpr) Constant() (int64, bool) {
	if e.Kind != AffineConstant {
		return 0, false
	}
	return e.Value, true
}

// IsSymbolicOrConstant reports whether no dimension is part of the expression.
func (e *AffineExpr) IsSymbolicOrConstant() bool { return e.symbolic }

// constantFactor takes `expr * constant` apart; any other expression has the factor 1.
func (e *AffineExpr) constantFactor() (*AffineExpr, int64) {
	if e.Kind == AffineMul {
		if factor, ok := e.RHS.Constant(); ok {
			return e.LHS, factor
		}
	}
	return e, 1
}

// outOfOrder reports whether two dimensions, or two symbols, stand in falling order.
func outOfOrder(lhs, rhs *AffineExpr) bool {
	return lhs.Kind == rhs.Kind && (lhs.Kind == AffineDim || lhs.Kind == AffineSymbol) && lhs.Value > rhs.Value
}

// Add returns e + other.
func (e *AffineExpr) Add(other *AffineExpr) *AffineExpr {
	if simple := simplifyAdd(e, other); simple != nil {
		return simple
	}
	return e.context.affineBinary(AffineAdd, e, other)
}

func addOverflows(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum > a) != (b > 0) && b != 0
}

func mulOverflows(a, b int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	product := int64(low)
	if (a < 0) != (b < 0) {
		product = -product
	}
	return product, high != 0 || product != 0 && (product < 0) != ((a < 0) != (b < 0))
}

func simplifyAdd(lhs, rhs *AffineExpr) *AffineExpr {
	c := lhs.context
	left, leftConstant := lhs.Constant()
	right, rightConstant := rhs.Constant()
	if leftConstant && rightConstant {
		if sum, overflow := addOverflows(left, right); !overflow {
			return c.AffineConst(sum)
		}
		return nil
	}
	// Constants stand on the right, and what is symbolic behind what is not.
	if leftConstant || lhs.symbolic && !rhs.symbolic || outOfOrder(lhs, rhs) {
		return rhs.Add(lhs)
	}
	if rightConstant && right == 0 {
		return lhs
	}
	if lhs.Kind == AffineAdd && rightConstant { // (d0 + 2) + 3
		if inner, ok := lhs.RHS.Constant(); ok {
			return lhs.LHS.Add(c.AffineConst(inner + right))
		}
	}
	first, firstFactor := lhs.constantFactor()
	second, secondFactor := rhs.constantFactor()
	if first == second { // d0 * 2 + d0 * 3
		return first.Mul(c.AffineConst(firstFactor + secondFactor))
	}
	if lhs.Kind == AffineAdd { // (d0 + 2) + d1
		if _, ok := lhs.RHS.Constant(); ok {
			return lhs.LHS.Add(rhs).Add(lhs.RHS)
		}
	}
	return simplifyToMod(lhs, rhs)
}

// simplifyToMod finds e - (e floordiv q) * q, which is e mod q.
func simplifyToMod(lhs, rhs *AffineExpr) *AffineExpr {
	if rhs.Kind != AffineMul {
		return nil
	}
	quotient := rhs.LHS
	if factor, ok := rhs.RHS.Constant(); ok && factor == -1 && quotient.Kind == AffineMul { // ((e floordiv q) * q) * -1
		division := quotient.LHS
		if division.Kind != AffineFloorDiv {
			return nil
		}
		if division.RHS == quotient.RHS && lhs == division.LHS {
			return lhs.Mod(quotient.RHS)
		}
	}
	if quotient.Kind != AffineFloorDiv { // (e floordiv q) * -q
		return nil
	}
	if lhs == quotient.LHS && quotient.RHS == rhs.RHS.Neg() {
		return lhs.Mod(quotient.RHS)
	}
	if lhs.Kind == AffineAdd {
		if simple := simplifyAdd(lhs.RHS, rhs); simple != nil {
			return lhs.LHS.Add(simple)
		}
	}
	return nil
}

// Mul returns e * other, of which at least one should be symbolic or constant.
func (e *AffineExpr) Mul(other *AffineExpr) *AffineExpr {
	if simple := simplifyMul(e, other); simple != nil {
		return simple
	}
	return e.context.affineBinary(AffineMul, e, other)
}

func simplifyMul(lhs, rhs *AffineExpr) *AffineExpr {
	c := lhs.context
	left, leftConstant := lhs.Constant()
	right, rightConstant := rhs.Constant()
	if leftConstant && rightConstant {
		if product, overflow := mulOverflows(left, right); !overflow {
			return c.AffineConst(product)
		}
		return nil
	}
	if !lhs.symbolic && !rhs.symbolic {
		return nil
	}
	if !rhs.symbolic || leftConstant || outOfOrder(lhs, rhs) {
		return rhs.Mul(lhs)
	}
	if rightConstant && right == 1 {
		return lhs
	}
	if rightConstant && right == 0 {
		return rhs
	}
	if lhs.Kind != AffineMul {
		return nil
	}
	inner, ok := lhs.RHS.Constant()
	if !ok {
		return nil
	}
	if rightConstant { // (d0 * 2) * 3
		return lhs.LHS.Mul(c.AffineConst(inner * right))
	}
	return lhs.LHS.Mul(rhs).Mul(lhs.RHS) // (d0 * 2) * s0
}

// Neg returns -e.
func (e *AffineExpr) Neg() *AffineExpr { return e.Mul(e.context.AffineConst(-1)) }

// Sub returns e - other.
func (e *AffineExpr) Sub(other *AffineExpr) *AffineExpr { return e.Add(other.Neg()) }

// FloorDiv returns e floordiv other.
func (e *AffineExpr) FloorDiv(other *AffineExpr) *AffineExpr {
	if simple := simplifyDiv(e, other, AffineFloorDiv); simple != nil {
		return simple
	}
	return e.context.affineBinary(AffineFloorDiv, e, other)
}

// CeilDiv returns e ceildiv other.
func (e *AffineExpr) CeilDiv(other *AffineExpr) *AffineExpr {
	if simple := simplifyDiv(e, other, AffineCeilDiv); simple != nil {
		return simple
	}
	return e.context.affineBinary(AffineCeilDiv, e, other)
}

func floorDiv(a, b int64) int64 {
	quotient := a / b
	if rest := a % b; rest != 0 && (rest < 0) != (b < 0) {
		quotient--
	}
	return quotient
}

// simplifyDiv handles both divisions. Those by zero have no meaning and are kept as they are.
func simplifyDiv(lhs, rhs *AffineExpr, kind AffineKind) *AffineExpr {
	c := lhs.context
	by, ok := rhs.Constant()
	if !ok || by == 0 {
		return nil
	}
	if value, ok := lhs.Constant(); ok {
		if value == math.MinInt64 && by == -1 {
			return nil
		}
		if kind == AffineCeilDiv {
			quotient := floorDiv(value, by)
			if quotient*by != value {
				quotient++
			}
			return c.AffineConst(quotient)
		}
		return c.AffineConst(floorDiv(value, by))
	}
	if by == 1 {
		return lhs
	}
	if lhs.Kind == AffineMul { // (d0 * 128) floordiv 64
		if factor, ok := lhs.RHS.Constant(); ok && factor%by == 0 {
			return lhs.LHS.Mul(c.AffineConst(factor / by))
		}
	}
	if lhs.Kind == AffineAdd && kind == AffineFloorDiv { // one of the terms is a multiple
		if lhs.LHS.divisor%magnitude(by) == 0 || lhs.RHS.divisor%magnitude(by) == 0 {
			return lhs.LHS.FloorDiv(rhs).Add(lhs.RHS.FloorDiv(rhs))
		}
	}
	return nil
}

// Mod returns e mod other.
func (e *AffineExpr) Mod(other *AffineExpr) *AffineExpr {
	if simple := simplifyMod(e, other); simple != nil {
		return simple
	}
	return e.context.affineBinary(AffineMod, e, other)
}

func simplifyMod(lhs, rhs *AffineExpr) *AffineExpr {
	c := lhs.context
	by, ok := rhs.Constant()
	if !ok || by < 1 {
		return nil
	}
	if value, ok := lhs.Constant(); ok {
		return c.AffineConst(value - floorDiv(value, by)*by)
	}
	if lhs.divisor%uint64(by) == 0 {
		return c.AffineConst(0)
	}
	switch lhs.Kind {
	case AffineAdd:
		if lhs.LHS.divisor%uint64(by) == 0 {
			return lhs.RHS.Mod(rhs)
		}
		if lhs.RHS.divisor%uint64(by) == 0 {
			return lhs.LHS.Mod(rhs)
		}
	case AffineMod:
		if inner, ok := lhs.RHS.Constant(); ok && inner >= 1 && inner%by == 0 {
			return lhs.LHS.Mod(rhs)
		}
	}
	return nil
}

// AffineMap returns the map with these results.
func (c *Context) AffineMap(dims, symbols int, results ...*AffineExpr) *AffineMap {
	var buf [128]byte
	key := newKey(buf[:], keyAffineMap).Uint(uint64(dims)).Uint(uint64(symbols))
	for _, e := range results {
		key = key.id(e.id)
	}
	return intern(c, key, func() *AffineMap {
		return &AffineMap{base: c.newBase(), Dims: dims, Symbols: symbols, Results: slices.Clone(results)}
	})
}

// IntegerSet returns the set of these constraints.
func (c *Context) IntegerSet(dims, symbols int, constraints ...AffineConstraint) *IntegerSet {
	var buf [128]byte
	key := newKey(buf[:], keyIntegerSet).Uint(uint64(dims)).Uint(uint64(symbols))
	for _, constraint := range constraints {
		key = key.id(constraint.Expr.id).Bool(constraint.Equality)
	}
	return intern(c, key, func() *IntegerSet {
		return &IntegerSet{base: c.newBase(), Dims: dims, Symbols: symbols, Constraints: slices.Clone(constraints)}
	})
}

// IsIdentity reports whether the map returns its dimensions as they are.
func (m *AffineMap) IsIdentity() bool {
	if m.Symbols != 0 || len(m.Results) != m.Dims {
		return false
	}
	for i, e := range m.Results {
		if e.Kind != AffineDim || e.Value != int64(i) {
			return false
		}
	}
	return true
}

// AffineMapAttr returns `affine_map<m>`.
func (c *Context) AffineMapAttr(m *AffineMap) *AffineMapAttr {
	var buf [32]byte
	return intern(c, newKey(buf[:], keyAffineMapAttr).id(m.id), func() *AffineMapAttr {
		return &AffineMapAttr{AttributeBase: c.newAttributeBase(), Map: m}
	})
}

// IntegerSetAttr returns `affine_set<s>`.
func (c *Context) IntegerSetAttr(s *IntegerSet) *IntegerSetAttr {
	var buf [32]byte
	return intern(c, newKey(buf[:], keyIntegerSetAttr).id(s.id), func() *IntegerSetAttr {
		return &IntegerSetAttr{AttributeBase: c.newAttributeBase(), Set: s}
	})
}
