//===- LowerBarriers.cpp - mbarriers and what completes on them -----------===//

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nvidia_backend/transforms/BarrierCopies.h"
#include "nvidia_backend/transforms/BarrierUses.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/NamedBarriers.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/Wgmma.h"
#include "tle/ir/TleDialect.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERBARRIERS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

struct LowerBarriers : nvidia::impl::TleLowerBarriersBase<LowerBarriers> {
  using TleLowerBarriersBase::TleLowerBarriersBase;

  void runOnOperation() override;

  Launch launch(Operation *op) const {
    return launchAt(op, {numWarps, numCTAs, capability});
  }

  LogicalResult collect();

  bool isMbarrier(tle::AllocBarriersOp alloc) const;
  int64_t scaleOf(tle::AllocBarriersOp alloc) const;
  void lower(tle::AllocBarriersOp alloc);
  bool followsArrival(const BarrierUse &use) const;
  void lowerArrive(const BarrierUse &use);
  void lower(const CopyGroup &group);

  BarrierUses barriers;
  NamedBarriers named;
  SmallVector<CopyGroup> groups;
  /// With arrival-per-copy.
  CopyCounts copiesOfUse;
  /// How many arrivals in hardware one arrival is, by allocation.
  llvm::DenseMap<Operation *, int64_t> scales;
  /// Arrivals in front of which the warps of a partition meet.
  llvm::DenseSet<Operation *> meetings;
};

} // namespace

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

/// How many arrivals in hardware one arrival is: every warp of those that
/// arrive makes a part of it where that are not too many, and with
/// arrival-per-copy every copy.
int64_t LowerBarriers::scaleOf(tle::AllocBarriersOp alloc) const {
  if (alloc.getExpectBytes())
    return std::max<int64_t>(copiesOfUse.lookup(alloc), 1);
  int64_t scale = 1;
  for (const BarrierUse &use : barriers.uses)
    if (use.slot.alloc == alloc && isa<tle::BarrierArriveOp>(use.op))
      scale = std::max<int64_t>(scale, launch(use.op).numWarps);
  return scale * alloc.getArriveCount() <= warpArrivals ? scale : 1;
}

/// True if a slot of `alloc` is an mbarrier, which takes memory.
bool LowerBarriers::isMbarrier(tle::AllocBarriersOp alloc) const {
  return llvm::any_of(barriers.uses, [&](const BarrierUse &use) {
    return use.slot.alloc == alloc && !use.isNamed;
  });
}

