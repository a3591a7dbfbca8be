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
// few decimals. A line of the file is the type, the bits, the text. TPUIR_FLOATS names a longer file. What mlir-opt would not
// read back, since it reads decimals as doubles, has to be the bits.
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
		want := fields[2]
		if (fields[0] == "f80" || fields[0] == "f128") && !strings.HasPrefix(want, "0x") && !isDouble(t, fields[0], bits) {
			want = "0x" + strings.TrimLeft(strings.ToUpper(fields[1]), "0")
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			failed++
			t.Errorf("%s 0x%s: %s", fields[0], fields[1], diff)
		}
	}
}

// isDouble reports whether a double holds the finite value with these bits.
func isDouble(t *testing.T, format string, encoding *big.Int) bool {
	t.Helper()
	mantissaBits := uint(112)
	if format == "f80" {
		mantissaBits = 64
	}
	mantissa := new(big.Int).And(encoding, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), mantissaBits), big.NewInt(1)))
	exponent := int(new(big.Int).Rsh(encoding, mantissaBits).Uint64() & 0x7FFF)
	switch {
	case exponent == 0:
		exponent = 1
	case format == "f128":
		mantissa.SetBit(mantissa, 112, 1)
	}
	point := 112
	if format == "f80" {
		point = 63
	}
	value := new(big.Float).SetPrec(128).SetInt(mantissa)
	value.SetMantExp(value, exponent-16383-point)
	_, accuracy := value.Float64()
	return accuracy == big.Exact
}
