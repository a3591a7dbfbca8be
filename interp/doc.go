// Package interp is the reference evaluator of both dialects, Top and Tpu: the numbers that every pass is checked
// against. Compile turns a net's function into a Program once; Run evaluates it, on any shapes that the `?` of its types
// and the lengths of a dynamic net allow.
//
// # Numbers
//
// Floating-point values are held as float32, whatever their type, and are rounded to the type (bf16, f16: to nearest,
// ties to even) after each op. Sums of products are float32, in an order that depends on the length alone: element k goes
// to partial sum k mod 16, in order of k, and the 16 partial sums are added as a tree (see dot.go). So a result depends
// neither on the number of threads, nor on the rows computed together, nor on how a matrix is stored or split into
// columns; batch b equals b single runs bit for bit. Norms, softmax sums and means accumulate in float64.
//
// W4 and W8 products are Σ x·((q − z)·s) + bias with the stored scale s and one rounding at the end; (q − z)·s is exact
// in float32. RMSNorm on bf16 rounds where TPU-MLIR's interpreter does: R(R(x·R(1/R(√(R(mean x²) + eps))))·γ). Unlike
// that interpreter, Rope and the f16 RMSNorm are rounded here too. Attention keeps scores, probabilities and sums in float32
// and rounds the result alone.
package interp
