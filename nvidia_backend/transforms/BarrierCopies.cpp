//===- BarrierCopies.cpp - The copies of each use of a barrier ------------===//

#include "nvidia_backend/transforms/BarrierCopies.h"

#include "core/triton/Unregistered.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nvidia_backend/transforms/Memory.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

/// True if `op` may wait for others: at a barrier, or by asking for a value
/// again and again.
static bool mayWait(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<tle::BarrierWaitOp, tle::NamedBarrierWaitOp, scf::WhileOp>(
                   inner) ||
                       isOp(inner, "tt.elementwise_inline_asm")
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Divides the copies of `block` into uses of barriers: those of one slot, one
/// after the other, until they have brought the expected bytes and something
/// was waited for.
static LogicalResult groupCopies(Block &block, const BarrierUses &barriers,
                                 SmallVectorImpl<CopyGroup> &groups) {
  struct Pending {
    CopyGroup copies;
    int64_t bytes = 0;
  };
  SmallVector<Pending> pending;
  auto expectedBy = [&](const Pending &use) -> int64_t {
    tle::AllocBarriersOp alloc = barriers.slotOf(use.copies.front()).alloc;
    return *alloc.getExpectBytes();
  };
  auto isWhole = [&](const Pending &use) {
    return use.bytes == expectedBy(use);
  };
  auto check = [&](const Pending &use) -> LogicalResult {
    if (isWhole(use))
      return success();
    Operation *first = use.copies.front();
    tle::AllocBarriersOp alloc = barriers.slotOf(first).alloc;
    InFlightDiagnostic diagnostic =
        first->emitError()
        << "[C31] the copies that complete one use of the barrier bring "
        << use.bytes
        << " bytes, but the barrier has expect_bytes = " << expectedBy(use)
        << ". Make both equal; all copies of a use stand in one block, with no "
           "wait at the barrier in between, and those of the next use behind "
           "a wait.";
    diagnostic.attachNote(alloc.getLoc()) << "the barrier is allocated here";
    for (tle::AsyncTmaLoadOp copy : use.copies)
      diagnostic.attachNote(copy.getLoc())
          << "this copy brings " << bytesOf(copy.getBuffer().getType())
          << " bytes";
    return diagnostic;
  };

  for (Operation &op : block) {
    auto copy = dyn_cast<tle::AsyncTmaLoadOp>(op);
    if (!copy) {
      // A wait here or in a region ends the use that it waits for.
      LogicalResult ended = success();
      op.walk([&](tle::BarrierWaitOp wait) {
        const BarrierSlot &slot = barriers.slotOf(wait);
        llvm::erase_if(pending, [&](const Pending &use) {
          if (!barriers.slotOf(use.copies.front()).mayBe(slot))
            return false;
          if (succeeded(ended))
            ended = check(use);
          return true;
        });
      });
      if (failed(ended))
        return failure();
      if (mayWait(&op))
        llvm::erase_if(pending, isWhole);
      continue;
    }
    const BarrierSlot &slot = barriers.slotOf(&op);
    Pending *use = llvm::find_if(pending, [&](const Pending &other) {
      return barriers.slotOf(other.copies.front()) == slot;
    });
    if (use == pending.end())
      use = &pending.emplace_back();
    use->copies.push_back(copy);
    use->bytes += bytesOf(copy.getBuffer().getType());
    if (use->bytes < expectedBy(*use))
      continue;
    if (failed(check(*use)))
      return failure();
    groups.push_back(use->copies);
  }
  for (const Pending &use : pending)
    if (failed(check(use)))
      return failure();
  return success();
}

FailureOr<SmallVector<CopyGroup>>
nvidia::groupBarrierCopies(ModuleOp module, const BarrierUses &barriers) {
  SmallVector<CopyGroup> groups;
  WalkResult result = module.walk([&](Block *block) {
    return failed(groupCopies(*block, barriers, groups))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return groups;
}

FailureOr<CopyCounts> nvidia::countBarrierCopies(ArrayRef<CopyGroup> groups,
                                                 const BarrierUses &barriers) {
  CopyCounts copiesOfUse;
  llvm::DenseMap<Operation *, Operation *> firstUse;
  for (const CopyGroup &group : groups) {
    tle::AsyncTmaLoadOp first = group.front();
    tle::AllocBarriersOp alloc = barriers.slotOf(first).alloc;
    auto copies = static_cast<int64_t>(group.size());
    auto [count, isNew] = copiesOfUse.insert({alloc, copies});
    if (isNew) {
      firstUse[alloc] = first;
      continue;
    }
    if (count->second == copies)
      continue;
    InFlightDiagnostic diagnostic =
        first->emitError()
        << "[B38] Triton's concurrency sanitizer takes every copy for an "
           "arrival, but the uses of the barrier have "
        << count->second << " copies and " << copies
        << ". Give all uses as many copies, or compile without it.";
    diagnostic.attachNote(firstUse.lookup(alloc)->getLoc())
        << "the use with " << count->second << " copies is here";
    return diagnostic;
  }
  return copiesOfUse;
}
