// The inner products and weighted sums of dot.go on 8 lanes. Sums are the same, bit for bit: the 16 partial sums are two
// registers, products and additions stay separate instructions, and the tree adds distances 8, 4, 2, 1.

#include "textflag.h"

// tailMask is 16 words of ones and 16 of zeros: from word 16-r on it selects the first r lanes of 16.
DATA tailMask<>+0(SB)/8, $-1
DATA tailMask<>+8(SB)/8, $-1
DATA tailMask<>+16(SB)/8, $-1
DATA tailMask<>+24(SB)/8, $-1
DATA tailMask<>+32(SB)/8, $-1
DATA tailMask<>+40(SB)/8, $-1
DATA tailMask<>+48(SB)/8, $-1
DATA tailMask<>+56(SB)/8, $-1
DATA tailMask<>+64(SB)/8, $0
DATA tailMask<>+72(SB)/8, $0
DATA tailMask<>+80(SB)/8, $0
DATA tailMask<>+88(SB)/8, $0
DATA tailMask<>+96(SB)/8, $0
DATA tailMask<>+104(SB)/8, $0
DATA tailMask<>+112(SB)/8, $0
DATA tailMask<>+120(SB)/8, $0
GLOBL tailMask<>(SB), RODATA|NOPTR, $128

// REDUCE adds the 16 partial sums in lo and hi to the lowest lane of lo; t is scratch.
#define REDUCE(lo, hi, lox, t, tx) \
	VADDPS hi, lo, lo            \
	VEXTRACTF128 $1, lo, tx      \
	VADDPS tx, lox, lox          \
	VPERMILPS $0xee, lox, tx     \
	VADDPS tx, lox, lox          \
	VPERMILPS $0x55, lox, tx     \
	VADDSS tx, lox, lox

// func dot4AVX(out, x, w *float32, stride, k int)
// Four rows of w, which begin stride elements apart.
TEXT ·dot4AVX(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), R8
	MOVQ stride+24(FP), DX
	MOVQ k+32(FP), CX
	SHLQ $2, DX
	LEAQ (R8)(DX*1), R9
	LEAQ (R9)(DX*1), R10
	LEAQ (R10)(DX*1), R11
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $~15, BX
	SHLQ $2, BX // bytes in whole blocks of 16
	CMPQ AX, BX
	JGE tail

loop:
	VMOVUPS (SI)(AX*1), Y8
	VMOVUPS 32(SI)(AX*1), Y9
	VMULPS (R8)(AX*1), Y8, Y10
	VMULPS 32(R8)(AX*1), Y9, Y11
	VADDPS Y10, Y0, Y0
	VADDPS Y11, Y1, Y1
	VMULPS (R9)(AX*1), Y8, Y12
	VMULPS 32(R9)(AX*1), Y9, Y13
	VADDPS Y12, Y2, Y2
	VADDPS Y13, Y3, Y3
	VMULPS (R10)(AX*1), Y8, Y10
	VMULPS 32(R10)(AX*1), Y9, Y11
	VADDPS Y10, Y4, Y4
	VADDPS Y11, Y5, Y5
	VMULPS (R11)(AX*1), Y8, Y12
	VMULPS 32(R11)(AX*1), Y9, Y13
	VADDPS Y12, Y6, Y6
	VADDPS Y13, Y7, Y7
	ADDQ $64, AX
	CMPQ AX, BX
	JLT loop

