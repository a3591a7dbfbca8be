package tpurun_test

// This file measures the whole command on the built-in model's lowered IR; figure 5 of the issue asks for tokens/s.

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tpuir/examples/stories"
	"tpuir/internal/cli/topopt"
	"tpuir/internal/cli/tpurun"
	"tpuir/internal/cli/tputranslate"
)

// lowerStories leaves stories.tpu.mlir, made as the README makes it, in the working folder.
func lowerStories(t testing.TB) {
	t.Helper()
	if err := os.CopyFS("stories", stories.Files()); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	nothing := strings.NewReader("")
	if tputranslate.Main(t.Context(), []string{"--import-hf", "stories", "-o", "stories.mlir"}, nothing, io.Discard, &messages) != 0 ||
		topopt.Main(t.Context(), []string{"--lower-to-tpu", "--split-stages", "stories.mlir", "-o", "stories.tpu.mlir"}, nothing, io.Discard, &messages) != 0 {
		t.Fatal(messages.String())
	}
}

var decodeSpeed = regexp.MustCompile(`(?m)^decode .* ([0-9.]+) tokens/s$`)

func BenchmarkRunLowered(b *testing.B) {
	b.Chdir(b.TempDir())
	lowerStories(b)
	for b.Loop() {
		var messages bytes.Buffer
		if tpurun.Main(b.Context(), []string{"-m", "stories.tpu.mlir", "Once upon a time"}, strings.NewReader(""), io.Discard, &messages) != 0 {
			b.Fatal(messages.String())
		}
		speed, err := strconv.ParseFloat(decodeSpeed.FindStringSubmatch(messages.String())[1], 64)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(speed, "decode-tokens/s")
	}
}
