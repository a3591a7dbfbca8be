package interp

// This file holds functions of one element. They are computed in float64 and rounded once.

import (
	"fmt"
	"math"

	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

func silu(x float64) float64        { return x / (1 + exp64(-x)) }
func sigmoid(x float64) float64     { return 1 / (1 + exp64(-x)) }
func tanh(x float64) float64        { return math.Tanh(x) }
func softplus(x float64) float64    { return math.Max(x, 0) + math.Log1p(exp64(-math.Abs(x))) }
func exp(x float64) float64         { return exp64(x) }
func sine(x float64) float64        { return math.Sin(x) }
func cosine(x float64) float64      { return math.Cos(x) }
func squareRoot(x float64) float64  { return math.Sqrt(x) }
func inverseRoot(x float64) float64 { return 1 / math.Sqrt(x) }
func absolute(x float64) float64    { return math.Abs(x) }
func gelu(x float64) float64        { return 0.5 * x * math.Erfc(-x/math.Sqrt2) }
func quickGELU(x float64) float64   { return x / (1 + exp64(-1.702*x)) }
func rectify(x float64) float64     { return math.Max(x, 0) }

func tanhGELU(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

func hardSigmoid(x float64) float64 { return math.Min(math.Max(x/6+0.5, 0), 1) }
func hardSwish(x float64) float64   { return x * hardSigmoid(x) }
func mish(x float64) float64        { return x * math.Tanh(softplus(x)) }
func softsign(x float64) float64    { return x / (1 + math.Abs(x)) }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func isFinite(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return 1
}

// activeFunctions are the functions of tpu.Active that take no coefficients.
var activeFunctions = map[tpu.ActiveMode]func(float64) float64{
	tpu.ActiveModeTANH: tanh, tpu.ActiveModeSIGMOID: sigmoid, tpu.ActiveModeRELU: rectify, tpu.ActiveModeEXP: exp,
	tpu.ActiveModeSQRT: squareRoot, tpu.ActiveModeSQUARE: func(x float64) float64 { return x * x },
	tpu.ActiveModeRSQRT: inverseRoot, tpu.ActiveModeABSVAL: absolute, tpu.ActiveModeLN: math.Log,
	tpu.ActiveModeROUND: math.Round, tpu.ActiveModeCEIL: math.Ceil, tpu.ActiveModeFLOOR: math.Floor,
	tpu.ActiveModeSIN: sine, tpu.ActiveModeCOS: cosine, tpu.ActiveModeIsFinite: isFinite, tpu.ActiveModeMISH: mish,
	tpu.ActiveModeSWISH: silu, tpu.ActiveModeHSWISH: hardSwish, tpu.ActiveModeSILU: silu,
	tpu.ActiveModeARCSIN: math.Asin, tpu.ActiveModeARCCOS: math.Acos, tpu.ActiveModeARCSINH: math.Asinh,
	tpu.ActiveModeARCCOSH: math.Acosh, tpu.ActiveModeARCTANH: math.Atanh, tpu.ActiveModeSINH: math.Sinh,
	tpu.ActiveModeCOSH: math.Cosh, tpu.ActiveModeTAN: math.Tan, tpu.ActiveModeSIGN: sign, tpu.ActiveModeGELU: gelu,
	tpu.ActiveModeERF: math.Erf, tpu.ActiveModeHSIGMOID: hardSigmoid,
	tpu.ActiveModeLogSigmoid: func(x float64) float64 { return -softplus(-x) }, tpu.ActiveModeSoftPlus: softplus,
	tpu.ActiveModeSoftSign: softsign, tpu.ActiveModeLOG2: math.Log2, tpu.ActiveModeTGELU: tanhGELU,
	tpu.ActiveModeQGELU: quickGELU,
}

func buildActive(b *builder, op tpu.ActiveOp) (kernel, error) {
	function, ok := activeFunctions[op.Mode()]
	if coefficients := op.Coeffs(); op.Mode() == tpu.ActiveModeELU && len(coefficients) == 1 {
		function, ok = func(x float64) float64 { return elu(x, coefficients[0]) }, true
	} else if len(coefficients) > 0 {
		ok = false
	}
	if !ok {
		return nil, fmt.Errorf("has mode %v with %d coefficients, which the evaluator lacks", op.Mode(), len(op.Coeffs()))
	}
	return b.each(op.Input(), op.Output(), function)
}

func elu(x, alpha float64) float64 {
	if x > 0 {
		return x
	}
	return alpha * math.Expm1(x)
}

// activation makes the builder of an op that is a function of one element without attributes.
func activation[T unary](function func(float64) float64) func(*builder, T) (kernel, error) {
	return func(b *builder, op T) (kernel, error) { return b.each(op.Input(), op.Output(), function) }
}

func buildTopGELU(b *builder, op top.GELUOp) (kernel, error) {
	switch op.ApproxMode() {
	case "normal":
		return b.each(op.Input(), op.Output(), gelu)
	case "tanh":
		return b.each(op.Input(), op.Output(), tanhGELU)
	case "sigm":
		return b.each(op.Input(), op.Output(), quickGELU)
	}
	return nil, fmt.Errorf("has approx_mode %q, which the evaluator lacks", op.ApproxMode())
}

func buildTopSigmoid(b *builder, op top.SigmoidOp) (kernel, error) {
	scale, bias, log := op.Scale(), op.Bias(), op.Log()
	return b.each(op.Input(), op.Output(), func(x float64) float64 {
		if log {
			return -softplus(-x)
		}
		return scale*sigmoid(x) + bias
	})
}

func buildTopRelu(b *builder, op top.ReluOp) (kernel, error) {
	bound := op.ReluLimit()
	return b.each(op.Input(), op.Output(), func(x float64) float64 {
		if x = math.Max(x, 0); bound > 0 {
			x = math.Min(x, bound)
		}
		return x
	})
}

func clip(least, most float64) func(float64) float64 {
	return func(x float64) float64 { return math.Min(math.Max(x, least), most) }
}

func buildTopClip(b *builder, op top.ClipOp) (kernel, error) {
	return b.each(op.Inputs(), op.Output(), clip(op.Min(), op.Max()))
}

func buildTpuClip(b *builder, op tpu.ClipOp) (kernel, error) {
	return b.each(op.Input(), op.Output(), clip(op.Min(), op.Max()))
}

type reciprocal interface {
	unary
	relu
	ConstVal() float64
}

func buildReciprocal[T reciprocal](b *builder, op T) (kernel, error) {
	c, relu := op.ConstVal(), op.DoRelu()
	return b.each(op.Input(), op.Output(), func(x float64) float64 {
		if x = c / x; relu {
			x = math.Max(x, 0)
		}
		return x
	})
}

func buildTopPow(b *builder, op top.PowOp) (kernel, error) {
	exponent := op.Exponent()
	return b.each(op.Input(), op.Output(), func(x float64) float64 { return math.Pow(x, exponent) })
}

// each is the kernel of a function of one element.
func (b *builder) each(input, output *ir.Value, function func(float64) float64) (kernel, error) {
	return b.fill(input, output, func(values, source []float32) {
		parallel(len(values), 4096, 8*len(values), func(start, end int) {
			for i := start; i < end; i++ {
				values[i] = float32(function(float64(source[i])))
			}
		})
	})
}

// fill is the kernel of an op that keeps the shape; compute makes the values from those of the operand.
func (b *builder) fill(input, output *ir.Value, compute func(values, source []float32)) (kernel, error) {
	in, out, err := b.inOut(input, output)
	if err != nil {
		return nil, err
	}
	return func(f *frame) error {
		x := f.values[in]
		t, values, err := f.result(out, x.Shape...)
		if err != nil {
			return err
		}
		compute(values, x.AsFloats())
		f.finish(t, values)
		return nil
	}, nil
}