/// True if `op`, between allocations, surely leaves barriers alone.
static bool isApart(Operation *op) {
  return op->getNumRegions() == 0 && !isa<tt::CallOp>(op) && !barrierOf(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

/// Threads that may use the barriers, and TMA, see them initialized.
void LowerBarriers::lower(tle::AllocBarriersOp alloc) {
  Value array = alloc.getBarriers();
  Location loc = alloc.getLoc();
  OpBuilder builder(alloc);
  SmallVector<int64_t> slots; // that are mbarriers
  int64_t size = alloc.getBarriers().getType().getShape().front();
  for (int64_t slot = 0; slot < size; ++slot)
    if (!named.contains({alloc, slot}))
      slots.push_back(slot);
  Value memory = createAlloc(builder, loc, alloc.getBarriers().getType());
  Type slotType = tle::barrierSlotType(&getContext());
  auto slotAt = [&](int64_t slot) -> Value {
    return tle::SlotOp::create(builder, loc, slotType, memory,
                               constant(builder, loc, slot));
  };
  int64_t count = alloc.getArriveCount() * scales.lookup(alloc);
  for (int64_t slot : slots)
    createInit(builder, loc, slotAt(slot), count);

  // Once for all allocations that follow each other.
  auto continues = [&](Operation *op) {
    auto other = dyn_cast<tle::AllocBarriersOp>(op);
    return other && isMbarrier(other);
  };
  Operation *next = alloc->getNextNode();
  while (isApart(next) && !continues(next))
    next = next->getNextNode();
  if (!continues(next)) {
    createProxyFence(builder, loc);
    createBarrier(builder, loc);
  }

  for (Operation *end : endsOfScope(array)) {
    builder.setInsertionPoint(end);
    createBarrier(builder, loc);
    for (int64_t slot : slots)
      createOp(builder, loc, "ttng.inval_barrier", slotAt(slot), {});
    createOp(builder, loc, "ttg.local_dealloc", memory, {});
  }
  array.replaceAllUsesWith(memory);
}

static void lowerWait(tle::BarrierWaitOp op) {
  OpBuilder builder(op);
  createWait(builder, op.getLoc(), op.getBarrier(), op.getPhase())
      ->setAttr(kFreeWait, builder.getUnitAttr());
  op->getParentOfType<ModuleOp>()->setAttr(kLate, builder.getI32IntegerAttr(1));
  op.erase();
}

/// True if a partition may come from one arrival at the barriers to this one,
/// and not by a wait. A warp that does may arrive for the next phase while
/// another one owes its part of this phase, which would be complete too early.
bool LowerBarriers::followsArrival(const BarrierUse &use) const {
  tle::AllocBarriersOp alloc = use.slot.alloc;
  // Who completes phases alone arrives again after they were waited for.
  if (cast<tle::BarrierArriveOp>(use.op).getCount() == alloc.getArriveCount())
    return false;
  auto hasArrival = [&](Operation *op) {
    return op
        ->walk([&](tle::BarrierArriveOp arrive) {
          return barriers.slotOf(arrive).alloc == alloc
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  // Backwards, up to what decides.
  auto scan = [&](Operation *op, Operation *end) -> std::optional<bool> {
    for (; op != end; op = op->getPrevNode()) {
      if (isa<tle::BarrierWaitOp, tle::NamedBarrierWaitOp>(op))
        return false;
      if (hasArrival(op))
        return true;
    }
    return std::nullopt;
  };
  for (Operation *at = use.op;; at = at->getParentOp()) {
    if (std::optional<bool> found = scan(at->getPrevNode(), nullptr))
      return *found;
    if (!at->getBlock()->isEntryBlock())
      return true;
    Operation *parent = at->getParentOp();
    if (isa<tt::FuncOp, ttg::WarpSpecializeOp, ttg::WarpSpecializePartitionsOp>(
            parent))
      return false;
    if (isa<scf::ForOp, scf::WhileOp>(parent) &&
        scan(&at->getBlock()->back(), at->getPrevNode()).value_or(false))
      return true;
  }
}

/// By one thread of the partition, after all others have come; or by one
/// thread of each warp, which spares the warps to wait for each other.
void LowerBarriers::lowerArrive(const BarrierUse &use) {
  auto op = cast<tle::BarrierArriveOp>(use.op);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t scale = scales.lookup(use.slot.alloc);
  if (scale == 1) {
    // Triton puts a barrier in front for accesses of shared memory only.
    createBarrier(builder, loc);
    createOp(builder, loc, "ttng.arrive_barrier", op.getBarrier(), {},
             {builder.getNamedAttr("count",
                                   builder.getI32IntegerAttr(op.getCount()))});
    op.erase();
    return;
  }
  if (meetings.contains(op))
    createBarrier(builder, loc);
  constexpr int64_t kAllLanes = -1;
  createConvergent(builder, loc, "llvm.nvvm.bar.warp.sync",
                   constant(builder, loc, kAllLanes));
  int64_t count = op.getCount() * scale / launch(op).numWarps;
  createBarrierAssembly(
      builder, loc, op.getBarrier(), {},
      "{ .reg .pred first; .reg .b32 lane; mov.u32 lane, %laneid; "
      "setp.eq.u32 first, lane, 0; "
      "@first mbarrier.arrive.shared::cta.b64 _, [$1], " +
          Twine(count) + "; mov.b32 $0, 0; }");
  op.erase();
}

/// One thread announces the bytes of all copies before the first; with
/// arrival-per-copy those of each copy before it.
void LowerBarriers::lower(const CopyGroup &group) {
  tle::AsyncTmaLoadOp first = group.front();
  OpBuilder builder(first);
  int64_t bytes = 0;
  for (tle::AsyncTmaLoadOp op : group)
    bytes += bytesOf(op.getBuffer().getType());
  if (!arrivalPerCopy)
    createExpect(builder, first.getLoc(), first.getBarrier(), bytes);
  for (tle::AsyncTmaLoadOp op : group) {
    builder.setInsertionPoint(op);
    if (arrivalPerCopy)
      createExpect(builder, op.getLoc(), op.getBarrier(),
                   bytesOf(op.getBuffer().getType()));
    createTmaLoad(builder, op.getLoc(), op.getDesc(), op.getCoords(),
                  op.getBarrier(), op.getBuffer());
    op.erase();
  }
}

/// What there is and how it belongs together; refuses what does not.
LogicalResult LowerBarriers::collect() {
  ModuleOp module = getOperation();
  FailureOr<BarrierUses> found = collectBarrierUses(module);
  if (failed(found))
    return failure();
  barriers = std::move(*found);
  if (!barriers.allocs.empty() && capability < 90)
    return barriers.allocs.front().emitError()
           << "[B36] barriers need compute capability 9.0 or newer, but the "
              "target is sm_"
           << capability.getValue() << ".";
  if (failed(checkBarrierUses(barriers)))
    return failure();
  FailureOr<NamedBarriers> numbers =
      numberNamedBarriers(module, barriers, {numWarps, numCTAs, capability});
  if (failed(numbers))
    return failure();
  named = std::move(*numbers);
  FailureOr<SmallVector<CopyGroup>> copies =
      groupBarrierCopies(module, barriers);
  if (failed(copies))
    return failure();
  groups = std::move(*copies);
  copiesOfUse.clear();
  if (!arrivalPerCopy)
    return success();
  FailureOr<CopyCounts> counts = countBarrierCopies(groups, barriers);
  if (failed(counts))
    return failure();
  copiesOfUse = std::move(*counts);
  return success();
}

void LowerBarriers::runOnOperation() {
  ModuleOp module = getOperation();
  // Who says himself what runs at once is not pipelined.
  if (isUserPromise(module))
    module.walk([](scf::ForOp loop) {
      Builder builder(loop.getContext());
      loop->setAttr("tt.num_stages", builder.getI32IntegerAttr(0));
      loop->removeAttr("tt.warp_specialize");
    });

  if (failed(collect()))
    return signalPassFailure();
  scales.clear();
  for (tle::AllocBarriersOp alloc : barriers.allocs)
    scales[alloc] = scaleOf(alloc);
  meetings.clear();
  for (const BarrierUse &use : barriers.uses)
    if (isa<tle::BarrierArriveOp>(use.op) && followsArrival(use))
      meetings.insert(use.op);

  for (tle::AllocBarriersOp alloc : barriers.allocs)
    if (isMbarrier(alloc))
      lower(alloc);
  lowerNamedBarriers(module, barriers, named);
  for (const BarrierUse &use : barriers.uses) {
    if (use.isNamed)
      continue;
    if (auto wait = dyn_cast<tle::BarrierWaitOp>(use.op))
      lowerWait(wait);
    else if (isa<tle::BarrierArriveOp>(use.op))
      lowerArrive(use);
  }
  llvm::for_each(groups, [&](const CopyGroup &group) { lower(group); });
  for (tle::AllocBarriersOp alloc : barriers.allocs)
    if (alloc->use_empty())
      alloc.erase();
}
