//===- Contiguity.h - What is adjacent in a tensor's last dimension -*- C++ -*-//
//
// A small part of Triton's axis analysis on tensors without a layout, for
// questions that have to be answered before the layouts are known. It never
// claims more than Triton's own.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_CONTIGUITY_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_CONTIGUITY_H

#include "mlir/IR/Value.h"

namespace flagtree::nvidia {

/// The largest n such that every n-th pointer of `ptrs` along the last dimension
/// starts a run of n adjacent elements and is aligned to the run's size.
int64_t adjacentPointers(mlir::Value ptrs);

/// The largest n such that every run of n bits of `mask` along the last dimension,
/// the first starting at 0, is all true or all false.
int64_t equalMaskBits(mlir::Value mask);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_CONTIGUITY_H
