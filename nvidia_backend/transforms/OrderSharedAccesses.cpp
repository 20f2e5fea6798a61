//===- OrderSharedAccesses.cpp - Order of shared memory accesses ----------===//

#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nvidia_backend/transforms/Flow.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/SharedAccess.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLEORDERSHAREDACCESSES
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

/// What threads may have done to a buffer since the last barrier. Triton orders
/// its own accesses among themselves, so they are kept apart from those by
/// address.
enum : unsigned {
  kPtrRead = 1,
  kPtrWrite = 2,
  kPtrAtomic = 4,
  kRead = 8,
  kWrite = 16,
  /// Written by address and not yet made visible to TMA and WGMMA. Lasts beyond
  /// barriers, to the next proxy fence.
  kUnfenced = 32,

  kPtr = kPtrRead | kPtrWrite | kPtrAtomic,
  kAll = kPtr | kRead | kWrite | kUnfenced,
};

/// The pending accesses of each buffer; the null buffer stands for any.
class State {
public:
  static State unknown() {
    State state;
    state.add(Value(), kAll);
    return state;
  }

  void add(Value buffer, unsigned accesses) { pending[buffer] |= accesses; }

  /// The pending accesses that may touch `buffer`.
  unsigned lookup(Value buffer) const {
    unsigned accesses = 0;
    for (auto [other, bits] : pending)
      if (!buffer || !other || buffer == other)
        accesses |= bits;
    return accesses;
  }

  void passBarrier() {
    for (auto &entry : pending)
      entry.second &= kUnfenced;
  }

  /// A fence is one of the thread: it counts for others behind a barrier.
  void passFence() {
    for (auto &entry : pending)
      if (entry.second & kUnfenced)
        entry.second = (entry.second & ~unsigned(kUnfenced)) | kPtrWrite;
  }

  void forget(Value buffer) { pending.erase(buffer); }

  /// Adds what is pending in `other`; true if that was something new.
  bool join(const State &other) {
    bool changed = false;
    for (auto [buffer, bits] : other.pending) {
      unsigned &mine = pending[buffer];
      changed |= (bits & ~mine) != 0;
      mine |= bits;
    }
    return changed;
  }

private:
  llvm::MapVector<Value, unsigned> pending;
};

/// An operation's access to one buffer.
struct Access {
  Value buffer;
  unsigned does;      ///< becomes pending
  unsigned conflicts; ///< must not be pending before
};

/// Follows the flow of control and puts barriers where an access by address
/// meets another one that it must come after.
class Ordering : public Flow<State> {
public:
  explicit Ordering(int32_t capability) : hasProxies(capability >= 90) {}

  State walk(Region &region, State state) override;

private:
  void visit(Operation *op, State &state) override;
  void visitLoop(Operation *loop, State &state) override;
  void visitWorkers(Operation *op, State &state) override;
  void order(Operation *op, const Access &access, State &state);

  bool hasProxies;
};

} // namespace

//===----------------------------------------------------------------------===//
// Accesses of one operation
//===----------------------------------------------------------------------===//

/// The allocation that `buffer` is a view of; null if that is not known.
static Value allocationOf(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  while (op && op->getName().getStringRef().starts_with("ttg.memdesc_")) {
    buffer = op->getOperand(0);
    op = buffer.getDefiningOp();
  }
  return isOp(op, "ttg.local_alloc") ? buffer : Value();
}

static Access accessByAddress(SharedAccess access, Value buffer) {
  switch (access) {
  case SharedAccess::Load:
    return {buffer, kPtrRead, kPtrWrite | kPtrAtomic | kWrite};
  case SharedAccess::Store:
    return {buffer, kPtrWrite | kUnfenced, kPtr | kRead | kWrite};
  case SharedAccess::Atomic:
    // Atomics need no order among themselves.
    return {buffer, kPtrAtomic | kUnfenced,
            kPtrRead | kPtrWrite | kRead | kWrite};
  }
  llvm_unreachable("all kinds of accesses are listed");
}

/// What Triton's operation `op` does to its operand `buffer`. The other side of
/// TMA and WGMMA is a proxy, which sees plain stores only after a fence.
static Access accessByTriton(Operation *op, Value buffer) {
  const unsigned written = kPtrWrite | kPtrAtomic, all = kPtr;
  StringRef name = op->getName().getStringRef();
  return llvm::StringSwitch<Access>(name)
      .Case("ttg.local_load", {buffer, kRead, written | kUnfenced})
      .Cases({"ttg.local_store", "ttg.async_copy_global_to_local"},
             {buffer, kWrite, all})
      .Default({buffer, kRead | kWrite, all | kUnfenced});
}

/// True for the operations by which the thread itself, or all threads of its
/// partition one by one, tell others of what they have done before.
static bool isReleaseByAll(Operation *op) {
  return isOp(op, "llvm.call_intrinsic") || isOp(op, "ttg.warp_yield") ||
         isOp(op, "ttg.warp_return");
}

