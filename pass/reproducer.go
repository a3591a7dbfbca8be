package pass

// This file writes reproducers: the IR before a pass, or before the whole pipeline, with the pipeline in its
// `external_resources` section.

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"tpuir/ir"
)

// Reproducer is what --run-reproducer needs beside the IR.
type Reproducer struct {
	Pipeline         string
	DisableThreading bool
	VerifyEach       bool
}

// reproducerSection is the name of the section.
const reproducerSection = "mlir_reproducer"

// Resource returns the section that holds the reproducer.
func (r Reproducer) Resource() *ir.ExternalResource {
	return &ir.ExternalResource{Name: reproducerSection, Entries: []ir.ExternalEntry{
		{Key: "pipeline", Value: r.Pipeline},
		{Key: "disable_threading", Value: r.DisableThreading},
		{Key: "verify_each", Value: r.VerifyEach},
	}}
}

// TakeReproducer removes the section from the context and returns what it holds; ok is false where there is none.
func TakeReproducer(c *ir.Context) (r Reproducer, ok bool, err error) {
	section := c.TakeExternalResource(reproducerSection)
	if section == nil {
		return r, false, nil
	}
	r.VerifyEach = true
	for _, e := range section.Entries {
		valid := false
		switch e.Key {
		case "pipeline":
			r.Pipeline, valid = e.Value.(string)
		case "disable_threading":
			r.DisableThreading, valid = e.Value.(bool)
		case "verify_each":
			r.VerifyEach, valid = e.Value.(bool)
		default:
			return r, true, fmt.Errorf("unknown '%s' resource key '%s'", reproducerSection, e.Key)
		}
		if !valid {
			return r, true, fmt.Errorf("the value of '%s' resource key '%s' has the wrong kind", reproducerSection, e.Key)
		}
	}
	return r, true, nil
}

// CrashRecorder is an instrument that keeps what a reproducer needs, and has it written when a pass fails.
type CrashRecorder struct {
	// Whole is the pipeline's text, which the reproducer holds unless Local asks for the failed pass alone.
	Whole string
	Local bool
	// Write writes the IR with a pipeline to File.
	Write func(module *ir.Operation, pipeline string) error
	File  string

	mu      sync.Mutex
	before  *ir.Operation
	running []*Step
	failure *ir.Diagnostic
}

// Start keeps a copy of the IR as it is before the pipeline runs.
func (c *CrashRecorder) Start(root *ir.Operation) { c.before = root.Clone() }

// BeforePass keeps a copy of the IR where the reproducer is to hold only the pass that fails.
func (c *CrashRecorder) BeforePass(s *Step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = append(c.running, s)
	if c.Local {
		root := s.Op
		for root.Parent() != nil {
			root = root.Parent()
		}
		c.before = root.Clone()
	}
}

// AfterPass writes the reproducer for the first pass that failed.
func (c *CrashRecorder) AfterPass(s *Step, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.failure == nil {
		c.failure = c.report(s)
	}
	c.running = slices.DeleteFunc(c.running, func(r *Step) bool { return r == s })
}

// Failure returns the message about the reproducer, nil where no pass failed.
func (c *CrashRecorder) Failure() *ir.Diagnostic {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

func (c *CrashRecorder) report(s *Step) *ir.Diagnostic {
	failure := s.Op.PlainErrorf("Failures have been detected while processing an MLIR pass pipeline")
	failure.Op = nil // the operation itself has nothing to do with it
	pipeline, executing := c.Whole, "["+c.passes()+"]"
	if c.Local {
		pipeline = s.pipeline()
		executing = fmt.Sprintf("`%s` on %s", s.Definition.Name, describe(s.Op))
	}
	outcome := fmt.Sprintf("reproducer generated at `%s`", c.File)
	if err := c.Write(c.before, pipeline); err != nil {
		outcome = fmt.Sprintf("no reproducer was written: %v", err)
	}
	failure.Note(s.Op.Loc(), "Pipeline failed while executing %s: %s", executing, outcome)
	failure.Notes[0].Position = failure.Position // the line has been shown
	return failure
}

func (c *CrashRecorder) passes() string {
	list := make([]string, len(c.running))
	for i, s := range c.running {
		list[i] = fmt.Sprintf("`%s` on %s", s.Definition.Name, describe(s.Op))
	}
	return strings.Join(list, ", ")
}

// pipeline returns the text of a pipeline that runs the step's pass on operations like the step's.
func (s *Step) pipeline() string {
	text := s.Definition.Argument + optionsText(s.Pass)
	for op := s.Op; op != nil; op = op.Parent() {
		text = op.Name().String() + "(" + text + ")"
	}
	return text
}
