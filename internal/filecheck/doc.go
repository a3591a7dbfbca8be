// Package filecheck checks that a text holds what the directives in the comments of another say: CHECK, CHECK-NEXT,
// CHECK-SAME, CHECK-NOT, CHECK-DAG, CHECK-LABEL, CHECK-EMPTY and CHECK-COUNT, with regular expressions and variables. It
// does what LLVM's FileCheck does, to the report and the exit status, and can rewrite a check file from a tool's output.
//
//	file, err := filecheck.Parse("layer.mlir", checkText, filecheck.Options{})
//	if err != nil { … }
//	err = file.Check("<stdin>", output).Err()
package filecheck
