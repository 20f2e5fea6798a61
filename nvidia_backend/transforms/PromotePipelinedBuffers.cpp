//===- PromotePipelinedBuffers.cpp - Buffers of pipelined loops -----------===//

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "tle/ir/TleDialect.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLEPROMOTEPIPELINEDBUFFERS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

struct PromotePipelinedBuffers
    : nvidia::impl::TlePromotePipelinedBuffersBase<PromotePipelinedBuffers> {
  using TlePromotePipelinedBuffersBase::TlePromotePipelinedBuffersBase;

  void runOnOperation() override;

  void tryPromote(scf::ForOp loop);
  bool fits(scf::ForOp loop, ArrayRef<Operation *> writers) const;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which buffer a name means
//===----------------------------------------------------------------------===//

static InFlightDiagnostic refuse(Operation *op, StringRef why) {
  return op->emitOpError("[A25] ") << why;
}

/// True if a terminator hands `buffer` on, which was allocated in block `home`,
/// or a slot of it, to where the allocation is not known.
static bool escapes(Value buffer, Block *home) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<tle::SlotOp>(user))
      return escapes(user->getResult(0), home);
    return isa<BranchOpInterface>(user) ||
           (user->hasTrait<OpTrait::IsTerminator>() &&
            user->getBlock() == home);
  });
}

/// Triton makes arith.select of the results of scf.if, and its analysis of
/// shared memory aborts on a selected buffer; a buffer that leaves its scope
/// has no lifetime.
static LogicalResult checkChoice(Operation *op) {
  if (isa<arith::SelectOp, scf::IfOp>(op) &&
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<ttg::MemDescType>))
    return refuse(op, "a buffer cannot be chosen at run time; allocate one "
                      "buffer with a leading stage dimension and choose the "
                      "index");
  auto alloc = dyn_cast<tle::AllocOp>(op);
  if (alloc && escapes(alloc.getBuffer(), alloc->getBlock()))
    return refuse(op, "a buffer cannot leave the loop or branch that it is "
                      "allocated in; allocate it before");
  return success();
}

/// Gives the allocation behind `slot` the layout of its slots.
static LogicalResult retypeSlotted(tle::SlotOp slot) {
  auto alloc = slot.getBuffer().getDefiningOp<tle::AllocOp>();
  if (!alloc)
    return refuse(slot, "only a buffer as tle.gpu.alloc returned it has slots: "
                        "not a slot, nor a buffer that was chosen at run time");
  if (alloc.getInit())
    return refuse(alloc, "a buffer with slots takes no initial value; store "
                         "into its slots instead");
  for (Operation *user : alloc.getBuffer().getUsers()) {
    if (isa<tle::SlotOp>(user) || isa<tle::LocalPtrOp>(user))
      continue;
    InFlightDiagnostic diagnostic =
        refuse(user, "a buffer with slots is moved slot by slot, not as a "
                     "whole; index it first");
    diagnostic.attachNote(slot.getLoc()) << "a slot is taken here";
    return diagnostic;
  }
  ttg::MemDescType whole = alloc.getBuffer().getType();
  alloc.getBuffer().setType(
      ttg::MemDescType::get(whole.getShape(), whole.getElementType(),
                            slot.getSlot().getType().getEncoding(),
                            whole.getMemorySpace(), whole.getMutableMemory()));
  return success();
}

//===----------------------------------------------------------------------===//
// Promotion
//===----------------------------------------------------------------------===//

/// True if executing `op` alone may change shared memory. Making pointers into
/// a buffer counts, since they are made to be accessed.
static bool writesBuffers(Operation *op) {
  if (isa<tle::LocalPtrOp, tle::MemorySpaceOp, tle::TmaStoreOp>(op))
    return true;
  if (!isa_and_nonnull<tle::TleDialect>(op->getDialect()))
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffects(effects);
  return llvm::any_of(effects, [](MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue() &&
           isa<ttg::MemDescType>(effect.getValue().getType());
  });
}

/// The buffer that `writer` fills as a whole from global memory.
static Value filledBuffer(Operation *writer) {
  if (auto copy = dyn_cast<tle::CopyOp>(writer))
    return copy.getBuffer();
  if (auto load = dyn_cast<tle::TmaLoadOp>(writer))
    return load.getBuffer();
  return {};
}

/// True if `buffer` holds nothing but what `writer` puts there in the same
/// iteration of the loop whose body holds `writer`.
static bool isPromotable(Operation *writer) {
  Value buffer = filledBuffer(writer);
  auto alloc = buffer ? buffer.getDefiningOp<tle::AllocOp>() : tle::AllocOp();
  if (!alloc || alloc.getInit())
    return false;
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (user == writer)
      return true;
    if (!isa<tle::LocalLoadOp>(user))
      return false;
    Operation *ancestor = writer->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && writer->isBeforeInBlock(ancestor);
  });
}

