package registry

// This file runs single passes, for programs that are no pass drivers.

import (
	"context"
	"fmt"

	"tpuir/ir"
	"tpuir/pass"
)

// Run runs the pass of that name on an operation, with options as in a pipeline ("seq-length=64 dynamic=true"), and verifies
// what it leaves. Errors with places are diagnostics.
func Run(ctx context.Context, session *pass.Session, op *ir.Operation, name, options string) error {
	definition := Passes().Lookup(name)
	if definition == nil {
		return fmt.Errorf("there is no pass '%s'", name)
	}
	instance := definition.New()
	if err := pass.Configure(instance, definition, options); err != nil {
		return fmt.Errorf("--%s=%q: %w", name, options, err)
	}
	pipeline := pass.NewPipeline(definition.Anchor)
	pipeline.Add(definition, instance)
	manager := &pass.Manager{Pipeline: pipeline, Verify: true, Session: session}
	return manager.Run(ctx, op)
}
