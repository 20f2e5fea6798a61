//===- ConvertCommonIRToTTGIR.cpp - From TileIR to ttg --------------------===//

#include "commonir/AsyncCopies.h"
#include "commonir/BufferTypes.h"
#include "commonir/Emit.h"
#include "commonir/MergeWaits.h"
#include "commonir/Passes.h"
#include "commonir/Subslice.h"
#include "core/triton/Marks.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/TypeSwitch.h"

namespace flagtree::commonir {
#define GEN_PASS_DEF_CONVERTCOMMONIRTOTTGIR
#include "commonir/Passes.h.inc"
} // namespace flagtree::commonir

using namespace mlir;
using namespace flagtree;
using namespace flagtree::commonir;
using flagtree::tile::BufType;

namespace {
class ConvertCommonIRToTTGIR
    : public commonir::impl::ConvertCommonIRToTTGIRBase<
          ConvertCommonIRToTTGIR> {
  using ConvertCommonIRToTTGIRBase::ConvertCommonIRToTTGIRBase;

  void runOnOperation() override;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, ttg::TTGDialect, tt::TTDialect>();
  }

  void findAsyncCopies(const BufferTypes &types);
  void retype(const BufferTypes &types);
  void keepLoopsAsWritten(Operation *op) const;

  // Each makes the operations that take the place of `op`, from its operands as
  // they are, and returns what takes the place of its result.
  Value convert(Operation *op, const BufferTypes &types);
  Value convert(tile::AllocOp op, const BufferTypes &types);
  Value convert(tile::SubviewOp op, const BufferTypes &types);
  Value convert(tile::CopyOp op);
  Value convert(tile::ToTensorOp op);
  Value convert(tile::StoreTensorOp op);

  LogicalResult checkNothingLeft();
  void setModuleAttributes();

  Emitter emitterAt(Operation *op) const { return {op, numWarps, numCTAs}; }

  llvm::DenseSet<Operation *> asyncCopies;
  SmallVector<AsyncCopy> waits;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is supported
//===----------------------------------------------------------------------===//

static LogicalResult checkCopy(tile::CopyOp op) {
  if (op.getEngine() || op.getTranspose() || op.getDstNzLayout() ||
      op.getSrcLayout().value_or(tile::Layout::nd) != tile::Layout::nd)
    return op.emitOpError("[T46] a GPU copies in plain order; engine, "
                          "transpose and NZ layouts are not supported");
  Type source = op.getSource().getType(), dest = op.getDest().getType();
  Type global = isa<BufType>(source) ? dest : source;
  if (!isa<BufType>(source) && !isa<BufType>(dest))
    return op.emitOpError("[T47] one side of a copy must be a buffer");
  auto pointers = dyn_cast<RankedTensorType>(global);
  if (!pointers)
    return op.emitOpError("[T47] a copy goes between a buffer and a tensor of "
                          "pointers, one per element, but the other side is ")
           << global;
  int space = tt::pointerOf(pointers).getAddressSpace();
  if (space != tt::kGlobal)
    return op.emitOpError(
               "[T48] the pointers of a copy must be global (address "
               "space 1), but they have address space ")
           << space;
  return success();
}

/// Refuses what has no meaning on a GPU yet, operation by operation.
static LogicalResult checkSupported(Operation *op) {
  if (isa<tile::SetFlagOp, tile::WaitFlagOp, tile::PipeBarrierOp,
          tile::CubeWaitOp>(op))
    return op->emitOpError(
        "[T49] engines and events are not supported on a GPU; "
        "use tle.gpu barriers to synchronize");
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return checkCopy(copy);
  if (isa_and_nonnull<tile::TileDialect>(op->getDialect()) &&
      !isa<tile::AllocOp, tile::SubviewOp, tile::ToTensorOp,
           tile::StoreTensorOp>(op))
    return op->emitOpError("[T50] has no lowering to a GPU; supported are "
                           "tile.alloc, subview, copy, to_tensor and "
                           "store_tensor");
  return success();
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Decides before anything changes under the analysis.
void ConvertCommonIRToTTGIR::findAsyncCopies(const BufferTypes &types) {
  AxisInfoAnalysis analysis(getOperation());
  getOperation().walk([&](tile::CopyOp op) {
    if (isa<BufType>(op.getDest().getType()) &&
        mayCopyAsync(analysis, op.getSource(), types[op.getDest()],
                     emitterAt(op).getNumWarps()))
      asyncCopies.insert(op);
  });
}

/// Gives the buffers that control flow makes, and functions, their new types.
void ConvertCommonIRToTTGIR::retype(const BufferTypes &types) {
  auto retype = [&](Value value) {
    if (isa<BufType>(value.getType()))
      value.setType(types[value]);
  };
  // Functions first, while it can be seen what their buffers were.
  getOperation().walk([&](tt::FuncOp function) {
    SmallVector<Type> results(function.getResultTypes());
    function.walk([&](tt::ReturnOp end) {
      for (auto [type, value] : llvm::zip_equal(results, end.getOperands()))
        if (isa<BufType>(type))
          type = types[value];
    });
    SmallVector<Type> arguments(function.getArgumentTypes());
    if (!function.isExternal())
      for (auto [type, value] :
           llvm::zip_equal(arguments, function.getArguments()))
        if (isa<BufType>(type))
          type = types[value];
    function.setFunctionType(
        FunctionType::get(&getContext(), arguments, results));
  });
  getOperation().walk([&](Operation *op) {
    llvm::for_each(op->getResults(), retype);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), retype);
  });
}

