package ir

// This file writes affine expressions, maps and sets. Adding a negative number prints as a subtraction.

import "strconv"

var affineSpelling = [...]string{AffineAdd: " + ", AffineMul: " * ", AffineMod: " mod ", AffineFloorDiv: " floordiv ",
	AffineCeilDiv: " ceildiv "}

// AppendText writes the expression; inside another that binds stronger it needs parentheses.
func (e *AffineExpr) appendText(dst []byte, parentheses bool) []byte {
	switch e.Kind {
	case AffineConstant:
		return strconv.AppendInt(dst, e.Value, 10)
	case AffineDim:
		return strconv.AppendInt(append(dst, 'd'), e.Value, 10)
	case AffineSymbol:
		return strconv.AppendInt(append(dst, 's'), e.Value, 10)
	}
	if parentheses {
		dst = append(e.appendText(append(dst, '('), false), ')')
		return dst
	}
	if e.Kind == AffineAdd {
		return e.appendSum(dst)
	}
	if factor, ok := e.RHS.Constant(); ok && factor == -1 && e.Kind == AffineMul {
		return e.LHS.appendText(append(dst, '-'), true)
	}
	dst = e.LHS.appendText(dst, true)
	return e.RHS.appendText(append(dst, affineSpelling[e.Kind]...), true)
}

func (e *AffineExpr) appendSum(dst []byte) []byte {
	dst = e.LHS.appendText(dst, false)
	if value, ok := e.RHS.Constant(); ok && value < 0 {
		return strconv.AppendInt(append(dst, " - "...), -value, 10)
	}
	if e.RHS.Kind == AffineMul {
		if factor, ok := e.RHS.RHS.Constant(); ok && factor == -1 {
			return e.RHS.LHS.appendText(append(dst, " - "...), e.RHS.LHS.Kind == AffineAdd)
		} else if ok && factor < -1 {
			dst = e.RHS.LHS.appendText(append(dst, " - "...), true)
			return strconv.AppendInt(append(dst, " * "...), -factor, 10)
		}
	}
	return e.RHS.appendText(append(dst, " + "...), false)
}

func appendAffineInputs(dst []byte, dims, symbols int) []byte {
	list := func(open, letter, end byte, n int) {
		dst = append(dst, open)
		for i := range n {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = strconv.AppendInt(append(dst, letter), int64(i), 10)
		}
		dst = append(dst, end)
	}
	list('(', 'd', ')', dims)
	if symbols > 0 {
		list('[', 's', ']', symbols)
	}
	return dst
}

// AppendText writes `(d0) -> (d0)`.
func (m *AffineMap) AppendText(dst []byte) []byte {
	dst = append(appendAffineInputs(dst, m.Dims, m.Symbols), " -> ("...)
	for i, e := range m.Results {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = e.appendText(dst, false)
	}
	return append(dst, ')')
}

// AppendText writes `(d0) : (d0 >= 0)`.
func (s *IntegerSet) AppendText(dst []byte) []byte {
	dst = append(appendAffineInputs(dst, s.Dims, s.Symbols), " : ("...)
	for i, constraint := range s.Constraints {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = constraint.Expr.appendText(dst, false)
		if constraint.Equality {
			dst = append(dst, " == 0"...)
		} else {
			dst = append(dst, " >= 0"...)
		}
	}
	return append(dst, ')')
}

// String returns the expression as MLIR prints it.
func (e *AffineExpr) String() string { return string(e.appendText(nil, false)) }

// String returns the map as MLIR prints it.
func (m *AffineMap) String() string { return string(m.AppendText(nil)) }

// String returns the set as MLIR prints it.
func (s *IntegerSet) String() string { return string(s.AppendText(nil)) }

// AppendText writes `affine_map<…>`.
func (a *AffineMapAttr) AppendText(dst []byte, _ *TextWriter) []byte {
	return append(a.Map.AppendText(append(dst, "affine_map<"...)), '>')
}

// AppendText writes `affine_set<…>`.
func (a *IntegerSetAttr) AppendText(dst []byte, _ *TextWriter) []byte {
	return append(a.Set.AppendText(append(dst, "affine_set<"...)), '>')
}

// String returns `affine_map<…>`.
func (a *AffineMapAttr) String() string { return string(a.AppendText(nil, nil)) }

// String returns `affine_set<…>`.
func (a *IntegerSetAttr) String() string { return string(a.AppendText(nil, nil)) }
