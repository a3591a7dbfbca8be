package parser

// This file reads sparse elements, `sparse<[[0, 1]], [2.5]> : tensor<2x2xf32>`.

import (
	"fmt"
	"strconv"

	"tpuir/ir"
)

// sparseLiterals is what stands between the brackets: two literals and where they start.
type sparseLiterals struct {
	indices, values     *literal
	indicesAt, valuesAt int
}

func (p *parser) parseSparse(t ir.Type) (ir.Attribute, error) {
	start := p.token.start
	p.advance()
	if err := p.expect(tokenLess, "Expected '<' after 'sparse'"); err != nil {
		return nil, err
	}
	if p.accept(tokenGreater) {
		return p.emptySparse(start, t)
	}
	l, err := p.parseSparseLiterals()
	if err != nil {
		return nil, err
	}
	shaped, err := p.elementsType(start, t)
	if err != nil {
		return nil, err
	}
	return p.sparse(start, l, shaped)
}

// emptySparse makes the attribute without any elements.
func (p *parser) emptySparse(start int, t ir.Type) (ir.Attribute, error) {
	shaped, err := p.elementsType(start, t)
	if err != nil {
		return nil, err
	}
	c := p.context
	shape, _ := shaped.Dims()
	indices := c.Dense(c.RankedTensorType([]int64{0, int64(len(shape))}, c.I64(), nil), false, nil)
	values := c.Dense(c.RankedTensorType([]int64{0}, shaped.ElementType(), nil), false, nil)
	return c.Sparse(shaped, indices, values), nil
}

func (p *parser) parseSparseLiterals() (l sparseLiterals, err error) {
	l.indicesAt = p.token.start
	if l.indices, err = p.parseLiteral(false); err != nil {
		return l, err
	}
	if err := p.expect(tokenComma, "expected ','"); err != nil {
		return l, err
	}
	l.valuesAt = p.token.start
	if l.values, err = p.parseLiteral(true); err != nil {
		return l, err
	}
	return l, p.expect(tokenGreater, "expected '>'")
}

func (p *parser) sparse(start int, l sparseLiterals, shaped ir.ShapedType) (ir.Attribute, error) {
	c := p.context
	shape, _ := shaped.Dims()
	indexShape := l.indices.shape
	if indexShape == nil { // one index for all elements
		indexShape = []int64{1, int64(len(shape))}
	}
	indices, err := p.dense(l.indicesAt, l.indices, c.RankedTensorType(indexShape, c.I64(), nil))
	if err != nil {
		return nil, err
	}
	valueShape := l.values.shape
	if valueShape == nil {
		valueShape = indexShape[:1]
	}
	values, err := p.dense(l.valuesAt, l.values, c.RankedTensorType(valueShape, shaped.ElementType(), nil))
	if err != nil {
		return nil, err
	}
	if message := sparseError(shaped, shape, indexShape, valueShape, indices.(*ir.DenseElementsAttr)); message != "" {
		return nil, p.errorAt(start, message)
	}
	return c.Sparse(shaped, indices, values), nil
}

// joinIndices writes unsigned numbers with commas between.
func joinIndices(index []int64) string {
	var out []byte
	for i, v := range index {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = strconv.AppendUint(out, uint64(v), 10)
	}
	return string(out)
}

// sparseError says what is wrong with the parts of a sparse attribute, or "".
func sparseError(t ir.ShapedType, shape, indexShape, valueShape []int64, indices *ir.DenseElementsAttr) string {
	rank := len(shape)
	if len(valueShape) != 1 {
		return "expected 1-d tensor for sparse element values"
	}
	fits := indexShape[0] == valueShape[0]
	if len(indexShape) == 2 {
		fits = fits && indexShape[1] == int64(rank)
	} else if len(indexShape) != 1 || rank != 1 {
		fits = false
	}
	if !fits {
		return fmt.Sprintf("expected shape ([%s]); inferred shape of indices literal ([%s]); inferred shape of values literal ([%s])",
			joinSizes(shape), joinSizes(indexShape), joinSizes(valueShape))
	}
	data := indices.Data()
	count := indexShape[0]
	if indices.Splat {
		count = 1
	}
	for i := range count {
		index := make([]int64, rank)
		inside := true
		for d := range index {
			at := (int(i)*rank + d) * 8
			if indices.Splat {
				at = 0
			}
			for b := range 8 {
				index[d] |= int64(data[at+b]) << (8 * b)
			}
			inside = inside && uint64(index[d]) < uint64(shape[d])
		}
		if !inside {
			return fmt.Sprintf("sparse index #%s is not contained within the value shape, with index=[%s], and type='%s'",
				strconv.FormatInt(i, 10), joinIndices(index), t)
		}
	}
	return ""
}
