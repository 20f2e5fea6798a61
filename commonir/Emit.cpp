//===- Emit.cpp - The operations the conversion makes ---------------------===//

#include "commonir/Emit.h"

#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::commonir;

/// Warps that run `op`: those of its partition, else those of the launch.
static int32_t warpsAt(Operation *op, int32_t launched) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (isa<ttg::WarpSpecializePartitionsOp>(region->getParentOp())) {
      auto special =
          region->getParentOp()->getParentOfType<ttg::WarpSpecializeOp>();
      return special.getPartitionNumWarps()[region->getRegionNumber()];
    }
  return launched;
}

Emitter::Emitter(Operation *before, int32_t numWarps, int32_t numCTAs)
    : builder(before), loc(before->getLoc()),
      numWarps(warpsAt(before, numWarps)), numCTAs(numCTAs) {}

RankedTensorType Emitter::encodedType(RankedTensorType type) const {
  return type.getEncoding() ? type
                            : ttg::withDefaultLayout(type, numWarps, numCTAs);
}

Value Emitter::joined(Value tensor, RankedTensorType type, bool foldable) {
  if (tensor.getType() == type)
    return tensor;
  StringRef name = "tt.broadcast";
  if (!foldable)
    name = "tt.bitcast";
  else if (isa<FloatType>(type.getElementType()))
    name = "tt.fp_to_fp";
  return createOp(builder, loc, name, tensor, type)->getResult(0);
}

Value Emitter::encoded(Value tensor) {
  return joined(tensor, encodedType(cast<RankedTensorType>(tensor.getType())));
}

Value Emitter::localAlloc(ttg::MemDescType type) {
  return createOp(builder, loc, "ttg.local_alloc", {}, type)->getResult(0);
}

Value Emitter::memdescIndex(Value buffer, Value index, ttg::MemDescType type) {
  return createOp(builder, loc, "ttg.memdesc_index", {buffer, index}, type)
      ->getResult(0);
}

Value Emitter::memdescSubslice(Value buffer, ArrayRef<int32_t> offsets,
                               ttg::MemDescType type) {
  return createOp(builder, loc, "ttg.memdesc_subslice", buffer, type,
                  {builder.getNamedAttr("offsets",
                                        builder.getDenseI32ArrayAttr(offsets))})
      ->getResult(0);
}

Value Emitter::localLoad(Value buffer, RankedTensorType type) {
  return createOp(builder, loc, "ttg.local_load", buffer, encodedType(type))
      ->getResult(0);
}

Operation *Emitter::localStore(Value tensor, Value buffer) {
  return createOp(builder, loc, "ttg.local_store", {encoded(tensor), buffer},
                  {});
}

Value Emitter::load(Value pointers) {
  auto type = cast<RankedTensorType>(pointers.getType());
  auto loaded = RankedTensorType::get(type.getShape(),
                                      tt::pointerOf(type).getPointeeType(),
                                      type.getEncoding());
  return createOp(
             builder, loc, "tt.load", pointers, loaded,
             {builder.getNamedAttr("boundaryCheck",
                                   builder.getDenseI32ArrayAttr({})),
              builder.getNamedAttr("cache", builder.getI32IntegerAttr(1)),
              builder.getNamedAttr("evict", builder.getI32IntegerAttr(1)),
              builder.getNamedAttr("isVolatile", builder.getBoolAttr(false)),
              builder.getNamedAttr("operandSegmentSizes",
                                   builder.getDenseI32ArrayAttr({1, 0, 0}))})
      ->getResult(0);
}

void Emitter::store(Value pointers, Value tensor) {
  createOp(
      builder, loc, "tt.store", {pointers, tensor}, {},
      {builder.getNamedAttr("boundaryCheck", builder.getDenseI32ArrayAttr({})),
       builder.getNamedAttr("cache", builder.getI32IntegerAttr(1)),
       builder.getNamedAttr("evict", builder.getI32IntegerAttr(1))});
}

Operation *Emitter::asyncCopy(Value pointers, Value buffer) {
  return createOp(
      builder, loc, "ttg.async_copy_global_to_local",
      {encoded(pointers), buffer}, ttg::AsyncTokenType::get(loc.getContext()),
      {builder.getNamedAttr("cache", builder.getI32IntegerAttr(1)),
       builder.getNamedAttr("contiguity", builder.getI32IntegerAttr(1)),
       builder.getNamedAttr("evict", builder.getI32IntegerAttr(1)),
       builder.getNamedAttr("isVolatile", builder.getBoolAttr(false)),
       builder.getNamedAttr("operandSegmentSizes",
                            builder.getDenseI32ArrayAttr({1, 1, 0, 0}))});
}

Operation *Emitter::asyncCommit(ValueRange tokens) {
  return createOp(builder, loc, "ttg.async_commit_group", tokens,
                  ttg::AsyncTokenType::get(loc.getContext()));
}

Operation *Emitter::asyncWait(Value token) {
  return createOp(builder, loc, "ttg.async_wait", token,
                  ttg::AsyncTokenType::get(loc.getContext()),
                  {builder.getNamedAttr("num", builder.getI32IntegerAttr(0))});
}
