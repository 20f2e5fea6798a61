//===- LowerWgmma.cpp - Asynchronous products -----------------------------===//

#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/Wgmma.h"
#include "nvidia_backend/transforms/WgmmaGroups.h"
#include "nvidia_backend/transforms/WgmmaOperands.h"
#include "tle/ir/TleDialect.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERWGMMA
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

static RankedTensorType tensorTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The type of the elements of an operand, in registers or in a buffer.
static Type elementTypeOf(Value operand) {
  return cast<ShapedType>(operand.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

namespace {

/// A value that a loop or branch carries: what it is called, and the operands
/// that flow into it.
struct Carried {
  SmallVector<Value> names;
  SmallVector<OpOperand *> sources;
};

/// The values that lie in the accumulator registers of the tensor cores: the
/// results of products and waits, and what carries such values. Those that flow
/// into one another are a chain and have one layout.
class Accumulators {
public:
  explicit Accumulators(ModuleOp module);

  /// Chooses the layout of every chain.
  LogicalResult chooseLayouts(const Launch &launch);

  ArrayRef<Value> values() const { return members.getArrayRef(); }
  ttg::NvidiaMmaAttr layoutOf(Value value) const {
    return layouts.lookup(chains.getLeaderValue(value));
  }

  bool contains(Value value) const { return members.contains(value); }

  /// The operands that flow into accumulators, each with one of these.
  const llvm::MapVector<OpOperand *, Value> &flows() const { return targets; }

private:
  void addCarried(Operation *op);
  void addMembers();
  void connect();

  SmallVector<tle::WgmmaOp> products;
  SmallVector<tle::WgmmaWaitOp> waits;
  SmallVector<Carried> carried;
  llvm::SetVector<Value> members;
  llvm::MapVector<OpOperand *, Value> targets;
  llvm::EquivalenceClasses<Value> chains;
  llvm::DenseMap<Value, ttg::NvidiaMmaAttr> layouts;
};

} // namespace

Accumulators::Accumulators(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (auto product = dyn_cast<tle::WgmmaOp>(op))
      products.push_back(product);
    else if (auto wait = dyn_cast<tle::WgmmaWaitOp>(op))
      waits.push_back(wait);
    else
      addCarried(op);
  });
  addMembers();
  connect();
}

void Accumulators::addCarried(Operation *op) {
  auto add = [&](ArrayRef<Value> names, ArrayRef<OpOperand *> sources) {
    if (isa<RankedTensorType>(names.front().getType()))
      carried.push_back(
          {SmallVector<Value>(names), SmallVector<OpOperand *>(sources)});
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      add({loop.getRegionIterArg(i), loop.getResult(i)},
          {&loop.getInitArgsMutable()[i],
           &loop.getBody()->getTerminator()->getOpOperand(i)});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (unsigned i = 0; i < branch.getNumResults(); ++i)
      add(branch.getResult(i), {&branch.thenYield()->getOpOperand(i),
                                &branch.elseYield()->getOpOperand(i)});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
      add(argument,
          {&loop->getOpOperand(i), &loop.getYieldOp()->getOpOperand(i)});
    for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments()))
      add({argument, loop.getResult(i)},
          &loop.getConditionOp().getArgsMutable()[i]);
  }
}

void Accumulators::addMembers() {
  llvm::DenseSet<Value> names;
  for (const Carried &value : carried)
    names.insert_range(value.names);
  auto addOperand = [&](Value acc) {
    if (acc && names.contains(acc))
      members.insert(acc);
  };
  for (tle::WgmmaOp product : products) {
    members.insert(product.getAcc());
    addOperand(product.getInit());
  }
  for (tle::WgmmaWaitOp wait : waits) {
    members.insert(wait.getResult());
    addOperand(wait.getAcc());
  }
  for (size_t before = 0; before != members.size();) {
    before = members.size();
    for (const Carried &value : carried) {
      auto isMember = [&](Value other) { return members.contains(other); };
      if (llvm::any_of(value.names, isMember) ||
          llvm::any_of(value.sources, [&](OpOperand *source) {
            return isMember(source->get());
          }))
        members.insert_range(value.names);
    }
  }
}

