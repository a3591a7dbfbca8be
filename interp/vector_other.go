//go:build !amd64

package interp

import "tpuir/weight/float16"

func dotRows(out, x, w []float32, stride int) { dotRowsGo(out, x, w, stride) }

func addScaled(sum, p, v []float32, stride int) { addScaledGo(sum, p, v, stride) }

func roundBF16(values []float32) { float16.BFloat16.RoundSlice(values) }
