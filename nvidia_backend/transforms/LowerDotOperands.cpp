//===- LowerDotOperands.cpp - WGMMA straight from buffers -----------------===//

#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/Wgmma.h"
#include "tle/ir/TleDialect.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERDOTOPERANDS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

/// A dot operand that lies in a buffer.
struct SharedOperand {
  /// Reads the buffer; null if the operand is in none.
  Operation *load = nullptr;
  /// The operand is the transposed contents.
  bool transposed = false;

  explicit operator bool() const { return load; }
  Value buffer() const { return load->getOperand(0); }
  ttg::MemDescType type() const {
    return cast<ttg::MemDescType>(buffer().getType());
  }
};

struct LowerDotOperands
    : nvidia::impl::TleLowerDotOperandsBase<LowerDotOperands> {
  using TleLowerDotOperandsBase::TleLowerDotOperandsBase;

  void runOnOperation() override;

  Launch launch(Operation *op) const {
    return launchAt(op, {numWarps, numCTAs, capability});
  }

  bool hasWgmma(Operation *dot) const;
  void lower(Operation *dot);
};

} // namespace

//===----------------------------------------------------------------------===//
// What WGMMA can do
//===----------------------------------------------------------------------===//

static RankedTensorType typeOf(Operation *dot, unsigned operand) {
  return cast<RankedTensorType>(dot->getOperand(operand).getType());
}

static int64_t integer(Operation *op, StringRef property) {
  return cast<IntegerAttr>(propertyOf(op, property)).getInt();
}

/// Types that WGMMA multiplies, with the accumulators it has for them.
static bool areWgmmaTypes(Type a, Type b, Type c, Operation *dot) {
  if (a.isF16())
    return b.isF16() && (c.isF32() || c.isF16());
  if (a.isBF16())
    return b.isBF16() && c.isF32();
  if (a.isF32())
    return b.isF32() && c.isF32() && integer(dot, "inputPrecision") == kTF32;
  if (isa<Float8E4M3FNType, Float8E5M2Type>(a))
    return isa<Float8E4M3FNType, Float8E5M2Type>(b) && c.isF32() &&
           integer(dot, "maxNumImpreciseAcc") >= kLeastImprecise;
  return a.isInteger(8) && b.isInteger(8) && c.isInteger(32);
}

bool LowerDotOperands::hasWgmma(Operation *dot) const {
  RankedTensorType a = typeOf(dot, 0), b = typeOf(dot, 1), c = typeOf(dot, 2);
  if (capability / 10 != 9 || launch(dot).numWarps % 4 != 0 || numCTAs != 1)
    return false;
  if (c.getRank() != 2 || c.getDimSize(0) % 64 != 0 ||
      c.getDimSize(1) % 16 != 0)
    return false;
  return areWgmmaTypes(a.getElementType(), b.getElementType(),
                       c.getElementType(), dot) &&
         a.getDimSize(1) >= 256 / a.getElementTypeBitWidth();
}

/// True for the join of a tensor with a layout and the same one without.
static bool isBridge(Operation *op) {
  if (!isOp(op, "tt.fp_to_fp") && !isOp(op, "tt.broadcast"))
    return false;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return from && from.getEncoding() &&
         ttg::withoutLayout(from) == op->getResult(0).getType();
}

/// Operand `index` of `dot`, if WGMMA can read it from the buffer it was loaded
/// from at the time of the dot.
static SharedOperand sharedOperand(Operation *dot, unsigned index) {
  SharedOperand operand;
  Operation *source = dot->getOperand(index).getDefiningOp();
  while (isOp(source, "tt.trans")) {
    operand.transposed = !operand.transposed;
    source = source->getOperand(0).getDefiningOp();
  }
  if (source && isBridge(source))
    source = source->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<tle::LocalLoadOp>(source) &&
      !isOp(source, "ttg.local_load"))
    return {};
  operand.load = source;
  if (!isReadableByWgmma(operand.type(), operand.transposed, index) ||
      mayWriteBetween(source, dot, rootOf(operand.buffer())))
    return {};
  return operand;
}

//===----------------------------------------------------------------------===//
// Layout of the accumulator, chosen as stock Triton chooses it
//===----------------------------------------------------------------------===//

