//===- EncodeDescriptors.cpp - Layouts of descriptors not used everywhere -===//

#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "nvidia_backend/transforms/Passes.h"
#include "tle/ir/TleDialect.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLEENCODEDESCRIPTORS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;

namespace {
struct EncodeDescriptors
    : nvidia::impl::TleEncodeDescriptorsBase<EncodeDescriptors> {
  using TleEncodeDescriptorsBase::TleEncodeDescriptorsBase;
  void runOnOperation() override;
};
} // namespace

/// Whether a worker captures a descriptor and leaves it alone.
static bool hasUnusedDescriptor(ttg::WarpSpecializeOp op) {
  return llvm::any_of(op.getPartitionRegions(), [](Region &worker) {
    return llvm::any_of(worker.getArguments(), [](BlockArgument argument) {
      return isa<tt::TensorDescType>(argument.getType()) &&
             argument.use_empty();
    });
  });
}

/// `type` in the layout that stock Triton chooses for a descriptor that no
/// tt.descriptor_* operation asks for another; see C27 and C29.
static tt::TensorDescType withLayout(tt::TensorDescType type) {
  RankedTensorType block = type.getBlockType();
  if (block.getEncoding())
    return type;
  unsigned bits = block.getElementType().getIntOrFloatBitWidth();
  auto layout = ttg::NvmmaSharedAttr::get(
      type.getContext(), tle::defaultSwizzle(block.getShape(), bits),
      /*transposed=*/false, bits, /*fp4Padded=*/false, block.getRank(),
      /*CGALayout=*/{});
  return tt::TensorDescType::get(block.cloneWithEncoding(layout));
}

void EncodeDescriptors::runOnOperation() {
  WalkResult found = getOperation().walk([](ttg::WarpSpecializeOp op) {
    return hasUnusedDescriptor(op) ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](tt::TensorDescType type) { return withLayout(type); });
  replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
