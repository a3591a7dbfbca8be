package embeddingfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tpuir/weight/float16"
)

// TestRows reads rows of a file, and asks for what is not there: the error names the file each time.
func TestRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(path, []byte{0, 0x3c, 0, 0x40, 0, 0xbc, 0, 0xc0, 0, 0x38, 0, 0}, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, float16.Float16, 4); err == nil || err.Error() != path+" has 12 bytes, which are no rows of 4 16-bit numbers" {
		t.Errorf("got error %v", err)
	}
	file, err := Open(path, float16.Float16, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for token, want := range [][]float32{{1, 2}, {-1, -2}, {0.5, 0}} {
		got := make([]float32, 2)
		err := file.Row(t.Context(), token, got)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("row %d: error %v (-want +got):\n%s", token, err, diff)
		}
	}
	row := make([]float32, 2)
	if err := file.Row(t.Context(), 3, row); err == nil || err.Error() != path+" has 3 rows of 2" {
		t.Errorf("got error %v", err)
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if err := file.Row(t.Context(), 2, row); err == nil || !strings.HasPrefix(err.Error(), path+": row 2: ") {
		t.Errorf("a row that was cut off: error %v", err)
	}
}
