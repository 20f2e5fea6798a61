//===- LowerMemory.cpp - Buffers, slots, whole loads and stores -----------===//

#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "tle/ir/TleDialect.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERMEMORY
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

struct LowerMemory : nvidia::impl::TleLowerMemoryBase<LowerMemory> {
  using TleLowerMemoryBase::TleLowerMemoryBase;

  void runOnOperation() override;

  Launch launch(Operation *op) const {
    return launchAt(op, {numWarps, numCTAs, capability});
  }

  void lower(tle::AllocOp op);
  void lower(tle::SlotOp op);
  void lower(tle::LocalLoadOp op);
  void lower(tle::LocalStoreOp op);
  void lower(tle::MemorySpaceOp op);

  void setModuleAttributes();
};

} // namespace

/// The operations that use `buffer` or a view of it, but for local_dealloc.
static void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : buffer.getUsers()) {
    if (user->getName().getStringRef().starts_with("ttg.memdesc_"))
      collectUsers(user->getResult(0), users);
    else if (!isOp(user, "ttg.local_dealloc"))
      users.push_back(user);
  }
}

/// True if `user` runs at the same time as workers that may have buffers of
/// their own, and `buffer` was allocated before that.
static bool isBesideWorkers(Operation *user, Value buffer) {
  auto specialized = user->getParentOfType<ttg::WarpSpecializeOp>();
  return specialized &&
         !specialized->isAncestor(buffer.getParentBlock()->getParentOp());
}

/// True if `copy` ends, at its wait, after the last that its block does with a
/// buffer, of which it is one of the `users`.
static bool isLastInBlock(Operation *copy, ArrayRef<Operation *> users) {
  return llvm::none_of(users, [&](Operation *user) {
    Operation *other = copy->getBlock()->findAncestorOpInBlock(*user);
    return other && copy->isBeforeInBlock(other);
  });
}

static bool isAsyncProduct(Operation *op) {
  return isOp(op, "ttng.warp_group_dot") &&
         cast<BoolAttr>(propertyOf(op, "isAsync")).getValue();
}

/// True if `buffer` or a view of it is used in a way that Triton's allocation
/// may not see the end of: as an address, under another name (a loop's
/// argument), by an asynchronous copy that nothing follows, by an asynchronous
/// product, which reads it up to a wait, or in the default function beside
/// workers.
static bool mayOutliveUsers(Value buffer) {
  SmallVector<Operation *> users;
  collectUsers(buffer, users);
  return llvm::any_of(users, [&](Operation *user) {
    StringRef name = user->getName().getStringRef();
    return (!name.starts_with("ttg.") && !name.starts_with("ttng.")) ||
           (name == "ttg.async_copy_global_to_local" &&
            isLastInBlock(user, users)) ||
           isAsyncProduct(user) || isBesideWorkers(user, buffer);
  });
}

/// Keeps `buffer` alive to the end of its block if need be, and only then.
/// Barriers are: other threads may use them to the end.
static void setEndOfLife(Value buffer) {
  if (isBarrierType(buffer.getType()))
    return;
  SmallVector<Operation *> ends;
  for (Operation *user : buffer.getUsers())
    if (isOp(user, "ttg.local_dealloc"))
      ends.push_back(user);
  bool needed = mayOutliveUsers(buffer);
  if (!needed)
    llvm::for_each(ends, [](Operation *end) { end->erase(); });
  if (!needed || !ends.empty())
    return;
  for (Operation *end : endsOfScope(buffer)) {
    OpBuilder builder(end);
    createOp(builder, buffer.getLoc(), "ttg.local_dealloc", buffer, {});
  }
}

/// Stock Triton's prefetching reads a buffer that is a loop's argument for the
/// next iteration at the end of this one, before the next has written it. A
/// view of all of the buffer is no argument, and costs nothing.
static void keepFromPrefetching(Operation *load) {
  auto argument = dyn_cast<BlockArgument>(load->getOperand(0));
  if (!argument || !isa<scf::ForOp>(argument.getOwner()->getParentOp()))
    return;
  auto type = cast<ttg::MemDescType>(argument.getType());
  OpBuilder builder(load);
  SmallVector<int32_t> start(type.getShape().size(), 0);
  Operation *view = createOp(
      builder, load->getLoc(), "ttg.memdesc_subslice", argument, type,
      {builder.getNamedAttr("offsets", builder.getDenseI32ArrayAttr(start))});
  load->setOperand(0, view->getResult(0));
}

