package parser

// This file reads affine maps and integer sets. Sums bind weaker than products; both group from the left.

import (
	"math"

	"tpuir/ir"
)

// affineScope knows the identifiers that a map or set declares.
type affineScope struct {
	names         []string
	exprs         []*ir.AffineExpr
	many          map[string]*ir.AffineExpr // by name, where a list would take long to look through
	dims, symbols int
}

// manyInputs is the number of identifiers from which on they are looked up in a map.
const manyInputs = 16

func (s *affineScope) add(name string, e *ir.AffineExpr) {
	s.names, s.exprs = append(s.names, name), append(s.exprs, e)
	switch {
	case s.many != nil:
		s.many[name] = e
	case len(s.names) == manyInputs:
		s.many = map[string]*ir.AffineExpr{}
		for i, name := range s.names {
			s.many[name] = s.exprs[i]
		}
	}
}

// named returns what an identifier stands for, or nil.
func (s *affineScope) named(name string) *ir.AffineExpr {
	if s.many != nil {
		return s.many[name]
	}
	for i, other := range s.names {
		if other == name {
			return s.exprs[i]
		}
	}
	return nil
}

func (p *parser) parseAffineMapAttr() (ir.Attribute, error) {
	p.advance()
	if err := p.expect(tokenLess, "expected '<' in affine map"); err != nil {
		return nil, err
	}
	start := p.token.start
	m, _, err := p.parseAffineMapOrSet()
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, p.errorAt(start, "expected AffineMap, but got IntegerSet")
	}
	return p.context.AffineMapAttr(m), p.expect(tokenGreater, "expected '>' in affine map")
}

func (p *parser) parseIntegerSetAttr() (ir.Attribute, error) {
	p.advance()
	if err := p.expect(tokenLess, "expected '<' in integer set"); err != nil {
		return nil, err
	}
	start := p.token.start
	_, s, err := p.parseAffineMapOrSet()
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, p.errorAt(start, "expected IntegerSet, but got AffineMap")
	}
	return p.context.IntegerSetAttr(s), p.expect(tokenGreater, "expected '>' in integer set")
}

