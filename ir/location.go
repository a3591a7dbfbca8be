package ir

// This file holds the locations. A location is an attribute, too: it may stand as a value in a dictionary.

import "slices"

// Location says where an operation or a block argument comes from. In this project it also names the tensor.
type Location interface {
	Attribute
	isLocation()
}

// UnknownLoc is `loc(unknown)`.
type UnknownLoc struct{ LocationBase }

// FileLoc is `loc("file":line:column)`, or a range of a file where the end differs. Numbers that were not
// written are 0 and Parts tells how many there are.
type FileLoc struct {
	LocationBase
	File                             string
	Line, Column, EndLine, EndColumn uint32
	// Parts is how much of the location text carries: see the constants.
	Parts FileLocParts
}

// FileLocParts tells the spellings of a [FileLoc] apart.
type FileLocParts uint8

// The spellings of a file location.
const (
	FileLineColumn FileLocParts = iota // "file":line:column
	FileOnly                           // "file"
	FileLine                           // "file":line
	FileColumns                        // "file":line:column to :column
	FileRange                          // "file":line:column to line:column
)

// NameLoc is `loc("name")` or `loc("name"(child))`; Child is nil where none is written.
type NameLoc struct {
	LocationBase
	Name  string
	Child Location
}

// CallSiteLoc is `loc(callsite(callee at caller))`.
type CallSiteLoc struct {
	LocationBase
	Callee, Caller Location
}

// FusedLoc is `loc(fused<metadata>[locations…])`; Metadata may be nil.
type FusedLoc struct {
	LocationBase
	Locations []Location
	Metadata  Attribute
}

// UnknownLoc returns `loc(unknown)`.
func (c *Context) UnknownLoc() *UnknownLoc { return c.unknown }

// FileLoc returns `loc("file":line:column)`.
func (c *Context) FileLoc(file string, line, column uint32) *FileLoc {
	return c.FileRangeLoc(FileLineColumn, file, line, column, 0, 0)
}

// FileRangeLoc returns a file location of any spelling.
func (c *Context) FileRangeLoc(parts FileLocParts, file string, line, column, endLine, endColumn uint32) *FileLoc {
	if file == "" {
		file = "-" // as in MLIR
	}
	var buf [256]byte
	key := append(newKey(buf[:], keyFileLoc), byte(parts)).id(line).id(column)
	if parts >= FileColumns {
		key = key.id(endLine).id(endColumn)
	}
	key = key.Text(file)
	return intern(c, key, func() *FileLoc {
		return &FileLoc{LocationBase{c.newAttributeBase()}, file, line, column, endLine, endColumn, parts}
	})
}

// NameLoc returns `loc("name")`, with a child where that is not nil.
func (c *Context) NameLoc(name string, child Location) *NameLoc {
	if child == Location(c.unknown) {
		child = nil
	}
	var buf [256]byte
	key := newKey(buf[:], keyNameLoc)
	if child == nil {
		key = key.id(0)
	} else {
		key = key.id(child.ID())
	}
	return intern(c, key.Text(name), func() *NameLoc {
		made := &NameLoc{LocationBase{c.newAttributeBase()}, name, child}
		if child != nil {
			made.enclose(child)
		}
		return made
	})
}

// CallSiteLoc returns `loc(callsite(callee at caller))`.
func (c *Context) CallSiteLoc(callee, caller Location) *CallSiteLoc {
	var buf [32]byte
	return intern(c, newKey(buf[:], keyCallSiteLoc).id(callee.ID()).id(caller.ID()), func() *CallSiteLoc {
		return &CallSiteLoc{LocationBase{c.newAttributeBase().OverAttributes(callee, caller)}, callee, caller}
	})
}

// FusedLoc joins locations as MLIR does: nested lists with the same metadata are opened, doubles and unknown ones
// dropped; what is left is `unknown`, the only one, or the list. Metadata may be nil.
func (c *Context) FusedLoc(locations []Location, metadata Attribute) Location {
	flat := make([]Location, 0, len(locations))
	add := func(l Location) {
		if l != Location(c.unknown) && !slices.Contains(flat, l) {
			flat = append(flat, l)
		}
	}
	seen := map[Location]bool{}
	if len(locations) > 32 {
		add = func(l Location) {
			if l != Location(c.unknown) && !seen[l] {
				seen[l] = true
				flat = append(flat, l)
			}
		}
	}
	for _, l := range locations {
		if fused, ok := l.(*FusedLoc); ok && fused.Metadata == metadata {
			for _, inner := range fused.Locations {
				add(inner)
			}
			continue
		}
		add(l)
	}
	if metadata == nil {
		switch len(flat) {
		case 0:
			return c.unknown
		case 1:
			return flat[0]
		}
	} else if len(flat) == 0 {
		flat = append(flat, c.unknown)
	}
	return c.RawFusedLoc(flat, metadata)
}

// RawFusedLoc is the fused location of exactly these, nothing folded.
func (c *Context) RawFusedLoc(locations []Location, metadata Attribute) *FusedLoc {
	var buf [256]byte
	key := newKey(buf[:], keyFusedLoc).Attribute(metadata)
	for _, l := range locations {
		key = key.id(l.ID())
	}
	return intern(c, key, func() *FusedLoc {
		return &FusedLoc{LocationBase{c.newAttributeBase().OverAttributes(metadata).overLocations(locations)}, slices.Clone(locations), metadata}
	})
}

// LocationName returns the name in a location: of a NameLoc its own, of a fused location the first's. It is "" where
// there is none.
func LocationName(l Location) string {
	var seen seenLocations
	return seen.name(l)
}

func (s *seenLocations) name(l Location) string {
	switch l := l.(type) {
	case *NameLoc:
		return l.Name
	case *FusedLoc:
		if !s.isNew(l) {
			return ""
		}
		for _, inner := range l.Locations {
			if name := s.name(inner); name != "" {
				return name
			}
		}
	}
	return ""
}

// seenLocations are the locations that a search has looked through. Locations are a graph: a search that comes to a part by
// every path may never end.
type seenLocations struct {
	first Location // most have one level
	more  map[Location]bool
}

// isNew reports whether a location was not met before, and notes it.
func (s *seenLocations) isNew(l Location) bool {
	switch {
	case s.first == nil:
		s.first = l
	case s.first == l || s.more[l]:
		return false
	case s.more == nil:
		s.more = map[Location]bool{l: true}
	default:
		s.more[l] = true
	}
	return true
}

// shownLocation is the number of characters from which on what is nested in a location is left out of a message.
const shownLocation = 64 << 10

// locationString returns the text of a location, cut short where it is no text for people any more.
func locationString(l Location) string {
	w := NewTextWriter()
	w.Attribute = func(dst []byte, a Attribute) ([]byte, bool) {
		if len(dst) < shownLocation {
			return dst, false
		}
		return append(dst, "..."...), true
	}
	var buf [128]byte
	return string(w.appendAttributeBody(buf[:0], l, false))
}

// ValueName returns the tensor name of a value, TPU-MLIR's rule: the name of its operation's location; where that
// location is fused with one name a result, the result's own. Of a block argument it is the argument's location name.
func ValueName(v *Value) string {
	op := v.DefiningOp()
	if op == nil {
		return LocationName(v.Block().ArgumentLoc(v.Index()))
	}
	loc := op.Loc()
	if fused, ok := loc.(*FusedLoc); ok && len(fused.Locations) == len(op.results()) {
		return LocationName(fused.Locations[v.Index()])
	}
	return LocationName(loc)
}
