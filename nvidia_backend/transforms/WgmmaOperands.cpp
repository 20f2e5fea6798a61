//===- WgmmaOperands.cpp - Buffers that products in flight read -----------===//

#include "nvidia_backend/transforms/WgmmaOperands.h"

#include "core/triton/TTG.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/SharedAccess.h"
#include "tle/ir/TleDialect.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {

/// The number of a slot: base + offset, modulo `modulus` unless that is 0.
/// Without a base it is a constant.
struct Index {
  Value base;
  int64_t offset;
  int64_t modulus;
  /// How many slots there are.
  int64_t slots;

  bool operator==(const Index &other) const {
    return base == other.base && offset == other.offset &&
           modulus == other.modulus;
  }

  void add(int64_t difference) {
    offset += difference;
    if (modulus != 0)
      offset = ((offset % modulus) + modulus) % modulus;
  }
};

/// A buffer, or a slot of one: which one of each dimension, outermost first.
struct Place {
  Value root;
  SmallVector<Index, 1> path;

  bool operator==(const Place &other) const {
    return root == other.root && path == other.path;
  }

  /// True if all of `other` surely lies in this.
  bool contains(const Place &other) const {
    return root && root == other.root && path.size() <= other.path.size() &&
           ArrayRef(other.path).take_front(path.size()) == ArrayRef(path);
  }
};

} // namespace

static Index indexOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {Value(), constant.getSExtValue(), 0, 0};
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::RemSIOp,
                      arith::RemUIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant))) {
    Index index = indexOf(op->getOperand(0));
    int64_t number = constant.getSExtValue();
    if (index.modulus == 0 && isa<arith::AddIOp, arith::SubIOp>(op)) {
      index.add(isa<arith::AddIOp>(op) ? number : -number);
      return index;
    }
    if (index.modulus == 0 && number > 0) {
      index.modulus = number;
      index.add(0);
      return index;
    }
  }
  return {value, 0, 0, 0};
}

static Place placeOf(Value buffer) {
  if (!isa<ttg::MemDescType>(buffer.getType()))
    return {};
  Operation *op = buffer.getDefiningOp();
  if (isOp(op, "ttg.memdesc_trans"))
    return placeOf(op->getOperand(0));
  if (!isa_and_nonnull<tle::SlotOp>(op) && !isOp(op, "ttg.memdesc_index"))
    return {buffer, {}};
  Place place = placeOf(op->getOperand(0));
  Index index = indexOf(op->getOperand(1));
  index.slots =
      cast<ttg::MemDescType>(op->getOperand(0).getType()).getShape().front();
  place.path.push_back(index);
  return place;
}

static bool isDefinedIn(Operation *loop, Value value) {
  return loop->isAncestor(value.getParentBlock()->getParentOp());
}

/// True if the memory is the same whenever the operation is executed.
static bool isAllocation(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  return isa_and_nonnull<tle::AllocOp>(op) || isOp(op, "ttg.local_alloc");
}

