//===- BarrierUses.cpp - Which operation uses which barrier ---------------===//

#include "nvidia_backend/transforms/BarrierUses.h"

#include "mlir/IR/Matchers.h"
#include "nvidia_backend/transforms/Memory.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

static std::optional<int64_t> constantOf(Value index) {
  APInt number;
  if (!matchPattern(outsideOfWorkers(index), m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

static std::optional<BarrierSlot> resolve(Value barrier) {
  auto slot = outsideOfWorkers(barrier).getDefiningOp<tle::SlotOp>();
  if (!slot)
    return std::nullopt;
  auto alloc = rootOf(slot.getBuffer()).getDefiningOp<tle::AllocBarriersOp>();
  if (!alloc)
    return std::nullopt;
  return BarrierSlot{alloc, slot.getIndex(), constantOf(slot.getIndex())};
}

Value nvidia::barrierOf(Operation *op) {
  if (auto wait = dyn_cast<tle::BarrierWaitOp>(op))
    return wait.getBarrier();
  if (auto arrive = dyn_cast<tle::BarrierArriveOp>(op))
    return arrive.getBarrier();
  if (auto wait = dyn_cast<tle::NamedBarrierWaitOp>(op))
    return wait.getBarrier();
  if (auto arrive = dyn_cast<tle::NamedBarrierArriveOp>(op))
    return arrive.getBarrier();
  if (auto load = dyn_cast<tle::AsyncTmaLoadOp>(op))
    return load.getBarrier();
  return {};
}

FailureOr<BarrierUses> nvidia::collectBarrierUses(ModuleOp module) {
  BarrierUses barriers;
  WalkResult result = module.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<tle::AllocBarriersOp>(op))
      barriers.allocs.push_back(alloc);
    Value barrier = barrierOf(op);
    if (!barrier)
      return WalkResult::advance();
    std::optional<BarrierSlot> slot = resolve(barrier);
    if (!slot) {
      op->emitError() << "[B26] the barrier was chosen at run time, by a "
                         "branch or from one iteration to the next. Allocate "
                         "one array of barriers and choose the index of the "
                         "slot where it is used.";
      return WalkResult::interrupt();
    }
    bool isNamed = isa<tle::NamedBarrierWaitOp, tle::NamedBarrierArriveOp>(op);
    barriers.uses.push_back({op, *slot, isNamed});
    barriers.slots.insert({op, *slot});
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return barriers;
}

static InFlightDiagnostic refuse(const BarrierUse &use, StringRef text) {
  InFlightDiagnostic diagnostic = use.op->emitError() << text;
  tle::AllocBarriersOp alloc = use.slot.alloc;
  diagnostic.attachNote(alloc.getLoc()) << "the barrier is allocated here";
  return diagnostic;
}

/// What one use asks of the allocation.
static LogicalResult checkUse(const BarrierUse &use) {
  tle::AllocBarriersOp alloc = use.slot.alloc;
  if (use.isNamed) {
    if (!use.slot.number)
      return refuse(use, "[B28] the slot of a named barrier must be known at "
                         "compile time. Index the barriers with a constant, "
                         "for example a tl.constexpr argument, or use "
                         "mbarriers by giving phaseIdx.");
    if (alloc.getReady())
      return refuse(use, "[B29] a named barrier cannot be READY. Allocate it "
                         "with init=PENDING, or use an mbarrier by giving "
                         "phaseIdx.");
    if (alloc.getExpectBytes())
      return refuse(use, "[B30] a named barrier cannot expect bytes. Wait for "
                         "TMA copies with phaseIdx, and leave expect_bytes out "
                         "of named barriers.");
    return success();
  }
  if (auto arrive = dyn_cast<tle::BarrierArriveOp>(use.op)) {
    if (alloc.getExpectBytes())
      return refuse(use,
                    "[B31] the only arrival at a barrier with expect_bytes "
                    "is that of its TMA copies. Use another barrier for "
                    "other arrivals.");
    if (arrive.getCount() > alloc.getArriveCount()) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "[B32] an arrival that counts " << arrive.getCount()
          << " exceeds the arrive_count of the barrier, "
          << alloc.getArriveCount() << ".";
      return refuse(use, text);
    }
  }
  if (isa<tle::AsyncTmaLoadOp>(use.op) && !alloc.getExpectBytes())
    return refuse(use, "[C30] a copy completes on a barrier that expects no "
                       "bytes. Allocate the barrier with expect_bytes, the "
                       "number of bytes that the copies of one use bring.");
  return success();
}

/// A slot is an mbarrier or a named barrier, in all functions and branches; a
/// barrier that expects bytes gets some, and one that is waited for arrivals.
static LogicalResult checkPath(const BarrierUse &use,
                               ArrayRef<BarrierUse> uses) {
  if (use.isNamed)
    return success();
  for (const BarrierUse &other : uses)
    if (other.isNamed && other.slot.mayBe(use.slot)) {
      InFlightDiagnostic diagnostic =
          other.op->emitError()
          << "[B27] slot " << *other.slot.number
          << " is used as a named barrier here and as an mbarrier elsewhere. "
             "Give phaseIdx in all uses of a slot or in none.";
      diagnostic.attachNote(use.op->getLoc())
          << "the slot is used as an mbarrier here";
      return diagnostic;
    }
  tle::AllocBarriersOp alloc = use.slot.alloc;
  bool isFilled = llvm::any_of(uses, [&](const BarrierUse &other) {
    return isa<tle::AsyncTmaLoadOp>(other.op) && other.slot.mayBe(use.slot);
  });
  if (alloc.getExpectBytes() && !isFilled)
    return refuse(use, "[B33] the barrier expects bytes, but no copy "
                       "completes on it. Pass it to tle.gpu.copy as barrier, "
                       "or leave expect_bytes out.");
  bool isArrivedAt = llvm::any_of(uses, [&](const BarrierUse &other) {
    return isa<tle::BarrierArriveOp>(other.op) && other.slot.mayBe(use.slot);
  });
  auto wait = dyn_cast<tle::BarrierWaitOp>(use.op);
  if (wait && !alloc.getExpectBytes() && !isArrivedAt &&
      (!alloc.getReady() || constantOf(wait.getPhase()) == 0))
    return refuse(use, "[B37] nothing arrives at the barrier, so that this "
                       "wait cannot end. Complete its uses with "
                       "tle.gpu.barrier_arrive, or allocate it with "
                       "expect_bytes and pass it to tle.gpu.copy.");
  return success();
}

LogicalResult nvidia::checkBarrierUses(const BarrierUses &barriers) {
  for (const BarrierUse &use : barriers.uses)
    if (failed(checkUse(use)))
      return failure();
  for (const BarrierUse &use : barriers.uses)
    if (failed(checkPath(use, barriers.uses)))
      return failure();
  return success();
}
