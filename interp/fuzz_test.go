package interp

import (
	"regexp"
	"testing"

	"tpuir/dialect/builtin"
	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/parser"
)

// largeNumber is what fuzzed programs must not hold: a size that takes all memory is refused by countElements, and one
// just below it takes too long here.
var largeNumber = regexp.MustCompile(`[0-9]{4}|[1-9][0-9]{2}x[1-9][0-9]{2}`)

// FuzzEvaluate evaluates whatever parses and verifies: an error is fine, a panic is not.
func FuzzEvaluate(f *testing.F) {
	for _, c := range kernelCases {
		f.Add(c.program())
	}
	f.Fuzz(func(t *testing.T, text string) {
		if largeNumber.MatchString(text) {
			return
		}
		c := ir.NewContext()
		for _, register := range []func(*ir.Context){builtin.Register, funcdialect.Register, top.Register, tpu.Register} {
			register(c)
		}
		var sources ir.Sources
		module, diagnostics := parser.Parse(t.Context(), c, sources.Add("fuzz", []byte(text)), parser.Options{})
		if len(diagnostics) > 0 || len(ir.Verify(t.Context(), module)) > 0 {
			return
		}
		p, err := Compile(t.Context(), module, zeroWeights{}, Options{})
		if err != nil {
			return
		}
		var inputs []*Tensor
		for _, port := range p.Inputs() {
			value := &Tensor{Kind: port.Kind}
			for _, size := range dimensionsOf(port.Type) {
				if size < 0 {
					size = 2
				}
				value.Shape = append(value.Shape, size)
			}
			n, err := countElements(value.Shape)
			if err != nil || n > 1<<16 {
				return
			}
			value.make(n)
			inputs = append(inputs, value)
		}
		if outputs, err := p.Run(t.Context(), inputs); err == nil {
			for _, o := range outputs {
				if err := o.Check(); err != nil {
					t.Errorf("an output is not consistent: %v", err)
				}
			}
		}
	})
}

func dimensionsOf(t ir.Type) []int64 {
	if ranked, ok := t.(*ir.RankedTensorType); ok {
		return ranked.Shape
	}
	return nil
}
