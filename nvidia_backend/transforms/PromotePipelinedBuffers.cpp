//===- PromotePipelinedBuffers.cpp - Buffers of pipelined loops -----------===//

#include "core/triton/Layouts.h"
#include "core/triton/Marks.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/Wgmma.h"
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
      llvm::any_of(op->getResultTypes(), [](Type type) {
        return isa<ttg::MemDescType>(type) && !isBarrierType(type);
      }))
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
  if (isBarrierType(slot.getSlot().getType()))
    return success();
  auto alloc = outsideOfWorkers(slot.getBuffer()).getDefiningOp<tle::AllocOp>();
  if (!alloc)
    return refuse(slot, "only a buffer as tle.gpu.alloc returned it has slots: "
                        "not a slot, nor a buffer that was chosen at run time");
  if (alloc.getInit())
    return refuse(alloc, "a buffer with slots takes no initial value; store "
                         "into its slots instead");
  SmallVector<Value> names = namesOf(alloc.getBuffer());
  SmallVector<Operation *> users;
  for (Value name : names)
    llvm::append_range(users, name.getUsers());
  for (Operation *user : users) {
    if (isa<tle::SlotOp, tle::LocalPtrOp, ttg::WarpSpecializeOp>(user))
      continue;
    InFlightDiagnostic diagnostic =
        refuse(user, "a buffer with slots is moved slot by slot, not as a "
                     "whole; index it first");
    diagnostic.attachNote(slot.getLoc()) << "a slot is taken here";
    return diagnostic;
  }
  ttg::MemDescType whole = alloc.getBuffer().getType();
  auto slotted =
      ttg::MemDescType::get(whole.getShape(), whole.getElementType(),
                            slot.getSlot().getType().getEncoding(),
                            whole.getMemorySpace(), whole.getMutableMemory());
  for (Value name : names)
    name.setType(slotted);
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses of buffers
//
// Allocations, reads and writes of whole buffers are operations of tle, or of
// ttg where another dialect was lowered before.
//===----------------------------------------------------------------------===//

/// True if `op` makes its operand the same tensor with another layout or none.
static bool isBridge(Operation *op) {
  if (!isOp(op, "tt.fp_to_fp") && !isOp(op, "tt.broadcast") &&
      !isOp(op, "tt.bitcast"))
    return false;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return from && to && ttg::withoutLayout(from) == ttg::withoutLayout(to);
}

/// `tensor` before it got a layout; null if it never was without.
static Value withoutBridges(Value tensor) {
  while (isBridge(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && !type.getEncoding() ? tensor : Value();
}

/// The allocation, without contents, that `buffer` names as a whole.
static Operation *allocationOf(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  bool isAlloc =
      isa_and_nonnull<tle::AllocOp>(op) || isOp(op, "ttg.local_alloc");
  return isAlloc && op->getNumOperands() == 0 ? op : nullptr;
}

/// True if `op` is a read of a whole buffer whose value can be another tensor.
static bool isPlainRead(Operation *op) {
  return isa<tle::LocalLoadOp, tle::CopyOutOp>(op) ||
         (isOp(op, "ttg.local_load") && op->getNumOperands() == 1 &&
          llvm::all_of(op->getUsers(), [](Operation *user) {
            if (!isBridge(user))
              return false;
            auto type = cast<RankedTensorType>(user->getResult(0).getType());
            return !type.getEncoding();
          }));
}

//===----------------------------------------------------------------------===//
// Promotion
//===----------------------------------------------------------------------===//

/// True if executing `op` alone may change shared memory. Making pointers into
/// a buffer counts, since they are made to be accessed.
static bool writesBuffers(Operation *op) {
  if (isa<tle::LocalPtrOp, tle::MemorySpaceOp, tle::TmaStoreOp>(op) ||
      isOp(op, "ttg.local_store") || isOp(op, "ttg.async_copy_global_to_local"))
    return true;
  if (!isa_and_nonnull<tle::TleDialect>(op->getDialect()))
    return false;
  auto modelled = dyn_cast<MemoryEffectOpInterface>(op);
  if (!modelled) // other threads may write
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  modelled.getEffects(effects);
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
  if (isOp(writer, "ttg.async_copy_global_to_local")) {
    bool masked = writer->getNumOperands() > 2;
    return !masked && withoutBridges(writer->getOperand(0))
               ? writer->getOperand(1)
               : Value();
  }
  if (writer->hasAttr(kCopyMark) && withoutBridges(writer->getOperand(0)))
    return writer->getOperand(1);
  return {};
}

/// True if `buffer` holds nothing but what `writer` puts there in the same
/// iteration of the loop whose body holds `writer`.
static bool isPromotable(Operation *writer) {
  Value buffer = filledBuffer(writer);
  if (!buffer || !allocationOf(buffer))
    return false;
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (user == writer || isOp(user, "ttg.local_dealloc"))
      return true;
    if (!isPlainRead(user))
      return false;
    Operation *ancestor = writer->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && writer->isBeforeInBlock(ancestor);
  });
}