void Accumulators::connect() {
  for (Value value : members)
    chains.insert(value);
  auto flow = [&](OpOperand &source, Value target) {
    targets.insert({&source, target});
    if (members.contains(source.get()))
      chains.unionSets(source.get(), target);
  };
  for (tle::WgmmaOp product : products)
    if (product.getInit())
      flow(*product.getInitMutable().begin(), product.getAcc());
  for (tle::WgmmaWaitOp wait : waits)
    flow(wait.getAccMutable(), wait.getResult());
  for (const Carried &value : carried) {
    if (!members.contains(value.names.front()))
      continue;
    for (Value name : value.names)
      chains.unionSets(value.names.front(), name);
    for (OpOperand *source : value.sources)
      flow(*source, value.names.front());
  }
}

//===----------------------------------------------------------------------===//
// What the hardware can do
//===----------------------------------------------------------------------===//

static LogicalResult checkTarget(tle::WgmmaOp op, const Launch &launch) {
  if (launch.capability / 10 != 9)
    return op.emitOpError("[W36] needs the instructions of compute capability "
                          "9.0, but the target is sm_")
           << launch.capability << "; use tl.dot";
  if (launch.numCTAs != 1)
    return op.emitOpError("[W36] works in one CTA, but the kernel is launched "
                          "with num_ctas = ")
           << launch.numCTAs << "; launch it with num_ctas = 1";
  if (launch.numWarps % 4 != 0)
    return op.emitOpError("[W36] is executed by groups of 4 warps, but runs "
                          "here in ")
           << launch.numWarps << "; give the kernel, or the worker it is in, "
           << "4, 8 or 16 warps";
  return success();
}

static LogicalResult checkTile(tle::WgmmaOp op, ArrayRef<int32_t> warps) {
  RankedTensorType type = tensorTypeOf(op.getAcc());
  if (type.getDimSize(1) / warps[1] >= 8)
    return success();
  return op.emitOpError("[W37] a tile of ")
         << type.getDimSize(0) << " x " << type.getDimSize(1)
         << " is too small for " << warps[0] * warps[1]
         << " warps: every 4 of them take 64 rows, and those that are left "
            "over take columns, 8 or more; use fewer warps or a larger tile";
}

/// What Triton's lowering of operand `index` in a buffer cannot do, although
/// the hardware could.
static LogicalResult checkOperand(tle::WgmmaOp op, unsigned index) {
  auto type = dyn_cast<ttg::MemDescType>(op->getOperand(index).getType());
  bool transposed = index == 0 ? op.getTransA() : op.getTransB();
  if (!type || isReadableByWgmma(type, transposed, index))
    return success();
  StringRef name = index == 0 ? "a" : "b";
  return op.emitOpError("[W38] operand ")
         << name << " is read from a buffer without swizzling, " << type
         << "; allocate it the other way round, with 8 rows or more of 32 "
            "bytes or more, and use trans_"
         << name;
}

static LogicalResult checkPrecision(tle::WgmmaOp op) {
  if (!elementTypeOf(op.getA()).isF32() || op.getInputPrecision() == kTF32)
    return success();
  return op.emitOpError("[W40] multiplies f32 as tf32 only; set "
                        "input_precision to \"tf32\"");
}

