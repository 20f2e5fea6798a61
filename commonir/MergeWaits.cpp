//===- MergeWaits.cpp - One wait for several copies -----------------------===//

#include "commonir/MergeWaits.h"

#include "commonir/Emit.h"
#include "core/triton/Unregistered.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::commonir;

/// The allocation that `buffer` is, or is a view of; null if it is not known.
static Operation *allocationOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (isOp(op, "ttg.local_alloc"))
      return op;
    if (!isOp(op, "ttg.memdesc_index") && !isOp(op, "ttg.memdesc_subslice"))
      return nullptr;
    buffer = op->getOperand(0);
  }
  return nullptr;
}

/// True if a wait may move down across `op`.
static bool isTransparent(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (op->isRegistered())
    return isMemoryEffectFree(op);
  return llvm::StringSwitch<bool>(op->getName().getStringRef())
      .Cases({"tt.addptr", "tt.bitcast", "tt.broadcast", "tt.expand_dims",
              "tt.fp_to_fp", "tt.get_num_programs", "tt.get_program_id"},
             true)
      .Cases({"tt.int_to_ptr", "tt.make_range", "tt.ptr_to_int", "tt.reshape",
              "tt.splat", "tt.trans"},
             true)
      .Cases(
          {"ttg.convert_layout", "ttg.memdesc_index", "ttg.memdesc_subslice"},
          true)
      .Default(false);
}

/// True if only transparent operations lie between `first` and `second`.
static bool mayMerge(const AsyncCopy &first, const AsyncCopy &second) {
  if (first.wait->getBlock() != second.copy->getBlock())
    return false;
  for (Operation *op = first.wait->getNextNode(); op != second.copy;
       op = op->getNextNode())
    if (!isTransparent(op))
      return false;
  return true;
}

/// One commit and one wait, at the end, for all of `group`.
static void merge(ArrayRef<AsyncCopy> group) {
  if (group.size() < 2)
    return;
  Operation *last = group.back().commit;
  SmallVector<Value> tokens;
  for (const AsyncCopy &part : group)
    tokens.push_back(part.copy->getResult(0));
  last->setOperands(tokens);
  for (const AsyncCopy &part : group.drop_back()) {
    part.wait->erase();
    part.commit->erase();
  }
}

void flagtree::commonir::mergeWaits(ArrayRef<AsyncCopy> copies) {
  size_t begin = 0;
  llvm::SmallPtrSet<Operation *, 4> allocations;
  for (size_t i = 0; i < copies.size(); ++i) {
    Operation *allocation = allocationOf(copies[i].copy->getOperand(1));
    bool joins = i > begin && allocation && !allocations.empty() &&
                 !allocations.contains(allocation) &&
                 mayMerge(copies[i - 1], copies[i]);
    if (!joins) {
      merge(copies.slice(begin, i - begin));
      begin = i;
      allocations.clear();
    }
    if (allocation)
      allocations.insert(allocation);
  }
  merge(copies.drop_front(begin));
}
