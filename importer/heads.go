package importer

// This file writes what turns hidden states into tokens: lm_head, and the heads that choose among logits.

import (
	"tpuir/dialect/top"
	"tpuir/ir"
	"tpuir/transforms/nets"
)

// maxSampleK is how many tokens TPU-MLIR's sample head keeps; top_k may be less at run time. minSampleKept of them always stay,
// whatever top_p says.
const (
	maxSampleK    = 50
	minSampleKept = 5
)

// head writes lm_head: logits [?,Vocabulary], or the most likely token [?,1] where nobody samples.
func (b *builder) head(doSample bool) {
	b.function(nets.HeadName, b.f32(any, b.Hidden))
	hidden := b.input(0, nets.HiddenStates, top.InputAttributes{})
	name := b.Architecture.name(Head, 0)
	// The weight stands on the left, as TPU-MLIR has it: the chip reads its rows once.
	weight := b.weight(name+".weight", b.Vocabulary, b.Hidden)
	product := top.NewMatMul(b.at, b.loc(name), weight, hidden, b.none, top.MatMulAttributes{RightTranspose: new(true)},
		b.f32(b.Vocabulary, any)).Output()
	logits := top.NewPermute(b.at, b.loc(name+".reshape"), product, top.PermuteAttributes{Order: []int64{1, 0}},
		b.f32(any, b.Vocabulary)).Output()
	if doSample {
		b.finish(logits)
		return
	}
	b.finish(b.topToken(logits))
}

func (b *builder) greedyHead() {
	b.function(nets.GreedyHeadName, b.f32(any, b.Vocabulary))
	b.finish(b.topToken(b.input(0, nets.Logits, top.InputAttributes{})))
}

// topToken returns the index of the greatest logit.
func (b *builder) topToken(logits *ir.Value) *ir.Value {
	loc := b.c.FusedLoc([]ir.Location{b.loc("token_value"), b.loc("token_id")}, nil)
	return top.NewTopK(b.at, loc, logits, nil, top.TopKAttributes{Axis: 1, K: new(int64(1))}, b.f32(any, 1), b.f32(any, 1)).Indices()
}

// sampleHead writes the head that leaves a distribution over the likeliest tokens: the logits of ids seen before are
// damped by penalty, the top_k greatest kept, divided by temperature, and those outside of top_p dropped.
func (b *builder) sampleHead() {
	k := min(maxSampleK, b.Vocabulary)
	one := b.f32(1)
	b.function(nets.SampleHeadName, b.f32(any, b.Vocabulary), b.si32(any, any), one, one, b.si32(1), one)
	logits := b.input(0, nets.Logits, top.InputAttributes{})
	ids := b.input(1, nets.InputIDs, top.InputAttributes{})
	penalty := b.input(2, "penalty", top.InputAttributes{})
	temperature := b.input(3, "temperature", top.InputAttributes{})
	topK := b.input(4, "top_k", top.InputAttributes{ShapeTensor: []int64{k}})
	topP := b.input(5, "top_p", top.InputAttributes{})

	damped := b.penalize(logits, ids, penalty)
	kept := b.f32(any, k)
	loc := b.c.FusedLoc([]ir.Location{b.loc("token_value"), b.loc("token_idx")}, nil)
	best := top.NewTopK(b.at, loc, damped, topK, top.TopKAttributes{Axis: 1, K: &k}, kept, kept)
	scaled := top.NewDiv(b.at, b.loc("Div1"), []*ir.Value{best.Values(), temperature}, top.DivAttributes{}, kept).Output()
	softmax := func(name string, v *ir.Value) *ir.Value {
		return top.NewSoftmax(b.at, b.loc(name), v, top.SoftmaxAttributes{Axis: 1}, kept).Output()
	}
	probabilities := softmax("Softmax0", scaled)
	axis := b.weight(sampleAxis, 1)
	sums := top.NewCumSum(b.at, b.loc("CumSum"), probabilities, axis, top.CumSumAttributes{Axis: 1}, kept).Output()
	inside := top.NewCompare(b.at, b.loc("Compare"), sums, topP, top.CompareAttributes{Mode: "Less"}, kept).Output()
	always := min(minSampleKept, k)
	indices := b.weight(sampleIndices, any, always, 2)
	ones := b.weight(sampleOnes, any, always)
	inside = top.NewScatterND(b.at, b.loc("ScatterND"), inside, indices, ones, top.ScatterNDAttributes{}, kept).Output()
	masked := top.NewWhere(b.at, b.loc("Where1"), inside, scaled, b.none,
		top.WhereAttributes{YIsConst: new(true), YConstVal: new(-1000.0)}, kept).Output()
	b.finish(softmax("Softmax1", masked), best.Indices())
}

// penalize multiplies negative logits of ids by penalty and divides the others by it.
func (b *builder) penalize(logits, ids, penalty *ir.Value) *ir.Value {
	seen := b.f32(any, any)
	picked := top.NewGatherElements(b.at, b.loc("GatherElements"), logits, ids, top.GatherElementsAttributes{Axis: new(int64(1))}, seen).Output()
	negative := top.NewCompareConst(b.at, b.loc("CompareConst"), picked, top.CompareConstAttributes{Mode: "Less"}, seen).Output()
	multiplied := top.NewMul(b.at, b.loc("Mul"), []*ir.Value{picked, penalty}, top.MulAttributes{}, seen).Output()
	divided := top.NewDiv(b.at, b.loc("Div0"), []*ir.Value{picked, penalty}, top.DivAttributes{}, seen).Output()
	damped := top.NewWhere(b.at, b.loc("Where0"), negative, multiplied, divided, top.WhereAttributes{}, seen).Output()
	return top.NewScatterElements(b.at, b.loc("ScatterElements"), logits, ids, damped, top.ScatterElementsAttributes{Axis: 1}, logits.Type()).Output()
}
