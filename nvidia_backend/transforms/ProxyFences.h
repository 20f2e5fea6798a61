//===- ProxyFences.h - Generic writes that WGMMA reads ----------*- C++ -*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PROXYFENCES_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PROXYFENCES_H

#include "mlir/IR/BuiltinOps.h"

namespace flagtree::nvidia {

/// Makes what generic instructions write to `buffers`, or to views of the same
/// memory, visible to WGMMA: a proxy fence behind each of the writes in
/// `module`, on the writer's side of all barriers. Writes of TMA need none.
void fenceWritesTo(mlir::ModuleOp module, llvm::ArrayRef<mlir::Value> buffers);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PROXYFENCES_H