LogicalResult Accumulators::chooseLayouts(const Launch &launch) {
  llvm::DenseMap<Value, tle::WgmmaOp> first;
  for (tle::WgmmaOp product : products) {
    Launch here = launchAt(product, launch);
    Value leader = chains.getLeaderValue(product.getAcc());
    ArrayRef<int64_t> shape = tensorTypeOf(product.getAcc()).getShape();
    if (failed(checkTarget(product, here)))
      return failure();
    auto warps = warpsOverTile(shape, here.numWarps);
    if (failed(checkTile(product, warps)) || failed(checkOperand(product, 0)) ||
        failed(checkOperand(product, 1)) || failed(checkPrecision(product)))
      return failure();
    auto layout =
        accumulatorLayout(elementTypeOf(product.getA()), shape, warps);
    auto [known, isNew] = first.insert({leader, product});
    if (!isNew && layouts.lookup(leader) != layout) {
      InFlightDiagnostic diagnostic =
          product.emitOpError("[W34] adds products of ");
      diagnostic << elementTypeOf(product.getA())
                 << " to an accumulator of products of "
                 << elementTypeOf(known->second.getA())
                 << ", whose registers are laid out differently; use two "
                    "accumulators and add them";
      diagnostic.attachNote(known->second.getLoc()) << "the other product";
      return diagnostic;
    }
    layouts[leader] = layout;
  }
  for (tle::WgmmaWaitOp wait : waits)
    if (!contains(wait.getAcc()) || !layoutOf(wait.getResult()))
      return wait.emitOpError(
          "[W31] waits for a value that no wgmma made; pass the accumulator "
          "that tle.gpu.wgmma returned");
  return success();
}

//===----------------------------------------------------------------------===//
// Bridges between accumulators and other tensors
//===----------------------------------------------------------------------===//

/// `value` in `layout`; a constant simply has it, which shows Triton that an
/// accumulator is zero.
static Value enter(OpBuilder &builder, Location loc, Value value,
                   Attribute layout, const Launch &launch) {
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(
        builder, loc,
        constant.resizeSplat(ttg::withLayout(tensorTypeOf(value), layout)));
  return convertLayout(builder, loc, withLayout(builder, loc, value, launch),
                       layout);
}

/// `value`, which is complete and in any layout, without one.
static Value leave(OpBuilder &builder, Location loc, Value value,
                   const Launch &launch) {
  Attribute standard = ttg::withDefaultLayout(tensorTypeOf(value),
                                              launch.numWarps, launch.numCTAs)
                           .getEncoding();
  return withoutLayout(builder, loc,
                       convertLayout(builder, loc, value, standard));
}

/// Gives all accumulators their layouts.
static void placeAccumulators(const Accumulators &accumulators,
                              const Launch &launch) {
  for (auto [source, target] : accumulators.flows()) {
    Value value = source->get();
    if (accumulators.contains(value))
      continue;
    Operation *op = source->getOwner();
    OpBuilder builder(op);
    source->set(enter(builder, op->getLoc(), value,
                      accumulators.layoutOf(target), launchAt(op, launch)));
  }
  for (Value value : accumulators.values()) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      if (!accumulators.flows().contains(&use))
        uses.push_back(&use);
    value.setType(
        ttg::withLayout(tensorTypeOf(value), accumulators.layoutOf(value)));
    if (uses.empty())
      continue;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Operation *parent = value.getParentBlock()->getParentOp();
    Value left =
        leave(builder, value.getLoc(), value,
              launchAt(value.getDefiningOp() ? value.getDefiningOp() : parent,
                       launch));
    for (OpOperand *use : uses)
      use->set(left);
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

struct LowerWgmma : nvidia::impl::TleLowerWgmmaBase<LowerWgmma> {
  using TleLowerWgmmaBase::TleLowerWgmmaBase;

  void runOnOperation() override;

  Launch launch() const { return {numWarps, numCTAs, capability}; }

  void lower(tle::WgmmaOp op);

  /// Products so far. Two of the same operands are two groups of the queue,
  /// which the number keeps apart.
  int32_t numGroups = 0;
};

} // namespace

/// Products of 8-bit floats whose additions are not precise enough in the
/// tensor cores are added up outside of them.
static bool addsOutside(tle::WgmmaOp op) {
  auto shape = cast<ShapedType>(op.getB().getType()).getShape();
  int64_t k = shape[op.getTransB() ? 1 : 0];
  return isa<Float8E4M3FNType, Float8E5M2Type>(elementTypeOf(op.getA())) &&
         elementTypeOf(op.getAcc()).isF32() && op.getMaxNumImpreciseAcc() <= k;
}

