package general

// This file holds how passes print that are there to print: as the tool does.

import (
	"tpuir/pass"
	"tpuir/printer"
)

// SetPrinting tells the passes of a session how the tool prints.
func SetPrinting(s *pass.Session, options printer.Options) { *printing(s) = options }

// printing returns how the tool of a session prints.
func printing(s *pass.Session) *printer.Options {
	return pass.Shared(s, func() *printer.Options { return &printer.Options{} })
}
