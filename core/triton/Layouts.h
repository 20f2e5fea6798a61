//===- Layouts.h - Questions about Triton's layouts -------------*- C++ -*-===//

#ifndef FLAGTREE_CORE_TRITON_LAYOUTS_H
#define FLAGTREE_CORE_TRITON_LAYOUTS_H

#include "core/triton/TTG.h"

namespace flagtree::ttg {

/// The layout stock Triton's conversion to TTGIR gives a tensor of `shape` by
/// default. Powers of two are expected, as for every Triton tensor.
BlockedAttr defaultBlocked(mlir::MLIRContext *context,
                           llvm::ArrayRef<int64_t> shape, int64_t numWarps,
                           int64_t numCTAs = 1, int64_t threadsPerWarp = 32);

/// `type` with its default layout.
mlir::RankedTensorType withDefaultLayout(mlir::RankedTensorType type,
                                         int64_t numWarps, int64_t numCTAs = 1);

/// `type` without a layout, and with the layout `encoding`.
mlir::RankedTensorType withoutLayout(mlir::RankedTensorType type);
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  mlir::Attribute encoding);

/// True for layouts of shared memory, those kept word for word included.
bool isSharedLayout(mlir::Attribute encoding);

/// Rank of a shared layout; 0 when it is only known word for word.
unsigned rankOfSharedLayout(mlir::Attribute encoding);

/// The bases of a `CGALayout` or of one input dimension of a linear layout.
/// Entries that are not integers read as empty lists.
llvm::SmallVector<llvm::SmallVector<int64_t>> basesOf(mlir::ArrayAttr bases);

} // namespace flagtree::ttg

#endif // FLAGTREE_CORE_TRITON_LAYOUTS_H
