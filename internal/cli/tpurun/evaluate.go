package tpurun

// This file evaluates one net on given inputs.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tpuir/interp"
	"tpuir/runtime/evaluator"
	"tpuir/weight"
)

func (t *tool) evaluate(ctx context.Context, m *model) error {
	net, err := t.chooseNet(m)
	if err != nil {
		return err
	}
	program, err := interp.Compile(ctx, net.Module, net.Weights, interp.Options{Observable: t.dumpAll})
	if err != nil {
		return err
	}
	store, err := weight.Open(t.inputsFile)
	if err != nil {
		return err
	}
	defer store.Close()
	inputs, err := program.ReadInputs(ctx, store)
	if err != nil {
		return err
	}
	started := time.Now()
	tensors := map[string]weight.Tensor{}
	var failure error
	keep := func(name string, value *interp.Tensor) {
		stored, err := value.Clone().Store(name)
		if err != nil && failure == nil {
			failure = err
		}
		tensors[name] = stored
	}
	see := keep
	if !t.dumpAll {
		see = func(string, *interp.Tensor) {}
	}
	outputs, err := program.Observe(ctx, inputs, see)
	if err != nil {
		return err
	}
	for i, port := range program.Outputs() {
		keep(port.Name, outputs[i])
	}
	if failure != nil {
		return failure
	}
	t.step("evaluate", started, "%s: %d tensors", net.Name, len(tensors))
	return writeTensors(ctx, t.outputsFile, tensors)
}

// chooseNet returns the net that --net names, or the only one.
func (t *tool) chooseNet(m *model) (evaluator.Net, error) {
	names := make([]string, len(m.nets))
	for i, n := range m.nets {
		names[i] = n.Name
		if n.Name == t.net || t.net == "" && len(m.nets) == 1 {
			return n, nil
		}
	}
	if t.net == "" {
		return evaluator.Net{}, fmt.Errorf("choose a net with --net: %s", strings.Join(names, ", "))
	}
	return evaluator.Net{}, fmt.Errorf("there is no net %s; there are %s", t.net, strings.Join(names, ", "))
}

// writeTensors writes an npz in the order of names.
func writeTensors(ctx context.Context, path string, tensors map[string]weight.Tensor) error {
	out, err := weight.CreateNPZ(path)
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if err := out.Add(ctx, tensors[name]); err != nil {
			return err
		}
	}
	return out.Close()
}