/// True for the operations that end asynchronous accesses of the thread, which
/// other threads see after a barrier.
static bool endsAsyncAccess(Operation *op) {
  return llvm::StringSwitch<bool>(op->getName().getStringRef())
      .Cases({"ttg.async_wait", "ttng.async_tma_store_wait",
              "ttng.warp_group_dot_wait", "ttng.wait_barrier"},
             true)
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Flow of control
//===----------------------------------------------------------------------===//

/// Puts a barrier in front of `op` if `access` conflicts with what is pending.
void Ordering::order(Operation *op, const Access &access, State &state) {
  unsigned pending = state.lookup(access.buffer);
  if (!hasProxies)
    pending &= ~kUnfenced;
  if (pending & access.conflicts) {
    OpBuilder builder(op);
    if (pending & access.conflicts & kUnfenced) {
      createProxyFence(builder, op->getLoc());
      state.passFence();
    }
    createBarrier(builder, op->getLoc());
    state.passBarrier();
  }
}

void Ordering::visit(Operation *op, State &state) {
  if (isBarrier(op))
    return state.passBarrier();
  if (isOp(op, "ttng.fence_async_shared"))
    return state.passFence();
  if (isOp(op, "ttg.local_alloc")) {
    // The memory may have been that of another value until now.
    Value buffer = op->getResult(0);
    state.forget(buffer);
    return state.add(buffer, kRead | kWrite);
  }
  if (isOp(op, "ttg.local_dealloc")) {
    Value buffer = op->getOperand(0);
    order(op, {buffer, 0, kPtr | kUnfenced}, state);
    return state.forget(buffer);
  }
  if (endsAsyncAccess(op))
    return state.add(Value(), kRead | kWrite);
  if (auto access = accessOf(op)) {
    Value buffer = bufferBehind(op->getOperand(0));
    Access made =
        accessByAddress(*access, buffer ? allocationOf(buffer) : Value());
    order(op, made, state);
    return state.add(made.buffer, made.does);
  }
  if (isReleaseByAll(op))
    return order(op, {Value(), 0, kUnfenced}, state);
  // One thread arrives for all.
  if (isOp(op, "ttng.arrive_barrier"))
    return order(op, {Value(), 0, kPtr | kUnfenced}, state);
  if (isa<tt::CallOp>(op)) {
    order(op, {Value(), 0, kAll}, state);
    return (void)state.join(State::unknown());
  }
  StringRef name = op->getName().getStringRef();
  if (name.starts_with("ttg.memdesc_") || name.starts_with("tti."))
    return;
  for (Value operand : op->getOperands())
    if (isa<ttg::MemDescType>(operand.getType())) {
      Access made = accessByTriton(op, allocationOf(operand));
      order(op, made, state);
      state.add(made.buffer, made.does);
    }
}

/// One barrier in front of a loop saves the one in each iteration that what
/// came before the loop would ask for.
void Ordering::visitLoop(Operation *loop, State &state) {
  bool hasAccess = false;
  loop->walk([&](Operation *op) { hasAccess |= accessOf(op).has_value(); });
  if (hasAccess)
    order(loop, {Value(), 0, kAll & ~kUnfenced}, state);
}

void Ordering::visitWorkers(Operation *op, State &state) {
  order(op, {Value(), 0, kPtr | kUnfenced}, state);
}

/// The state at the end of `region`: of all blocks that nothing follows.
State Ordering::walk(Region &region, State state) {
  if (region.empty())
    return state;
  llvm::DenseMap<Block *, State> entries;
  entries[&region.front()] = std::move(state);
  llvm::SetVector<Block *> worklist;
  worklist.insert(&region.front());
  State end;
  while (!worklist.empty()) {
    Block *block = worklist.front();
    worklist.remove(block);
    State after = walkBlock(*block, entries[block]);
    if (block->getNumSuccessors() == 0)
      end.join(after);
    for (Block *next : block->getSuccessors()) {
      bool isNew = !entries.contains(next);
      if (entries[next].join(after) || isNew)
        worklist.insert(next);
    }
  }
  return end;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct TleOrderSharedAccesses
    : public flagtree::nvidia::impl::TleOrderSharedAccessesBase<
          TleOrderSharedAccesses> {
  using TleOrderSharedAccessesBase::TleOrderSharedAccessesBase;

  void runOnOperation() override {
    Ordering ordering(capability);
    for (auto function : getOperation().getOps<tt::FuncOp>()) {
      bool hasAccess = false;
      function.walk(
          [&](Operation *op) { hasAccess |= accessOf(op).has_value(); });
      if (!hasAccess && !callsAccess(function))
        continue;
      // A kernel starts with nothing pending, a helper in the midst of
      // anything.
      bool isKernel = !function.isPrivate();
      ordering.walk(function.getBody(), isKernel ? State() : State::unknown());
    }
  }

  /// True if `function` calls another one, which may access buffers by address.
  static bool callsAccess(tt::FuncOp function) {
    WalkResult result =
        function.walk([](tt::CallOp) { return WalkResult::interrupt(); });
    return result.wasInterrupted();
  }
};
} // namespace