/// What `place`, in one iteration of `loop`, is called in the next one; a place
/// without a root if that is not known.
static Place inNextIteration(Operation *loop, Place place) {
  if (!place.root ||
      (isDefinedIn(loop, place.root) && !isAllocation(place.root)))
    return {};
  auto counted = dyn_cast<scf::ForOp>(loop);
  APInt step;
  for (Index &index : place.path) {
    if (!index.base || !isDefinedIn(loop, index.base))
      continue;
    if (!counted || index.base != counted.getInductionVar() ||
        !matchPattern(counted.getStep(), m_ConstantInt(&step)))
      return {};
    index.add(-step.getSExtValue());
    if (index.modulus == 0 && std::abs(index.offset) >= index.slots)
      return {}; // no slot of any iteration to come
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

namespace {
struct Write {
  Place place;
  /// Otherwise some elements of it.
  bool isWhole;
};
} // namespace

/// What `op` surely writes.
static std::optional<Write> writeOf(Operation *op) {
  auto whole = [](Value buffer) { return Write{placeOf(buffer), true}; };
  if (auto store = dyn_cast<tle::LocalStoreOp>(op))
    return whole(store.getBuffer());
  if (auto alloc = dyn_cast<tle::AllocOp>(op); alloc && alloc.getInit())
    return whole(alloc.getBuffer());
  if (isOp(op, "ttg.local_alloc") && op->getNumOperands() != 0)
    return whole(op->getResult(0));
  if (isOp(op, "ttg.local_store") || isOp(op, "ttg.async_copy_global_to_local"))
    return whole(op->getOperand(1));
  if (Value target = targetOfTmaLoad(op))
    return whole(target);
  std::optional<SharedAccess> access = accessOf(op);
  if (!access || *access == SharedAccess::Load || isOp(op, "tt.atomic_cas"))
    return std::nullopt;
  bool isMasked =
      op->getNumOperands() > 2 && !matchPattern(op->getOperand(2), m_One());
  Value buffer = bufferBehind(op->getOperand(0));
  if (isMasked || !buffer)
    return std::nullopt;
  return Write{placeOf(buffer), false};
}

static bool isMet(const Write &write, const Place &read) {
  return read.contains(write.place) ||
         (write.isWhole && write.place.contains(read));
}

//===----------------------------------------------------------------------===//
// Products in flight
//===----------------------------------------------------------------------===//

namespace {

/// No wait lets so many groups run on (W28).
constexpr unsigned kOldest = 8;

/// A product that is surely unfinished.
struct Running {
  Operation *product;
  /// So many groups were issued since, or kOldest and more.
  unsigned age;
  /// What it reads; without a root what is not known any more.
  Place a, b;
  /// It was issued in an earlier iteration of a loop around it.
  bool isEarlier = false;

  bool isSame(const Running &other) const {
    return product == other.product && a == other.a && b == other.b &&
           isEarlier == other.isEarlier;
  }
  bool operator==(const Running &other) const {
    return isSame(other) && age == other.age;
  }
};

/// The products in flight, none twice.
class State {
public:
  void add(const Running &product) {
    if (!product.a.root && !product.b.root)
      return;
    if (Running *known = find(product))
      known->age = std::min(known->age, product.age);
    else
      running.push_back(product);
  }

  void issue(tle::WgmmaOp product) {
    for (Running &other : running)
      other.age = std::min(other.age + 1, kOldest);
    add({product, 0, placeOf(product.getA()), placeOf(product.getB())});
  }

  void wait(unsigned pendings) {
    llvm::erase_if(running, [&](const Running &product) {
      return product.age >= pendings;
    });
  }

  /// The end of two branches that began at `before`: finished in one is
  /// finished.
  void join(const State &other, const State &before) {
    llvm::erase_if(running, [&](const Running &product) {
      return before.find(product) && !other.find(product);
    });
    for (const Running &theirs : other.running) {
      if (Running *mine = find(theirs))
        mine->age = std::max(mine->age, theirs.age);
      else if (!before.find(theirs))
        running.push_back(theirs);
    }
  }

  /// The newest product that `write`, made by `op`, meets; null if none.
  const Running *findReader(const Write &write, Operation *op) const;

  /// What runs at the end of `loop`, at the begin of its next iteration.
  State inNextIteration(Operation *loop) const;

  bool operator==(const State &other) const {
    return running.size() == other.running.size() &&
           llvm::all_of(running, [&](const Running &product) {
             return llvm::is_contained(other.running, product);
           });
  }

private:
  const Running *find(const Running &product) const {
    for (const Running &other : running)
      if (other.isSame(product))
        return &other;
    return nullptr;
  }
  Running *find(const Running &product) {
    return const_cast<Running *>(std::as_const(*this).find(product));
  }

  SmallVector<Running> running;
};

} // namespace

/// True if `op`, somewhere below `ancestor`, is in a branch there.
static bool isInBranch(Operation *op, Operation *ancestor) {
  for (op = op->getParentOp(); op != ancestor; op = op->getParentOp())
    if (isa<scf::IfOp>(op))
      return true;
  return false;
}

const Running *State::findReader(const Write &write, Operation *op) const {
  for (const Running &reader : llvm::reverse(running)) {
    if (!isMet(write, reader.a) && !isMet(write, reader.b))
      continue;
    Operation *common = op->getParentOp();
    while (!common->isAncestor(reader.product))
      common = common->getParentOp();
    if (!isInBranch(op, common) ||
        (!reader.isEarlier && !isInBranch(reader.product, common)))
      return &reader;
  }
  return nullptr;
}

State State::inNextIteration(Operation *loop) const {
  State next;
  for (Running product : running) {
    if (loop->isAncestor(product.product)) {
      if (isInBranch(product.product, loop))
        continue;
      product.isEarlier = true;
    }
    product.a = ::inNextIteration(loop, product.a);
    product.b = ::inNextIteration(loop, product.b);
    next.add(product);
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Flow of control
//===----------------------------------------------------------------------===//

namespace {

/// Follows the flow of control to the first mistake.
class Walk {
public:
  State walk(Region &region, State state);

  bool hasFailed() const { return failed; }

private:
  State walk(Block &block, State state);
  void walkTree(Block &block, State state);
  void visit(Operation *op, State &state);
  State repeat(Operation *loop, std::optional<APInt> tripCount, State state,
               llvm::function_ref<State(State)> iterate);
  State visitRegions(Operation *op, State state);

  bool failed = false;
};

} // namespace

/// True for products that are finished with everything before them, those that
/// Triton orders itself.
static bool isSynchronous(Operation *op) {
  return isOp(op, "tt.dot") || isOp(op, "tt.dot_scaled") ||
         isOp(op, "ttng.warp_group_dot");
}

void Walk::visit(Operation *op, State &state) {
  if (std::optional<Write> write = writeOf(op); write && !failed) {
    if (const Running *reader = state.findReader(*write, op)) {
      failed = true;
      InFlightDiagnostic diagnostic = op->emitOpError("[W35] writes a buffer ");
      if (reader->isEarlier)
        diagnostic << "that a wgmma of an earlier iteration still reads; wait "
                      "for the wgmma in the loop";
      else
        diagnostic << "that a wgmma still reads; wait for the wgmma first";
      diagnostic.attachNote(reader->product->getLoc()) << "the wgmma is here";
    }
  }
  if (auto product = dyn_cast<tle::WgmmaOp>(op))
    state.issue(product);
  else if (auto wait = dyn_cast<tle::WgmmaWaitOp>(op))
    state.wait(wait.getPendings());
  else if (isSynchronous(op))
    state = State();
}

/// Goes round `loop` until the head of the next iteration is like that of the
/// last one.
State Walk::repeat(Operation *loop, std::optional<APInt> tripCount, State state,
                   llvm::function_ref<State(State)> iterate) {
  for (uint64_t trips = 1;; ++trips) {
    State end = iterate(state);
    State next = end.inNextIteration(loop);
    if (next == state || (tripCount && *tripCount == trips))
      return end;
    state = std::move(next);
  }
}

State Walk::visitRegions(Operation *op, State state) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return repeat(
        loop, loop.getStaticTripCount(), std::move(state),
        [&](State head) { return walk(*loop.getBody(), std::move(head)); });
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return repeat(loop, std::nullopt,
                  walk(*loop.getBeforeBody(), std::move(state)),
                  [&](State head) {
                    head = walk(*loop.getAfterBody(), std::move(head));
                    return walk(*loop.getBeforeBody(), std::move(head));
                  });
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    State then = walk(branch.getThenRegion(), state);
    then.join(walk(branch.getElseRegion(), state), state);
    return then;
  }
  if (auto specialized = dyn_cast<ttg::WarpSpecializeOp>(op)) {
    // Other warps, whose queues are empty at first.
    for (Region &partition : specialized.getPartitionRegions())
      walk(partition, State());
    return walk(specialized.getDefaultRegion(), std::move(state));
  }
  for (Region &region : op->getRegions())
    walk(region, state);
  return state;
}

State Walk::walk(Block &block, State state) {
  for (Operation &op : block) {
    visit(&op, state);
    if (op.getNumRegions() != 0)
      state = visitRegions(&op, std::move(state));
  }
  return state;
}

/// Walks `block` and all blocks that are reached through it alone.
void Walk::walkTree(Block &block, State state) {
  state = walk(block, std::move(state));
  for (Block *next : block.getSuccessors())
    if (next->getSinglePredecessor())
      walkTree(*next, state);
}

/// The state at the end of `region`; of several blocks nothing is known there.
State Walk::walk(Region &region, State state) {
  if (region.empty())
    return state;
  if (region.hasOneBlock())
    return walk(region.front(), std::move(state));
  walkTree(region.front(), std::move(state));
  for (Block &block : llvm::drop_begin(region))
    if (!block.getSinglePredecessor())
      walkTree(block, State());
  return State();
}

LogicalResult nvidia::checkWgmmaOperands(tt::FuncOp function) {
  Walk walk;
  walk.walk(function.getBody(), State());
  return success(!walk.hasFailed());
}
