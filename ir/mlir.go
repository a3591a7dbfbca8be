package ir

// This file holds what texts that MLIR prints tell of operations that it defines and we do not: its dialects are no
// unregistered ones to it, although their operations are here.

// IsMLIRDialect reports whether mlir-opt registers a dialect of that name.
func IsMLIRDialect(namespace string) bool {
	switch namespace {
	case "acc", "affine", "amdgpu", "amx", "arith", "arm_neon", "arm_sme", "arm_sve", "async", "bufferization", "builtin",
		"cf", "complex", "dlti", "emitc", "func", "gpu", "index", "irdl", "linalg", "llvm", "math", "memref", "ml_program",
		"mpi", "nvgpu", "nvvm", "omp", "pdl", "pdl_interp", "ptr", "quant", "rocdl", "scf", "shape", "shard", "smt",
		"sparse_tensor", "spirv", "tensor", "tosa", "transform", "ub", "vcix", "vector", "wasmssa", "x86vector", "xegpu", "xevm":
		return true
	}
	return false
}

// MLIR reports whether the operation is one of a dialect of MLIR's that the context has no definition of.
func (n *OperationName) MLIR() bool { return n.mlir }

// isSymbolTable reports whether symbols are looked up in an operation: by its definition, or as MLIR defines it.
func (op *Operation) isSymbolTable() bool {
	if !op.name.mlir {
		return op.HasTrait(SymbolTable)
	}
	switch op.name.name {
	case "gpu.module", "spirv.module", "llvm.comdat", "emitc.class", "emitc.file":
		return true
	}
	return false
}