void LowerMemory::lower(tle::AllocOp op) {
  OpBuilder builder(op);
  Value buffer = createAlloc(builder, op.getLoc(), op.getBuffer().getType(),
                             op.getAlignmentAttr());
  if (Value init = op.getInit()) {
    Value tile = withLayout(builder, op.getLoc(), init, launch(op));
    createOp(builder, op.getLoc(), "ttg.local_store", {tile, buffer}, {});
  }
  op.replaceAllUsesWith(buffer);
  op.erase();
}

void LowerMemory::lower(tle::SlotOp op) {
  OpBuilder builder(op);
  Operation *index =
      createOp(builder, op.getLoc(), "ttg.memdesc_index",
               {op.getBuffer(), op.getIndex()}, op.getSlot().getType());
  op.replaceAllUsesWith(index->getResult(0));
  op.erase();
}

void LowerMemory::lower(tle::LocalLoadOp op) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getTile().getType());
  Value tile =
      createOp(builder, op.getLoc(), "ttg.local_load", op.getBuffer(),
               ttg::withDefaultLayout(type, launch(op).numWarps, numCTAs))
          ->getResult(0);
  // A bitcast joins layouts as well as the usual bridge but does not fold, so
  // that the load's only user is beside it.
  Value result = mayBeSunkPastWrite(op.getBuffer(), op.getTile())
                     ? createOp(builder, op.getLoc(), "tt.bitcast", tile, type)
                           ->getResult(0)
                     : withoutLayout(builder, op.getLoc(), tile);
  op.replaceAllUsesWith(result);
  op.erase();
}

void LowerMemory::lower(tle::LocalStoreOp op) {
  OpBuilder builder(op);
  Value tile = withLayout(builder, op.getLoc(), op.getValue(), launch(op));
  createOp(builder, op.getLoc(), "ttg.local_store", {tile, op.getBuffer()}, {});
  op.erase();
}

void LowerMemory::lower(tle::MemorySpaceOp op) {
  OpBuilder builder(op);
  MLIRContext *context = op.getContext();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  SmallVector<int32_t> order(llvm::reverse(llvm::seq<int32_t>(type.getRank())));
  auto layout = ttg::SwizzledSharedAttr::get(context, 1, 1, 1, order, {});
  auto buffer = ttg::MemDescType::get(
      type.getShape(), type.getElementType(), layout,
      ttg::SharedMemoryAttr::get(context), /*mutableMemory=*/true);
  Value memory = createAlloc(builder, op.getLoc(), buffer);
  Value tile = withLayout(builder, op.getLoc(), op.getInput(), launch(op));
  createOp(builder, op.getLoc(), "ttg.local_store", {tile, memory}, {});
  Value read =
      createOp(builder, op.getLoc(), "ttg.local_load", memory, tile.getType())
          ->getResult(0);
  op.replaceAllUsesWith(withoutLayout(builder, op.getLoc(), read));
  op.erase();
}

void LowerMemory::setModuleAttributes() {
  ModuleOp module = getOperation();
  Builder builder(module.getContext());
  module->setAttr("ttg.num-warps", builder.getI32IntegerAttr(numWarps));
  module->setAttr("ttg.num-ctas", builder.getI32IntegerAttr(numCTAs));
  module->setAttr("ttg.threads-per-warp", builder.getI32IntegerAttr(32));
  module->setAttr("ttg.target",
                  builder.getStringAttr("cuda:" + std::to_string(capability)));
}

void LowerMemory::runOnOperation() {
  ModuleOp module = getOperation();
  // Loads first: whether one may be sunk is asked of the operations as written.
  module.walk([&](tle::LocalLoadOp op) { lower(op); });
  module.walk([&](tle::LocalStoreOp op) { lower(op); });
  module.walk([&](tle::MemorySpaceOp op) { lower(op); });
  module.walk([&](tle::SlotOp op) { lower(op); });

  module.walk([&](tle::AllocOp op) { lower(op); });

  module.walk([](Operation *op) {
    if (isOp(op, "ttg.local_load"))
      keepFromPrefetching(op);
  });

  SmallVector<Value> buffers;
  module.walk([&](Operation *op) {
    if (isOp(op, "ttg.local_alloc"))
      buffers.push_back(op->getResult(0));
  });
  llvm::for_each(buffers, setEndOfLife);

  bool complete = true;
  module.walk([&](Operation *op) {
    if (!isa_and_nonnull<tle::TleDialect>(op->getDialect()))
      return;
    op->emitOpError("[I20] was not lowered");
    complete = false;
  });
  if (!complete)
    return signalPassFailure();
  setModuleAttributes();
}
