package evaluator_test

// This file tests what the device says about nets and memory that do not fit; package runtime's tests run whole models on it.

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/registry"
	"tpuir/ir"
	"tpuir/parser"
	"tpuir/runtime"
	"tpuir/runtime/evaluator"
)

const text = `module @net {
  func.func @main(%a: tensor<1x2xf32>, %b: tensor<1x2xsi32>) -> (tensor<1x2xf32>) {
    %0 = "top.Input"(%a) : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("a")
    %1 = "top.Input"(%b) : (tensor<1x2xsi32>) -> tensor<1x2xf32> loc("b")
    %2 = "top.Add"(%0, %1) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> loc("sum")
    return %2 : tensor<1x2xf32>
  }
}`

const openText = `module @open {
  func.func @main(%a: tensor<?x2xf32>) -> (tensor<?x2xf32>) {
    return %a : tensor<?x2xf32>
  }
}`

func module(t *testing.T, text string) *ir.Operation {
	t.Helper()
	sources := &ir.Sources{}
	parsed, diagnostics := parser.Parse(context.Background(), registry.NewContext(), sources.Add("test.mlir", []byte(text)), parser.Options{})
	if parsed == nil {
		t.Fatal(diagnostics)
	}
	return parsed
}

func TestDevice(t *testing.T) {
	ctx := context.Background()
	d, err := evaluator.New([]evaluator.Net{{Name: "net", Module: module(t, text)}, {Name: "open", Module: module(t, openText)}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Describe("net")
	if err != nil {
		t.Fatal(err)
	}
	want := runtime.Description{
		Inputs:  []runtime.Port{{Name: "a", Kind: runtime.Float, Shape: []int64{1, 2}}, {Name: "b", Kind: runtime.Integer, Shape: []int64{1, 2}}},
		Outputs: []runtime.Port{{Name: "sum", Kind: runtime.Float, Shape: []int64{1, 2}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("description (-want +got):\n%s", diff)
	}
	net, err := d.Open(ctx, "net")
	if err != nil {
		t.Fatal(err)
	}
	floats, _ := d.Allocate(runtime.Float, 4)
	integers, _ := d.Allocate(runtime.Integer, 4)
	floats.WriteFloats(0, []float32{1, 2, 3, 4})
	integers.WriteIntegers(0, []int64{10, 20, 30, 40})
	shape := []int64{1, 2}
	// The sum goes over one of its own operands, and to integers.
	inputs := []runtime.Tensor{{Memory: floats, Offset: 1, Shape: shape}, {Memory: integers, Offset: 2, Shape: shape}}
	for _, out := range []runtime.Tensor{{Memory: floats, Offset: 2, Shape: shape}, {Memory: integers, Offset: 0, Shape: shape}} {
		if err := net.Run(ctx, inputs, []runtime.Tensor{out}); err != nil {
			t.Fatal(err)
		}
	}
	values, numbers := make([]float32, 4), make([]int64, 4)
	floats.ReadFloats(0, values)
	integers.ReadIntegers(0, numbers)
	if diff := cmp.Diff([]float32{1, 2, 32, 43}, values); diff != "" {
		t.Errorf("floats (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{32, 72, 30, 40}, numbers); diff != "" {
		t.Errorf("integers (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	net := evaluator.Net{Name: "net", Module: module(t, text)}
	if _, err := evaluator.New([]evaluator.Net{net, net}); err == nil {
		t.Error("a net that is there twice: no error")
	}
	d, err := evaluator.New([]evaluator.Net{net, {Name: "open", Module: module(t, openText)}})
	if err != nil {
		t.Fatal(err)
	}
	memory, _ := d.Allocate(runtime.Float, 4)
	run := func(inputs, outputs []runtime.Tensor) error {
		opened, err := d.Open(ctx, "net")
		if err != nil {
			return err
		}
		return opened.Run(ctx, inputs, outputs)
	}
	fits := runtime.Tensor{Memory: memory, Shape: []int64{1, 2}}
	tests := []struct {
		name, want string
		err        func() error
	}{
		{"unknown net", "there is no net other", func() error { _, err := d.Describe("other"); return err }},
		{"open shape", "expected a tensor of numbers with static shape", func() error { _, err := d.Describe("open"); return err }},
		{"no token", "returns neither logits nor the index", func() error { _, _, err := d.OpenLogits(ctx, "net"); return err }},
		{"absurd memory", "can't be allocated", func() error { _, err := d.Allocate(runtime.Float, 1<<40); return err }},
		{"beyond the memory", "does not lie in its memory", func() error {
			return run([]runtime.Tensor{fits, {Memory: memory, Offset: 3, Shape: []int64{1, 2}}}, []runtime.Tensor{fits})
		}},
		{"another shape", "which its type", func() error {
			return run([]runtime.Tensor{fits, {Memory: memory, Shape: []int64{2, 1}}}, []runtime.Tensor{fits})
		}},
		{"another result", "output sum has shape [1 2]; expected [2 1]", func() error {
			return run([]runtime.Tensor{fits, fits}, []runtime.Tensor{{Memory: memory, Shape: []int64{2, 1}}})
		}},
	}
	for _, test := range tests {
		if err := test.err(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v; want %q in it", test.name, err, test.want)
		}
	}
}
