package topopt

import (
	"context"

	"tpuir/ir"
)

func (t *tool) search(ctx context.Context, o *options, source *ir.Source) error { return nil }
