// One parsed check file is used by several goroutines, as its documentation promises.

package filecheck

import (
	"fmt"
	"sync"
	"testing"
)

func TestConcurrentChecks(t *testing.T) {
	file, err := Parse("check", []byte("CHECK: a=[[#A:]] [[B:.]]\nCHECK-NEXT: [[#A+1]] [[B]]\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			if err := file.Check("<stdin>", fmt.Appendf(nil, "a=%d x\n%d x\n", i, i+1)).Err(); err != nil {
				t.Error(err)
			}
			if err := file.Check("<stdin>", fmt.Appendf(nil, "a=%d x\n%d x\n", i, i)).Err(); err == nil {
				t.Errorf("%d is taken for %d + 1", i, i)
			}
		})
	}
	group.Wait()
}

// TestEmptyMatchesEnd makes sure that a huge count of empty matches takes no time.
func TestEmptyMatchesEnd(t *testing.T) {
	file, err := Parse("check", []byte("CHECK-COUNT-2147483647: {{x*}}\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Check("<stdin>", []byte("y\n")).Err(); err != nil {
		t.Error(err)
	}
}