// parseAffineMapOrSet reads what stands between the brackets; one of the results is nil.
func (p *parser) parseAffineMapOrSet() (*ir.AffineMap, *ir.IntegerSet, error) {
	var s affineScope
	if err := p.expect(tokenLeftParen, "expected '(' in dimensional identifier list"); err != nil {
		return nil, nil, err
	}
	err := p.listOrNone(tokenRightParen, "expected ')' in dimensional identifier list", func() error {
		s.dims++
		return p.affineInput(&s, p.context.AffineDim(s.dims-1))
	})
	if err != nil {
		return nil, nil, err
	}
	if p.accept(tokenLeftSquare) {
		err := p.listOrNone(tokenRightSquare, "expected ']' in symbol list", func() error {
			s.symbols++
			return p.affineInput(&s, p.context.AffineSymbol(s.symbols-1))
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if p.accept(tokenArrow) {
		m, err := p.affineResults(&s)
		return m, nil, err
	}
	if err := p.expect(tokenColon, "expected '->' or ':'"); err != nil {
		return nil, nil, err
	}
	set, err := p.affineConstraints(&s)
	return nil, set, err
}

func (p *parser) affineInput(s *affineScope, e *ir.AffineExpr) error {
	if p.token.kind != tokenBare && p.token.kind != tokenIntType {
		return p.wrongToken("expected bare identifier")
	}
	name := string(p.spelling())
	if s.named(name) != nil {
		return p.error("redefinition of identifier '" + name + "'")
	}
	s.add(name, e)
	p.advance()
	return nil
}

func (p *parser) affineResults(s *affineScope) (*ir.AffineMap, error) {
	if err := p.expect(tokenLeftParen, "expected '(' in affine map range"); err != nil {
		return nil, err
	}
	var results []*ir.AffineExpr
	err := p.listOrNone(tokenRightParen, "expected ')' in affine map range", func() error {
		e, err := p.affineSum(s)
		results = append(results, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.context.AffineMap(s.dims, s.symbols, results...), nil
}

func (p *parser) affineConstraints(s *affineScope) (*ir.IntegerSet, error) {
	if err := p.expect(tokenLeftParen, "expected '(' in integer set constraint list"); err != nil {
		return nil, err
	}
	var constraints []ir.AffineConstraint
	err := p.listOrNone(tokenRightParen, "expected ')' in integer set constraint list", func() error {
		constraint, err := p.affineConstraint(s)
		constraints = append(constraints, constraint)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(constraints) == 0 { // what is always true
		constraints = []ir.AffineConstraint{{Expr: p.context.AffineConst(0), Equality: true}}
	}
	return p.context.IntegerSet(s.dims, s.symbols, constraints...), nil
}

func (p *parser) affineConstraint(s *affineScope) (ir.AffineConstraint, error) {
	const message = "expected '== affine-expr' or '>= affine-expr' at end of affine constraint"
	lhs, err := p.affineSum(s)
	if err != nil {
		return ir.AffineConstraint{}, err
	}
	// As in MLIR, a sign that no = follows is passed over.
	relation := tokenGreater
	withEqual := func(sign tokenKind) bool { return p.accept(sign) && p.accept(tokenEqual) }
	switch {
	case withEqual(tokenGreater):
	case withEqual(tokenLess):
		relation = tokenLess
	case withEqual(tokenEqual):
		relation = tokenEqual
	default:
		return ir.AffineConstraint{}, p.error(message)
	}
	rhs, err := p.affineSum(s)
	if err != nil {
		return ir.AffineConstraint{}, err
	}
	if relation == tokenLess {
		lhs, rhs = rhs, lhs
	}
	return ir.AffineConstraint{Expr: lhs.Sub(rhs), Equality: relation == tokenEqual}, nil
}

// affineSum reads a whole expression.
func (p *parser) affineSum(s *affineScope) (*ir.AffineExpr, error) {
	var sum *ir.AffineExpr
	var operator tokenKind
	for {
		term, err := p.affineProduct(s, sum != nil)
		if err != nil {
			return nil, err
		}
		switch {
		case sum == nil:
			sum = term
		case operator == tokenMinus:
			sum = sum.Sub(term)
		default:
			sum = sum.Add(term)
		}
		if sum.Depth() > ir.MaxDepth {
			return nil, p.tooDeep(p.tokenPlace())
		}
		operator = p.token.kind
		if operator != tokenPlus && operator != tokenMinus {
			return sum, nil
		}
		p.advance()
	}
}

func (p *parser) affineProduct(s *affineScope, behindOperator bool) (*ir.AffineExpr, error) {
	product, err := p.affineOperand(s, behindOperator)
	if err != nil {
		return nil, err
	}
	for operator := p.affineOperator(); operator != ""; {
		at := p.token.start
		p.advance()
		operand, err := p.affineOperand(s, true)
		if err != nil {
			return nil, err
		}
		next := p.affineOperator()
		if next != "" { // MLIR has it already when it looks at the operands
			at = p.token.start
		}
		if product, err = p.affineBinary(operator, product, operand, at); err != nil {
			return nil, err
		}
		if product.Depth() > ir.MaxDepth {
			return nil, p.tooDeep(at)
		}
		operator = next
	}
	return product, nil
}

// affineOperator returns the current token if it is an operator between the factors of a product, else "".
func (p *parser) affineOperator() string {
	if p.token.kind == tokenStar {
		return "*"
	}
	for _, operator := range [...]string{"floordiv", "ceildiv", "mod"} {
		if p.is(operator) {
			return operator
		}
	}
	return ""
}

func (p *parser) affineBinary(operator string, lhs, rhs *ir.AffineExpr, at int) (*ir.AffineExpr, error) {
	if operator == "*" {
		if !lhs.IsSymbolicOrConstant() && !rhs.IsSymbolicOrConstant() {
			return nil, p.errorAt(at,
				"non-affine expression: at least one of the multiply operands has to be either a constant or symbolic")
		}
		return lhs.Mul(rhs), nil
	}
	if !rhs.IsSymbolicOrConstant() {
		return nil, p.errorAt(at, "non-affine expression: right operand of "+operator+
			" has to be either a constant or symbolic")
	}
	switch operator {
	case "floordiv":
		return lhs.FloorDiv(rhs), nil
	case "ceildiv":
		return lhs.CeilDiv(rhs), nil
	}
	return lhs.Mod(rhs), nil
}

func (p *parser) affineOperand(s *affineScope, behindOperator bool) (*ir.AffineExpr, error) {
	switch p.token.kind {
	case tokenInteger:
		v, ok := uint64Value(p.spelling())
		if !ok || v > math.MaxInt64 {
			return nil, p.error("constant too large for index")
		}
		p.advance()
		return p.context.AffineConst(int64(v)), nil
	case tokenLeftParen:
		return p.affineParentheses(s)
	case tokenMinus:
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer p.leave()
		p.advance()
		operand, err := p.affineOperand(s, behindOperator)
		if err != nil {
			return nil, err
		}
		return operand.Neg(), nil
	case tokenPercent:
		return nil, p.wrongToken("unexpected ssa identifier")
	case tokenBare, tokenIntType:
		if p.acceptWord("symbol") {
			if err := p.expect(tokenLeftParen, "expected '(' at start of SSA symbol"); err != nil {
				return nil, err
			}
			return nil, p.wrongToken("unexpected ssa identifier")
		}
		if e := s.named(string(p.spelling())); e != nil {
			p.advance()
			return e, nil
		}
		return nil, p.wrongToken("use of undeclared identifier")
	}
	switch {
	case behindOperator:
		return nil, p.error("missing right operand of binary operator")
	case p.token.kind == tokenPlus || p.token.kind == tokenStar:
		return nil, p.error("missing left operand of binary operator")
	}
	return nil, p.error("expected affine expression")
}

func (p *parser) affineParentheses(s *affineScope) (*ir.AffineExpr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.advance()
	if p.token.kind == tokenRightParen {
		return nil, p.error("no expression inside parentheses")
	}
	e, err := p.affineSum(s)
	if err != nil {
		return nil, err
	}
	return e, p.expect(tokenRightParen, "expected ')'")
}
