//===- WgmmaGroups.cpp - The queue of asynchronous products ---------------===//

#include "nvidia_backend/transforms/WgmmaGroups.h"

#include "core/triton/TTG.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tle/ir/TleDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace flagtree;

//===----------------------------------------------------------------------===//
// What is known at one place of the program
//===----------------------------------------------------------------------===//

namespace {

/// The age of a value whose groups are finished, but which no wait returned.
constexpr unsigned kFinished = std::numeric_limits<unsigned>::max();

/// A value that may be incomplete.
struct Pending {
  /// At least so many groups were issued after the last one of the value.
  unsigned age;
  /// The product that issued it, for messages.
  Operation *product;
  /// What took the value over on some path to here.
  Operation *taker = nullptr;

  /// Adds what another path knows; true if that was something new.
  bool join(const Pending &other) {
    bool changed = other.age < age || (other.taker && !taker);
    age = std::min(age, other.age);
    if (!taker)
      taker = other.taker;
    return changed;
  }
};

/// The values that may be incomplete. All others can be used like any tensor.
class State {
public:
  const Pending *lookup(Value value) const {
    auto found = values.find(value);
    return found == values.end() ? nullptr : &found->second;
  }

  void set(Value value, std::optional<Pending> pending) {
    values.erase(value);
    if (pending)
      values.insert({value, *pending});
  }

  void setTaker(Value value, Operation *taker) {
    values.find(value)->second.taker = taker;
  }

  void issue() {
    for (auto &[value, pending] : values)
      if (pending.age != kFinished)
        ++pending.age;
  }

  void wait(unsigned pendings) {
    for (auto &[value, pending] : values)
      if (pending.age >= pendings)
        pending.age = kFinished;
  }

  /// Adds what another path knows of `value`.
  bool join(Value value, std::optional<Pending> pending) {
    if (!pending)
      return false;
    auto [entry, isNew] = values.insert({value, *pending});
    return isNew || entry->second.join(*pending);
  }

  bool join(const State &other) {
    bool changed = false;
    for (const auto &[value, pending] : other.values)
      changed |= join(value, pending);
    return changed;
  }

private:
  llvm::MapVector<Value, Pending> values;
};

using Carried = SmallVector<std::optional<Pending>>;

/// Follows the flow of control.
class Queue {
public:
  State walk(Region &region, State state);

  bool hasFailed() const { return failed; }

private:
  State walk(Block &block, State state);
  void visit(Operation *op, State &state);
  State visitLoop(scf::ForOp loop, State state);
  State visitLoop(scf::WhileOp loop, State state);
  State visitBranch(scf::IfOp branch, State state);
  void settle(llvm::function_ref<bool()> walkBody);

  void use(Operation *op, Value value, const State &state);
  std::optional<Pending> take(Operation *op, Value value, State &state);
  Carried takeAll(Operation *op, OperandRange values, State &state);
  void give(Operation *op, ValueRange values, ArrayRef<std::optional<Pending>>,
            State &state);

