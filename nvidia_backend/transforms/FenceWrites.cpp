//===- FenceWrites.cpp - Generic writes that WGMMA or TMA follow ----------===//

#include "core/triton/TTG.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/SharedAccess.h"
#include "tle/ir/TleDialect.h"
#include "llvm/ADT/SetVector.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLEFENCEWRITES
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

//===----------------------------------------------------------------------===//
// Which memory
//===----------------------------------------------------------------------===//

namespace {

/// Allocations that a buffer may be a view of.
struct Memory {
  llvm::SmallSetVector<Value, 4> allocations;
  /// There may be others, too.
  bool isUnknown = false;

  bool isEmpty() const { return allocations.empty() && !isUnknown; }

  bool mayOverlap(const Memory &other) const {
    if (isEmpty() || other.isEmpty())
      return false;
    return isUnknown || other.isUnknown ||
           llvm::any_of(allocations, [&](Value allocation) {
             return other.allocations.contains(allocation);
           });
  }
};

struct FenceWrites : nvidia::impl::TleFenceWritesBase<FenceWrites> {
  using TleFenceWritesBase::TleFenceWritesBase;

  void runOnOperation() override;
};

} // namespace

/// What flows into `value`, which a loop or a branch names; empty if that is
/// not known.
static SmallVector<Value> sourcesOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    return {branch.thenYield().getOperand(index),
            branch.elseYield().getOperand(index)};
  }
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return {};
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (index == 0)
      return {};
    return {loop.getInitArgs()[index - 1], loop.getYieldedValues()[index - 1]};
  }
  return {};
}

static void trace(Value buffer, Memory &memory,
                  llvm::SmallPtrSetImpl<Value> &visited) {
  buffer = rootOf(buffer);
  if (!visited.insert(buffer).second)
    return;
  Operation *op = buffer.getDefiningOp();
  if (isa_and_nonnull<tle::AllocOp>(op) || isOp(op, "ttg.local_alloc")) {
    memory.allocations.insert(buffer);
    return;
  }
  SmallVector<Value> sources = sourcesOf(buffer);
  memory.isUnknown |= sources.empty();
  for (Value source : sources)
    trace(source, memory, visited);
}

static Memory memoryOf(ArrayRef<Value> buffers) {
  Memory memory;
  llvm::SmallPtrSet<Value, 8> visited;
  for (Value buffer : buffers)
    trace(buffer, memory, visited);
  return memory;
}

//===----------------------------------------------------------------------===//
// Who writes it
//===----------------------------------------------------------------------===//

/// The memory that generic instructions of `op` write.
static std::optional<Memory> writtenMemory(Operation *op) {
  if (auto store = dyn_cast<tle::LocalStoreOp>(op))
    return memoryOf(store.getBuffer());
  if (auto alloc = dyn_cast<tle::AllocOp>(op)) {
    if (alloc.getInit())
      return memoryOf(alloc.getBuffer());
    return std::nullopt;
  }
  if (isOp(op, "ttg.local_store"))
    return memoryOf(op->getOperand(1));
  if (isOp(op, "ttg.local_alloc")) {
    if (op->getNumOperands() != 0)
      return memoryOf(op->getResult(0));
    return std::nullopt;
  }
  // What asynchronous copies have written is there behind the wait.
  if (isOp(op, "ttg.async_wait"))
    return Memory{{}, /*isUnknown=*/true};
  if (std::optional<SharedAccess> access = accessOf(op)) {
    if (*access == SharedAccess::Load)
      return std::nullopt;
    if (Value buffer = bufferBehind(op->getOperand(0)))
      return memoryOf(buffer);
    return Memory{{}, /*isUnknown=*/true};
  }
  return std::nullopt;
}

/// True if no other thread can learn of a write before `op` through it, nor
/// WGMMA read or TMA overwrite what was written.
static bool isQuiet(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  StringRef name = op->getName().getStringRef();
  return op->getNumRegions() == 0 && name.starts_with("tt.") &&
         !name.starts_with("tt.atomic_") && name != "tt.call" &&
         !isImpureForeignCode(op);
}

void FenceWrites::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<Value> operands, targets;
  module.walk([&](Operation *op) {
    if (auto product = dyn_cast<tle::WgmmaOp>(op)) {
      operands.push_back(product.getB());
      if (isa<ttg::MemDescType>(product.getA().getType()))
        operands.push_back(product.getA());
    } else if (Value target = targetOfTmaLoad(op)) {
      targets.push_back(target);
    }
  });
  Memory read = memoryOf(operands), overwritten = memoryOf(targets);
  llvm::SetVector<Operation *> writes;
  module.walk([&](Operation *op) {
    std::optional<Memory> written = writtenMemory(op);
    if (!written)
      return;
    bool isOverwritten =
        !isOp(op, "ttg.async_wait") && written->mayOverlap(overwritten);
    if (written->mayOverlap(read) || isOverwritten)
      writes.insert(op);
  });
  for (Operation *write : writes) {
    // One fence does for all writes with nothing but computation in between.
    Operation *next = write->getNextNode();
    while (next && !writes.contains(next) && isQuiet(next))
      next = next->getNextNode();
    if (next && writes.contains(next))
      continue;
    OpBuilder builder(write->getContext());
    builder.setInsertionPointAfter(write);
    createProxyFence(builder, write->getLoc());
  }
}