/// Replaces the buffer that `writer` fills by the tensor it is filled with.
static void promote(Operation *writer) {
  OpBuilder builder(writer);
  Value tile;
  if (auto copy = dyn_cast<tle::CopyOp>(writer)) {
    tile = createLoad(builder, copy.getLoc(), copy.getPtrs(), copy.getMask());
  } else {
    auto load = cast<tle::TmaLoadOp>(writer);
    ttg::MemDescType buffer = load.getBuffer().getType();
    SmallVector<Value> operands = {load.getDesc()};
    llvm::append_range(operands, load.getCoords());
    tile =
        createOp(
            builder, load.getLoc(), "tt.descriptor_load", operands,
            RankedTensorType::get(buffer.getShape(), buffer.getElementType()),
            {builder.getNamedAttr("cache", builder.getI32IntegerAttr(1)),
             builder.getNamedAttr("evict", builder.getI32IntegerAttr(1))})
            ->getResult(0);
  }
  Operation *alloc = filledBuffer(writer).getDefiningOp();
  for (Operation *user :
       llvm::make_early_inc_range(alloc->getResult(0).getUsers())) {
    if (auto load = dyn_cast<tle::LocalLoadOp>(user))
      load.replaceAllUsesWith(tile);
    user->erase();
  }
  alloc->erase();
}

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

/// Shared memory that a program instance may have, in bytes.
static int64_t sharedMemoryOf(int32_t capability) {
  switch (capability) {
  case 80:
  case 87:
    return 163 * 1024;
  case 90:
  case 100:
  case 103:
    return 227 * 1024;
  default:
    return 99 * 1024;
  }
}

/// True if there is room for as many buffers as the loop has stages by default.
/// A kernel that fits as written is never made one that does not.
bool PromotePipelinedBuffers::fits(scf::ForOp loop,
                                   ArrayRef<Operation *> writers) const {
  int64_t bytes = 0;
  loop->getParentOfType<tt::FuncOp>().walk([&](tle::AllocOp alloc) {
    bytes += bytesOf(alloc.getBuffer().getType());
  });
  for (Operation *writer : writers)
    bytes += (numStages - 1) *
             bytesOf(cast<ttg::MemDescType>(filledBuffer(writer).getType()));
  return bytes <= sharedMemoryOf(capability);
}

/// Whether `op` may write global memory.
static bool mayWriteGlobal(Operation *op) {
  if (isa<tle::CopyOutOp, tle::TmaStoreOp>(op) || isImpureForeignCode(op))
    return true;
  StringRef name = op->getName().getStringRef();
  return name == "tt.store" || name == "tt.call" ||
         name.starts_with("tt.atomic_") || name == "tt.descriptor_store" ||
         name == "tt.descriptor_reduce" || name == "tt.descriptor_scatter";
}

/// Only an innermost loop is pipelined, and only one whose buffers can all be
/// promoted: another write would have to stay where it is. Pipelined copies
/// are issued before the stores of the iterations in between; that they do not
/// depend on these is the promise of a loop that asks for stages, and must not
/// be assumed of one that does not.
void PromotePipelinedBuffers::tryPromote(scf::ForOp loop) {
  auto wanted = loop->getAttrOfType<IntegerAttr>("tt.num_stages");
  if ((wanted ? wanted.getInt() : numStages.getValue()) < 2)
    return;
  SmallVector<Operation *> writers;
  bool possible = true;
  loop.getBody()->walk([&](Operation *op) {
    possible &=
        !isa<LoopLikeOpInterface>(op) && (wanted || !mayWriteGlobal(op));
    if (!writesBuffers(op))
      return;
    possible &= op->getBlock() == loop.getBody() && isPromotable(op);
    writers.push_back(op);
  });
  if (!possible || (!wanted && !fits(loop, writers)))
    return;
  for (Operation *writer : writers)
    promote(writer);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

void PromotePipelinedBuffers::runOnOperation() {
  ModuleOp module = getOperation();
  WalkResult chosen = module.walk([](Operation *op) {
    return failed(checkChoice(op)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  if (chosen.wasInterrupted())
    return signalPassFailure();
  WalkResult retyped = module.walk([](tle::SlotOp slot) {
    return failed(retypeSlotted(slot)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  if (retyped.wasInterrupted())
    return signalPassFailure();

  module.walk([&](scf::ForOp loop) { tryPromote(loop); });
  module.walk([](Operation *op) {
    if (writesBuffers(op))
      keepLoopsAsWritten(op);
  });
}