  /// False while a loop is walked to find out what is pending at its head.
  bool reports = true;
  bool failed = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

static void noteProduct(InFlightDiagnostic &diagnostic, Operation *product) {
  diagnostic.attachNote(product->getLoc()) << "the wgmma is here";
}

/// `op` needs the contents of `value`.
void Queue::use(Operation *op, Value value, const State &state) {
  const Pending *pending = state.lookup(value);
  if (!pending || !reports)
    return;
  failed = true;
  InFlightDiagnostic diagnostic = op->emitOpError(
      "[W30] uses the result of a wgmma that may still be running; ");
  if (pending->age == kFinished) {
    diagnostic << "its group is finished by now, but only the value that a "
                  "wgmma_wait returns may be used: write acc = "
                  "wgmma_wait(pendings, acc) first";
  } else {
    if (auto wait = value.getDefiningOp<tle::WgmmaWaitOp>())
      diagnostic << "wgmma_wait(" << wait.getPendings()
                 << ") lets the newest groups run on, up to "
                 << wait.getPendings() << ", and this one may be among them: ";
    diagnostic << "use what wgmma_wait(pendings, acc) returns, with pendings "
                  "of no more than "
               << pending->age
               << ", the number of groups that are surely newer";
  }
  noteProduct(diagnostic, pending->product);
}

/// `op` takes `value` over, complete or not. Returns what is pending of it.
std::optional<Pending> Queue::take(Operation *op, Value value, State &state) {
  const Pending *pending = state.lookup(value);
  if (!pending)
    return std::nullopt;
  if (pending->taker && reports) {
    failed = true;
    InFlightDiagnostic diagnostic = op->emitOpError("[W32] ");
    if (pending->taker == op)
      diagnostic << "takes the same result of a wgmma that nobody waited for "
                    "in each iteration of a loop; carry it through the loop, "
                    "or wait for it before the loop";
    else
      diagnostic << "takes the result of a wgmma that was handed on before it "
                    "was waited for; use the newer value, or wait for it "
                    "before its first use";
    noteProduct(diagnostic, pending->product);
    if (pending->taker != op)
      diagnostic.attachNote(pending->taker->getLoc())
          << "it was handed on here";
  }
  Pending taken = *pending;
  taken.taker = nullptr;
  state.setTaker(value, op);
  return taken;
}

Carried Queue::takeAll(Operation *op, OperandRange values, State &state) {
  return llvm::map_to_vector(
      values, [&](Value value) { return take(op, value, state); });
}

/// `values` now hold what was `carried` to them.
void Queue::give(Operation *op, ValueRange values,
                 ArrayRef<std::optional<Pending>> carried, State &state) {
  for (auto [value, pending] : llvm::zip_equal(values, carried)) {
    state.set(value, pending);
    if (!pending || !value.use_empty() || !reports)
      continue;
    failed = true;
    InFlightDiagnostic diagnostic =
        op->emitOpError("[W33] the result of a wgmma is lost here before it is "
                        "complete; wait for it: acc = wgmma_wait(0, acc)");
    if (pending->product != op)
      noteProduct(diagnostic, pending->product);
  }
}

void Queue::visit(Operation *op, State &state) {
  if (auto product = dyn_cast<tle::WgmmaOp>(op)) {
    use(op, product.getA(), state);
    if (product.getInit())
      take(op, product.getInit(), state);
    state.issue();
    give(op, op->getResults(), std::optional<Pending>({0, op}), state);
  } else if (auto wait = dyn_cast<tle::WgmmaWaitOp>(op)) {
    Value acc = wait.getAcc();
    std::optional<Pending> pending = take(op, acc, state);
    state.wait(wait.getPendings());
    if (pending && (pending->age == kFinished ||
                    pending->age >= static_cast<unsigned>(wait.getPendings())))
      pending.reset();
    give(op, op->getResults(), pending, state);
  } else {
    for (Value operand : op->getOperands())
      use(op, operand, state);
  }
}

//===----------------------------------------------------------------------===//
// Flow of control
//===----------------------------------------------------------------------===//

/// Adds what another path carries to what is `carried`.
static bool joinAll(Carried &carried, const Carried &others) {
  bool changed = false;
  for (auto [mine, other] : llvm::zip_equal(carried, others)) {
    changed |= other && (!mine || mine->join(*other));
    if (!mine)
      mine = other;
  }
  return changed;
}

/// Walks the body of a loop until nothing changes at its head, and once more
/// for the diagnostics.
void Queue::settle(llvm::function_ref<bool()> walkBody) {
  bool reported = std::exchange(reports, false);
  while (walkBody())
    ;
  reports = reported;
  if (reports)
    walkBody();
}

State Queue::visitLoop(scf::ForOp loop, State state) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  ValueRange arguments = loop.getRegionIterArgs();
  Carried carried = takeAll(loop, loop.getInitArgs(), state);

  State head = std::move(state);
  auto walkBody = [&] {
    give(loop, arguments, carried, head);
    State end = walk(*loop.getBody(), head);
    Carried yielded = takeAll(yield, yield.getOperands(), end);
    for (Value argument : arguments)
      end.set(argument, std::nullopt);
    bool changed = head.join(end);
    return joinAll(carried, yielded) || changed;
  };
  settle(walkBody);

