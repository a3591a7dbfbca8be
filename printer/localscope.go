package printer

// This file bounds the text of locations that are written in place. A few aliases, each naming the one before twice, are a
// small graph, but a text longer than any memory.

import (
	"fmt"

	"tpuir/ir"
)

// The text of locations in local scope may have this many characters in all, and as many more for every operation as a deep
// call stack takes.
const (
	locationsText = 1 << 30
	locationText  = 16 << 10
)

// expanded measures the locations that are written in place.
type expanded struct {
	sizes             ir.Expansion
	total, operations int64
}

// take counts a location and reports whether it may be written.
func (e *expanded) take(l ir.Location) bool {
	e.operations++
	if l.Depth() == 0 {
		return true
	}
	e.sizes.Locations = true
	size := e.sizes.Attribute(l)
	if allowed := locationsText + locationText*e.operations - e.total; size > allowed {
		return false
	}
	e.total += size
	return true
}

// refuseLocation stands for a location whose text would be too long: an error where there is a file to write, three dots in a
// message.
func (p *printer) refuseLocation() {
	p.buf = append(p.buf, " loc(...)"...)
	if p.out != nil && p.err == nil {
		p.err = fmt.Errorf("locations written in place have more than %d characters, %d for each operation; write them "+
			"without --mlir-print-local-scope", locationsText, locationText)
	}
}
