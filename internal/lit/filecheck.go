// The command filecheck of scripts, which checks what the last command printed, and -update-checks.

package lit

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"tpuir/internal/atomicfile"
	"tpuir/internal/filecheck"
)

// suite is a folder of scripts while they run.
type suite struct {
	folder  string
	options *Options

	mutex   sync.Mutex
	updates map[string]map[string][]byte // by script and the file in it, what -update-checks writes
}

// filecheck implements [!] filecheck [--stderr] [option...] file.
func (s *suite) filecheck(ctx context.Context, script *testscript.TestScript, negated bool, arguments []string) {
	stream := "stdout"
	if i := slices.Index(arguments, "--stderr"); i >= 0 {
		stream = "stderr"
		arguments = slices.Delete(slices.Clone(arguments), i, i+1)
	}
	if len(arguments) == 0 {
		script.Fatalf("usage: filecheck [--stderr] [option...] file")
	}
	output := script.ReadFile(stream)
	var stdout, report bytes.Buffer
	status := filecheck.MainIn(ctx, script.MkAbs("."), arguments, strings.NewReader(output), &stdout, &report)
	if status != 0 && s.options.UpdateChecks && !negated {
		status = s.update(ctx, script, arguments, output)
	}
	switch {
	case status > 1:
		script.Fatalf("filecheck could not check:\n%s", &report)
	case status == 1 && !negated:
		script.Fatalf("filecheck failed:\n%s", &report)
	case status == 0 && negated:
		script.Fatalf("filecheck succeeded, and should not")
	}
}

// update rewrites the check file in the script's folder and keeps the new text for the script itself.
func (s *suite) update(ctx context.Context, script *testscript.TestScript, arguments []string, output string) int {
	var stdout, report bytes.Buffer
	arguments = append([]string{"--update"}, arguments...)
	status := filecheck.MainIn(ctx, script.MkAbs("."), arguments, strings.NewReader(output), &stdout, &report)
	if status != 0 {
		script.Fatalf("the CHECK lines could not be rewritten:\n%s", &report)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, argument := range arguments {
		if strings.HasPrefix(argument, "-") {
			continue
		}
		path := filepath.Join(s.folder, script.Name()+".txtar")
		if s.updates == nil {
			s.updates = map[string]map[string][]byte{}
		}
		if s.updates[path] == nil {
			s.updates[path] = map[string][]byte{}
		}
		s.updates[path][argument] = []byte(script.ReadFile(argument))
	}
	return 0
}

// rewrite puts the new check files into the scripts, once all have run.
func (s *suite) rewrite(t *testing.T) {
	for path, files := range s.updates {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for i := range archive.Files {
			if updated, ok := files[archive.Files[i].Name]; ok {
				archive.Files[i].Data = updated
			}
		}
		if err := atomicfile.WriteFile(path, txtar.Format(archive)); err != nil {
			t.Error(err)
		}
	}
}
