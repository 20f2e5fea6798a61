//===- BarrierUses.h - Which operation uses which barrier -------*- C++ -*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_BARRIERUSES_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_BARRIERUSES_H

#include "mlir/IR/BuiltinOps.h"
#include "tle/ir/TleDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace flagtree::nvidia {

/// A slot of one allocation. `index` is the value that was given as index,
/// `number` what it is if it is constant.
struct BarrierSlot {
  tle::AllocBarriersOp alloc;
  mlir::Value index;
  std::optional<int64_t> number;

  bool operator==(const BarrierSlot &other) const {
    return alloc == other.alloc &&
           (number ? number == other.number : index == other.index);
  }
  bool mayBe(const BarrierSlot &other) const {
    return alloc == other.alloc &&
           (!number || !other.number || number == other.number);
  }
};

/// An operation on a barrier, which makes it a named barrier or an mbarrier.
struct BarrierUse {
  mlir::Operation *op;
  BarrierSlot slot;
  bool isNamed;
};

/// The allocations of a module, and what uses their slots.
struct BarrierUses {
  llvm::SmallVector<tle::AllocBarriersOp> allocs;
  llvm::SmallVector<BarrierUse> uses;
  llvm::DenseMap<mlir::Operation *, BarrierSlot> slots;

  const BarrierSlot &slotOf(mlir::Operation *op) const {
    return slots.find(op)->second;
  }
};

/// The barrier operand of an operation on barriers; null for others.
mlir::Value barrierOf(mlir::Operation *op);

/// Refuses barriers that are chosen at run time (B26).
llvm::FailureOr<BarrierUses> collectBarrierUses(mlir::ModuleOp module);

/// Refuses uses that do not fit the allocation (B28 to B32, C30) or each other
/// (B27), and waits that nothing ends (B33, B37).
llvm::LogicalResult checkBarrierUses(const BarrierUses &barriers);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_BARRIERUSES_H
