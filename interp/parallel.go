package interp

// This file divides a kernel's rows among processors. The division never changes a result: each output element is
// computed by one worker, in the order that its kernel fixes.

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallelWork is the number of multiplications below which starting goroutines costs more than it saves.
const parallelWork = 1 << 18

// parallel calls body for ranges that make up 0…n. Where the whole is less than parallelWork, body is called once;
// otherwise ranges of at most grain indices are handed to as many workers as there are processors.
func parallel(n, grain, work int, body func(start, end int)) {
	workers := runtime.GOMAXPROCS(0)
	grain = max(grain, 1)
	workers = min(workers, (n+grain-1)/grain)
	if workers <= 1 || work < parallelWork {
		if n > 0 {
			body(0, n)
		}
		return
	}
	var next atomic.Int64
	loop := func() {
		for {
			start := int(next.Add(int64(grain))) - grain
			if start >= n {
				return
			}
			body(start, min(start+grain, n))
		}
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(loop)
	}
	loop()
	group.Wait()
}
