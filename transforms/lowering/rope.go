package lowering

// This file lowers rotary position embeddings.

import (
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
)

func lowerRope(l *lowerer, op *ir.Operation) error {
	r, _ := top.AsRope(op)
	mode, ok := tpu.ParseRopeMode(r.RopeMode())
	if !ok {
		return op.Errorf("has no lowering in mode %s for rope_mode \"%s\"", l.mode, r.RopeMode())
	}
	rounding := [3]tpu.RoundMode{}
	for i, text := range []string{r.Mul1RoundMode(), r.Mul2RoundMode(), r.AddRoundMode()} {
		if rounding[i], ok = tpu.ParseRoundMode(text); !ok {
			return op.Errorf("has no lowering in mode %s for round mode \"%s\"", l.mode, text)
		}
	}
	made := tpu.NewRope(l.at, op.Loc(), l.inHalf(op, r.Input1()), l.inHalf(op, r.Input2()), l.inHalf(op, r.Input3()),
		tpu.RopeAttributes{RopeMode: &mode, Mul1RoundMode: &rounding[0], Mul2RoundMode: &rounding[1], AddRoundMode: &rounding[2]},
		withElement(op.Result(0).Type(), l.half))
	l.replace(op, made.Operation, "rope_mode", "mul1_round_mode", "mul2_round_mode", "add_round_mode")
	return nil
}
