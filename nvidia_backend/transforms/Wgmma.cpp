//===- Wgmma.cpp - What WGMMA can do --------------------------------------===//

#include "nvidia_backend/transforms/Wgmma.h"

#include "core/triton/Unregistered.h"

using namespace mlir;

namespace flagtree::nvidia {

bool isUserPromise(ModuleOp module) {
  auto mode = module->getAttrOfType<StringAttr>(kPipelineMode);
  return mode && mode.getValue() == "user_promise";
}

/// The innermost dimension of an operand is K for all types, and may be the
/// other one for those of 16 bits.
bool isReadableByWgmma(ttg::MemDescType type, bool transposed, unsigned index) {
  auto layout = dyn_cast<ttg::NvmmaSharedAttr>(type.getEncoding());
  if (!layout || layout.getFp4Padded() || layout.getSwizzlingByteWidth() == 0)
    return false;
  bool columnMajor = layout.getTransposed() != transposed;
  return layout.getElementBitWidth() == 16 || columnMajor == (index == 1);
}

SmallVector<int32_t, 2> warpsOverTile(ArrayRef<int64_t> shape,
                                      int32_t numWarps) {
  SmallVector<int32_t, 2> warps = {4, 1};
  while (warps[0] * warps[1] < numWarps)
    warps[shape[0] > 16 * warps[0] ? 0 : 1] *= 2;
  return warps;
}

ttg::NvidiaMmaAttr accumulatorLayout(Type operand, ArrayRef<int64_t> shape,
                                     ArrayRef<int32_t> warps) {
  int64_t warpsAlongM = std::max<int64_t>(shape[0] / 16, 1);
  int64_t warpsAlongN = std::max<int64_t>(warps[0] * warps[1] / warpsAlongM, 1);
  int64_t widest = std::max<int64_t>(shape[1] / warpsAlongN, 8);
  // The dimension is a power of two, and so is the widest that divides it.
  int64_t limit = operand.isInteger(8) ? 128 : 256;
  int32_t n = 8;
  while (n * 2 <= std::min(widest, limit) && shape[1] % (n * 2) == 0)
    n *= 2;
  int32_t k = 256 / operand.getIntOrFloatBitWidth();
  return ttg::NvidiaMmaAttr::get(operand.getContext(), 3, 0, warps, {},
                                 {16, n, k});
}

Value transposedView(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<ttg::MemDescType>(buffer.getType());
  auto layout = cast<ttg::NvmmaSharedAttr>(type.getEncoding());
  auto transposed = ttg::NvmmaSharedAttr::get(
      type.getContext(), layout.getSwizzlingByteWidth(),
      !layout.getTransposed(), layout.getElementBitWidth(),
      layout.getFp4Padded(), layout.getRank(), layout.getCGALayout());
  // The shape of the allocation may have a stage dimension in front.
  auto reversed = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> result(shape);
    std::reverse(result.end() - 2, result.end());
    return result;
  };
  auto view = ttg::MemDescType::get(
      reversed(type.getShape()), type.getElementType(), transposed,
      type.getMemorySpace(), type.getMutableMemory(),
      reversed(type.getAllocShape()));
  return createOp(builder, loc, "ttg.memdesc_trans", buffer, view,
                  {builder.getNamedAttr("order",
                                        builder.getDenseI32ArrayAttr({1, 0}))})
      ->getResult(0);
}

} // namespace flagtree::nvidia
