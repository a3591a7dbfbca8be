// Package badinput holds the tests of what the tools say about input that is broken, lies, or asks for what can't be done:
// one error that names the file, tensor or line, exit status 1, and nothing left behind. -v prints the table.
package badinput
