//go:build peer

// Random check files and inputs, on which FileCheck and ours have to agree to the last character of the report. The
// seed is fixed, so a failure can be run again.

package filecheck

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/internal/peer"
)

// generator writes random cases that are likely to match in part.
type generator struct{ *rand.Rand }

func (g generator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g generator) pattern() string {
	var out strings.Builder
	for range 1 + g.IntN(3) {
		switch g.IntN(9) {
		case 0, 1, 2, 3:
			out.WriteString(g.pick("a", "b", "c", "1", "2", "a b", "b  c"))
		case 4:
			out.WriteString("{{" + g.pick("a|b", "[a-c]+", "[0-9]*", ".*", "^", "$", "(a|ab)(c|b)?", "x?", "[^a]") + "}}")
		case 5:
			out.WriteString("[[" + g.pick("X", "Y", "$Z") + ":" + g.pick("[a-c]", "[ab]+", "[0-9]", ".", "(a|b)+") + "]]")
		case 6:
			out.WriteString("[[" + g.pick("X", "Y", "$Z") + "]]")
		case 7:
			out.WriteString("[[#" + g.pick("", "%x,", "%d,") + g.pick("N:", "M:", "$K:", "") + "]]")
		case 8:
			out.WriteString("[[#" + g.pick("N", "M+1", "$K", "N-1", "@LINE", "add(N,M)", "mul(N,2)", "min(N,3)") + "]]")
		}
	}
	return out.String()
}

func (g generator) checkFile() string {
	var out strings.Builder
	for range 1 + g.IntN(1+g.IntN(6)) {
		suffix := g.pick("", "", "", "-NEXT", "-SAME", "-NOT", "-NOT", "-DAG", "-DAG", "-LABEL", "-EMPTY", "-COUNT-2",
			"{LITERAL}")
		if suffix == "-EMPTY" {
			fmt.Fprintf(&out, "// CHECK-EMPTY:\n")
			continue
		}
		fmt.Fprintf(&out, "// CHECK%s: %s\n", suffix, g.pattern())
	}
	return out.String()
}

func (g generator) input() string {
	var out strings.Builder
	for range 1 + g.IntN(8) {
		for range g.IntN(5) {
			out.WriteString(g.pick("a", "b", "c", "1", "2", "3", " ", "ab", "12", "  "))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func (g generator) options() []string {
	all := []string{
		"-v", "-vv", "--dump-input=never", "--dump-input=always", "--strict-whitespace", "--match-full-lines",
		"--ignore-case", "--enable-var-scope", "--implicit-check-not=c", "--allow-deprecated-dag-overlap",
		"--dump-input-context=1", "--dump-input-filter=annotation", "-DX=a", "-D#N=1", "-D#%d,M=2",
	}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:g.IntN(4)]
}

func TestPeerRandom(t *testing.T) {
	theirs := judge(t, peer.RequireTool(t, "FileCheck-19"))
	g := generator{rand.New(rand.NewPCG(1, 2))}
	counts := map[int]int{}
	for i := range 300 {
		c := &testCase{options: g.options(), checkFile: g.checkFile(), input: g.input()}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			wantStatus, want := c.inFolder(t, theirs)
			gotStatus, got := c.inFolder(t, ours)
			counts[wantStatus]++
			diff := cmp.Diff(comparable(want), comparable(got))
			if wantStatus != gotStatus || diff != "" {
				t.Errorf("status: FileCheck %d, ours %d; report (-FileCheck +ours):\n%s\noptions %q\n%s\ninput\n%s",
					wantStatus, gotStatus, diff, c.options, c.checkFile, c.input)
			}
		})
	}
	for _, status := range []int{0, 1, 2} {
		if counts[status] < 10 {
			t.Errorf("only %d cases with status %d: the generator is lopsided", counts[status], status)
		}
	}
}
