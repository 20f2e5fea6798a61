//===- BoundWaits.cpp - Waits at mbarriers that give up -------------------===//

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLEBOUNDWAITS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

/// Assembly that is done when the phase of parity $2 of the mbarrier at $1 is
/// complete, or `milliseconds` later. $0 is 0 in the first lane of a warp that
/// has waited in vain, so that one thread of a warp speaks for all.
static std::string probe(int64_t milliseconds) {
  constexpr int64_t kNanoseconds = 1000000;
  return "{ .reg .pred good, early; .reg .b32 lane; .reg .b64 start, now; "
         "mov.u64 start, %globaltimer; "
         "probe: mbarrier.try_wait.parity.shared.b64 good, [$1], $2; "
         "@good bra over; "
         "mov.u64 now, %globaltimer; sub.u64 now, now, start; "
         "setp.lt.u64 early, now, " +
         std::to_string(milliseconds * kNanoseconds) +
         "; @early bra probe; "
         "mov.u32 lane, %laneid; setp.ne.u32 good, lane, 0; "
         "over: selp.b32 $0, 1, 0, good; }";
}

namespace {
struct BoundWaits : nvidia::impl::TleBoundWaitsBase<BoundWaits> {
  using TleBoundWaitsBase::TleBoundWaitsBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (isOp(op, "ttng.wait_barrier"))
        bound(op);
    });
  }

  /// The wait stays: it says to Triton's passes what is read behind it.
  void bound(Operation *wait) {
    OpBuilder builder(wait);
    Location loc = wait->getLoc();
    Value good =
        createBarrierAssembly(builder, loc, wait->getOperand(0),
                              wait->getOperand(1), probe(milliseconds));
    Value isGood =
        arith::TruncIOp::create(builder, loc, builder.getI1Type(), good);
    std::string message =
        "a wait at a barrier took longer than " + std::to_string(milliseconds) +
        " ms (TLE_WAIT_TIMEOUT_MS): the phase it waits for is not complete";
    createOp(builder, loc, "tt.assert", isGood, {},
             {builder.getNamedAttr("message", builder.getStringAttr(message))});
  }
};
} // namespace
