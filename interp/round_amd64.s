// Rounding to bfloat16 on 8 lanes, the same as float16.RoundBF16 bit for bit.

#include "textflag.h"

// func roundBF16AVX2(x *float32, n int)
// n is a multiple of 8.
TEXT ·roundBF16AVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	SHLQ $2, CX
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $31, Y15, Y14          // 1
	VPSRLD $17, Y15, Y13          // 0x00007fff
	VPSLLD $16, Y15, Y12          // 0xffff0000
	VPSLLD $31, Y15, Y11          // 0x80000000: the sign
	VPSRLD $1, Y15, Y10           // 0x7fffffff: the magnitude
	VPSLLD $24, Y15, Y9
	VPSRLD $1, Y9, Y9             // 0x7f800000: the exponent
	VPSLLD $22, Y14, Y8           // 0x00400000: what makes a NaN quiet
	VPXOR Y7, Y7, Y7
	XORQ AX, AX

loop:
	CMPQ AX, CX
	JGE done
	VMOVDQU (DI)(AX*1), Y0
	VPSRLD $16, Y0, Y1
	VPAND Y14, Y1, Y1
	VPADDD Y13, Y1, Y1
	VPADDD Y0, Y1, Y1
	VPAND Y12, Y1, Y1             // rounded
	VPAND Y9, Y0, Y2
	VPCMPEQD Y7, Y2, Y2           // denormals and zeros keep the sign alone
	VPAND Y11, Y0, Y3
	VPBLENDVB Y2, Y3, Y1, Y1
	VPAND Y10, Y0, Y4
	VPCMPGTD Y9, Y4, Y4           // NaNs
	VPAND Y12, Y0, Y5
	VPOR Y8, Y5, Y5
	VPBLENDVB Y4, Y5, Y1, Y1
	VMOVDQU Y1, (DI)(AX*1)
	ADDQ $32, AX
	JMP loop

done:
	VZEROUPPER
	RET
