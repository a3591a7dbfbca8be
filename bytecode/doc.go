// Package bytecode reads and writes MLIR's binary form, versions 0 to 6: what mlir-opt --emit-bytecode writes and any
// tool of MLIR reads in place of text.
//
// A file is a header and sections: strings, dialects and operation names, attributes and types, resources, properties, and
// the operations, which refer to all of these by number. Attributes and types are decoded when the first operation asks for
// them; the regions of isolated operations are sections that could be skipped. Large constants and resources stay views of
// the input. What the builtin dialect has no encoding for is written as text and read by package parser.
//
// Nothing in a file is trusted: every count is checked against the bytes that are left before memory is taken for it,
// nesting is bounded, and references in a circle are errors.
package bytecode

import "bytes"

// The versions of the format that are read and written.
const (
	MinVersion = 0
	// CurrentVersion is what mlir-opt 22 writes by default.
	CurrentVersion = 6
)

// What the versions brought.
const (
	versionDialects        = 1 // dialects may carry a version
	versionLazy            = 2 // isolated regions are sections
	versionUseLists        = 3 // orders of uses
	versionElidedLocations = 4 // unknown locations of block arguments are left out; operation names are counted
	versionProperties      = 5 // properties stand in a section of their own
	versionSegmentSizes    = 6 // segment sizes are numbers, not an attribute
)

const magic = "ML\xefR"

// IsBytecode reports whether a file's content starts as bytecode does.
func IsBytecode(content []byte) bool { return bytes.HasPrefix(content, []byte(magic)) }

// The sections.
const (
	sectionStrings = iota
	sectionDialects
	sectionAttributes
	sectionAttributeOffsets
	sectionIR
	sectionResources
	sectionResourceOffsets
	sectionDialectVersions
	sectionProperties
	sectionCount
)

var sectionNames = [sectionCount]string{"String (0)", "Dialect (1)", "AttrType (2)", "AttrTypeOffset (3)", "IR (4)", "Resource (5)",
	"ResourceOffset (6)", "DialectVersions (7)", "Properties (8)"}

// sectionAligned marks a section's number where an alignment follows.
const sectionAligned = 0x80

// padding fills the bytes before what is aligned.
const padding = 0xCB

// The parts that an operation may have.
const (
	maskAttributes = 1 << iota
	maskResults
	maskOperands
	maskSuccessors
	maskRegions
	maskUseLists
	maskProperties
)

// The kinds of resources.
const (
	resourceBlob = iota
	resourceBool
	resourceString
)

// The builtin dialect's encodings of attributes.
const (
	codeArray = iota
	codeDictionary
	codeString
	codeTypedString
	codeFlatSymbolRef
	codeSymbolRef
	codeTypeAttr
	codeUnit
	codeInteger
	codeFloat
	codeCallSiteLoc
	codeFileLoc
	codeFusedLoc
	codeFusedLocWithMetadata
	codeNameLoc
	codeUnknownLoc
	codeDenseResource
	codeDenseArray
	codeDenseElements
	codeDenseStrings
	codeSparse
	codeDistinct
	codeFileRangeLoc // not known to mlir-opt 19
)

// The builtin dialect's encodings of types.
const (
	codeIntegerType = iota
	codeIndexType
	codeFunctionType
	codeBF16
	codeF16
	codeF32
	codeF64
	codeF80
	codeF128
	codeComplexType
	codeMemRefType
	codeMemRefTypeInSpace
	codeNoneType
	codeRankedTensorType
	codeRankedTensorTypeWithEncoding
	codeTupleType
	codeUnrankedMemRefType
	codeUnrankedMemRefTypeInSpace
	codeUnrankedTensorType
	codeVectorType
	codeScalableVectorType
)

// builtinDialect owns the encodings above.
const builtinDialect = "builtin"

// maxRegionDepth is how deep operations may be nested, as in package parser.
const maxRegionDepth = 10_000
