// Package rooms holds the test that the rooms of docs/architecture.md are as it draws them.
package rooms

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "tpuir/"
	// last is the room that all others are for; helpers of all rooms stand in the rows behind it.
	last = "internal/cli"
)

// readRooms returns the row of each folder in the table, from the top.
func readRooms(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	rooms := map[string]int{}
	name := regexp.MustCompile("`([a-z/]+)`")
	row := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cell, _, _ := strings.Cut(line[1:], "|")
		folder := ""
		for _, found := range name.FindAllStringSubmatch(cell, -1) {
			room := found[1]
			if strings.HasPrefix(folder, "dialect/") && !strings.Contains(room, "/") {
				room = "dialect/" + room // `dialect/builtin`, `func`
			}
			folder = room
			rooms[room] = row
		}
		if folder == last {
			return rooms
		}
		row++
	}
	t.Fatalf("no row for %s", last)
	return nil
}

// roomOf returns the room that a folder lies in, "" where it is in none.
func roomOf(rooms map[string]int, folder string) string {
	for ; folder != "."; folder = path.Dir(folder) {
		if _, ok := rooms[folder]; ok {
			return folder
		}
	}
	return ""
}

// TestImportsPointOneWay compares the imports of every file with the order of the table.
func TestImportsPointOneWay(t *testing.T) {
	rooms := readRooms(t)
	compared := 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		from := roomOf(rooms, path.Dir(filepath.ToSlash(relative)))
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			folder, ours := strings.CutPrefix(imported, module)
			to := roomOf(rooms, folder)
			if !ours || from == "" || to == "" || from == to {
				continue
			}
			compared++
			if rooms[to] > rooms[from] {
				t.Errorf("%s imports %s, which stands below %s in docs/architecture.md", relative, imported, from)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if compared < 100 {
		t.Errorf("only %d imports between rooms were found", compared)
	}
}
