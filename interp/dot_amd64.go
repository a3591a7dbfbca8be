package interp

func dotRows(out, x, w []float32, stride int) { dotRowsGo(out, x, w, stride) }

func addScaled(sum, p, v []float32, stride int) { addScaledGo(sum, p, v, stride) }
