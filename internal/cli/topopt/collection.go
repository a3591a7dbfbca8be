package topopt

// This file keeps the garbage collector away while a text is read: what the parser makes stays until the end, so that
// looking for garbage then only costs time.

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"tpuir/internal/cli/files"
)

const (
	// memoryFloor is the memory in bytes that any run may take before the first collection: about what mlir-opt takes
	// before it has read anything.
	memoryFloor = 96 << 20
	// memoryPerTwo is how many bytes of memory two bytes of text may take before.
	memoryPerTwo = 5
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
	debug.SetMemoryLimit(min(limit, memoryFloor+memoryPerTwo*int64(textSize)/2))
	return func() {
		cleanup.Stop()
		restore()
	}
}

// releaseText gives the pages of a large text back once it has become IR. Where the IR is smaller than the text, its
// constants are views of it, and the pages will be needed soon.
func releaseText(input *files.Input) {
	const large = 8 << 20
	if input == nil || len(input.Text) < large {
		return
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Kind() == metrics.KindUint64 && heap[0].Value.Uint64() > uint64(len(input.Text)) {
		input.Release()
	}
}
