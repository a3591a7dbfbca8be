package topopt

// This file holds --verify-numerics: the net is evaluated after every pass.

import (
	"context"

	"tpuir/internal/numerics"
	"tpuir/interp"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/transforms/weightfile"
	"tpuir/weight"
)

// verifyNumerics has the manager's passes checked on the inputs that the flag names; the function it returns closes the file.
func (t *tool) verifyNumerics(ctx context.Context, o *options, m *pass.Manager, module *ir.Operation) (closeInputs func() error, err error) {
	inputs, err := weight.Open(o.numerics)
	if err != nil {
		return nil, err
	}
	session := m.Session
	checker := &numerics.Checker{Inputs: inputs, Tolerance: o.tolerance, Weights: func(ctx context.Context, root *ir.Operation) interp.Weights {
		return weightfile.Of(session).Weights(ctx, root)
	}, Warn: func(err error) {
		for _, d := range ir.Diagnostics(err) {
			d.Severity = ir.SeverityWarning
			t.reporter.report(d)
		}
	}}
	if err := checker.Start(ctx, module); err != nil {
		_ = inputs.Close() // the first error counts
		return nil, err
	}
	m.Serial = true // every evaluation is of the whole module
	m.Check = func(ctx context.Context, s *pass.Step) error {
		return checker.Check(ctx, module, s.Definition.Argument)
	}
	return inputs.Close, nil
}
