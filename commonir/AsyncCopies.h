//===- AsyncCopies.h - Which copies may be asynchronous ---------*- C++ -*-===//

#ifndef FLAGTREE_COMMONIR_ASYNCCOPIES_H
#define FLAGTREE_COMMONIR_ASYNCCOPIES_H

#include "core/triton/AxisInfo.h"
#include "core/triton/TTG.h"

namespace flagtree::commonir {

/// True if a copy from `pointers` to `buffer` by `numWarps` warps surely moves
/// 4 bytes or more at a time.
///
/// cp.async moves 4, 8 or 16 bytes that are contiguous and aligned on both
/// sides; for anything less Triton fails to compile
/// `ttg.async_copy_global_to_local`.
bool mayCopyAsync(const AxisInfoAnalysis &analysis, mlir::Value pointers,
                  ttg::MemDescType buffer, int32_t numWarps);

} // namespace flagtree::commonir

#endif // FLAGTREE_COMMONIR_ASYNCCOPIES_H
