package pass_test

import (
	"testing"

	"tpuir/internal/registry"
	"tpuir/pass"
)

// FuzzPipeline reads pipelines: whatever the text, there is an error or a pipeline whose text reads back to the same.
func FuzzPipeline(f *testing.F) {
	for _, text := range []string{
		"builtin.module(canonicalize{max-iterations=2},cse)",
		"builtin.module(func.func(cse,canonicalize{  top-down=true enable-patterns={a,b}}),symbol-dce)",
		"any(split-stages{stages=prefill,decode seq-length=64},lower-to-tpu{mode=W4BF16})",
		"builtin.module(convert-top-to-tpu{weightFileName='a b.npz' q_group_size=64})",
		"builtin.module(cse{", "builtin.module(((", "a(b(c(d())))", "builtin.module(print-ir{label=\"}\"})",
	} {
		f.Add(text)
	}
	passes := registry.Passes()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := pass.ParsePipeline(passes, text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		printed := p.String()
		again, err := pass.ParsePipeline(passes, printed)
		if err != nil {
			t.Fatalf("%q was read, but not its text %q: %v", text, printed, err)
		}
		if again.String() != printed {
			t.Errorf("%q prints as %q, and that as %q", text, printed, again.String())
		}
	})
}
