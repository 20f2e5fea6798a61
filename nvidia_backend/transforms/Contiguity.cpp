//===- Contiguity.cpp - What is adjacent in a tensor's last dimension -----===//

#include "nvidia_backend/transforms/Contiguity.h"

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace flagtree;

namespace {

/// Facts about the values along the last dimension, all powers of two. For a
/// scalar, runs have one element. Divisors of pointers count bytes.
struct Facts {
  /// Values come in runs of this many that increase by 1 (by the pointee's size).
  int64_t run = 1;
  /// Values come in runs of this many that are equal.
  int64_t equal = 1;
  /// Divides the first value of every run of `run`.
  int64_t divisor = 1;

  bool operator==(const Facts &other) const {
    return run == other.run && equal == other.equal && divisor == other.divisor;
  }

  /// Divides every value.
  int64_t divisorOfAll() const { return run > 1 ? 1 : divisor; }
};

class Analysis {
public:
  Facts of(Value value);

private:
  Facts compute(Value value);
  Facts ofArgument(BlockArgument argument);
  Facts ofLoopArgument(scf::ForOp loop, BlockArgument argument);
  Facts ofOperation(Operation *op);

  llvm::DenseMap<Value, Facts> known;
};

} // namespace

constexpr int64_t kLargest = int64_t(1) << 30;

/// The largest power of two that divides `value`.
static int64_t powerIn(int64_t value) {
  if (value == 0)
    return kLargest;
  return std::min(value & -value, kLargest);
}

static int64_t lastDim(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() ? type.getShape().back() : 1;
}

static Facts meet(const Facts &a, const Facts &b) {
  Facts both;
  both.run = std::min(a.run, b.run);
  both.equal = std::min(a.equal, b.equal);
  both.divisor = std::min(a.divisor, b.divisor);
  // A shorter run starts inside a longer one.
  if (a.run != b.run)
    both.divisor = std::min(both.divisor, both.run);
  return both;
}

/// Facts of a + scale * b, with b's run only if scale is one element.
static Facts sum(const Facts &a, const Facts &b, int64_t scale,
                 bool decreasing = false) {
  Facts result;
  result.run = std::min(a.run, b.equal);
  if (!decreasing)
    result.run = std::max(result.run, std::min(a.equal, b.run));
  result.equal = std::min(a.equal, b.equal);
  result.divisor = std::min(a.divisor, std::min(b.divisor * scale, kLargest));
  if (result.run < std::max(a.run, b.run))
    result.divisor = std::min(result.divisor, result.run * scale);
  return result;
}

Facts Analysis::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Facts facts = compute(value);
  facts.run = std::min(facts.run, lastDim(value));
  facts.equal = std::min(facts.equal, lastDim(value));
  known[value] = facts;
  return facts;
}

Facts Analysis::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  Operation *op = value.getDefiningOp();
  if (op->getNumResults() != 1)
    return {};
  Facts facts = ofOperation(op);
  // Promises of tl.multiple_of, tl.max_contiguous, tl.max_constancy.
  auto promised = [&](StringRef name, int64_t &fact) {
    auto hint = op->getAttrOfType<DenseIntElementsAttr>(name);
    if (!hint || hint.empty())
      return;
    SmallVector<APInt> values(hint.getValues<APInt>());
    fact = std::max(fact, powerIn(values.back().getSExtValue()));
  };
  promised("tt.contiguity", facts.run);
  promised("tt.constancy", facts.equal);
  promised("tt.divisibility", facts.divisor);
  return facts;
}

Facts Analysis::ofArgument(BlockArgument argument) {
  Facts facts;
  Operation *owner = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<tt::FuncOp>(owner)) {
    if (argument.getOwner()->isEntryBlock())
      if (auto divisor = function.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), "tt.divisibility"))
        facts.divisor = powerIn(divisor.getInt());
    return facts;
  }
  auto loop = dyn_cast<scf::ForOp>(owner);
  return loop && argument.getArgNumber() > 0 ? ofLoopArgument(loop, argument)
                                             : facts;
}

