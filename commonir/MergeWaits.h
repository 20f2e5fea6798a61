//===- MergeWaits.h - One wait for several copies ---------------*- C++ -*-===//

#ifndef FLAGTREE_COMMONIR_MERGEWAITS_H
#define FLAGTREE_COMMONIR_MERGEWAITS_H

#include "mlir/IR/Operation.h"

namespace flagtree::commonir {

/// An asynchronous copy with a commit and a wait of its own.
struct AsyncCopy {
  mlir::Operation *copy, *commit, *wait;
};

/// Merges the commits and waits of copies that follow one another in a block,
/// go into different known allocations and have only region-free operations
/// without memory effects between them. `copies` are in program order.
void mergeWaits(llvm::ArrayRef<AsyncCopy> copies);

} // namespace flagtree::commonir

#endif // FLAGTREE_COMMONIR_MERGEWAITS_H
