//===- NamedBarriers.h - The hardware's named barriers ----------*- C++ -*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_NAMEDBARRIERS_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_NAMEDBARRIERS_H

#include "nvidia_backend/transforms/BarrierUses.h"
#include "nvidia_backend/transforms/Memory.h"
#include "llvm/ADT/MapVector.h"

namespace flagtree::nvidia {

/// Numbers of hardware barriers, by allocation and slot.
using NamedBarriers =
    llvm::MapVector<std::pair<mlir::Operation *, int64_t>, int64_t>;

/// Numbers the slots that are named barriers, by what stock Triton leaves free.
/// Refuses more than there are (B35), and slots for another number of threads
/// than those of the functions that use them (B34).
llvm::FailureOr<NamedBarriers> numberNamedBarriers(mlir::ModuleOp module,
                                                   const BarrierUses &barriers,
                                                   const Launch &launch);

/// Lowers waits and arrivals at named barriers, and erases their slots.
void lowerNamedBarriers(mlir::ModuleOp module, const BarrierUses &barriers,
                        const NamedBarriers &named);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_NAMEDBARRIERS_H
