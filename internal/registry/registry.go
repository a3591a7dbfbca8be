// Package registry knows every dialect and every pass of the module: the one place that a new one is added to.
package registry

import (
	"tpuir/dialect/arith"
	"tpuir/dialect/builtin"
	"tpuir/dialect/cf"
	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/irdl"
	"tpuir/dialect/module"
	"tpuir/dialect/quant"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
	"tpuir/transforms"
)

// NewContext returns a context with all dialects.
func NewContext() *ir.Context {
	c := ir.NewContext()
	builtin.Register(c)
	arith.Register(c)
	funcdialect.Register(c)
	cf.Register(c)
	irdl.Register(c)
	module.Register(c)
	quant.Register(c)
	top.Register(c)
	tpu.Register(c)
	return c
}

// Passes returns a registry of all passes.
func Passes() *pass.Registry {
	r := &pass.Registry{}
	transforms.Register(r)
	return r
}

// Files names the files of a run, for passes that look for weights beside the input and write them beside the output.
type Files = transforms.Files

// Configure tells the passes of a session about the files of the run.
func Configure(s *pass.Session, f Files) { transforms.Configure(s, f) }

// SetPrinting tells the passes of a session that print how the tool does it.
func SetPrinting(s *pass.Session, options printer.Options) { transforms.SetPrinting(s, options) }