/// Assumes what holds before the loop and weakens it until an iteration keeps it.
Facts Analysis::ofLoopArgument(scf::ForOp loop, BlockArgument argument) {
  unsigned index = argument.getArgNumber() - 1;
  Facts assumed = of(loop.getInitArgs()[index]);
  while (true) {
    Analysis iteration(*this);
    iteration.known[argument] = assumed;
    Facts next =
        iteration.of(loop.getBody()->getTerminator()->getOperand(index));
    Facts kept = meet(assumed, next);
    if (kept == assumed)
      return assumed;
    assumed = kept;
  }
}

Facts Analysis::ofOperation(Operation *op) {
  Facts facts;
  Value result = op->getResult(0);
  int64_t size = lastDim(result);

  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value);
        dense && dense.isSplat()) {
      facts.equal = size;
      value = dense.getSplatValue<Attribute>();
    }
    if (auto integer = dyn_cast<IntegerAttr>(value))
      facts.divisor = powerIn(integer.getValue().getSExtValue());
    return facts;
  }
  if (isOp(op, "tt.make_range")) {
    facts.run = powerIn(size);
    facts.divisor = powerIn(
        cast<IntegerAttr>(propertyOf(op, "start")).getValue().getSExtValue());
    return facts;
  }
  if (isOp(op, "tt.splat")) {
    facts.equal = size;
    facts.divisor = of(op->getOperand(0)).divisor;
    return facts;
  }
  if (isOp(op, "tt.expand_dims")) {
    Facts source = of(op->getOperand(0));
    auto axis = cast<IntegerAttr>(propertyOf(op, "axis")).getInt();
    if (axis + 1 != cast<RankedTensorType>(result.getType()).getRank())
      return source;
    facts.divisor = source.divisorOfAll();
    return facts;
  }
  if (isOp(op, "tt.broadcast")) {
    Facts source = of(op->getOperand(0));
    if (lastDim(op->getOperand(0)) == 1)
      source.equal = size;
    return source;
  }
  if (isa<arith::AddIOp>(op))
    return sum(of(op->getOperand(0)), of(op->getOperand(1)), 1);
  if (isa<arith::SubIOp>(op))
    return sum(of(op->getOperand(0)), of(op->getOperand(1)), 1,
               /*decreasing=*/true);
  if (isOp(op, "tt.addptr")) {
    Type pointee = tt::pointerOf(result.getType()).getPointeeType();
    if (!pointee.isIntOrFloat())
      return facts;
    int64_t bytes = std::max<int64_t>(pointee.getIntOrFloatBitWidth() / 8, 1);
    return sum(of(op->getOperand(0)), of(op->getOperand(1)), bytes);
  }
  if (isa<arith::MulIOp>(op)) {
    Facts a = of(op->getOperand(0)), b = of(op->getOperand(1));
    facts.equal = std::min(a.equal, b.equal);
    facts.divisor =
        std::min(a.divisorOfAll() * b.divisorOfAll(), kLargest);
    return facts;
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return of(op->getOperand(0));
  if (isa<arith::AndIOp>(op)) {
    facts.equal =
        std::min(of(op->getOperand(0)).equal, of(op->getOperand(1)).equal);
    return facts;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    Facts a = of(compare.getLhs()), b = of(compare.getRhs());
    facts.equal = std::min(a.equal, b.equal);
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    // A run that starts at a multiple of n cannot cross a multiple of n before
    // its n-th value.
    bool bound = predicate == Predicate::slt || predicate == Predicate::ult ||
                 predicate == Predicate::sge || predicate == Predicate::uge;
    if (bound && b.equal == size)
      facts.equal = std::max(
          facts.equal, std::min({a.run, a.divisor, b.divisor}));
    return facts;
  }
  return facts;
}

int64_t flagtree::nvidia::adjacentPointers(Value ptrs) {
  Facts facts = Analysis().of(ptrs);
  Type pointee = tt::pointerOf(ptrs.getType()).getPointeeType();
  int64_t bytes = std::max<int64_t>(pointee.getIntOrFloatBitWidth() / 8, 1);
  return std::min(facts.run, std::max<int64_t>(facts.divisor / bytes, 1));
}

int64_t flagtree::nvidia::equalMaskBits(Value mask) {
  return Analysis().of(mask).equal;
}
