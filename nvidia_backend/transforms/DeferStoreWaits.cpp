//===- DeferStoreWaits.cpp - Let TMA stores run on ------------------------===//

#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "core/triton/Unregistered.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLEDEFERSTOREWAITS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

/// The operations that access `buffer`, under whatever name.
static void collectAccesses(Value buffer,
                            SmallVectorImpl<Operation *> &accesses) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (user->getName().getStringRef().starts_with("ttg.memdesc_")) {
      collectAccesses(user->getResult(0), accesses);
    } else if (auto specialized = dyn_cast<ttg::WarpSpecializeOp>(user)) {
      for (Region &partition : specialized.getPartitionRegions())
        collectAccesses(partition.getArgument(use.getOperandNumber()),
                        accesses);
    } else if (!isOp(user, "ttg.local_dealloc")) {
      accesses.push_back(user);
    }
  }
}

/// The region whose code `op` is part of: a partition, or the function's body.
static Region *programOf(Operation *op) {
  Region *region = op->getParentRegion();
  while (
      !isa<tt::FuncOp, ttg::WarpSpecializeOp, ttg::WarpSpecializePartitionsOp>(
          region->getParentOp()))
    region = region->getParentOp()->getParentRegion();
  return region;
}

/// True if Triton's allocation keeps the memory to the end of `program`: it
/// does so for captures, and up to a local_dealloc.
static bool outlivesUses(Operation *allocation, Region *program) {
  return isa<ttg::WarpSpecializePartitionsOp>(program->getParentOp()) ||
         llvm::any_of(allocation->getUsers(), [](Operation *user) {
           return isOp(user, "ttg.local_dealloc");
         });
}

/// True for the accesses this pass knows: plain ones of the program, and its
/// stores.
static bool isKnown(Operation *access) {
  return llvm::StringSwitch<bool>(access->getName().getStringRef())
      .Cases({"ttg.local_load", "ttg.local_store",
              "ttng.async_tma_copy_local_to_global"},
             true)
      .Default(false);
}

static void createWait(Operation *before) {
  if (isOp(before->getPrevNode(), "ttng.async_tma_store_wait"))
    return;
  OpBuilder builder(before);
  createOp(builder, before->getLoc(), "ttng.async_tma_store_wait", {}, {},
           {builder.getNamedAttr("pendings", builder.getI32IntegerAttr(0))});
}

/// The wait behind `store`, if it stands there; null otherwise.
static Operation *waitOf(Operation *store) {
  Operation *next = store->getNextNode();
  return isOp(next, "ttng.async_tma_store_wait") ? next : nullptr;
}

namespace {
struct DeferStoreWaits : nvidia::impl::TleDeferStoreWaitsBase<DeferStoreWaits> {
  using TleDeferStoreWaitsBase::TleDeferStoreWaitsBase;

  void runOnOperation() override {
    SmallVector<Operation *> stores;
    getOperation().walk([&](Operation *op) {
      if (isOp(op, "ttng.async_tma_copy_local_to_global") && waitOf(op))
        stores.push_back(op);
    });
    SmallVector<Operation *> early;
    SetVector<Operation *> late;
    for (Operation *store : stores)
      if (findLateWaits(store, late))
        early.push_back(waitOf(store));
    for (Operation *wait : early)
      wait->erase();
    for (Operation *op : late)
      createWait(op);
  }

  /// Adds to `late` what a wait has to stand in front of if the one behind
  /// `store` is gone. False if it has to stay.
  static bool findLateWaits(Operation *store, SetVector<Operation *> &late) {
    Operation *allocation = rootOf(store->getOperands().back()).getDefiningOp();
    Region *program = programOf(store);
    // The memory of an allocation in a loop is another value's afterwards.
    if (!isOp(allocation, "ttg.local_alloc") ||
        !allocation->getParentRegion()->isAncestor(program) ||
        !outlivesUses(allocation, program))
      return false;
    SmallVector<Operation *> accesses;
    collectAccesses(allocation->getResult(0), accesses);
    for (Operation *access : accesses)
      if (programOf(access) != program || !isKnown(access))
        return false;
    for (Operation *access : accesses)
      if (isOp(access, "ttg.local_store"))
        late.insert(access);
    for (Block &block : *program)
      if (block.getNumSuccessors() == 0)
        late.insert(block.getTerminator());
    return true;
  }
};
} // namespace
