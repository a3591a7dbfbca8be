package pass

// This file remembers which pass made an operation, so that an error about it names the pass that is to blame.

import (
	"fmt"
	"slices"
	"sync"

	"tpuir/ir"
)

// makers numbers passes; operations hold the numbers. The first stands for the input.
type makers struct {
	mu   sync.Mutex
	list []*Definition
}

const inputMaker = 1

// input marks everything that is there at the start.
func (m *makers) input(root *ir.Operation) {
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		op.SetMaker(inputMaker)
		return ir.Advance
	})
}

// made marks what is new below an operation as the pass's.
func (m *makers) made(definition *Definition, root *ir.Operation) {
	number := m.number(definition)
	root.Walk(func(op *ir.Operation) ir.WalkResult {
		if op.Maker() == 0 {
			op.SetMaker(number)
		}
		return ir.Advance
	})
}

func (m *makers) number(definition *Definition) int32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.list, definition)
	if i < 0 {
		i = len(m.list)
		m.list = append(m.list, definition)
	}
	return int32(i) + inputMaker + 1
}

// blame says in words after which pass an operation was found broken, and which pass made it.
func (m *makers) blame(op *ir.Operation, after *Definition) string {
	broken := fmt.Sprintf("the IR was found broken after pass '%s'", after.Argument)
	if op == nil || op.Maker() == 0 {
		return broken
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	number := int(op.Maker()) - inputMaker - 1
	switch {
	case number < 0:
		return broken + "; the operation stood in the input"
	case number >= len(m.list):
		return broken
	case m.list[number] == after:
		return broken + ", which made the operation"
	default:
		return fmt.Sprintf("%s; the operation was made by pass '%s'", broken, m.list[number].Argument)
	}
}
