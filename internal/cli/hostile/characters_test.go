package hostile

// This file holds bytes that a text should not have, in every place of it.

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"tpuir/internal/cli/topopt"
)

// strange are the bytes: no character at all, half of one, one of several bytes, control characters, byte order marks.
var strange = map[string]string{"NUL": "\x00", "no UTF-8": "\xff", "a letter of two bytes": "é", "half a letter": "\xe2\x82", "CR": "\r",
	"CR LF": "\r\n", "VT": "\v", "FF": "\f", "DEL": "\x7f", "no-break space": "\u00a0", "byte order mark": "\ufeff"}

// places are texts with a place for strange bytes, ¤.
var places = map[string]string{
	"first":                     `¤"t.a"() : () -> ()`,
	"last":                      `"t.a"() : () -> ()¤`,
	"between operations":        "\"t.a\"() : () -> ()\n¤\n\"t.a\"() : () -> ()",
	"end of a line":             "\"t.a\"() : () -> ()¤\"t.a\"() : () -> ()¤// end¤",
	"end of a line, then error": "\"t.a\"() : () -> ()¤  \"t.a\" : () -> ()¤",
	"comment":                   "// a¤b\n\"t.a\"() : () -> ()",
	"comment without an end":    "// a¤",
	"string":                    `"t.a"() {k = "a¤b"} : () -> ()`,
	"escape":                    `"t.a"() {k = "\¤"} : () -> ()`,
	"operation name":            `"t.a¤b"() : () -> ()`,
	"attribute name":            `"t.a"() {a¤b = 1} : () -> ()`,
	"quoted attribute name":     `"t.a"() {"a¤b" = 1} : () -> ()`,
	"value":                     `%a¤b = "t.a"() : () -> i1`,
	"symbol":                    `"t.a"() {k = @a¤b} : () -> ()`,
	"quoted symbol":             `"t.a"() {k = @"a¤b"} : () -> ()`,
	"block":                     "\"t.a\"() ({\n^a¤b:\n\"t.b\"() : () -> ()}) : () -> ()",
	"attribute alias":           "#a¤b = 1\n",
	"type alias":                "!a¤b = i1\n",
	"number":                    `"t.a"() {k = 1¤2} : () -> ()`,
	"integer type":              `"t.a"() : () -> i3¤2`,
	"shape":                     `"t.a"() : () -> tensor<1¤x2xi1>`,
	"arrow":                     `"t.a"() : () -¤> ()`,
	"dialect's attribute":       `"t.a"() {k = #d<a¤b>} : () -> ()`,
	"dialect's string":          `"t.a"() {k = #d<"a¤b">} : () -> ()`,
	"dialect's type":            `"t.a"() : () -> !d.x<a¤b>`,
	"location":                  `"t.a"() : () -> () loc("a¤b")`,
	"file":                      `"t.a"() : () -> () loc("a¤b":1:1)`,
	"hex":                       `"t.a"() {k = dense<"0x0¤0"> : tensor<1xi8>} : () -> ()`,
	"resource":                  `{-# dialect_resources: { builtin: { a¤b: "0x0100000001" } } #-}`,
	"external resource":         `{-# external_resources: { x: { k: "a¤b" } } #-}`,
	"custom form":               `func.func private @a¤b()`,
	"affine map":                `"t.a"() {k = affine_map<(d¤0) -> (0)>} : () -> ()`,
	"alone":                     `¤`,
}

// accepted are the places in which all strange bytes that end no string are accepted.
var accepted = []string{"comment", "comment without an end", "string", "quoted attribute name", "quoted symbol", "dialect's string",
	"location", "file"}

// TestCharacters reads every strange byte in every place: it is read or refused, and never more than that. That both are as in
// mlir-opt, and the words, is TestCharactersLikePeer.
func TestCharacters(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, place := range slices.Sorted(maps.Keys(places)) {
		for _, name := range slices.Sorted(maps.Keys(strange)) {
			status, _, stderr := characters(t, place, name)
			ends := slices.Contains([]string{"VT", "FF", "CR", "CR LF"}, name)
			if slices.Contains(accepted, place) && !ends && status != 0 {
				t.Errorf("%s in %s: %s", name, place, stderr)
			}
			if status != 0 && (status != 1 || !strings.HasPrefix(stderr, "in.mlir:")) {
				t.Errorf("%s in %s: status %d, %s", name, place, status, stderr)
			}
		}
	}
}

// characters runs top-opt in the working folder.
func characters(t *testing.T, place, name string) (status int, stdout, stderr string) {
	t.Helper()
	if err := os.WriteFile("in.mlir", []byte(strings.ReplaceAll(places[place], "¤", strange[name])), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, messages bytes.Buffer
	status = topopt.Main(t.Context(), []string{"--allow-unregistered-dialect", "in.mlir"}, strings.NewReader(""), &out, &messages)
	return status, out.String(), messages.String()
}
