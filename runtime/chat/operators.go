package chat

// This file is the operators among the functions of functions.go: arithmetic, joining and comparisons, as Python has them.

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/nikolalohinski/gonja/v2/exec"
)

func operands(symbol string, a, b *exec.Value) error {
	return fmt.Errorf("%s does not work on %s and %s", symbol, kind(a), kind(b))
}

func (r *run) add(a, b *exec.Value) (any, error) {
	switch {
	case isUndefined(a) || isUndefined(b) || isNone(a) || isNone(b):
	case a.IsString() && b.IsString():
		if err := r.charge(len(a.String()) + len(b.String())); err != nil {
			return nil, err
		}
		return a.String() + b.String(), nil
	case a.IsList() && b.IsList():
		return r.joinLists(a, b)
	case isNumber(a) && isNumber(b):
		if a.IsFloat() || b.IsFloat() {
			return number(a) + number(b), nil
		}
		return integer(a) + integer(b), nil
	}
	return nil, operands("+", a, b)
}

func (r *run) joinLists(lists ...*exec.Value) (any, error) {
	length := 0
	for _, list := range lists {
		length += list.Len()
	}
	if length > maxList {
		return nil, fmt.Errorf("a list of %d items is too long", length)
	}
	if err := r.charge(length * itemCost); err != nil {
		return nil, err
	}
	joined := make(exec.ValuesList, 0, length)
	for _, list := range lists {
		for i := range list.Len() {
			joined = append(joined, element(list, i))
		}
	}
	return joined, nil
}

func (r *run) concat(a, b *exec.Value) (any, error) {
	left, right := show(a, false), show(b, false)
	if err := r.charge(len(left) + len(right)); err != nil {
		return nil, err
	}
	return left + right, nil
}

func (r *run) multiply(a, b *exec.Value) (any, error) {
	if !isUndefined(a) && !isUndefined(b) && isNumber(a) && !isNumber(b) {
		a, b = b, a
	}
	switch {
	case isUndefined(a) || isUndefined(b) || !isNumber(b):
	case isNumber(a):
		if a.IsFloat() || b.IsFloat() {
			return number(a) * number(b), nil
		}
		return integer(a) * integer(b), nil
	case b.IsFloat():
	case a.IsString():
		times := max(integer(b), 0)
		if len(a.String()) > 0 && times > maxWork/len(a.String()) {
			return nil, r.charge(maxWork)
		}
		if err := r.charge(times * len(a.String())); err != nil {
			return nil, err
		}
		return strings.Repeat(a.String(), times), nil
	case a.IsList():
		times := max(integer(b), 0)
		if a.Len() > 0 && times > maxList/a.Len() {
			return nil, fmt.Errorf("a list repeated %d times is too long", times)
		}
		lists := make([]*exec.Value, times)
		for i := range lists {
			lists[i] = a
		}
		return r.joinLists(lists...)
	}
	return nil, operands("*", a, b)
}

// arithmetic is the operators that take numbers only.
var arithmetic = map[string]func(a, b *exec.Value) (any, error){
	"__subtract": numeric("-", func(a, b int) (any, error) { return a - b, nil },
		func(a, b float64) (any, error) { return a - b, nil }),
	"__divide": numeric("/", func(a, b int) (any, error) { return quotient(float64(a), float64(b)) },
		func(a, b float64) (any, error) { return quotient(a, b) }),
	"__floordivide": numeric("//", func(a, b int) (any, error) {
		if b == 0 {
			return nil, errors.New("division by zero")
		}
		if a%b != 0 && (a < 0) != (b < 0) {
			return a/b - 1, nil
		}
		return a / b, nil
	}, func(a, b float64) (any, error) {
		q, err := quotient(a, b)
		return math.Floor(q), err
	}),
	"__modulo": numeric("%", func(a, b int) (any, error) {
		if b == 0 {
			return nil, errors.New("division by zero")
		}
		if rest := a % b; rest != 0 && (rest < 0) != (b < 0) {
			return rest + b, nil
		}
		return a % b, nil
	}, func(a, b float64) (any, error) {
		q, err := quotient(a, b)
		return a - b*math.Floor(q), err
	}),
	"__power": numeric("**", func(a, b int) (any, error) {
		if result := math.Pow(float64(a), float64(b)); b >= 0 && math.Abs(result) < 1<<53 {
			return int(result), nil
		}
		return math.Pow(float64(a), float64(b)), nil
	}, func(a, b float64) (any, error) { return math.Pow(a, b), nil }),
}

func quotient(a, b float64) (float64, error) {
	if b == 0 {
		return 0, errors.New("division by zero")
	}
	return a / b, nil
}

func numeric(symbol string, integers func(a, b int) (any, error), floats func(a, b float64) (any, error)) func(a, b *exec.Value) (any, error) {
	return func(a, b *exec.Value) (any, error) {
		switch {
		case isUndefined(a) || isUndefined(b) || !isNumber(a) || !isNumber(b):
			return nil, operands(symbol, a, b)
		case a.IsFloat() || b.IsFloat():
			return floats(number(a), number(b))
		}
		return integers(integer(a), integer(b))
	}
}

// orders are the comparisons, on the sign of a compared with b.
var orders = map[string]func(sign int) bool{
	"__less":    func(sign int) bool { return sign < 0 },
	"__atmost":  func(sign int) bool { return sign <= 0 },
	"__greater": func(sign int) bool { return sign > 0 },
	"__atleast": func(sign int) bool { return sign >= 0 },
}

func compare(a, b *exec.Value, holds func(sign int) bool) (any, error) {
	switch {
	case isUndefined(a) || isUndefined(b):
	case isNumber(a) && isNumber(b):
		sign := 0
		if number(a) < number(b) {
			sign = -1
		} else if number(a) > number(b) {
			sign = 1
		}
		return holds(sign), nil
	case a.IsString() && b.IsString():
		return holds(strings.Compare(a.String(), b.String())), nil
	}
	return nil, operands("a comparison", a, b)
}

func contains(container, v *exec.Value) (any, error) {
	switch {
	case isUndefined(container):
		return false, nil
	case container.IsString():
		if isUndefined(v) || !v.IsString() {
			return nil, operands("in", v, container)
		}
		return strings.Contains(container.String(), v.String()), nil
	case container.IsDict():
		_, ok := lookup(container, v)
		return ok, nil
	case container.IsList():
		for i := range container.Len() {
			if equal(element(container, i), v) {
				return true, nil
			}
		}
		return false, nil
	}
	return nil, operands("in", v, container)
}
