package topopt

// This file holds what watches passes run: dumps, diffs, times, statistics, and the recorder of reproducers.

import (
	"io"

	"tpuir/ir"
	"tpuir/pass"
	"tpuir/printer"
)

// watch adds the instruments that the flags ask for; the recorder of crashes is returned, nil where there is none.
func (t *tool) watch(o *options, m *pass.Manager, module *ir.Operation, asm printer.Options) *pass.CrashRecorder {
	dumped := asm
	dumped.NoExternalResources = true
	print := func(w io.Writer, op *ir.Operation) error { return printer.Print(w, op, dumped) }
	var crash *pass.CrashRecorder
	if o.crashReproducer != "" {
		crash = &pass.CrashRecorder{Whole: m.Pipeline.String(), Local: o.localReproducer, File: o.crashReproducer,
			Write: func(root *ir.Operation, pipeline string) error {
				return writeReproducer(o, o.crashReproducer, root, pipeline, asm)
			}}
		crash.Start(module)
		m.Instruments = append(m.Instruments, crash)
	}
	if t.timing != nil {
		m.Instruments = append(m.Instruments, t.timing)
	}
	if o.statistics {
		m.Statistics = &pass.Statistics{}
	}
	if o.printDiff {
		m.Serial = true
		m.Instruments = append(m.Instruments, &pass.IRDiffer{Out: t.stderr, Print: print, Color: o.color, ModuleScope: o.printModuleScope})
	}
	if o.printing() {
		m.Serial = true
		m.Instruments = append(m.Instruments, o.irPrinter(t.stderr, print))
	}
	return crash
}

func (o *options) irPrinter(out io.Writer, print func(io.Writer, *ir.Operation) error) *pass.IRPrinter {
	p := &pass.IRPrinter{Out: out, Print: print, Before: o.printBefore, After: o.printAfter, BeforeAll: o.printBeforeAll,
		AfterAll: o.printAfterAll, OnlyChange: o.printAfterChange, OnlyFailure: o.printAfterFailure, ModuleScope: o.printModuleScope}
	if o.printTree != "" {
		p.Tree = pass.NewDumpTree(o.printTree)
	}
	return p
}

func (t *tool) reportTiming(o *options) {
	if o.timingFormat == "json" {
		t.timing.ReportJSON(t.stderr, o.timingDisplay == "list")
		return
	}
	t.timing.Report(t.stderr, o.timingDisplay == "list")
}

func (t *tool) reportStatistics(o *options, s *pass.Statistics) {
	if o.statisticsDisplay == "list" {
		s.ReportList(t.stderr)
		return
	}
	s.ReportPipeline(t.stderr)
}
