package split

// This file makes one net of a function: it gives the arguments their shapes, takes out what the stage has no use for, and
// lets all other shapes follow.

import (
	"slices"
	"strings"

	funcdialect "tpuir/dialect/func"
	"tpuir/dialect/shape"
	"tpuir/dialect/top"
	"tpuir/dialect/tpu"
	"tpuir/ir"
	"tpuir/transforms/nets"
	"tpuir/transforms/shapeinfer"
)

// netBuilder makes one net. fn is a copy of the model's function, in the net's module.
type netBuilder struct {
	*splitter
	plan
	fn funcdialect.Func
}

func (n *netBuilder) build() error {
	if n.net.IsLayer() {
		if !n.hasHistory {
			if err := n.dropHistory(); err != nil {
				return err
			}
		}
		if err := n.setAttention(); err != nil {
			return err
		}
		if n.net.Layer == int64(len(n.model.blocks))-1 {
			if err := n.appendNorm(); err != nil {
				return err
			}
		}
	}
	if err := n.setInputs(); err != nil {
		return err
	}
	if n.net.Kind == nets.EmbeddingCache {
		n.renameEmbedding()
	}
	return n.inferShapes()
}

// input returns the top.Input of that name, or nil.
func (n *netBuilder) input(name string) *ir.Operation {
	for op := range n.fn.Entry().Operations() {
		if _, ok := top.AsInput(op); ok && ir.LocationName(op.Loc()) == name {
			return op
		}
	}
	return nil
}

func (n *netBuilder) requireInput(name string) (*ir.Operation, error) {
	if op := n.input(name); op != nil {
		return op, nil
	}
	return nil, n.model.module.PlainErrorf("--split-stages: @%s has no top.Input named %q", n.from.Name(), name)
}

// throughCasts follows a value over casts to what uses it.
func throughCasts(v *ir.Value) *ir.Value {
	for {
		var next *ir.Value
		for user := range v.Users() {
			if cast, ok := tpu.AsCast(user); ok && v.HasOneUse() {
				next = cast.Output()
			}
		}
		if next == nil {
			return v
		}
		v = next
	}
}

// eraseInput removes an input that nothing uses any more: its casts, the op and the argument.
func (n *netBuilder) eraseInput(input *ir.Operation) {
	for v := throughCasts(input.Result(0)); v != input.Result(0); {
		cast := v.DefiningOp()
		v = cast.Operand(0)
		cast.Erase()
	}
	argument := input.Operand(0)
	input.Erase()
	n.fn.Entry().EraseArgument(argument.Index())
}

// dropHistory makes what joined history with something new that which is new, and removes the history.
func (n *netBuilder) dropHistory() error {
	for _, name := range []string{nets.HistoryK, nets.HistoryV} {
		input, err := n.requireInput(name)
		if err != nil {
			return err
		}
		history := throughCasts(input.Result(0))
		for user := range history.Users() {
			if !isConcat(user) || user.NumOperands() != 2 || user.Operand(0) != history {
				return user.Errorf("uses %s; only a Concat of history and something new can be taken apart", name)
			}
			user.Result(0).ReplaceAllUsesWith(user.Operand(1))
			user.Erase()
		}
		n.eraseInput(input)
	}
	return nil
}

func isConcat(op *ir.Operation) bool {
	_, isTop := top.AsConcat(op)
	_, isTpu := tpu.AsConcat(op)
	return isTop || isTpu
}

// fattention is what the attention ops of both dialects share.
type fattention interface {
	SetMask(*ir.Value)
	SetBatch(int64)
	SetMq(int64)
	SetMk(int64)
	SetMaskSize(int64)
}

// setAttention gives the attention its lengths and its mask.
func (n *netBuilder) setAttention() error {
	var op *ir.Operation
	var attention fattention
	for nested := range n.fn.Entry().Operations() {
		if a, ok := top.AsFAttention(nested); ok {
			op, attention = nested, a
		} else if a, ok := tpu.AsFAttention(nested); ok {
			op, attention = nested, a
		}
	}
	if op == nil {
		return n.model.module.PlainErrorf("--split-stages: @%s has no FAttention", n.from.Name())
	}
	attention.SetBatch(n.Batch)
	attention.SetMq(n.tokens)
	attention.SetMk(n.tokens + n.history)
	if !n.Dynamic {
		return nil
	}
	// A dynamic model's nets share the small mask; decode nets only name it, to be given a place in memory.
	size := n.smallMask()
	attributes := top.WeightAttributes{}
	if !n.dynamic {
		attributes.Placeholder = new("F32")
	}
	b := ir.BuilderBefore(op)
	mask := top.NewWeight(b, n.context.NameLoc(nets.MaskWeight, nil), attributes,
		n.context.RankedTensorType([]int64{size, size}, n.context.F32(), nil))
	if !n.dynamic {
		return nil
	}
	attention.SetMask(mask.Output())
	attention.SetMaskSize(size)
	input, err := n.requireInput(nets.AttentionMask)
	if err != nil {
		return err
	}
	if v := throughCasts(input.Result(0)); v.HasUses() {
		return input.Errorf("is used by more than the attention; a dynamic net can't do without it")
	}
	n.eraseInput(input)
	return nil
}

