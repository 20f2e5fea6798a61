//===- LowerBarriers.cpp - mbarriers and named barriers -------------------===//

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/Wgmma.h"
#include "tle/ir/TleDialect.h"
#include "llvm/ADT/MapVector.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERBARRIERS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

/// A slot of one allocation. `index` is the value that was given as index,
/// `number` what it is if it is constant.
struct Slot {
  tle::AllocBarriersOp alloc;
  Value index;
  std::optional<int64_t> number;

  bool operator==(const Slot &other) const {
    return alloc == other.alloc &&
           (number ? number == other.number : index == other.index);
  }
  bool mayBe(const Slot &other) const {
    return alloc == other.alloc &&
           (!number || !other.number || number == other.number);
  }
};

/// An operation on a barrier.
struct Use {
  Operation *op;
  Slot slot;

  bool isNamed() const {
    return isa<tle::NamedBarrierWaitOp, tle::NamedBarrierArriveOp>(op);
  }
};

/// The copies that complete one use of a barrier together.
using CopyGroup = SmallVector<tle::AsyncTmaLoadOp>;

struct LowerBarriers : nvidia::impl::TleLowerBarriersBase<LowerBarriers> {
  using TleLowerBarriersBase::TleLowerBarriersBase;

  void runOnOperation() override;

  Launch launch(Operation *op) const {
    return launchAt(op, {numWarps, numCTAs, capability});
  }

  LogicalResult collectUses();
  LogicalResult checkUse(const Use &use);
  LogicalResult checkPaths();
  LogicalResult checkThreads();
  LogicalResult numberNamed();
  LogicalResult groupCopies(Block &block);
  LogicalResult countCopies();

  bool isMbarrier(tle::AllocBarriersOp alloc) const;
  int64_t scaleOf(tle::AllocBarriersOp alloc) const;
  void lower(tle::AllocBarriersOp alloc);
  void lowerNamed(const Use &use);
  bool followsArrival(const Use &use) const;
  void lowerArrive(const Use &use);
  void lower(const CopyGroup &group);
  void eraseNamed();