/// Ends the life of `buffer` wherever control leaves what its block dominates.
/// Until there Triton gives the memory to nobody else.
static void deallocateAtScopeEnd(Value buffer) {
  Block *home = buffer.getDefiningOp()->getBlock();
  DominanceInfo dominance(home->getParentOp());
  auto inside = [&](Block *block) { return dominance.dominates(home, block); };
  for (Block &block : *home->getParent()) {
    Operation *end = block.getTerminator();
    if (!inside(&block) || (end->getNumSuccessors() != 0 &&
                            llvm::all_of(end->getSuccessors(), inside)))
      continue;
    OpBuilder builder(end);
    createOp(builder, buffer.getLoc(), "ttg.local_dealloc", buffer, {});
  }
}

/// Makes stock Triton's pipeliner leave the loops around `op` as written: it
/// orders operations by their values and would move accesses of a buffer past
/// each other. Or a later pass does.
void ConvertCommonIRToTTGIR::keepLoopsAsWritten(Operation *op) const {
  if (!keepLoops)
    return;
  Builder builder(op->getContext());
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    loop->setAttr("tt.num_stages", builder.getI32IntegerAttr(0));
}

Value ConvertCommonIRToTTGIR::convert(tile::AllocOp op,
                                      const BufferTypes &types) {
  Value buffer = emitterAt(op).localAlloc(types[op.getBuffer()]);
  deallocateAtScopeEnd(buffer);
  return buffer;
}

Value ConvertCommonIRToTTGIR::convert(tile::SubviewOp op,
                                      const BufferTypes &types) {
  Emitter emit = emitterAt(op);
  ttg::MemDescType type = types[op.getView()];
  if (op.getDroppedDims() == 0)
    return emit.memdescSubslice(op.getSource(), staticOffsets(op), type);
  Value index = op.getOffsets().front();
  if (index.getType().isIndex())
    index = arith::IndexCastOp::create(emit.getBuilder(), emit.getLoc(),
                                       emit.getBuilder().getI32Type(), index);
  return emit.memdescIndex(op.getSource(), index, type);
}

Value ConvertCommonIRToTTGIR::convert(tile::CopyOp op) {
  keepLoopsAsWritten(op);
  Emitter emit = emitterAt(op);
  Value source = op.getSource(), dest = op.getDest();
  if (isa<RankedTensorType>(dest.getType())) {
    auto pointers = cast<RankedTensorType>(dest.getType());
    auto type = RankedTensorType::get(pointers.getShape(),
                                      tt::pointerOf(pointers).getPointeeType(),
                                      pointers.getEncoding());
    emit.store(dest, emit.joined(emit.localLoad(source, type), type));
  } else if (asyncCopies.contains(op)) {
    Operation *copy = emit.asyncCopy(source, dest);
    Operation *commit = emit.asyncCommit(copy->getResults());
    waits.push_back({copy, commit, emit.asyncWait(commit->getResult(0))});
  } else {
    Operation *store = emit.localStore(emit.load(source), dest);
    if (!keepLoops)
      store->setAttr(kCopyMark, emit.getBuilder().getUnitAttr());
  }
  return {};
}

