//===- Intrinsics.h - The table of intrinsics -------------------*- C++ -*-===//

#ifndef FLAGTREE_CORE_RAISING_INTRINSICS_H
#define FLAGTREE_CORE_RAISING_INTRINSICS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"

namespace flagtree {

/// The operations with trait IntrinsicOp of the dialects loaded in `context`,
/// by name.
llvm::SmallVector<mlir::RegisteredOperationName>
intrinsicsOf(mlir::MLIRContext *context);

} // namespace flagtree

#endif // FLAGTREE_CORE_RAISING_INTRINSICS_H