  SmallVector<tle::AllocBarriersOp> allocs;
  SmallVector<Use> uses;
  llvm::DenseMap<Operation *, Slot> slotOf;
  SmallVector<CopyGroup> groups;
  /// Physical barriers by allocation and slot.
  llvm::MapVector<std::pair<Operation *, int64_t>, int64_t> named;
  /// With arrival-per-copy: the copies of each use, by allocation.
  llvm::DenseMap<Operation *, int64_t> copiesOfUse;
  /// How many arrivals in hardware one arrival is, by allocation.
  llvm::DenseMap<Operation *, int64_t> scales;
  /// Arrivals in front of which the warps of a partition meet.
  llvm::DenseSet<Operation *> meetings;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which barrier a value is
//===----------------------------------------------------------------------===//

static std::optional<int64_t> constantOf(Value index) {
  while (Value capture = captureOf(index))
    index = capture;
  APInt number;
  if (!matchPattern(index, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

static std::optional<Slot> resolve(Value barrier) {
  while (Value capture = captureOf(barrier))
    barrier = capture;
  auto slot = barrier.getDefiningOp<tle::SlotOp>();
  if (!slot)
    return std::nullopt;
  auto alloc = rootOf(slot.getBuffer()).getDefiningOp<tle::AllocBarriersOp>();
  if (!alloc)
    return std::nullopt;
  return Slot{alloc, slot.getIndex(), constantOf(slot.getIndex())};
}

/// The barrier operand of an operation on barriers; null for others.
static Value barrierOf(Operation *op) {
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

LogicalResult LowerBarriers::collectUses() {
  WalkResult result = getOperation().walk([&](Operation *op) {
    if (auto alloc = dyn_cast<tle::AllocBarriersOp>(op))
      allocs.push_back(alloc);
    Value barrier = barrierOf(op);
    if (!barrier)
      return WalkResult::advance();
    std::optional<Slot> slot = resolve(barrier);
    if (!slot) {
      op->emitError() << "[B26] the barrier was chosen at run time, by a "
                         "branch or from one iteration to the next. Allocate "
                         "one array of barriers and choose the index of the "
                         "slot where it is used.";
      return WalkResult::interrupt();
    }
    uses.push_back({op, *slot});
    slotOf.insert({op, *slot});
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static InFlightDiagnostic refuse(const Use &use, StringRef text) {
  InFlightDiagnostic diagnostic = use.op->emitError() << text;
  tle::AllocBarriersOp alloc = use.slot.alloc;
  diagnostic.attachNote(alloc.getLoc()) << "the barrier is allocated here";
  return diagnostic;
}

LogicalResult LowerBarriers::checkUse(const Use &use) {
  tle::AllocBarriersOp alloc = use.slot.alloc;
  if (use.isNamed()) {
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
LogicalResult LowerBarriers::checkPaths() {
  for (const Use &use : uses) {
    if (use.isNamed())
      continue;
    for (const Use &other : uses)
      if (other.isNamed() && other.slot.mayBe(use.slot)) {
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
    bool isFilled = llvm::any_of(uses, [&](const Use &other) {
      return isa<tle::AsyncTmaLoadOp>(other.op) && other.slot.mayBe(use.slot);
    });
    if (alloc.getExpectBytes() && !isFilled)
      return refuse(use, "[B33] the barrier expects bytes, but no copy "
                         "completes on it. Pass it to tle.gpu.copy as barrier, "
                         "or leave expect_bytes out.");
    bool isArrivedAt = llvm::any_of(uses, [&](const Use &other) {
      return isa<tle::BarrierArriveOp>(other.op) && other.slot.mayBe(use.slot);
    });
    auto wait = dyn_cast<tle::BarrierWaitOp>(use.op);
    if (wait && !alloc.getExpectBytes() && !isArrivedAt &&
        (!alloc.getReady() || constantOf(wait.getPhase()) == 0))
      return refuse(use, "[B37] nothing arrives at the barrier, so that this "
                         "wait cannot end. Complete its uses with "
                         "tle.gpu.barrier_arrive, or allocate it with "
                         "expect_bytes and pass it to tle.gpu.copy.");
  }
  return success();
}

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
LogicalResult LowerBarriers::checkThreads() {
  for (auto &[key, id] : named) {
    auto alloc = cast<tle::AllocBarriersOp>(key.first);
    llvm::MapVector<Operation *, llvm::MapVector<Region *, Operation *>> parts;
    for (const Use &use : uses)
      if (use.slot.alloc == alloc && use.slot.number == key.second) {
        auto [specialized, region] = partitionOf(use.op);
        parts[specialized].insert({region, use.op});
      }
    for (auto &[specialized, regions] : parts) {
      int64_t threads = 0;
      for (auto &[region, op] : regions)
        threads += int64_t(launch(op).numWarps) * 32;
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
            << "used by " << launch(op).numWarps << " warps here";
      return diagnostic;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

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

LogicalResult LowerBarriers::numberNamed() {
  constexpr int64_t kBarriers = 16;
  int64_t first = firstFreeBarrier(getOperation()), next = first;
  for (const Use &use : uses) {
    if (!use.isNamed())
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
  return success();
}

/// A convergent operation: all threads of the warps execute it together, and
/// no pass of LLVM may make two of it.
static void createConvergent(OpBuilder &builder, Location loc, StringRef name,
                             ValueRange operands) {
  auto count = static_cast<int32_t>(operands.size());
  createOp(builder, loc, "llvm.call_intrinsic", operands, {},
           {builder.getNamedAttr("fastmathFlags",
                                 OpaqueAttr::get(builder.getStringAttr("llvm"),
                                                 "fastmath<none>",
                                                 builder.getNoneType())),
            builder.getNamedAttr("intrin", builder.getStringAttr(name)),
            builder.getNamedAttr("op_bundle_sizes",
                                 builder.getDenseI32ArrayAttr({})),
            builder.getNamedAttr("operandSegmentSizes",
                                 builder.getDenseI32ArrayAttr({count, 0}))});
}

void LowerBarriers::lowerNamed(const Use &use) {
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

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

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
  for (const Use &use : uses)
    if (use.slot.alloc == alloc && isa<tle::BarrierArriveOp>(use.op))
      scale = std::max<int64_t>(scale, launch(use.op).numWarps);
  return scale * alloc.getArriveCount() <= warpArrivals ? scale : 1;
}

/// True if a slot of `alloc` is an mbarrier, which takes memory.
bool LowerBarriers::isMbarrier(tle::AllocBarriersOp alloc) const {
  return llvm::any_of(uses, [&](const Use &use) {
    return use.slot.alloc == alloc && !use.isNamed();
  });
}

/// True if `op`, between allocations, surely leaves barriers alone.
static bool isApart(Operation *op) {
  return op->getNumRegions() == 0 && !isa<tt::CallOp>(op) && !barrierOf(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

/// Threads that may use the barriers, and TMA, see them initialized.
void LowerBarriers::lower(tle::AllocBarriersOp alloc) {
  Value barriers = alloc.getBarriers();
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

  for (Operation *end : endsOfScope(barriers)) {
    builder.setInsertionPoint(end);
    createBarrier(builder, loc);
    for (int64_t slot : slots)
      createOp(builder, loc, "ttng.inval_barrier", slotAt(slot), {});
    createOp(builder, loc, "ttg.local_dealloc", memory, {});
  }
  barriers.replaceAllUsesWith(memory);
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
bool LowerBarriers::followsArrival(const Use &use) const {
  tle::AllocBarriersOp alloc = use.slot.alloc;
  // Who completes phases alone arrives again after they were waited for.
  if (cast<tle::BarrierArriveOp>(use.op).getCount() == alloc.getArriveCount())
    return false;
  auto hasArrival = [&](Operation *op) {
    return op
        ->walk([&](tle::BarrierArriveOp arrive) {
          return slotOf.find(arrive)->second.alloc == alloc
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
void LowerBarriers::lowerArrive(const Use &use) {
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

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// True if `op` may wait for others: at a barrier, or by asking for a value
/// again and again.
static bool mayWait(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<tle::BarrierWaitOp, tle::NamedBarrierWaitOp, scf::WhileOp>(
                   inner) ||
                       inner->getName().getStringRef() ==
                           "tt.elementwise_inline_asm"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Divides the copies of `block` into uses of barriers: those of one slot, one
/// after the other, until they have brought the expected bytes and something
/// was waited for.
LogicalResult LowerBarriers::groupCopies(Block &block) {
  struct Pending {
    CopyGroup copies;
    int64_t bytes;
    bool isWhole;
  };
  SmallVector<Pending> pending;
  auto check = [&](const Pending &use) -> LogicalResult {
    Operation *first = use.copies.front();
    tle::AllocBarriersOp alloc = slotOf.find(first)->second.alloc;
    int64_t expected = *alloc.getExpectBytes();
    if (use.bytes == expected)
      return success();
    InFlightDiagnostic diagnostic =
        first->emitError()
        << "[C31] the copies that complete one use of the barrier bring "
        << use.bytes
        << " bytes, but the barrier has expect_bytes = " << expected
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
        const Slot &slot = slotOf.find(wait)->second;
        llvm::erase_if(pending, [&](const Pending &use) {
          if (!slotOf.find(use.copies.front())->second.mayBe(slot))
            return false;
          if (succeeded(ended))
            ended = check(use);
          return true;
        });
      });
      if (failed(ended))
        return failure();
      if (mayWait(&op))
        llvm::erase_if(pending, [](const Pending &use) { return use.isWhole; });
      continue;
    }
    const Slot &slot = slotOf.find(&op)->second;
    Pending *use = llvm::find_if(pending, [&](const Pending &other) {
      return slotOf.find(other.copies.front())->second == slot;
    });
    if (use == pending.end())
      use = &pending.emplace_back();
    use->copies.push_back(copy);
    use->bytes += bytesOf(copy.getBuffer().getType());
    tle::AllocBarriersOp alloc = slot.alloc;
    if (use->bytes < *alloc.getExpectBytes())
      continue;
    if (failed(check(*use)))
      return failure();
    groups.push_back(use->copies);
    use->isWhole = true;
  }
  for (const Pending &use : pending)
    if (failed(check(use)))
      return failure();
  return success();
}

LogicalResult LowerBarriers::countCopies() {
  if (!arrivalPerCopy)
    return success();
  llvm::DenseMap<Operation *, Operation *> firstUse;
  for (const CopyGroup &group : groups) {
    tle::AsyncTmaLoadOp first = group.front();
    tle::AllocBarriersOp alloc = slotOf.find(first)->second.alloc;
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
  return success();
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

/// Erases the allocations without memory, with their slots and what workers
/// capture of them.
void LowerBarriers::eraseNamed() {
  bool changed = true;
  while (changed) {
    changed = false;
    getOperation().walk([&](tle::SlotOp slot) {
      if (!isBarrierType(slot.getSlot().getType()) || !slot->use_empty())
        return;
      slot.erase();
      changed = true;
    });
    getOperation().walk([&](ttg::WarpSpecializeOp op) {
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
  for (tle::AllocBarriersOp alloc : allocs)
    if (alloc->use_empty())
      alloc.erase();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

void LowerBarriers::runOnOperation() {
  ModuleOp module = getOperation();
  allocs.clear();
  uses.clear();
  slotOf.clear();
  groups.clear();
  named.clear();
  copiesOfUse.clear();
  scales.clear();
  meetings.clear();

  // Who says himself what runs at once is not pipelined.
  if (isUserPromise(module))
    module.walk([](scf::ForOp loop) {
      Builder builder(loop.getContext());
      loop->setAttr("tt.num_stages", builder.getI32IntegerAttr(0));
      loop->removeAttr("tt.warp_specialize");
    });

  if (failed(collectUses()))
    return signalPassFailure();
  if (!allocs.empty() && capability < 90) {
    allocs.front().emitError()
        << "[B36] barriers need compute capability 9.0 or newer, but the "
           "target is sm_"
        << capability.getValue() << ".";
    return signalPassFailure();
  }
  for (const Use &use : uses)
    if (failed(checkUse(use)))
      return signalPassFailure();
  if (failed(checkPaths()) || failed(numberNamed()) || failed(checkThreads()))
    return signalPassFailure();
  WalkResult grouped = module.walk([&](Block *block) {
    return failed(groupCopies(*block)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  if (grouped.wasInterrupted() || failed(countCopies()))
    return signalPassFailure();

  for (tle::AllocBarriersOp alloc : allocs)
    scales[alloc] = scaleOf(alloc);
  for (const Use &use : uses)
    if (isa<tle::BarrierArriveOp>(use.op) && followsArrival(use))
      meetings.insert(use.op);
  for (tle::AllocBarriersOp alloc : allocs)
    if (isMbarrier(alloc))
      lower(alloc);
  for (const Use &use : uses) {
    if (use.isNamed())
      lowerNamed(use);
    else if (auto wait = dyn_cast<tle::BarrierWaitOp>(use.op))
      lowerWait(wait);
    else if (isa<tle::BarrierArriveOp>(use.op))
      lowerArrive(use);
  }
  llvm::for_each(groups, [&](const CopyGroup &group) { lower(group); });
  eraseNamed();
}
