// Package race tells tests whether the race detector watches them, so that long loops over numbers, which it slows down
// tenfold and finds nothing in, can be shorter there.
package race
