package topopt

// This file keeps the garbage collector away while a text is read: what the parser makes stays until the end, so that
// looking for garbage then only costs time.

import (
	"runtime"
	"runtime/debug"
)

const (
	// memoryFloor is the memory in bytes that any run may take before the first collection: less than mlir-opt takes
	// before it has read anything.
	memoryFloor = 64 << 20
	// memoryPerText is how many bytes of memory a byte of text may take before.
	memoryPerText = 4
)

// postponeCollection puts the first garbage collection off until the memory has grown with the size of the text; from then
// on the collector works as it did. The function it returns takes it all back.
func postponeCollection(textSize int) func() {
	percent := debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(-1)
	// The limit starts the first collection; what that finds dead tells that it has run.
	first := new([16]byte)
	restore := func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
	cleanup := runtime.AddCleanup(first, func(back func()) { back() }, restore)
	debug.SetMemoryLimit(min(limit, memoryFloor+memoryPerText*int64(textSize)))
	return func() {
		cleanup.Stop()
		restore()
	}
}
