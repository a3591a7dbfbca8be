package quant

// This file reads the quantized types.

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"tpuir/ir"
)

// maxStorageWidth is the widest storage, in bits.
const maxStorageWidth = 32

// maxNesting is the deepest nesting of the scales of blocks.
const maxNesting = 32

func parseType(p ir.AsmParser) (ir.Type, error) {
	at := p.Position()
	word, err := p.Keyword()
	if err != nil {
		return nil, err
	}
	switch word {
	case "any":
		return parseAny(p, at)
	case "uniform":
		return parseUniform(p, at)
	case "calibrated":
		return parseCalibrated(p, at)
	}
	return nil, p.ErrorAt(at, "unknown quantized type %s", word)
}

func parseAny(p ir.AsmParser, at ir.Position) (ir.Type, error) {
	if err := p.Punctuation("<"); err != nil {
		return nil, err
	}
	s, err := parseStorage(p)
	if err != nil {
		return nil, err
	}
	var expressed ir.Type
	if p.OptionalPunctuation(":") {
		if expressed, err = parseExpressed(p); err != nil {
			return nil, err
		}
	}
	if err := p.Punctuation(">"); err != nil {
		return nil, err
	}
	if err := s.check(p, at); err != nil {
		return nil, err
	}
	return Any(p.Context(), s, expressed), nil
}

func parseCalibrated(p ir.AsmParser, at ir.Position) (ir.Type, error) {
	if err := p.Punctuation("<"); err != nil {
		return nil, err
	}
	expressed, err := parseExpressed(p)
	if err != nil {
		return nil, err
	}
	var limits [2]float64
	for i, before := range []string{"<", ":"} {
		if err := p.Punctuation(before); err != nil {
			return nil, err
		}
		if limits[i], err = p.Float(); err != nil {
			return nil, err
		}
	}
	for range 2 {
		if err := p.Punctuation(">"); err != nil {
			return nil, err
		}
	}
	if limits[0] >= limits[1] {
		return nil, p.ErrorAt(at, "illegal min and max: (%s:%s)", appendNumber(nil, limits[0]), appendNumber(nil, limits[1]))
	}
	return Calibrated(p.Context(), expressed, limits[0], limits[1]), nil
}

// parseExpressed reads the float type that quantized values stand for.
func parseExpressed(p ir.AsmParser) (*ir.FloatType, error) {
	at := p.Position()
	t, err := p.Type()
	if err != nil {
		return nil, err
	}
	if float, ok := t.(*ir.FloatType); ok {
		return float, nil
	}
	return nil, p.ErrorAt(at, "invalid kind of type specified")
}

// parseStorage reads `i8` or `u8` and a range, where one is written.
func parseStorage(p ir.AsmParser) (Storage, error) {
	at := p.Position()
	t, found, err := p.OptionalType()
	if err != nil {
		return Storage{}, err
	}
	width, unsigned := uint64(0), false
	if integer, ok := t.(*ir.IntegerType); found && ok {
		width, unsigned = uint64(integer.Width), integer.Signedness == ir.Unsigned
	} else if found {
		return Storage{}, p.ErrorAt(at, "illegal storage type '%s': expected an integer type", t)
	} else {
		word, err := p.Keyword()
		if err != nil {
			return Storage{}, err
		}
		if word[0] != 'u' {
			return Storage{}, p.ErrorAt(at, "illegal storage type prefix")
		}
		if width, err = strconv.ParseUint(word[1:], 10, 32); err != nil {
			return Storage{}, p.ErrorAt(at, "expected storage type width")
		}
		unsigned = true
	}
	if width == 0 || width > maxStorageWidth {
		return Storage{}, p.ErrorAt(at, "illegal storage type size: %d", width)
	}
	return parseRange(p, NewStorage(uint32(width), unsigned))
}

// parseRange reads `<-8:7>` if it is there; whole is the storage without.
func parseRange(p ir.AsmParser, whole Storage) (Storage, error) {
	if !p.OptionalPunctuation("<") {
		return whole, nil
	}
	s := whole
	lowAt := p.Position()
	var err error
	if s.Min, err = p.Integer(); err != nil {
		return s, err
	}
	if err := p.Punctuation(":"); err != nil {
		return s, err
	}
	highAt := p.Position()
	if s.Max, err = p.Integer(); err != nil {
		return s, err
	}
	if err := p.Punctuation(">"); err != nil {
		return s, err
	}
	switch {
	case s.Min < whole.Min:
		return s, p.ErrorAt(lowAt, "illegal storage type minimum: %d", s.Min)
	case s.Max > whole.Max:
		return s, p.ErrorAt(highAt, "illegal storage type maximum: %d", s.Max)
	}
	return s, nil
}

func (s Storage) check(p ir.AsmParser, at ir.Position) error {
	if s.Max <= s.Min {
		return p.ErrorAt(at, "illegal storage min and storage max: (%d:%d)", s.Min, s.Max)
	}
	return nil
}

