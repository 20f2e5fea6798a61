//===- AsyncCopies.cpp - Which copies may be asynchronous -----------------===//

#include "commonir/AsyncCopies.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::commonir;

/// The dimension in which `elements` elements of a buffer stay together; none
/// if the layout is not known or takes them apart.
static std::optional<unsigned> contiguousDim(ttg::MemDescType buffer,
                                             int64_t elements) {
  unsigned rank = buffer.getShape().size();
  if (auto layout = dyn_cast<ttg::SwizzledSharedAttr>(buffer.getEncoding())) {
    bool together = layout.getMaxPhase() == 1 || layout.getVec() >= elements;
    if (layout.getCGALayout() || layout.getRank() != rank || !together)
      return std::nullopt;
    return layout.getOrder().front();
  }
  if (auto layout = dyn_cast<ttg::NvmmaSharedAttr>(buffer.getEncoding())) {
    if (layout.getCGALayout() || layout.getFp4Padded() ||
        layout.getRank() != rank)
      return std::nullopt;
    return layout.getTransposed() ? 0 : rank - 1;
  }
  return std::nullopt;
}

bool flagtree::commonir::mayCopyAsync(const AxisInfoAnalysis &analysis,
                                      Value pointers, ttg::MemDescType buffer,
                                      int32_t numWarps) {
  constexpr int64_t kBits = 32, kLanes = 32;
  int64_t bits = buffer.getElementType().getIntOrFloatBitWidth();
  if (bits < 8 || bits > 64)
    return false;
  int64_t elements = std::max<int64_t>(1, kBits / bits);
  auto dim = contiguousDim(buffer, elements);
  if (!dim)
    return false;
  if (elements == 1)
    return true;
  // Triton vectorizes along the dimension with the longest runs, and gives no
  // thread more than its share.
  AxisInfo info = analysis.lookup(pointers);
  for (auto [other, facts] : llvm::enumerate(info))
    if (other != *dim && facts.contiguity >= info[*dim].contiguity)
      return false;
  auto shape = cast<RankedTensorType>(pointers.getType());
  return analysis.vectorSize(pointers, *dim) >= elements &&
         shape.getNumElements() >= elements * kLanes * numWarps;
}