  // Without an iteration the state is the one before, which is part of this.
  give(loop, loop.getResults(), carried, head);
  return head;
}

State Queue::visitLoop(scf::WhileOp loop, State state) {
  scf::ConditionOp condition = loop.getConditionOp();
  scf::YieldOp yield = loop.getYieldOp();
  Carried carried = takeAll(loop, loop->getOperands(), state);

  State head = std::move(state), end;
  Carried passed;
  auto walkBody = [&] {
    give(loop, loop.getBeforeArguments(), carried, head);
    end = walk(*loop.getBeforeBody(), head);
    use(condition, condition.getCondition(), end);
    passed = takeAll(condition, condition.getArgs(), end);
    State body = end;
    give(loop, loop.getAfterArguments(), passed, body);
    body = walk(*loop.getAfterBody(), body);
    Carried yielded = takeAll(yield, yield.getOperands(), body);
    for (Value argument : loop.getBeforeArguments())
      body.set(argument, std::nullopt);
    bool changed = head.join(body);
    return joinAll(carried, yielded) || changed;
  };
  settle(walkBody);

  give(loop, loop.getResults(), passed, end);
  return end;
}

/// True if `branch` only chooses one of two values, which Triton's passes turn
/// into arith.select.
static bool isChoice(scf::IfOp branch, Value then, Value otherwise) {
  auto isFromOutside = [&](Value value) {
    Region *home = value.getParentRegion();
    return !branch.getThenRegion().isAncestor(home) &&
           !branch.getElseRegion().isAncestor(home);
  };
  return then != otherwise && isFromOutside(then) && isFromOutside(otherwise);
}

State Queue::visitBranch(scf::IfOp branch, State state) {
  if (branch.getNumResults() != 0)
    for (auto [then, otherwise] :
         llvm::zip_equal(branch.thenYield().getOperands(),
                         branch.elseYield().getOperands()))
      if (isChoice(branch, then, otherwise)) {
        use(branch, then, state);
        use(branch, otherwise, state);
      }
  State otherwise = state;
  State then = walk(*branch.thenBlock(), std::move(state));
  Carried carried =
      takeAll(branch.thenYield(), branch.thenYield().getOperands(), then);
  if (branch.elseBlock()) {
    otherwise = walk(*branch.elseBlock(), std::move(otherwise));
    Carried other = takeAll(branch.elseYield(),
                            branch.elseYield().getOperands(), otherwise);
    joinAll(carried, other);
  }
  then.join(otherwise);
  give(branch, branch.getResults(), carried, then);
  return then;
}

/// What leaves a block of structured control flow is for its parent to see.
static bool isCarriedOn(Operation *op) {
  return isa<scf::YieldOp>(op) || isa<scf::ConditionOp>(op);
}

State Queue::walk(Block &block, State state) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      state = visitLoop(loop, std::move(state));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      state = visitLoop(loop, std::move(state));
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      state = visitBranch(branch, std::move(state));
    } else if (auto specialized = dyn_cast<ttg::WarpSpecializeOp>(op)) {
      visit(&op, state);
      state = walk(specialized.getDefaultRegion(), std::move(state));
      // Other warps, whose queues are empty at first.
      for (Region &partition : specialized.getPartitionRegions())
        walk(partition, State());
    } else if (!isCarriedOn(&op)) {
      visit(&op, state);
      for (Region &region : op.getRegions())
        state.join(walk(region, state));
    }
  }
  return state;
}

/// The state at the end of `region`: of all blocks that nothing follows.
State Queue::walk(Region &region, State state) {
  if (region.empty())
    return state;
  if (region.hasOneBlock())
    return walk(region.front(), std::move(state));
  llvm::MapVector<Block *, State> entries;
  entries[&region.front()] = std::move(state);
  llvm::SetVector<Block *> worklist;
  worklist.insert(&region.front());
  bool reported = std::exchange(reports, false);
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    State after = walk(*block, entries[block]);
    for (Block *next : block->getSuccessors()) {
      bool isNew = !entries.contains(next);
      if (entries[next].join(after) || isNew)
        worklist.insert(next);
    }
  }
  reports = reported;
  State end;
  for (auto &[block, entry] : entries) {
    State after = walk(*block, entry);
    if (block->getNumSuccessors() == 0)
      end.join(after);
  }
  return end;
}

LogicalResult nvidia::checkWgmmaGroups(tt::FuncOp function) {
  Queue queue;
  queue.walk(function.getBody(), State());
  return success(!queue.hasFailed());
}
