//===- WgmmaGroups.h - The queue of asynchronous products -------*- C++ -*-===//
//
// Every tle.wgmma is a group at the end of the queue of its warp group, which
// completes groups in the order in which they were issued. tle.wgmma_wait lets
// at most `pendings` groups, the newest ones, stay unfinished. So a value is
// complete after a wait(p) if p or more groups were issued after its own.
//
// Until it is complete, a value lies in registers that the tensor cores write.
// It has one owner: a product adds to it, a wait returns it, a loop or branch
// carries it on.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMAGROUPS_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMAGROUPS_H

#include "core/triton/TT.h"
#include "llvm/Support/LogicalResult.h"

namespace flagtree::nvidia {

/// Follows the queue through `function` and refuses uses of values that may be
/// incomplete (W30), second owners (W32), and products that nobody waits for
/// (W33).
llvm::LogicalResult checkWgmmaGroups(tt::FuncOp function);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMAGROUPS_H