func parseUniform(p ir.AsmParser, at ir.Position) (ir.Type, error) {
	if err := p.Punctuation("<"); err != nil {
		return nil, err
	}
	s, err := parseStorage(p)
	if err != nil {
		return nil, err
	}
	if err := p.Punctuation(":"); err != nil {
		return nil, err
	}
	expressed, err := parseExpressed(p)
	if err != nil {
		return nil, err
	}
	axis := int64(-1)
	perAxis, byBlock := false, false
	var blocks []Block
	if p.OptionalPunctuation(":") {
		if byBlock = p.OptionalPunctuation("{"); byBlock {
			blocks, err = parseBlocks(p)
		} else {
			perAxis = true
			axis, err = p.Integer()
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.Punctuation(","); err != nil {
		return nil, err
	}
	points := pointParser{AsmParser: p, expressed: expressed}
	var shape []int64
	if !perAxis && !byBlock {
		err = points.point()
	} else {
		shape, err = points.list()
	}
	if err != nil {
		return nil, err
	}
	if err := p.Punctuation(">"); err != nil {
		return nil, err
	}
	if err := s.check(p, at); err != nil {
		return nil, err
	}
	switch {
	case byBlock:
		if err := checkBlocks(p, at, blocks); err != nil {
			return nil, err
		}
		return SubChannel(p.Context(), s, expressed, blocks, shape, points.points), nil
	case !perAxis:
		return Uniform(p.Context(), s, expressed, points.points[0]), nil
	case axis < 0:
		return nil, p.ErrorAt(at, "illegal quantized dimension: %d", axis)
	}
	return PerAxis(p.Context(), s, expressed, axis, points.points...), nil
}

func checkBlocks(p ir.AsmParser, at ir.Position, blocks []Block) error {
	for _, b := range blocks {
		if b.Dimension < 0 {
			return p.ErrorAt(at, "illegal quantized dimension: %d", b.Dimension)
		}
		if b.Size < 1 {
			return p.ErrorAt(at, "illegal block size: %d", b.Size)
		}
	}
	return nil
}

// parseBlocks reads `0:1, 1:2}`.
func parseBlocks(p ir.AsmParser) ([]Block, error) {
	var blocks []Block
	err := p.CommaList("}", func() error {
		dimension, err := p.Integer()
		if err != nil {
			return err
		}
		if err := p.Punctuation(":"); err != nil {
			return err
		}
		size, err := p.Integer()
		if err != nil {
			return err
		}
		blocks = append(blocks, Block{dimension, size})
		return nil
	})
	return blocks, err
}

// pointParser reads scales and zero points, in braces that are nested as the blocks are.
type pointParser struct {
	ir.AsmParser
	expressed *ir.FloatType
	points    []Point
}

// list reads `{…}` and returns how many elements each level of braces has, the outermost first.
func (p *pointParser) list() ([]int64, error) {
	if err := p.Punctuation("{"); err != nil {
		return nil, err
	}
	shape, err := p.elements(1)
	slices.Reverse(shape)
	return shape, err
}

// elements reads `…}` and returns the shape, the innermost size first.
func (p *pointParser) elements(depth int) ([]int64, error) {
	if depth > maxNesting {
		return nil, p.Errorf("scales are nested more than %d deep", maxNesting)
	}
	var first []int64
	count := int64(0)
	for more := true; more; more = p.OptionalPunctuation(",") {
		var inner []int64
		var err error
		if p.OptionalPunctuation("{") {
			inner, err = p.elements(depth + 1)
		} else {
			err = p.point()
		}
		switch {
		case err != nil:
			return nil, err
		case count == 0:
			first = inner
		case !slices.Equal(first, inner):
			return nil, p.Errorf("tensor literal is invalid; ranks are not consistent between elements")
		}
		count++
	}
	return append(first, count), p.Punctuation("}")
}

// point reads `0.1` or `0.1:3`.
func (p *pointParser) point() error {
	scale, err := p.Float()
	if err != nil {
		return err
	}
	if low, high := scaleRange(p.expressed.Kind); scale < low || scale > high {
		return p.Errorf("scale %s out of expressed type range [%e, %e]", scaleText(scale), low, high)
	}
	point := Point{Scale: scale}
	if p.OptionalPunctuation(":") {
		if point.Zero, err = p.Integer(); err != nil {
			return err
		}
	}
	p.points = append(p.points, point)
	return nil
}

func scaleText(scale float64) string {
	switch {
	case math.IsInf(scale, 1):
		return "INF"
	case math.IsInf(scale, -1):
		return "-INF"
	}
	return fmt.Sprintf("%e", scale)
}

// scaleRange returns the smallest and the largest positive value of a format, as far as a float64 can say.
func scaleRange(kind ir.FloatKind) (low, high float64) {
	switch kind {
	case ir.F16:
		return 0x1p-24, 65504
	case ir.BF16:
		return 0x1p-133, 0x1.fep127
	case ir.F32:
		return math.SmallestNonzeroFloat32, math.MaxFloat32
	case ir.TF32:
		return 0x1p-136, 0x1.ffcp127
	}
	return math.SmallestNonzeroFloat64, math.MaxFloat64
}
