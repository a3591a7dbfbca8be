// The inner products of dot.go on 16 lanes: a register holds all partial sums of a row.

#include "textflag.h"

#define STEP(row, acc) \
	VMULPS row, Z8, Z9 \
	VADDPS Z9, acc, acc

#define TAILSTEP(row, acc)    \
	VMOVUPS.Z row, K1, Z9 \
	VMULPS Z9, Z8, Z9     \
	VADDPS Z9, acc, acc

// REDUCE adds the 16 partial sums in z as a tree and stores the sum.
#define REDUCE(z, y, x, to)        \
	VEXTRACTF64X4 $1, z, Y9    \
	VADDPS Y9, y, y            \
	VEXTRACTF128 $1, y, X9     \
	VADDPS X9, x, x            \
	VPERMILPS $0xee, x, X9     \
	VADDPS X9, x, x            \
	VPERMILPS $0x55, x, X9     \
	VADDSS X9, x, x            \
	VMOVSS x, to

// func dot8AVX512(out, x, w *float32, stride, k int)
// Eight rows of w, which begin stride elements apart.
TEXT ·dot8AVX512(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), R8
	MOVQ stride+24(FP), DX
	MOVQ k+32(FP), BX
	SHLQ $2, DX
	LEAQ (DX)(DX*2), AX
	LEAQ (R8)(AX*1), R9  // row 3
	LEAQ (R9)(AX*1), R10 // row 6
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7

loop:
	CMPQ BX, $16
	JLT tail
	VMOVUPS (SI), Z8
	STEP((R8), Z0)
	STEP((R8)(DX*1), Z1)
	STEP((R8)(DX*2), Z2)
	STEP((R9), Z3)
	STEP((R9)(DX*1), Z4)
	STEP((R9)(DX*2), Z5)
	STEP((R10), Z6)
	STEP((R10)(DX*1), Z7)
	ADDQ $64, SI
	ADDQ $64, R8
	ADDQ $64, R9
	ADDQ $64, R10
	SUBQ $16, BX
	JMP loop

tail:
	TESTQ BX, BX
	JZ reduce
	MOVQ BX, CX
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1
	VMOVUPS.Z (SI), K1, Z8
	TAILSTEP((R8), Z0)
	TAILSTEP((R8)(DX*1), Z1)
	TAILSTEP((R8)(DX*2), Z2)
	TAILSTEP((R9), Z3)
	TAILSTEP((R9)(DX*1), Z4)
	TAILSTEP((R9)(DX*2), Z5)
	TAILSTEP((R10), Z6)
	TAILSTEP((R10)(DX*1), Z7)

reduce:
	REDUCE(Z0, Y0, X0, (DI))
	REDUCE(Z1, Y1, X1, 4(DI))
	REDUCE(Z2, Y2, X2, 8(DI))
	REDUCE(Z3, Y3, X3, 12(DI))
	REDUCE(Z4, Y4, X4, 16(DI))
	REDUCE(Z5, Y5, X5, 20(DI))
	REDUCE(Z6, Y6, X6, 24(DI))
	REDUCE(Z7, Y7, X7, 28(DI))
	VZEROUPPER
	RET
