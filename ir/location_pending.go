package ir

// This file holds locations that are made when somebody asks for them. Every operation of a large file has one of its own,
// and who neither prints them nor reports an error never looks at most of them.

import "sync/atomic"

// PendingLoc stands for the location `"file":line:column` or `"name"` of an operation or a block argument.
// [NewOperation], [Operation.SetLoc] and [Block.AddArgument] take it; what asks for their location gets the real one, uniqued.
type PendingLoc struct {
	LocationBase // without an ID
	text         string
	line, column uint32
	isName       bool
	made         atomic.Pointer[Location]
}

// PendingFileLoc returns what becomes [Context.FileLoc] when it is asked for.
func (s *Slab) PendingFileLoc(c *Context, file string, line, column uint32) *PendingLoc {
	l := s.pendingLoc(c)
	l.text, l.line, l.column = file, line, column
	return l
}

// PendingNameLoc returns what becomes [Context.NameLoc] without a child when it is asked for.
func (s *Slab) PendingNameLoc(c *Context, name string) *PendingLoc {
	l := s.pendingLoc(c)
	l.text, l.isName = name, true
	return l
}

func (s *Slab) pendingLoc(c *Context) *PendingLoc {
	l := &take(&s.pending, 1, 256)[0]
	l.context = c
	return l
}

// Resolve returns the location itself.
func (l *PendingLoc) Resolve() Location {
	if made := l.made.Load(); made != nil {
		return *made
	}
	var loc Location
	if l.isName {
		loc = l.context.NameLoc(l.text, nil)
	} else {
		loc = l.context.FileLoc(l.text, l.line, l.column)
	}
	l.made.Store(&loc) // another goroutine may have stored the same
	return loc
}

// String returns the text of the location itself.
func (l *PendingLoc) String() string { return l.Resolve().String() }

// resolved returns the location that another stands for, if it is pending, else that location.
func resolved(l Location) Location {
	if pending, ok := l.(*PendingLoc); ok {
		return pending.Resolve()
	}
	return l
}
