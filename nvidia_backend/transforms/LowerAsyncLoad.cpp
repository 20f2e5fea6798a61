//===- LowerAsyncLoad.cpp - Loads that ask to be asynchronous -------------===//

#include "core/triton/AxisInfo.h"
#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERASYNCLOAD
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

/// The operands of a tt.load of a tensor of pointers.
struct Load {
  Value ptrs, mask, other;
};

struct LowerAsyncLoad : nvidia::impl::TleLowerAsyncLoadBase<LowerAsyncLoad> {
  using TleLowerAsyncLoadBase::TleLowerAsyncLoadBase;

  void runOnOperation() override;

  Launch launch(Operation *op) const {
    return launchAt(op, {numWarps, numCTAs, capability});
  }

  bool isCopyable(Operation *op, const AxisInfoAnalysis &analysis) const;
  void lower(Operation *op);
};

} // namespace

constexpr StringLiteral kAsync = "tt.load.async";

static Load operandsOf(Operation *op) {
  auto segments = cast<DenseI32ArrayAttr>(propertyOf(op, "operandSegmentSizes"))
                      .asArrayRef();
  Load load{op->getOperand(0), {}, {}};
  if (segments[1])
    load.mask = op->getOperand(1);
  if (segments[2])
    load.other = op->getOperand(2);
  return load;
}

/// Triton's pipeliner takes a loop with a number of stages or with a dot, and
/// makes its loads asynchronous by itself, over several iterations.
static bool isLeftToPipeliner(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!loop)
    return false;
  if (auto stages = loop->getAttrOfType<IntegerAttr>("tt.num_stages"))
    return stages.getInt() >= 2;
  return loop.getBody()
      ->walk([](Operation *nested) {
        return isOp(nested, "tt.dot") ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The hardware copies 4, 8 or 16 bytes that are adjacent and aligned in global
/// memory, with one mask bit for all, by a thread that has them all.
bool LowerAsyncLoad::isCopyable(Operation *op,
                                const AxisInfoAnalysis &analysis) const {
  constexpr int64_t kSmallestCopy = 32, kLanes = 32;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto ptrs = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || !ptrs || !type.getElementType().isIntOrFloat() ||
      cast<tt::PointerType>(ptrs.getElementType()).getAddressSpace() !=
          tt::kGlobal ||
      cast<BoolAttr>(propertyOf(op, "isVolatile")).getValue())
    return false;
  int64_t bits = type.getElementTypeBitWidth();
  if (capability < 80 || numCTAs != 1 || bits < 8 || bits > 64)
    return false;
  int64_t needed = std::max<int64_t>(kSmallestCopy / bits, 1);
  if (needed == 1)
    return true;
  // Triton vectorizes along the dimension with the longest runs, and gives no
  // thread more than its share.
  Load load = operandsOf(op);
  unsigned last = type.getRank() - 1;
  AxisInfo info = analysis.lookup(load.ptrs);
  for (const AxisFacts &other : ArrayRef(info).drop_back())
    if (other.contiguity >= info[last].contiguity)
      return false;
  return type.getNumElements() >= needed * kLanes * launch(op).numWarps &&
         analysis.vectorSize(load.ptrs, last) >= needed &&
         (!load.mask || analysis.lookup(load.mask)[last].constancy >= needed);
}

void LowerAsyncLoad::lower(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Load load = operandsOf(op);
  OpBuilder builder(op);
  Location loc = op->getLoc();
  MLIRContext *context = op->getContext();
  SmallVector<int32_t> order(llvm::reverse(llvm::seq<int32_t>(type.getRank())));
  auto layout = ttg::SwizzledSharedAttr::get(context, 1, 1, 1, order, {});
  Value buffer = createAlloc(
      builder, loc,
      ttg::MemDescType::get(type.getShape(), type.getElementType(), layout,
                            ttg::SharedMemoryAttr::get(context),
                            /*mutableMemory=*/true));
  SmallVector<Value> operands = {
      withLayout(builder, loc, load.ptrs, launch(op)), buffer};
  if (load.mask)
    operands.push_back(withLayout(builder, loc, load.mask, launch(op)));

  Type token = ttg::AsyncTokenType::get(context);
  auto tokenOf = [](Operation *made) { return made->getResult(0); };
  Value copied = tokenOf(createOp(
      builder, loc, "ttg.async_copy_global_to_local", operands, token,
      {builder.getNamedAttr("cache", propertyOf(op, "cache")),
       builder.getNamedAttr("contiguity", builder.getI32IntegerAttr(1)),
       builder.getNamedAttr("evict", propertyOf(op, "evict")),
       builder.getNamedAttr("isVolatile", builder.getBoolAttr(false)),
       builder.getNamedAttr(
           "operandSegmentSizes",
           builder.getDenseI32ArrayAttr({1, 1, load.mask ? 1 : 0, 0}))}));
  Value committed =
      tokenOf(createOp(builder, loc, "ttg.async_commit_group", copied, token));
  Value done = tokenOf(
      createOp(builder, loc, "ttg.async_wait", committed, token,
               {builder.getNamedAttr("num", builder.getI32IntegerAttr(0))}));
  Value tile =
      createOp(builder, loc, "ttg.local_load", {buffer, done},
               ttg::withDefaultLayout(type, launch(op).numWarps, numCTAs))
          ->getResult(0);
  Value result = withoutLayout(builder, loc, tile);
  // The copy leaves zero where the mask is false.
  if (load.other && !matchPattern(load.other, m_Zero()) &&
      !matchPattern(load.other, m_PosZeroFloat()))
    result =
        arith::SelectOp::create(builder, loc, load.mask, result, load.other);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

void LowerAsyncLoad::runOnOperation() {
  AxisInfoAnalysis analysis(getOperation());
  SmallVector<Operation *> loads;
  getOperation().walk([&](Operation *op) {
    auto async = op->getAttrOfType<BoolAttr>(kAsync);
    if (!async || !isOp(op, "tt.load"))
      return;
    op->removeAttr(kAsync);
    if (async.getValue() && isCopyable(op, analysis) && !isLeftToPipeliner(op))
      loads.push_back(op);
  });
  for (Operation *op : loads)
    lower(op);
}
