//===- LowerCopy.cpp - Copies between global memory and buffers -----------===//

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "tle/ir/TleDialect.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERCOPY
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

struct LowerCopy : nvidia::impl::TleLowerCopyBase<LowerCopy> {
  using TleLowerCopyBase::TleLowerCopyBase;

  void runOnOperation() override;

  LogicalResult checkTma(Operation *op, Value desc, Value buffer);
};

} // namespace

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static void lower(tle::CopyOp op) {
  OpBuilder builder(op);
  Value tile = createLoad(builder, op.getLoc(), op.getPtrs(), op.getMask());
  tle::LocalStoreOp::create(builder, op.getLoc(), tile, op.getBuffer());
  op.erase();
}

static void lower(tle::CopyOutOp op) {
  OpBuilder builder(op);
  ttg::MemDescType buffer = op.getBuffer().getType();
  auto type = RankedTensorType::get(buffer.getShape(), buffer.getElementType());
  Value tile =
      tle::LocalLoadOp::create(builder, op.getLoc(), type, op.getBuffer());
  createStore(builder, op.getLoc(), op.getPtrs(), tile, op.getMask());
  op.erase();
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

/// The TMA loads that start together with `first`: those that follow it in its
/// block with nothing but computation between them, into distinct buffers.
static SmallVector<tle::TmaLoadOp> groupOf(tle::TmaLoadOp first) {
  SmallVector<tle::TmaLoadOp> group = {first};
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<tle::TmaLoadOp>(op)) {
      if (llvm::any_of(group, [&](tle::TmaLoadOp other) {
            return mayWrite(next, rootOf(other.getBuffer()));
          }))
        break;
      group.push_back(next);
    } else if (!isMemoryEffectFree(op) && !isOp(op, "tt.splat") &&
               !isOp(op, "tt.get_program_id")) {
      break;
    }
  }
  return group;
}

/// One barrier counts the bytes of the whole group; every thread waits for it.
/// With `arrivalPerCopy` the bytes of each copy are announced by themselves.
static void lower(ArrayRef<tle::TmaLoadOp> group, bool arrivalPerCopy) {
  tle::TmaLoadOp last = group.back();
  OpBuilder builder(last);
  Location loc = last.getLoc();
  Value barrier =
      createAlloc(builder, loc, tle::barrierSlotType(loc.getContext()));
  createInit(builder, loc, barrier, arrivalPerCopy ? group.size() : 1);
  int64_t bytes = 0;
  for (tle::TmaLoadOp op : group)
    bytes += bytesOf(op.getBuffer().getType());
  if (!arrivalPerCopy)
    createExpect(builder, loc, barrier, bytes);
  for (tle::TmaLoadOp op : group) {
    if (arrivalPerCopy)
      createExpect(builder, loc, barrier, bytesOf(op.getBuffer().getType()));
    createTmaLoad(builder, op.getLoc(), op.getDesc(), op.getCoords(), barrier,
                  op.getBuffer());
  }
  Value phase = arith::ConstantIntOp::create(builder, loc, 0, 32);
  createWait(builder, loc, barrier, phase);
  createOp(builder, loc, "ttng.inval_barrier", barrier, {});
  for (tle::TmaLoadOp op : group)
    op.erase();
}

static void lower(tle::TmaStoreOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  createProxyFence(builder, loc);
  SmallVector<Value> operands = {op.getDesc()};
  llvm::append_range(operands, op.getCoords());
  operands.push_back(op.getBuffer());
  createOp(builder, loc, "ttng.async_tma_copy_local_to_global", operands, {});
  createOp(builder, loc, "ttng.async_tma_store_wait", {}, {},
           {builder.getNamedAttr("pendings", builder.getI32IntegerAttr(0))});
  op.erase();
}

/// TMA reads and writes shared memory at multiples of 128 bytes, where whole
/// buffers begin.
static LogicalResult checkAlignment(Operation *op, Value buffer) {
  constexpr int64_t kAlignment = 128;
  auto type = cast<ttg::MemDescType>(buffer.getType());
  auto root = cast<ttg::MemDescType>(rootOf(buffer).getType());
  int64_t bytes = bytesOf(type);
  if (type.getShape().size() == root.getShape().size() ||
      bytes % kAlignment == 0)
    return success();
  return op->emitOpError("[C32] TMA copies to and from multiples of ")
         << kAlignment << " bytes of shared memory, but the slots of this "
         << "buffer have " << bytes
         << " each. Give a slot more elements, or copy through pointers.";
}

/// Stock Triton chooses the layout of a descriptor from its tt.descriptor_*
/// uses, and the default one if there are none. C27 made sure that the copied
/// buffers have the default; here, that no other use asks for something else.
LogicalResult LowerCopy::checkTma(Operation *op, Value desc, Value buffer) {
  if (capability < 90)
    return op->emitOpError("[C28] TMA copies need compute capability 9.0 or "
                           "newer, but the target is sm_")
           << capability.getValue() << "; copy through pointers instead";
  if (failed(checkAlignment(op, buffer)))
    return failure();
  desc = outsideOfWorkers(desc);
  SmallVector<Operation *> users;
  for (Value name : namesOf(desc))
    llvm::append_range(users, name.getUsers());
  for (Operation *user : users) {
    StringRef name = user->getName().getStringRef();
    bool changesLayout =
        name == "tt.descriptor_gather" || name == "tt.descriptor_scatter";
    if (name == "tt.descriptor_load")
      changesLayout =
          llvm::any_of(user->getResult(0).getUsers(), [&](Operation *stored) {
            auto store = dyn_cast<tle::LocalStoreOp>(stored);
            if (!store)
              return false;
            auto layout = dyn_cast<ttg::NvmmaSharedAttr>(
                store.getBuffer().getType().getEncoding());
            ttg::MemDescType buffer = store.getBuffer().getType();
            return layout && !layout.getTransposed() &&
                   layout.getSwizzlingByteWidth() !=
                       tle::defaultSwizzle(
                           buffer.getShape(),
                           buffer.getElementType().getIntOrFloatBitWidth());
          });
    if (!changesLayout)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError(
        "[C29] the descriptor is also used in a way that gives it another "
        "memory layout than this copy's buffer has; make a second descriptor");
    diagnostic.attachNote(user->getLoc()) << "the other use is here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

void LowerCopy::runOnOperation() {
  ModuleOp module = getOperation();
  WalkResult checked = module.walk([&](Operation *op) {
    LogicalResult checked = success();
    if (auto load = dyn_cast<tle::TmaLoadOp>(op))
      checked = checkTma(op, load.getDesc(), load.getBuffer());
    if (auto store = dyn_cast<tle::TmaStoreOp>(op))
      checked = checkTma(op, store.getDesc(), store.getBuffer());
    if (auto load = dyn_cast<tle::AsyncTmaLoadOp>(op))
      checked = checkTma(op, load.getDesc(), load.getBuffer());
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (checked.wasInterrupted())
    return signalPassFailure();

  module.walk([](tle::CopyOp op) { lower(op); });
  module.walk([](tle::CopyOutOp op) { lower(op); });
  module.walk([](tle::TmaStoreOp op) { lower(op); });

  SmallVector<tle::TmaLoadOp> loads;
  module.walk([&](tle::TmaLoadOp op) { loads.push_back(op); });
  for (size_t next = 0; next < loads.size();) {
    SmallVector<tle::TmaLoadOp> group = groupOf(loads[next]);
    next += group.size();
    lower(group, arrivalPerCopy);
  }
}
