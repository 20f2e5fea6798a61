//===- NamedBarriers.cpp - The hardware's named barriers ------------------===//

#include "nvidia_backend/transforms/NamedBarriers.h"

#include "core/triton/TTG.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

/// The worker or default function that `op` is in, of the warp_specialize
/// around it; null regions stand for code outside of one.
static std::pair<ttg::WarpSpecializeOp, Region *> partitionOf(Operation *op) {
  auto specialized = op->getParentOfType<ttg::WarpSpecializeOp>();
  if (!specialized)
    return {};
  Region &common = specialized.getDefaultRegion();
  if (common.isAncestor(op->getParentRegion()))
    return {specialized, &common};
  for (Region &worker : specialized.getPartitionRegions())
    if (worker.isAncestor(op->getParentRegion()))
      return {specialized, &worker};
  return {};
}

/// The threads that use a named barrier at one time are as many as it says.
static LogicalResult checkThreads(const NamedBarriers &named,
                                  ArrayRef<BarrierUse> uses,
                                  const Launch &launch) {
  for (auto &[key, id] : named) {
    auto alloc = cast<tle::AllocBarriersOp>(key.first);
    llvm::MapVector<Operation *, llvm::MapVector<Region *, Operation *>> parts;
    for (const BarrierUse &use : uses)
      if (use.slot.alloc == alloc && use.slot.number == key.second) {
        auto [specialized, region] = partitionOf(use.op);
        parts[specialized].insert({region, use.op});
      }
    for (auto &[specialized, regions] : parts) {
      int64_t threads = 0;
      for (auto &[region, op] : regions)
        threads += int64_t(launchAt(op, launch).numWarps) * 32;
      if (threads == alloc.getArriveCount())
        continue;
      Operation *first = regions.front().second;
      InFlightDiagnostic diagnostic =
          first->emitError()
          << "[B34] slot " << key.second
          << " of the named barriers is for arrive_count = "
          << alloc.getArriveCount() << " threads, but the functions that use "
          << "it have " << threads
          << ". Allocate it with the number of warps that take part, times 32.";
      for (auto &[region, op] : regions)
        diagnostic.attachNote(op->getLoc())
            << "used by " << launchAt(op, launch).numWarps << " warps here";
      return diagnostic;
    }
  }
  return success();
}

/// The workers that stock Triton gives to `op` beyond its own, so that all
/// warps of a group take part: one for each power of two.
static int64_t paddingOf(ttg::WarpSpecializeOp op, int64_t warps) {
  for (int32_t own : op.getPartitionNumWarps())
    warps -= own;
  return llvm::popcount(static_cast<uint64_t>(warps));
}

/// The first hardware barrier that Triton does not use: 0 is the launch's, 1
/// starts and ends workers, and each worker has one.
static int64_t firstFreeBarrier(ModuleOp module) {
  int64_t warps = 0, workers = 0;
  module.walk([&](ttg::WarpSpecializeOp op) {
    int64_t own = 0;
    for (int32_t count : op.getPartitionNumWarps())
      own += count;
    warps = std::max<int64_t>(warps, llvm::alignTo(own, 4));
  });
  module.walk([&](ttg::WarpSpecializeOp op) {
    int64_t own = op.getPartitionNumWarps().size();
    workers = std::max(workers, own + paddingOf(op, warps));
  });
  return 2 + workers;
}

FailureOr<NamedBarriers>
nvidia::numberNamedBarriers(ModuleOp module, const BarrierUses &barriers,
                            const Launch &launch) {
  constexpr int64_t kBarriers = 16;
  NamedBarriers named;
  int64_t first = firstFreeBarrier(module), next = first;
  for (const BarrierUse &use : barriers.uses) {
    if (!use.isNamed)
      continue;
    Operation *alloc = use.slot.alloc;
    if (!named.insert({{alloc, *use.slot.number}, next}).second)
      continue;
    if (next++ == kBarriers)
      return use.op->emitError()
             << "[B35] the kernel uses more named barriers than the "
             << kBarriers - first
             << " that its warp_specialize leaves free of the hardware's "
             << kBarriers
             << ". Use the slots again, or mbarriers by giving phaseIdx.";
  }
  if (failed(checkThreads(named, barriers.uses, launch)))
    return failure();
  return named;
}

static void lower(const BarrierUse &use, const NamedBarriers &named) {
  OpBuilder builder(use.op);
  Location loc = use.op->getLoc();
  tle::AllocBarriersOp alloc = use.slot.alloc;
  int64_t id = named.lookup({alloc, *use.slot.number});
  Value operands[] = {
      arith::ConstantIntOp::create(builder, loc, id, 32),
      arith::ConstantIntOp::create(builder, loc, alloc.getArriveCount(), 32)};
  createConvergent(builder, loc,
                   isa<tle::NamedBarrierWaitOp>(use.op)
                       ? "llvm.nvvm.barrier.cta.sync.aligned.count"
                       : "llvm.nvvm.barrier.cta.arrive.aligned.count",
                   operands);
  use.op->erase();
}

/// Erases the slots that are named barriers, and what workers capture of them.
static void eraseSlots(ModuleOp module) {
  bool changed = true;
  while (changed) {
    changed = false;
    module.walk([&](tle::SlotOp slot) {
      if (!isBarrierType(slot.getSlot().getType()) || !slot->use_empty())
        return;
      slot.erase();
      changed = true;
    });
    module.walk([&](ttg::WarpSpecializeOp op) {
      for (unsigned index = op.getNumOperands(); index-- > 0;) {
        auto isUnused = [&](Region &worker) {
          return worker.getArgument(index).use_empty();
        };
        if (!isBarrierType(op.getOperand(index).getType()) ||
            !llvm::all_of(op.getPartitionRegions(), isUnused))
          continue;
        op->eraseOperand(index);
        for (Region &worker : op.getPartitionRegions())
          worker.eraseArgument(index);
        changed = true;
      }
    });
  }
}

void nvidia::lowerNamedBarriers(ModuleOp module, const BarrierUses &barriers,
                                const NamedBarriers &named) {
  for (const BarrierUse &use : barriers.uses)
    if (use.isNamed)
      lower(use, named);
  eraseSlots(module);
}