static SmallVector<int32_t, 2> warpsPerTile(Operation *dot, RankedTensorType c,
                                            int32_t numWarps) {
  // The result of a dot that feeds another one is best kept whole per row.
  SetVector<Operation *> slice;
  getForwardSlice(dot->getResult(0), &slice);
  if (llvm::any_of(slice, [](Operation *op) {
        return isOp(op, "tt.dot") || isOp(op, "ttng.warp_group_dot");
      }))
    return {numWarps, 1};
  return warpsOverTile(c.getShape(), numWarps);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// The buffer of `operand` as the dot's operand, transposed if need be.
static Value viewOf(OpBuilder &builder, Location loc, SharedOperand operand) {
  if (!operand.transposed)
    return operand.buffer();
  return transposedView(builder, loc, operand.buffer());
}

/// True unless only TMA writes `buffer`: what other instructions write has to
/// be fenced before WGMMA reads it.
static bool needsFence(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  bool isView = isa_and_nonnull<tle::SlotOp>(op);
  bool isEmpty = isa_and_nonnull<tle::AllocOp>(op) && op->getNumOperands() == 0;
  if (!isView && !isEmpty)
    return true;
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (isa<tle::SlotOp>(user))
      return needsFence(user->getResult(0));
    return !isa<tle::LocalLoadOp, tle::CopyOutOp, tle::TmaLoadOp,
                tle::TmaStoreOp>(user) &&
           !isOp(user, "ttg.memdesc_trans") &&
           !isOp(user, "ttng.warp_group_dot");
  });
}

void LowerDotOperands::lower(Operation *dot) {
  SharedOperand b = sharedOperand(dot, 1);
  if (!b)
    return;
  SharedOperand a = sharedOperand(dot, 0);

  OpBuilder builder(dot);
  Location loc = dot->getLoc();
  RankedTensorType c = typeOf(dot, 2);
  ttg::NvidiaMmaAttr layout =
      accumulatorLayout(typeOf(dot, 0).getElementType(), c.getShape(),
                        warpsPerTile(dot, c, launch(dot).numWarps));
  auto inLayout = [&](Value value, Attribute encoding) {
    return convertLayout(
        builder, loc, withLayout(builder, loc, value, launch(dot)), encoding);
  };
  Value left, right = viewOf(builder, loc, b);
  if (a) {
    left = viewOf(builder, loc, a);
  } else {
    unsigned width = typeOf(dot, 0).getElementTypeBitWidth();
    left = inLayout(
        dot->getOperand(0),
        ttg::DotOperandAttr::get(builder.getContext(), 0, layout, 32 / width));
  }
  Value accumulator = inLayout(dot->getOperand(2), layout);

  if (needsFence(rootOf(b.buffer())) || (a && needsFence(rootOf(a.buffer()))))
    createProxyFence(builder, loc);
  Operation *wgmma =
      createOp(builder, loc, "ttng.warp_group_dot", {left, right, accumulator},
               accumulator.getType(),
               {builder.getNamedAttr("inputPrecision",
                                     propertyOf(dot, "inputPrecision")),
                builder.getNamedAttr("isAsync", builder.getBoolAttr(false)),
                builder.getNamedAttr("maxNumImpreciseAcc",
                                     propertyOf(dot, "maxNumImpreciseAcc"))});
  Attribute standard =
      ttg::withDefaultLayout(typeOf(dot, 2), launch(dot).numWarps, numCTAs)
          .getEncoding();
  Value result = withoutLayout(
      builder, loc, convertLayout(builder, loc, wgmma->getResult(0), standard));

  keepLoopsAsWritten(dot);
  dot->getResult(0).replaceAllUsesWith(result);
  dot->erase();
}

void LowerDotOperands::runOnOperation() {
  SmallVector<Operation *> dots;
  getOperation().walk([&](Operation *op) {
    if (isOp(op, "tt.dot") && hasWgmma(op))
      dots.push_back(op);
  });
  for (Operation *dot : dots)
    lower(dot);

  SmallVector<Operation *> sources;
  getOperation().walk([&](Operation *op) {
    if (isa<tle::LocalLoadOp>(op) || isOp(op, "ttg.local_load") ||
        isOp(op, "tt.trans") || isBridge(op))
      sources.push_back(op);
  });
  for (Operation *op : llvm::reverse(sources))
    if (op->use_empty())
      op->erase();
}