// setInputs gives the arguments the shapes of the stage.
func (n *netBuilder) setInputs() error {
	width := func(v *ir.Value) int64 {
		dims, ok := shape.Of(v)
		if !ok || len(dims) == 0 {
			return ir.Dynamic
		}
		return dims[len(dims)-1]
	}
	for i, argument := range n.fn.Entry().Arguments() {
		var input *ir.Operation
		for user := range argument.Users() {
			input = user
		}
		if input == nil {
			return n.model.module.PlainErrorf("--split-stages: argument %d of @%s is not used", i, n.from.Name())
		}
		dims, ok := shape.Of(argument)
		if !ok {
			return input.Errorf("argument %d of @%s must be a ranked tensor", i, n.from.Name())
		}
		switch ir.LocationName(input.Loc()) {
		case nets.InputStates:
			dims = []int64{n.Batch, n.tokens, width(argument)}
		case nets.PositionIDs:
			dims = []int64{n.Batch, n.tokens}
		case nets.InputIDs:
			length := n.tokens
			if n.net.Kind == nets.SampleHead {
				length = n.SequenceLength
			}
			dims = []int64{n.Batch, length}
		case nets.AttentionMask:
			dims = []int64{n.Batch, 1, n.tokens, n.tokens + n.history}
		case nets.HistoryK, nets.HistoryV:
			dims = append([]int64{n.Batch, n.history}, dims[2:]...)
		case nets.HiddenStates, nets.Logits:
			dims = []int64{n.Batch, width(argument)}
		}
		shapeinfer.SetShape(argument, dims)
	}
	return nil
}

// inferShapes lets all shapes follow from the arguments', and the function's type from its return.
func (n *netBuilder) inferShapes() error {
	var results []ir.Type
	for op := range n.fn.Entry().Operations() {
		if err := n.setWeight(op); err != nil {
			return err
		}
		known, err := n.rules.Apply(op)
		if err != nil {
			return err
		}
		if !known && slices.ContainsFunc(op.ResultTypes(), func(t ir.Type) bool { return !ir.HasStaticShape(t) }) {
			return op.Errorf("can't be split: how its result's shape follows from its operands is not known")
		}
		n.finishShape(op)
		if op.HasTrait(ir.Terminator) {
			results = op.OperandTypes()
		}
	}
	inputs := make([]ir.Type, n.fn.Entry().NumArguments())
	for i, v := range n.fn.Entry().Arguments() {
		inputs[i] = v.Type()
	}
	n.fn.SetType(n.context.FunctionType(inputs, results))
	return nil
}

// setWeight gives weights the shapes that the stage decides.
func (n *netBuilder) setWeight(op *ir.Operation) error {
	w, ok := top.AsWeight(op)
	if !ok {
		return nil
	}
	dims, ok := shape.Of(w.Output())
	if !ok {
		return nil
	}
	dims = slices.Clone(dims)
	name := ir.LocationName(op.Loc())
	switch {
	case nets.IsRotary(name) && len(dims) == 3:
		if n.SequenceLength > dims[0] {
			return optionError(n.model.module, "--split-stages: seq-length is %d, but the model is made for %d positions", n.SequenceLength, dims[0])
		}
		dims[0] = n.SequenceLength
	case len(dims) > 0 && dims[0] == ir.Dynamic: // the sample head's constants
		dims[0] = n.Batch
	}
	shapeinfer.SetShape(w.Output(), dims)
	return nil
}

// finishShape puts an op into the form that it has where its shape is static. In prefill nets a Reshape keeps its rule, so
// that they can run on shorter inputs; in decode nets it is its result's shape.
func (n *netBuilder) finishShape(op *ir.Operation) {
	if r, ok := top.AsReshape(op); ok && len(r.Shape()) > 0 {
		if n.net.Kind != nets.BlockCache {
			r.SetShape(n.dynamicShape(r.Shape()))
		} else {
			op.RemoveAttr("shape")
		}
	} else if r, ok := tpu.AsReshape(op); ok && len(r.Shape()) > 0 {
		if n.net.Kind != nets.BlockCache {
			r.SetShape(n.dynamicShape(r.Shape()))
		} else {
			r.SetShape(nil)
		}
	}
	n.permuteToReshape(op)
}

