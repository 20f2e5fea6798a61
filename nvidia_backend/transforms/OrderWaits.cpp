//===- OrderWaits.cpp - Where warps meet between waits at mbarriers -------===//

#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "core/triton/Unregistered.h"
#include "nvidia_backend/transforms/Flow.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLEORDERWAITS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

/// The arrays of mbarriers that a warp may have waited at since the warps of
/// its partition last met.
class Waits {
public:
  static Waits unknown() {
    Waits waits;
    waits.isUnknown = true;
    return waits;
  }

  bool mayHold(Value array) const {
    return isUnknown || llvm::any_of(arrays, [&](Value other) {
             return other == array || !isAllocation(other) ||
                    !isAllocation(array);
           });
  }

  void add(Value array) { arrays.insert(array); }

  /// Adds what is in `other`; true if that was something new.
  bool join(const Waits &other) {
    bool changed =
        arrays.set_union(other.arrays) || (other.isUnknown && !isUnknown);
    isUnknown |= other.isUnknown;
    return changed;
  }

private:
  static bool isAllocation(Value array) {
    return isOp(array.getDefiningOp(), "ttg.local_alloc");
  }

  llvm::SetVector<Value> arrays;
  bool isUnknown = false;
};

/// Follows the flow of control and puts barriers in front of waits.
class Ordering : public Flow<Waits> {
public:
  explicit Ordering(Launch launch) : launch(launch) {}

  Waits walk(Region &region, Waits waits) override;

private:
  void visit(Operation *op, Waits &waits) override;
  void visitLoop(Operation *loop, Waits &waits) override;
  void meetBefore(Operation *op, Value array, Waits &waits);

  Launch launch;
};

} // namespace

/// True where all warps of the partition have to come before one goes on.
static bool isMeeting(Operation *op) {
  if (isBarrier(op))
    return true;
  if (!isOp(op, "llvm.call_intrinsic"))
    return false;
  auto name = dyn_cast_or_null<StringAttr>(propertyOf(op, "intrin"));
  return name && name.getValue() == "llvm.nvvm.barrier.cta.sync.aligned.count";
}

/// By a loop of our own, which Triton's placement of barriers takes for no
/// access of shared memory.
static void lower(Operation *wait) {
  OpBuilder builder(wait);
  createBarrierAssembly(builder, wait->getLoc(), wait->getOperand(0),
                        wait->getOperand(1),
                        "{ .reg .pred done; poll: "
                        "mbarrier.try_wait.parity.shared.b64 done, [$1], $2; "
                        "@!done bra.uni poll; mov.b32 $0, 0; }");
  wait->erase();
}

static bool isFreeWait(Operation *op) {
  return isOp(op, "ttng.wait_barrier") && op->hasAttr(kFreeWait);
}

/// Lets the warps meet in front of `op` if one of them may have waited at
/// `array`: a warp two phases behind would wait for the one after next.
void Ordering::meetBefore(Operation *op, Value array, Waits &waits) {
  if (launchAt(op, launch).numWarps == 1 || !waits.mayHold(array))
    return;
  OpBuilder builder(op);
  createBarrier(builder, op->getLoc());
  waits = Waits();
}

/// One barrier in front of a loop saves the one in each iteration that waits
/// before the loop would ask for.
void Ordering::visitLoop(Operation *loop, Waits &waits) {
  loop->walk([&](Operation *op) {
    if (isFreeWait(op) && op->getParentOfType<ttg::WarpSpecializeOp>() ==
                              loop->getParentOfType<ttg::WarpSpecializeOp>())
      meetBefore(loop, rootOf(op->getOperand(0)), waits);
  });
}

void Ordering::visit(Operation *op, Waits &waits) {
  if (isMeeting(op)) {
    waits = Waits();
  } else if (isa<tt::CallOp>(op)) {
    waits = Waits::unknown();
  } else if (isFreeWait(op)) {
    Value array = rootOf(op->getOperand(0));
    meetBefore(op, array, waits);
    waits.add(array);
  }
}

/// Blocks of a region that has several are taken to follow on anything.
Waits Ordering::walk(Region &region, Waits waits) {
  if (region.hasOneBlock())
    return walkBlock(region.front(), std::move(waits));
  if (region.empty())
    return waits;
  for (Block &block : region)
    walkBlock(block, Waits::unknown());
  return Waits::unknown();
}

namespace {
struct OrderWaits : nvidia::impl::TleOrderWaitsBase<OrderWaits> {
  using TleOrderWaitsBase::TleOrderWaitsBase;

  void runOnOperation() override {
    // Waits stay until all ways around loops have been followed.
    Ordering ordering({numWarps, numCTAs, capability});
    for (auto function : getOperation().getOps<tt::FuncOp>())
      ordering.walk(function.getBody(),
                    function.isPublic() ? Waits() : Waits::unknown());
    SmallVector<Operation *> waits;
    getOperation().walk([&](Operation *op) {
      if (isFreeWait(op))
        waits.push_back(op);
    });
    for (Operation *wait : waits)
      lower(wait);
  }
};
} // namespace
