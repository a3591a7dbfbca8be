package numerics

// This file finds the nets of a module: one that is split has several, each with inputs of its own.

import (
	"fmt"

	funcdialect "tpuir/dialect/func"
	"tpuir/ir"
	"tpuir/weight"
)

// net is what is evaluated: a function, or a module around one. The name is "" where there is no other.
type net struct {
	name string
	op   *ir.Operation
}

// nets returns the nets of a module: the modules inside it, or its functions, where there are several of them and none is
// the main one.
func nets(root *ir.Operation) []net {
	var modules, functions []net
	if root.Is("builtin.module") && !root.Region(0).Empty() {
		for op := range root.Region(0).First().Operations() {
			switch name := ir.SymbolName(op); {
			case op.Is("builtin.module"):
				modules = append(modules, net{name, op})
			case op.Is(funcdialect.FuncName) && name == "main":
				return []net{{"", root}}
			case op.Is(funcdialect.FuncName):
				functions = append(functions, net{name, op})
			}
		}
	}
	switch {
	case len(modules) > 1:
		return modules
	case len(modules) == 0 && len(functions) > 1:
		return functions
	}
	return []net{{"", root}}
}

// in names the net in the middle of a message.
func (n net) in() string {
	if n.name == "" {
		return ""
	}
	return fmt.Sprintf(" of net '%s'", n.name)
}

// about says of an error which net it is about.
func (n net) about(err error) error {
	if n.name == "" {
		return err
	}
	return fmt.Errorf("net '%s': %w", n.name, err)
}

// ofNet is a store as a net sees it: what is named for the net alone comes first.
type ofNet struct {
	weight.Store
	net string
}

// Lookup returns the tensor of that name.
func (s ofNet) Lookup(name string) (weight.Tensor, bool) {
	if s.net != "" {
		if t, ok := s.Store.Lookup(s.net + "/" + name); ok {
			return t, true
		}
	}
	return s.Store.Lookup(name)
}
