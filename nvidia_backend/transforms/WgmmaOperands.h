//===- WgmmaOperands.h - Buffers that products in flight read ---*- C++ -*-===//
//
// A tle.wgmma reads its buffers until a tle.wgmma_wait finishes it (see
// WgmmaGroups.h). Refused are writes that surely meet such a product: what may
// be right is left alone. So loops are taken to run, and as often as it takes,
// unless their trip count is constant; a wait in a branch is taken to happen;
// and of a product and a write, only one may be in a branch that the other one
// is not in. Across iterations neither may, because the condition may hold in
// some of them only.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMAOPERANDS_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMAOPERANDS_H

#include "core/triton/TT.h"
#include "llvm/Support/LogicalResult.h"

namespace flagtree::nvidia {

/// Refuses writes to buffers that a product in flight reads (W35), of the same
/// or of an earlier iteration.
llvm::LogicalResult checkWgmmaOperands(tt::FuncOp function);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMAOPERANDS_H