/// The tensor that `writer` fills its buffer with.
static Value createTile(OpBuilder &builder, Operation *writer) {
  Location loc = writer->getLoc();
  if (auto copy = dyn_cast<tle::CopyOp>(writer))
    return createLoad(builder, loc, copy.getPtrs(), copy.getMask());
  if (isOp(writer, "ttg.async_copy_global_to_local"))
    return createLoad(builder, loc, withoutBridges(writer->getOperand(0)),
                      /*mask=*/{});
  if (writer->hasAttr(kCopyMark))
    return withoutBridges(writer->getOperand(0));
  auto load = cast<tle::TmaLoadOp>(writer);
  ttg::MemDescType buffer = load.getBuffer().getType();
  SmallVector<Value> operands = {load.getDesc()};
  llvm::append_range(operands, load.getCoords());
  return createOp(
             builder, loc, "tt.descriptor_load", operands,
             RankedTensorType::get(buffer.getShape(), buffer.getElementType()),
             {builder.getNamedAttr("cache", builder.getI32IntegerAttr(1)),
              builder.getNamedAttr("evict", builder.getI32IntegerAttr(1))})
      ->getResult(0);
}

/// Nothing commits `token` or waits for it any more.
static void dropToken(Value token) {
  for (OpOperand &use : llvm::make_early_inc_range(token.getUses())) {
    Operation *user = use.getOwner();
    user->eraseOperand(use.getOperandNumber());
    if (user->getNumOperands() != 0)
      continue;
    dropToken(user->getResult(0));
    user->erase();
  }
}

/// Erases `writer` and what gave its first operand a layout.
static void eraseWriter(Operation *writer) {
  for (Value token : writer->getResults())
    dropToken(token);
  Operation *bridge = writer->getOperand(0).getDefiningOp();
  writer->erase();
  while (isBridge(bridge) && bridge->use_empty()) {
    Operation *next = bridge->getOperand(0).getDefiningOp();
    bridge->erase();
    bridge = next;
  }
}

/// Replaces the buffer that `writer` fills by the tensor it is filled with.
static void promote(Operation *writer) {
  OpBuilder builder(writer);
  Operation *alloc = allocationOf(filledBuffer(writer));
  Value tile = createTile(builder, writer);
  eraseWriter(writer);
  for (Operation *user :
       llvm::make_early_inc_range(alloc->getResult(0).getUsers())) {
    if (auto load = dyn_cast<tle::LocalLoadOp>(user)) {
      load.replaceAllUsesWith(tile);
    } else if (auto copy = dyn_cast<tle::CopyOutOp>(user)) {
      builder.setInsertionPoint(copy);
      createStore(builder, copy.getLoc(), copy.getPtrs(), tile, copy.getMask());
    } else if (isOp(user, "ttg.local_load")) {
      for (Operation *bridge : llvm::make_early_inc_range(user->getUsers())) {
        bridge->getResult(0).replaceAllUsesWith(tile);
        bridge->erase();
      }
    }
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
  loop->getParentOfType<tt::FuncOp>().walk([&](Operation *op) {
    if (isa<tle::AllocOp>(op) || isOp(op, "ttg.local_alloc"))
      bytes += bytesOf(cast<ttg::MemDescType>(op->getResult(0).getType()));
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

/// CommonIR keeps every load from being sunk into a loop, by a bitcast beside
/// it. Lets go of those that may be.
static void release(Operation *bitcast) {
  Operation *load = bitcast->getOperand(0).getDefiningOp();
  Value tile = bitcast->getResult(0);
  if (!isOp(load, "ttg.local_load") ||
      tile.getType() != ttg::withoutLayout(cast<RankedTensorType>(
                            load->getResult(0).getType())) ||
      mayBeSunkPastWrite(load->getOperand(0), tile))
    return;
  OpBuilder builder(bitcast);
  tile.replaceAllUsesWith(
      withoutLayout(builder, bitcast->getLoc(), load->getResult(0)));
  bitcast->erase();
}

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

  // What is erased with a buffer may be next to the loop, where a walk goes on.
  SmallVector<scf::ForOp> loops;
  module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  if (!isUserPromise(module))
    llvm::for_each(loops, [&](scf::ForOp loop) { tryPromote(loop); });
  module.walk([](Operation *op) {
    op->removeDiscardableAttr(kCopyMark);
    if (writesBuffers(op))
      keepLoopsAsWritten(op);
    if (isOp(op, "tt.bitcast"))
      release(op);
  });
}
