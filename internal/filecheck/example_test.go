// Examples of the package's use.

package filecheck_test

import (
	"fmt"

	"tpuir/internal/filecheck"
)

func Example() {
	checks := "// CHECK: [[SUM:%.*]] = add\n// CHECK-NEXT: return [[SUM]]\n"
	file, err := filecheck.Parse("sum.mlir", []byte(checks), filecheck.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(file.Check("<stdin>", []byte("%2 = add %0, %1\nreturn %2\n")).Err())
	fmt.Println(file.Check("<stdin>", []byte("%2 = add %0, %1\nreturn %0\n")).Err())
	// Output:
	// <nil>
	// sum.mlir:2:16: error: CHECK-NEXT: expected string not found in input
	// // CHECK-NEXT: return [[SUM]]
	//                ^
	// <stdin>:1:9: note: scanning from here
	// %2 = add %0, %1
	//         ^
	// <stdin>:1:9: note: with "SUM" equal to "%2"
	// %2 = add %0, %1
	//         ^
	// <stdin>:2:1: note: possible intended match here
	// return %0
	// ^
}

func ExampleUpdate() {
	old := "// The sum is returned.\n// CHECK: old\n"
	updated, err := filecheck.Update("sum.mlir", []byte(old), []byte("%2 = add\nreturn %2\n"), filecheck.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(updated))
	// Output:
	// // The sum is returned.
	// // CHECK: %[[V2:.*]] = add
	// // CHECK-NEXT: return %[[V2]]
}