Value ConvertCommonIRToTTGIR::convert(tile::ToTensorOp op) {
  Emitter emit = emitterAt(op);
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  // Triton sinks a load whose only user is in another loop into that loop, and
  // does not look for writes on the way: the user must not be the only one.
  auto loop = op->getParentOfType<scf::ForOp>();
  bool staysHere = llvm::all_of(op->getUsers(), [&](Operation *user) {
    return user->getParentOfType<scf::ForOp>() == loop;
  });
  return emit.joined(emit.localLoad(op.getBuffer(), type), type, staysHere);
}

Value ConvertCommonIRToTTGIR::convert(tile::StoreTensorOp op) {
  keepLoopsAsWritten(op);
  emitterAt(op).localStore(op.getTensor(), op.getBuffer());
  return {};
}

Value ConvertCommonIRToTTGIR::convert(Operation *op, const BufferTypes &types) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<tile::AllocOp, tile::SubviewOp>(
          [&](auto typed) { return convert(typed, types); })
      .Case<tile::CopyOp, tile::ToTensorOp, tile::StoreTensorOp>(
          [&](auto typed) { return convert(typed); })
      .Default([](Operation *) { return Value(); });
}

/// True for a cast that joins a buffer to its descriptor, or two names of one
/// buffer.
static bool isBridge(Operation *op) {
  auto isBuffer = [](Type type) {
    return isa<BufType, ttg::MemDescType>(type);
  };
  return isa<UnrealizedConversionCastOp>(op) && op->getNumOperands() == 1 &&
         op->getNumResults() == 1 && isBuffer(op->getOperand(0).getType()) &&
         isBuffer(op->getResult(0).getType());
}

LogicalResult ConvertCommonIRToTTGIR::checkNothingLeft() {
  AttrTypeWalker walker;
  walker.addWalk([](Type type) {
    return isa<tile::TileDialect>(type.getDialect()) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  auto isTile = [&](auto element) {
    return walker.walk(element).wasInterrupted();
  };
  bool failed = false;
  getOperation().walk([&](Operation *op) {
    bool left = isa_and_nonnull<tile::TileDialect>(op->getDialect()) ||
                isa<UnrealizedConversionCastOp>(op) ||
                llvm::any_of(op->getOperandTypes(), isTile) ||
                llvm::any_of(op->getResultTypes(), isTile) ||
                isTile(op->getAttrDictionary());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        left |= llvm::any_of(block.getArgumentTypes(), isTile);
    if (!left)
      return;
    op->emitOpError("[T54] is left after the conversion of TileIR, with a tile "
                    "type or as a cast that joins no buffer to its descriptor");
    failed = true;
  });
  return failure(failed);
}

/// Operations with encoded tensors need to know the launch.
void ConvertCommonIRToTTGIR::setModuleAttributes() {
  Builder builder(&getContext());
  auto set = [&](StringRef name, int32_t value) {
    getOperation()->setAttr(name, builder.getI32IntegerAttr(value));
  };
  set("ttg.num-warps", numWarps);
  set("ttg.num-ctas", numCTAs);
  set("ttg.threads-per-warp", 32);
}

void ConvertCommonIRToTTGIR::runOnOperation() {
  asyncCopies.clear();
  waits.clear();
  bool failed = false;
  SmallVector<Operation *> work;
  bool hasTileIR = false;
  getOperation().walk([&](Operation *op) {
    failed |= mlir::failed(checkSupported(op));
    bool isTileOp = isa_and_nonnull<tile::TileDialect>(op->getDialect());
    hasTileIR |= isTileOp;
    if (isTileOp || isBridge(op))
      work.push_back(op);
  });
  if (failed)
    return signalPassFailure();

  BufferTypes types;
  if (mlir::failed(types.compute(getOperation())) ||
      mlir::failed(types.checkScopes(getOperation())))
    return signalPassFailure();
  if (enableAsyncCopy && capability >= 80)
    findAsyncCopies(types);

  // New operations stand beside the old ones until all are made: an operation
  // may stand before the one that makes its operand, in another block.
  SmallVector<Value> replacements;
  for (Operation *op : work)
    replacements.push_back(convert(op, types));
  for (auto [op, replacement] : llvm::zip_equal(work, replacements)) {
    if (isBridge(op))
      replacement = op->getOperand(0);
    if (replacement)
      op->getResult(0).replaceAllUsesWith(replacement);
  }
  for (Operation *op : work)
    op->erase();
  retype(types);
  mergeWaits(waits);
  if (mlir::failed(checkNothingLeft()))
    return signalPassFailure();
  if (hasTileIR)
    setModuleAttributes();
}
