// Package hostile runs the tools on inputs that are made to cost more than they should: nested without end, with sizes of 2^62,
// with graphs of aliases, with lines of megabytes, with errors by the hundred thousand; and on outputs that can't be written and
// runs that are interrupted. Every case has a bound on time and memory.
package hostile