// dynamicShape is a Reshape's shape with the batch in place of 0.
func (n *netBuilder) dynamicShape(dims []int64) []int64 {
	dims = slices.Clone(dims)
	if dims[0] == 0 {
		dims[0] = n.Batch
	}
	return dims
}

// permuteToReshape makes a Permute that only moves dimensions of one a Reshape, as TPU-MLIR's importer writes it.
func (n *netBuilder) permuteToReshape(op *ir.Operation) {
	if op.NumResults() == 0 {
		return
	}
	dims, ok := shape.Of(op.Result(0))
	if !ok || !slices.Contains(dims, 1) {
		return
	}
	b := ir.BuilderBefore(op)
	var made *ir.Operation
	if p, ok := top.AsPermute(op); ok && movesOnlyOnes(p.Input(), p.Order()) {
		made = top.NewReshape(b, op.Loc(), p.Input(), nil, top.ReshapeAttributes{}, op.Result(0).Type()).Operation
	} else if p, ok := tpu.AsPermute(op); ok && movesOnlyOnes(p.Input(), p.Order()) {
		made = tpu.NewReshape(b, op.Loc(), p.Input(), nil, tpu.ReshapeAttributes{}, op.Result(0).Type()).Operation
	}
	if made == nil {
		return
	}
	op.ReplaceAllUsesWith(made.Results())
	op.Erase()
}

// movesOnlyOnes reports whether the dimensions other than one keep their order.
func movesOnlyOnes(input *ir.Value, order []int64) bool {
	dims, ok := shape.Of(input)
	if !ok {
		return false
	}
	last := int64(-1)
	for _, axis := range order {
		if axis < 0 || axis >= int64(len(dims)) {
			return false
		}
		if dims[axis] == 1 {
			continue
		}
		if axis < last {
			return false
		}
		last = axis
	}
	return true
}

// appendNorm puts the body of the final norm behind the layer, in the place of its first result.
func (n *netBuilder) appendNorm() error {
	norm, ok := n.model.single[nets.Norm]
	if !ok {
		return n.model.module.PlainErrorf("--split-stages: there is no function @norm, the last layer's end")
	}
	end := n.fn.Entry().Last()
	hidden := end.Operand(0)
	// Between two lowered functions a value leaves as f32 and comes back in its own type: that way is cut short.
	inner := hidden
	if cast, ok := tpu.AsCast(hidden.DefiningOp()); ok && n.lowered() {
		inner = cast.Input()
	}
	var mapping ir.Mapping
	at := end
	if inner != hidden {
		at = hidden.DefiningOp()
	}
	for op := range norm.Entry().Operations() {
		switch {
		case op.HasTrait(ir.Terminator):
			end.SetOperand(0, mapping.Value(op.Operand(0)))
			continue
		case op.Is("top.None"):
			mapping.Map(op.Result(0), n.none())
			continue
		}
		if input, ok := top.AsInput(op); ok {
			mapping.Map(input.Output(), hidden)
			continue
		}
		if cast, ok := tpu.AsCast(op); ok && mapping.Value(cast.Input()) == hidden && inner != hidden {
			mapping.Map(cast.Output(), inner)
			continue
		}
		at.Block().InsertBefore(op.CloneWith(&mapping), at)
	}
	if inner != hidden && !hidden.HasUses() {
		hidden.DefiningOp().Erase()
	}
	return nil
}

// none returns the function's top.None.
func (n *netBuilder) none() *ir.Value {
	for op := range n.fn.Entry().Operations() {
		if op.Is("top.None") {
			return op.Result(0)
		}
	}
	b := ir.NewBuilder(n.context)
	b.SetToStart(n.fn.Entry())
	return top.NewNone(b, n.context.UnknownLoc(), n.context.NoneType()).Output()
}

// renameEmbedding names the results of the decode stage's embedding after it.
func (n *netBuilder) renameEmbedding() {
	for op := range n.fn.Entry().Operations() {
		name := ir.LocationName(op.Loc())
		if rest, ok := strings.CutPrefix(name, nets.EmbeddingName); ok && (rest == "" || strings.HasPrefix(rest, "_")) {
			op.SetLoc(n.context.NameLoc(nets.EmbeddingCacheName+rest, nil))
		}
	}
}
