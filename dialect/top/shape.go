// What the verifier checks of ops that move, cut and join.

package top

import (
	"tpuir/dialect/definition"
	"tpuir/dialect/shape"
)

func verifyConcat(op ConcatOp) error {
	return shape.Concat(op.Operation, op.Inputs(), op.Axis(), op.Output())
}

func verifyReshape(op ReshapeOp) error {
	return shape.Reshape(op.Operation, op.Input(), op.Output(), op.Shape(), op.FlattenStartDim())
}

func verifyPermute(op PermuteOp) error {
	return shape.Permute(op.Operation, op.Input(), op.Output(), op.Order())
}

func verifyUnsqueeze(op UnsqueezeOp) error {
	return shape.Unsqueeze(op.Operation, op.Input(), op.Output(), op.Axes())
}

func verifySqueeze(op SqueezeOp) error {
	return shape.Squeeze(op.Operation, op.Input(), op.Output(), op.Axes())
}

func verifySlice(op SliceOp) error {
	computed := !definition.IsNone(op.OffsetT()) || !definition.IsNone(op.EndsT()) || !definition.IsNone(op.StepsT())
	return shape.Slice(op.Operation, op.Input(), op.Output(), op.Offset(), op.Ends(), op.Steps(), op.Axes(), computed)
}

func verifyTile(op TileOp) error {
	return shape.Tile(op.Operation, op.Input(), op.Output(), op.Tile())
}

func verifyPad(op PadOp) error {
	return shape.Pad(op.Operation, op.Input(), op.Output(), op.Paddings())
}

func verifyReverse(op ReverseOp) error {
	return shape.AlongAxis(op.Operation, op.Input(), op.Output(), op.Axis())
}

func verifyDepth2Space(op Depth2SpaceOp) error {
	return shape.Blocks(op.Operation, op.Input(), op.Output(), op.BlockH(), op.BlockW())
}

func verifyShuffleChannel(op ShuffleChannelOp) error {
	return shape.First(shape.Groups(op.Operation, op.Input(), "group", op.Group()), shape.Unary(op.Operation))
}

func verifyTranspose(op TransposeOp) error {
	return shape.Swap(op.Operation, op.Input(), op.Output(), op.Dim0(), op.Dim1())
}

func verifyExpand(op ExpandOp) error {
	return shape.Expand(op.Operation, op.Input(), op.Output(), op.Shape())
}

func verifyFlatten(op FlattenOp) error {
	return shape.Flatten(op.Operation, op.Input(), op.Output(), op.StartDim(), op.EndDim())
}

func verifySplit(op SplitOp) error {
	if n := int64(op.Operation.NumResults()); op.Num() != n {
		return op.Operation.Errorf("attribute 'num' is %d, but there are %d results", op.Num(), n)
	}
	return shape.Split(op.Operation, op.Input(), op.Axis(), op.Outputs())
}

func verifyPack(op PackOp) error {
	return shape.Stack(op.Operation, op.Inputs(), op.Axis(), op.ValuesCount(), op.Output())
}

func verifyUnpack(op UnpackOp) error {
	return shape.Unstack(op.Operation, op.Input(), op.Axis(), op.Outputs())
}
