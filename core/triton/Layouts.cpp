//===- Layouts.cpp - Questions about Triton's layouts ---------------------===//

#include "core/triton/Layouts.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flagtree::ttg;

/// `value` within [1, high], where 1 wins over a high below it.
static int64_t clampToOne(int64_t value, int64_t high) {
  return std::max<int64_t>(1, std::min(value, high));
}

/// CTAs and the split of the shape over them: the outermost dimension takes as
/// many as it has elements, the next one the rest. What is left over is
/// repeated along the innermost dimension.
static void splitOverCTAs(ArrayRef<int64_t> shape, int64_t numCTAs,
                          SmallVectorImpl<int64_t> &ctas,
                          SmallVectorImpl<int64_t> &split) {
  int64_t left = numCTAs;
  for (int64_t dim : shape) {
    int64_t here = clampToOne(left, dim);
    ctas.push_back(here);
    split.push_back(here);
    left /= here;
  }
  ctas.back() *= left;
}

/// The bases of CGALayout, contiguous dimension first; null for a single CTA.
static ArrayAttr ctaBases(Builder &builder, ArrayRef<int64_t> ctas,
                          ArrayRef<int64_t> split) {
  SmallVector<Attribute> bases;
  for (size_t dim = ctas.size(); dim-- > 0;)
    for (int64_t basis = 1; basis < ctas[dim]; basis *= 2) {
      SmallVector<int64_t> offsets(ctas.size(), 0);
      if (basis < split[dim])
        offsets[dim] = basis;
      bases.push_back(builder.getI64ArrayAttr(offsets));
    }
  return bases.empty() ? ArrayAttr() : builder.getArrayAttr(bases);
}

BlockedAttr flagtree::ttg::defaultBlocked(MLIRContext *context,
                                          ArrayRef<int64_t> shape,
                                          int64_t numWarps, int64_t numCTAs,
                                          int64_t threadsPerWarp) {
  size_t rank = shape.size();
  assert(rank > 0 && "a tensor with a layout has a dimension");
  SmallVector<int64_t> ctas, split;
  splitOverCTAs(shape, numCTAs, ctas, split);

  // Threads, then warps, fill the dimensions from the contiguous one outwards;
  // the outermost takes what is left.
  SmallVector<int32_t> lanes(rank), warps(rank), order(rank);
  int64_t lanesLeft = threadsPerWarp, warpsLeft = numWarps,
          threadsLeft = threadsPerWarp * numWarps;
  for (size_t i = 0; i < rank; ++i)
    order[i] = rank - 1 - i;
  for (size_t dim = rank; dim-- > 1;) {
    int64_t perCTA = shape[dim] / std::min(split[dim], shape[dim]);
    int64_t threads = clampToOne(threadsLeft, perCTA);
    lanes[dim] = clampToOne(threads, lanesLeft);
    warps[dim] = clampToOne(threads / lanes[dim], warpsLeft);
    warpsLeft /= warps[dim];
    lanesLeft /= lanes[dim];
    threadsLeft /= threads;
  }
  lanes[0] = lanesLeft;
  warps[0] = warpsLeft;

  Builder builder(context);
  return BlockedAttr::get(context, SmallVector<int32_t>(rank, 1), lanes, warps,
                          order, ctaBases(builder, ctas, split));
}

RankedTensorType flagtree::ttg::withLayout(RankedTensorType type,
                                           Attribute encoding) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               encoding);
}

RankedTensorType flagtree::ttg::withoutLayout(RankedTensorType type) {
  return withLayout(type, Attribute());
}

RankedTensorType flagtree::ttg::withDefaultLayout(RankedTensorType type,
                                                  int64_t numWarps,
                                                  int64_t numCTAs) {
  return withLayout(type, defaultBlocked(type.getContext(), type.getShape(),
                                         numWarps, numCTAs));
}

bool flagtree::ttg::isSharedLayout(Attribute encoding) {
  return TypeSwitch<Attribute, bool>(encoding)
      .Case<SwizzledSharedAttr, NvmmaSharedAttr>([](auto) { return true; })
      .Case([](VerbatimAttr verbatim) {
        StringRef name =
            verbatim.getText().take_until([](char c) { return c == '<'; });
        return name.contains("shared");
      })
      .Default([](Attribute) { return false; });
}

unsigned flagtree::ttg::rankOfSharedLayout(Attribute encoding) {
  return TypeSwitch<Attribute, unsigned>(encoding)
      .Case<SwizzledSharedAttr, NvmmaSharedAttr>(
          [](auto layout) { return layout.getRank(); })
      .Default([](Attribute) { return 0; });
}

SmallVector<SmallVector<int64_t>> flagtree::ttg::basesOf(ArrayAttr bases) {
  SmallVector<SmallVector<int64_t>> result;
  if (!bases)
    return result;
  for (Attribute basis : bases) {
    SmallVector<int64_t> &offsets = result.emplace_back();
    if (auto list = dyn_cast<ArrayAttr>(basis))
      for (Attribute value : list)
        if (auto integer = dyn_cast<IntegerAttr>(value))
          offsets.push_back(integer.getInt());
  }
  return result;
}
