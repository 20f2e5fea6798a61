//===- Subslice.cpp - Parts of a shared-memory buffer ---------------------===//

#include "commonir/Subslice.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::commonir;
using flagtree::ttg::MemDescType;

/// How a layout exchanges vectors of elements: in row `r`, vector `i` of a row
/// is stored as vector `i ^ ((r / perPhase) % maxPhase)`.
namespace {
struct Swizzle {
  int64_t perPhase, maxPhase;
  /// Dimensions from the contiguous one outwards; the rest of them are the
  /// rows.
  SmallVector<unsigned> order;
};
} // namespace

/// Null for layouts that cannot be cut.
static std::optional<Swizzle> swizzleOf(MemDescType buffer) {
  unsigned rank = buffer.getShape().size();
  if (auto layout = dyn_cast<ttg::SwizzledSharedAttr>(buffer.getEncoding())) {
    if (layout.getCGALayout() || layout.getRank() != rank)
      return std::nullopt;
    return Swizzle{layout.getPerPhase(), layout.getMaxPhase(),
                   llvm::to_vector_of<unsigned>(layout.getOrder())};
  }
  if (auto layout = dyn_cast<ttg::NvmmaSharedAttr>(buffer.getEncoding())) {
    if (layout.getCGALayout() || layout.getFp4Padded() ||
        layout.getRank() != rank)
      return std::nullopt;
    SmallVector<unsigned> order =
        llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(rank)));
    if (layout.getTransposed())
      std::reverse(order.begin(), order.end());
    unsigned width = layout.getSwizzlingByteWidth();
    if (width == 0)
      return Swizzle{1, 1, order};
    return Swizzle{128 / width, width / 16, order};
  }
  return std::nullopt;
}

/// True if a step of `size`, a power of two, along `dim` changes the exchange
/// of vectors.
static bool changesPhase(const Swizzle &swizzle, ArrayRef<int64_t> shape,
                         unsigned dim, int64_t size) {
  int64_t row = size;
  for (unsigned inner : ArrayRef<unsigned>(swizzle.order).drop_front()) {
    if (inner == dim)
      return (row / swizzle.perPhase) % swizzle.maxPhase != 0;
    row *= shape[inner];
  }
  return false; // The contiguous dimension: vectors move as wholes.
}

LogicalResult flagtree::commonir::checkSubslice(tile::SubviewOp op,
                                                MemDescType source) {
  if (llvm::any_of(op.getOffsets(), [](Value offset) {
        return !matchPattern(offset, m_Constant());
      }))
    return op.emitOpError(
        "[T42] offsets of a view of the buffer's rank must be "
        "constants");

  ArrayRef<int64_t> shape = source.getShape();
  ArrayRef<int64_t> view = op.getView().getType().getShape();
  if (view == shape)
    return success();
  std::optional<Swizzle> swizzle = swizzleOf(source);
  if (!swizzle || !llvm::isPowerOf2_64(shape.front()) ||
      !llvm::all_of(view, [](int64_t dim) { return llvm::isPowerOf2_64(dim); }))
    return op.emitOpError(
               "[T43] a part of a buffer needs sizes that are powers "
               "of two and a swizzled or nvmma layout of the "
               "buffer's rank for one CTA, but the buffer is ")
           << source;
  for (auto [dim, offset] : llvm::enumerate(staticOffsets(op))) {
    if (offset % view[dim] != 0)
      return op.emitOpError("[T43] offset ")
             << offset << " in dimension " << dim
             << " is not a multiple of the size " << view[dim];
    for (int64_t size = view[dim]; size < shape[dim]; size *= 2)
      if (changesPhase(*swizzle, shape, dim, size))
        return op.emitOpError("[T43] a size of ")
               << view[dim] << " in dimension " << dim
               << " cuts the swizzle of the layout " << source.getEncoding()
               << "; take more rows or a layout without swizzle";
  }
  return success();
}

SmallVector<int32_t> flagtree::commonir::staticOffsets(tile::SubviewOp op) {
  return llvm::map_to_vector(op.getOffsets(), [](Value offset) {
    APInt value;
    bool isConstant = matchPattern(offset, m_ConstantInt(&value));
    assert(isConstant && "checked by checkSubslice");
    (void)isConstant;
    return static_cast<int32_t>(value.getSExtValue());
  });
}
