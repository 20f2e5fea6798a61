//===- BarrierCopies.h - The copies of each use of a barrier ----*- C++ -*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_BARRIERCOPIES_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_BARRIERCOPIES_H

#include "nvidia_backend/transforms/BarrierUses.h"

namespace flagtree::nvidia {

/// The copies that complete one use of a barrier together.
using CopyGroup = llvm::SmallVector<tle::AsyncTmaLoadOp>;

/// The copies of a use, by allocation.
using CopyCounts = llvm::DenseMap<mlir::Operation *, int64_t>;

/// Divides the copies of `module` into uses of barriers; refuses uses that are
/// not complete, or more than complete (C31).
llvm::FailureOr<llvm::SmallVector<CopyGroup>>
groupBarrierCopies(mlir::ModuleOp module, const BarrierUses &barriers);

/// Refuses an allocation whose uses have different numbers of copies (B38).
llvm::FailureOr<CopyCounts> countBarrierCopies(llvm::ArrayRef<CopyGroup> groups,
                                               const BarrierUses &barriers);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_BARRIERCOPIES_H
