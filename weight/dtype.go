package weight

// This file holds the types of elements, and their names in the formats.

// DType is the type of a tensor's elements.
type DType uint8

// The types.
const (
	Invalid DType = iota
	Bool          // one byte, 0 or 1
	Int8
	Uint8
	Int16
	Uint16 // in TPU-MLIR's npz files also the bits of a bfloat16 or a binary16
	Int32
	Uint32
	Int64
	Uint64
	Float8E4M3FN
	Float8E5M2
	Float16
	BFloat16
	Float32
	Float64
)

// dtypeInfo lists, by DType, the size in bytes, the name in safetensors files and the dtype string in .npy files; both
// names are empty where the format has no such type.
var dtypeInfo = [...]struct {
	size               int64
	safetensors, numpy string
}{
	Invalid:      {0, "", ""},
	Bool:         {1, "BOOL", "|b1"},
	Int8:         {1, "I8", "<i1"},
	Uint8:        {1, "U8", "<u1"},
	Int16:        {2, "I16", "<i2"},
	Uint16:       {2, "U16", "<u2"},
	Int32:        {4, "I32", "<i4"},
	Uint32:       {4, "U32", "<u4"},
	Int64:        {8, "I64", "<i8"},
	Uint64:       {8, "U64", "<u8"},
	Float8E4M3FN: {1, "F8_E4M3", "<u1"},
	Float8E5M2:   {1, "F8_E5M2", "<u1"},
	Float16:      {2, "F16", "<u2"},
	BFloat16:     {2, "BF16", "<u2"},
	Float32:      {4, "F32", "<f4"},
	Float64:      {8, "F64", "<f8"},
}

// Size returns the bytes of an element, 0 for Invalid.
func (d DType) Size() int64 {
	if int(d) >= len(dtypeInfo) {
		return 0
	}
	return dtypeInfo[d].size
}

// String returns the name of the type in safetensors files, such as BF16.
func (d DType) String() string {
	if d == Invalid || int(d) >= len(dtypeInfo) {
		return "invalid"
	}
	return dtypeInfo[d].safetensors
}

// IsFloat reports whether the elements are floating-point numbers.
func (d DType) IsFloat() bool { return d >= Float8E4M3FN && d <= Float64 }

// safetensorsDType returns the type of that name in a safetensors header, or Invalid.
func safetensorsDType(name string) DType {
	for d, info := range dtypeInfo {
		if info.safetensors == name && name != "" {
			return DType(d)
		}
	}
	return Invalid
}

// numpyDType returns the type of a dtype string in a .npy header, or Invalid. Big-endian types have none.
func numpyDType(descr string) DType {
	if len(descr) != 3 {
		return Invalid
	}
	kind := descr[1:]
	switch descr[0] {
	case '<', '=':
	case '|':
		if kind[1] != '1' {
			return Invalid
		}
	default:
		return Invalid
	}
	switch kind {
	case "f2":
		return Float16 // our own writer stores halves as their bits, as TPU-MLIR does
	case "b1":
		return Bool
	}
	for d, info := range dtypeInfo {
		if info.numpy != "" && info.numpy[1:] == kind {
			return DType(d)
		}
	}
	return Invalid
}

// elementCount multiplies the dimensions. It reports false where one is negative or the product overflows.
func elementCount(shape []int64) (int64, bool) {
	count, empty := int64(1), false
	for _, n := range shape {
		if n < 0 {
			return 0, false
		}
		if n == 0 {
			empty = true
			continue
		}
		if count > (1<<62)/n {
			return 0, false
		}
		count *= n
	}
	if empty {
		return 0, true
	}
	return count, true
}

// byteCount is elementCount in bytes.
func byteCount(d DType, shape []int64) (int64, bool) {
	count, ok := elementCount(shape)
	if !ok || d.Size() == 0 || count > (1<<62)/d.Size() {
		return 0, false
	}
	return count * d.Size(), true
}
