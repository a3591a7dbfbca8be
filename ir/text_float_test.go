package ir_test

import (
	"bufio"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/ir"
)

// TestAppendFloat compares with what mlir-opt 22 prints: every value of the small formats, and others with random bits or
// few decimals. A line of the file is the type, the bits, the text. TPUIR_FLOATS names a longer file.
func TestAppendFloat(t *testing.T) {
	path := "testdata/floats.txt"
	if other := os.Getenv("TPUIR_FLOATS"); other != "" {
		path = other
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c := ir.NewContext()
	failed := 0
	for lines := bufio.NewScanner(file); lines.Scan() && failed < 20; {
		fields := strings.Fields(lines.Text())
		bits, ok := new(big.Int).SetString(fields[1], 16)
		if !ok {
			t.Fatalf("bad line %q", lines.Text())
		}
		low := new(big.Int).And(bits, new(big.Int).SetUint64(^uint64(0))).Uint64()
		high := new(big.Int).Rsh(bits, 64).Uint64()
		got, _ := ir.AppendFloat(nil, c.FloatTypeNamed(fields[0]).Kind, low, high)
		if diff := cmp.Diff(fields[2], string(got)); diff != "" {
			failed++
			t.Errorf("%s 0x%s: %s", fields[0], fields[1], diff)
		}
	}
}
