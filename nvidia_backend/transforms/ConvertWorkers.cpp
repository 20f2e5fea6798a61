//===- ConvertWorkers.cpp - Workers with a warp count of their own --------===//

#include "core/api/InputText.h"
#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "mlir/IR/Builders.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include <map>

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLEOUTLINEWORKERS
#define GEN_PASS_DEF_TLEMERGEWORKERS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

/// Attribute `tle.workers.<warps>` of the kernel's module: the text of the
/// module that holds the bodies of all workers of so many warps.
static constexpr StringLiteral kWorkers = "tle.workers.";

/// Both passes walk the workers in this order.
static void
forEachWorker(ModuleOp module,
              function_ref<void(unsigned, Region &, int32_t)> visit) {
  unsigned number = 0;
  module.walk([&](ttg::WarpSpecializeOp op) {
    for (auto [region, warps] :
         llvm::zip_equal(op.getPartitionRegions(), op.getPartitionNumWarps()))
      visit(number++, region, warps);
  });
}

static std::string functionName(unsigned worker) {
  return "worker." + std::to_string(worker);
}

static bool lacksLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding();
}

/// Whether stock Triton's conversion would give values in `region` a layout.
static bool needsConversion(Region &region) {
  return region
      .walk([](Operation *op) {
        bool found = llvm::any_of(op->getResultTypes(), lacksLayout) ||
                     llvm::any_of(op->getOperandTypes(), lacksLayout);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Replaces the ends of a body when it changes its parent.
template <typename From, typename To> static void replaceEnds(Region &body) {
  SmallVector<From> ends(body.getOps<From>());
  for (From end : ends) {
    OpBuilder builder(end);
    To::create(builder, end.getLoc(), TypeRange(), ValueRange());
    end.erase();
  }
}

//===----------------------------------------------------------------------===//
// tle-outline-workers
//===----------------------------------------------------------------------===//

namespace {
struct OutlineWorkers : nvidia::impl::TleOutlineWorkersBase<OutlineWorkers> {
  using TleOutlineWorkersBase::TleOutlineWorkersBase;
  void runOnOperation() override;

private:
  LogicalResult checkCalls();
  void giveLayoutsToResults(ttg::WarpSpecializeOp op);
  OwningOpRef<ModuleOp> makeModule(int32_t warps);
};
} // namespace

/// A function is compiled for the warps of the launch and their barrier.
LogicalResult OutlineWorkers::checkCalls() {
  WalkResult result = getOperation().walk([](tt::CallOp call) {
    if (!call->getParentOfType<ttg::WarpSpecializeOp>())
      return WalkResult::advance();
    call.emitOpError() << "[S20] function @" << call.getCallee()
                       << " is called in a partition of warp_specialize, but "
                          "was not inlined into it; a function of its own is "
                          "compiled for all warps of the launch, and its "
                          "barriers would wait for them. Remove noinline=True";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Stock Triton's conversion leaves what a default partition yields alone, and
/// refuses it if it is a tensor without a layout.
void OutlineWorkers::giveLayoutsToResults(ttg::WarpSpecializeOp op) {
  Launch launch{numWarps, numCTAs, capability};
  for (OpResult result : op->getResults()) {
    if (!lacksLayout(result.getType()))
      continue;
    for (auto yield : op.getDefaultRegion().getOps<ttg::WarpYieldOp>()) {
      OpBuilder builder(yield);
      OpOperand &yielded = yield->getOpOperand(result.getResultNumber());
      yielded.set(withLayout(builder, yield.getLoc(), yielded.get(), launch));
      result.setType(yielded.get().getType());
    }
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value plain = withoutLayout(builder, op.getLoc(), result);
    result.replaceAllUsesExcept(plain, plain.getDefiningOp());
  }
}

OwningOpRef<ModuleOp> OutlineWorkers::makeModule(int32_t warps) {
  ModuleOp kernel = getOperation();
  OwningOpRef<ModuleOp> module(ModuleOp::create(kernel.getLoc()));
  for (StringRef name : {"ttg.num-ctas", "ttg.threads-per-warp", "ttg.target"})
    if (Attribute value = kernel->getAttr(name))
      (*module)->setAttr(name, value);
  (*module)->setAttr("ttg.num-warps",
                     Builder(&getContext()).getI32IntegerAttr(warps));
  return module;
}

void OutlineWorkers::runOnOperation() {
  if (failed(checkCalls()))
    return signalPassFailure();
  getOperation().walk(
      [&](ttg::WarpSpecializeOp op) { giveLayoutsToResults(op); });

  std::map<int32_t, OwningOpRef<ModuleOp>> modules;
  forEachWorker(getOperation(), [&](unsigned number, Region &region,
                                    int32_t warps) {
    if (warps == numWarps || !needsConversion(region))
      return;
    OwningOpRef<ModuleOp> &module = modules[warps];
    if (!module)
      module = makeModule(warps);
    auto builder = OpBuilder::atBlockEnd(module->getBody());
    Location loc = region.getParentOp()->getLoc();
    auto type = builder.getFunctionType(region.getArgumentTypes(), {});
    auto function =
        tt::FuncOp::create(builder, loc, functionName(number), type,
                           builder.getStringAttr("public"), nullptr, nullptr);

    // An empty body stays.
    SmallVector<Location> locs;
    for (BlockArgument argument : region.getArguments())
      locs.push_back(argument.getLoc());
    function.getBody().takeBody(region);
    builder.createBlock(&region, {}, type.getInputs(), locs);
    ttg::WarpReturnOp::create(builder, loc);
    replaceEnds<ttg::WarpReturnOp, tt::ReturnOp>(function.getBody());
  });

  for (auto &[warps, module] : modules) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream,
                  OpPrintingFlags().printGenericOpForm().enableDebugInfo());
    getOperation()->setAttr((kWorkers + Twine(warps)).str(),
                            StringAttr::get(&getContext(), text));
  }
}

//===----------------------------------------------------------------------===//
// tle-merge-workers
//===----------------------------------------------------------------------===//

namespace {
struct MergeWorkers : nvidia::impl::TleMergeWorkersBase<MergeWorkers> {
  using TleMergeWorkersBase::TleMergeWorkersBase;
  void runOnOperation() override;
};
} // namespace

void MergeWorkers::runOnOperation() {
  ModuleOp kernel = getOperation();
  SmallVector<OwningOpRef<ModuleOp>> modules;
  llvm::StringMap<tt::FuncOp> functions;
  for (NamedAttribute attribute :
       llvm::to_vector(kernel->getDiscardableAttrs())) {
    if (!attribute.getName().strref().starts_with(kWorkers))
      continue;
    auto text = cast<StringAttr>(attribute.getValue());
    OwningOpRef<ModuleOp> module = parseText(&getContext(), text.getValue());
    if (!module)
      return signalPassFailure();
    for (tt::FuncOp function : module->getOps<tt::FuncOp>())
      functions[function.getSymName()] = function;
    modules.push_back(std::move(module));
    kernel->removeDiscardableAttr(attribute.getName());
  }

  forEachWorker(kernel, [&](unsigned number, Region &region, int32_t) {
    tt::FuncOp function = functions.lookup(functionName(number));
    if (!function)
      return;
    region.takeBody(function.getBody());
    replaceEnds<tt::ReturnOp, ttg::WarpReturnOp>(region);
  });
}