void LowerWgmma::lower(tle::WgmmaOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto layout =
      cast<ttg::NvidiaMmaAttr>(tensorTypeOf(op.getAcc()).getEncoding());
  Value a = op.getA(), b = op.getB(), acc = op.getInit();
  if (op.getTransA())
    a = transposedView(builder, loc, a);
  if (op.getTransB())
    b = transposedView(builder, loc, b);
  if (isa<RankedTensorType>(a.getType())) {
    unsigned width = tensorTypeOf(a).getElementTypeBitWidth();
    a = convertLayout(
        builder, loc, withLayout(builder, loc, a, launchAt(op, launch())),
        ttg::DotOperandAttr::get(op.getContext(), 0, layout, 32 / width));
  }
  Type type = op.getAcc().getType();
  if (!acc)
    acc = arith::ConstantOp::create(builder, loc,
                                    cast<TypedAttr>(builder.getZeroAttr(type)));
  // Halves of registers, and sums made outside of the tensor cores, are code of
  // Triton's that does not wait for the group: it must do so itself.
  bool isAsync = !elementTypeOf(acc).isF16() && !addsOutside(op);
  Operation *product = createOp(
      builder, loc, "ttng.warp_group_dot", {a, b, acc}, type,
      {builder.getNamedAttr("inputPrecision", op.getInputPrecisionAttr()),
       builder.getNamedAttr("isAsync", builder.getBoolAttr(isAsync)),
       builder.getNamedAttr("maxNumImpreciseAcc",
                            op.getMaxNumImpreciseAccAttr())},
      {builder.getNamedAttr("tle.group",
                            builder.getI32IntegerAttr(numGroups++))});
  op.replaceAllUsesWith(product->getResult(0));
  op.erase();
}

static void lower(tle::WgmmaWaitOp op) {
  OpBuilder builder(op);
  Operation *wait =
      createOp(builder, op.getLoc(), "ttng.warp_group_dot_wait", op.getAcc(),
               op.getAcc().getType(),
               {builder.getNamedAttr("pendings", op.getPendingsAttr())});
  op.replaceAllUsesWith(wait->getResult(0));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Makes stock Triton leave `loop` alone: no stages, no fusion with the loop
/// around it, no partitions of its own.
static void keepAsWritten(scf::ForOp loop) {
  loop->setAttr("tt.num_stages", Builder(loop).getI32IntegerAttr(0));
  loop->removeAttr("tt.flatten");
  loop->removeAttr("tt.warp_specialize");
}

/// W39, and the loops of a kernel that orders its products itself.
static LogicalResult keepPromise(ModuleOp module) {
  Attribute mode = module->getAttr(kPipelineMode);
  if (mode && mode != StringAttr::get(module.getContext(), "user_promise") &&
      mode != StringAttr::get(module.getContext(), "compiler_auto"))
    return module.emitError("[W39] the module attribute '")
           << kPipelineMode << "' must be \"compiler_auto\" or "
           << "\"user_promise\", but is " << mode;
  if (isUserPromise(module))
    module.walk([](scf::ForOp loop) { keepAsWritten(loop); });
  return success();
}

void LowerWgmma::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(keepPromise(module)))
    return signalPassFailure();

  module.walk([](tle::WgmmaOp op) {
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      keepAsWritten(loop);
  });
  for (auto function : module.getOps<tt::FuncOp>())
    if (failed(checkWgmmaGroups(function)) ||
        failed(checkWgmmaOperands(function)))
      return signalPassFailure();
  Accumulators accumulators(module);
  if (failed(accumulators.chooseLayouts(launch())))
    return signalPassFailure();

  placeAccumulators(accumulators, launch());
  module.walk([&](tle::WgmmaOp op) { lower(op); });
  module.walk([](tle::WgmmaWaitOp op) { ::lower(op); });
}