tail:
	ANDQ $15, CX
	JZ reduce
	LEAQ tailMask<>(SB), R12
	SHLQ $2, CX
	SUBQ CX, R12
	VMOVUPS 64(R12), Y14
	VMOVUPS 96(R12), Y15
	VMASKMOVPS (SI)(AX*1), Y14, Y8
	VMASKMOVPS 32(SI)(AX*1), Y15, Y9
	VMASKMOVPS (R8)(AX*1), Y14, Y10
	VMASKMOVPS 32(R8)(AX*1), Y15, Y11
	VMULPS Y10, Y8, Y10
	VMULPS Y11, Y9, Y11
	VADDPS Y10, Y0, Y0
	VADDPS Y11, Y1, Y1
	VMASKMOVPS (R9)(AX*1), Y14, Y10
	VMASKMOVPS 32(R9)(AX*1), Y15, Y11
	VMULPS Y10, Y8, Y10
	VMULPS Y11, Y9, Y11
	VADDPS Y10, Y2, Y2
	VADDPS Y11, Y3, Y3
	VMASKMOVPS (R10)(AX*1), Y14, Y10
	VMASKMOVPS 32(R10)(AX*1), Y15, Y11
	VMULPS Y10, Y8, Y10
	VMULPS Y11, Y9, Y11
	VADDPS Y10, Y4, Y4
	VADDPS Y11, Y5, Y5
	VMASKMOVPS (R11)(AX*1), Y14, Y10
	VMASKMOVPS 32(R11)(AX*1), Y15, Y11
	VMULPS Y10, Y8, Y10
	VMULPS Y11, Y9, Y11
	VADDPS Y10, Y6, Y6
	VADDPS Y11, Y7, Y7

reduce:
	REDUCE(Y0, Y1, X0, Y8, X8)
	REDUCE(Y2, Y3, X2, Y9, X9)
	REDUCE(Y4, Y5, X4, Y10, X10)
	REDUCE(Y6, Y7, X6, Y11, X11)
	VMOVSS X0, (DI)
	VMOVSS X2, 4(DI)
	VMOVSS X4, 8(DI)
	VMOVSS X6, 12(DI)
	VZEROUPPER
	RET

// func addScaledAVX(sum, p, v *float32, stride, rows, n int)
// n is a multiple of 8. Adds p[j] times row j of v to sum, row after row.
TEXT ·addScaledAVX(SB), NOSPLIT, $0-48
	MOVQ sum+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ v+16(FP), R8
	MOVQ stride+24(FP), DX
	MOVQ rows+32(FP), CX
	MOVQ n+40(FP), BX
	SHLQ $2, DX
	SHLQ $2, BX
	XORQ AX, AX // byte offset of the columns at work

wide:
	LEAQ 128(AX), R9
	CMPQ R9, BX
	JGT narrow
	VMOVUPS (DI)(AX*1), Y0
	VMOVUPS 32(DI)(AX*1), Y1
	VMOVUPS 64(DI)(AX*1), Y2
	VMOVUPS 96(DI)(AX*1), Y3
	LEAQ (R8)(AX*1), R10
	XORQ R11, R11

wideRow:
	VBROADCASTSS (SI)(R11*4), Y4
	VMULPS (R10), Y4, Y5
	VMULPS 32(R10), Y4, Y6
	VMULPS 64(R10), Y4, Y7
	VMULPS 96(R10), Y4, Y8
	VADDPS Y5, Y0, Y0
	VADDPS Y6, Y1, Y1
	VADDPS Y7, Y2, Y2
	VADDPS Y8, Y3, Y3
	ADDQ DX, R10
	INCQ R11
	CMPQ R11, CX
	JLT wideRow
	VMOVUPS Y0, (DI)(AX*1)
	VMOVUPS Y1, 32(DI)(AX*1)
	VMOVUPS Y2, 64(DI)(AX*1)
	VMOVUPS Y3, 96(DI)(AX*1)
	ADDQ $128, AX
	JMP wide

narrow:
	CMPQ AX, BX
	JGE done
	VMOVUPS (DI)(AX*1), Y0
	LEAQ (R8)(AX*1), R10
	XORQ R11, R11

narrowRow:
	VBROADCASTSS (SI)(R11*4), Y4
	VMULPS (R10), Y4, Y5
	VADDPS Y5, Y0, Y0
	ADDQ DX, R10
	INCQ R11
	CMPQ R11, CX
	JLT narrowRow
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	JMP narrow

done:
	VZEROUPPER
	RET
