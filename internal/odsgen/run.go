// Running the generator on files.

package odsgen

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Run reads a definition file, writes its Go files into the folder out and its reference pages into the folder docs, and
// removes generated files of families that are gone. Files that would not change are left alone; each is written beside
// its place and renamed. Where docs is empty no pages are written.
func Run(path, out, docs string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := Parse(path, string(text))
	if err != nil {
		return err
	}
	files, err := Generate(file)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := write(filepath.Join(out, name), files[name]); err != nil {
			return err
		}
	}
	if err := removeStale(out, files); err != nil || docs == "" {
		return err
	}
	if err := os.MkdirAll(docs, 0o755); err != nil {
		return err
	}
	if err := write(filepath.Join(docs, file.Name+".md"), Document(file)); err != nil {
		return err
	}
	return write(filepath.Join(docs, file.Name+"_checks.md"), DocumentChecks(file))
}

func write(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	beside := path + ".tmp"
	if err := os.WriteFile(beside, text, 0o644); err != nil {
		return err
	}
	if err := os.Rename(beside, path); err != nil {
		os.Remove(beside)
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

func removeStale(folder string, files map[string][]byte) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, "_gen.go") && files[name] == nil {
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
