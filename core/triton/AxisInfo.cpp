//===- AxisInfo.cpp - Runs of consecutive and of equal elements -----------===//

#include "core/triton/AxisInfo.h"

#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "core/triton/Unregistered.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flagtree;

/// Zero is divisible by everything; this is as much as anybody asks for.
static constexpr int64_t kMax = int64_t(1) << 30;

/// The largest power of two, up to kMax, that divides `value`.
static int64_t powerIn(int64_t value) {
  return value == 0 ? kMax : std::min(value & -value, kMax);
}

static SmallVector<int64_t> shapeOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? SmallVector<int64_t>(tensor.getShape())
                : SmallVector<int64_t>{1};
}

static AxisInfo unknown(Value value) {
  return AxisInfo(std::max<size_t>(shapeOf(value).size(), 1));
}

/// Divides every element: what divides the first element of each run, where the
/// runs are of one element.
static int64_t divisorOfAll(const AxisInfo &info) {
  int64_t divisor = 1;
  for (const AxisFacts &facts : info)
    if (facts.contiguity == 1)
      divisor = std::max(divisor, facts.divisibility);
  return divisor;
}

/// Divides the first elements of the runs of `length` that `facts`' runs are
/// cut into; elements are `unit` apart.
static int64_t divisorOfRuns(const AxisFacts &facts, int64_t length,
                             int64_t unit = 1) {
  return length == facts.contiguity
             ? facts.divisibility
             : std::min(facts.divisibility, length * unit);
}

//===----------------------------------------------------------------------===//
// Transfer functions
//===----------------------------------------------------------------------===//

/// `lhs + rhs * unit`, where runs of both count in their own elements; `unit`
/// is the size of what a pointer points to.
static AxisInfo add(const AxisInfo &lhs, const AxisInfo &rhs,
                    int64_t unit = 1) {
  AxisInfo result;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    int64_t leftRuns = std::min(left.contiguity, right.constancy);
    int64_t rightRuns = std::min(left.constancy, right.contiguity);
    int64_t leftDivisor = divisorOfAll(lhs), rightDivisor = divisorOfAll(rhs);
    if (leftRuns > 1)
      leftDivisor = divisorOfRuns(left, leftRuns, unit);
    else if (rightRuns > 1)
      rightDivisor = divisorOfRuns(right, rightRuns);
    result.push_back(
        {std::max(leftRuns, rightRuns),
         std::min(leftDivisor, std::min(kMax, rightDivisor * unit)),
         std::min(left.constancy, right.constancy)});
  }
  return result;
}

static AxisInfo subtract(const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo result;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    int64_t runs = std::min(left.contiguity, right.constancy);
    int64_t divisor = runs > 1 ? divisorOfRuns(left, runs) : divisorOfAll(lhs);
    result.push_back({runs, std::min(divisor, divisorOfAll(rhs)),
                      std::min(left.constancy, right.constancy)});
  }
  return result;
}

static AxisInfo multiply(const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo result;
  int64_t divisor = std::min(kMax, divisorOfAll(lhs) * divisorOfAll(rhs));
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    result.push_back({1, divisor, std::min(left.constancy, right.constancy)});
  return result;
}

/// Length of the runs of `left` that stay within one multiple of `right`.
static int64_t alignedRuns(const AxisFacts &left, const AxisFacts &right,
                           const AxisInfo &rhs) {
  return std::min(
      {left.contiguity, left.divisibility, right.constancy, divisorOfAll(rhs)});
}

static AxisInfo remainder(const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo result;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    int64_t runs = alignedRuns(left, right, rhs);
    int64_t divisor = runs > 1 ? divisorOfRuns(left, runs) : divisorOfAll(lhs);
    result.push_back({runs, std::min(divisor, divisorOfAll(rhs)),
                      std::min(left.constancy, right.constancy)});
  }
  return result;
}

static AxisInfo compare(arith::CmpIPredicate predicate, const AxisInfo &lhs,
                        const AxisInfo &rhs) {
  using Predicate = arith::CmpIPredicate;
  // An aligned run lies wholly below an aligned bound, or wholly not.
  bool leftRuns = llvm::is_contained(
      {Predicate::slt, Predicate::sge, Predicate::ult, Predicate::uge},
      predicate);
  bool rightRuns = llvm::is_contained(
      {Predicate::sgt, Predicate::sle, Predicate::ugt, Predicate::ule},
      predicate);
  AxisInfo result;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    int64_t constancy = std::min(left.constancy, right.constancy);
    if (leftRuns)
      constancy = std::max(constancy, alignedRuns(left, right, rhs));
    if (rightRuns)
      constancy = std::max(constancy, alignedRuns(right, left, lhs));
    result.push_back({1, 1, constancy});
  }
  return result;
}

static AxisInfo combineConstancy(const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo result;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    result.push_back({1, 1, std::min(left.constancy, right.constancy)});
  return result;
}

static AxisInfo splat(Value result, int64_t divisibility) {
  AxisInfo info;
  for (int64_t size : shapeOf(result))
    info.push_back({1, divisibility, size});
  return info;
}

static AxisInfo expandDims(const AxisInfo &info, int64_t axis) {
  AxisInfo result(info);
  result.insert(result.begin() + axis, {1, divisorOfAll(info), 1});
  return result;
}

static AxisInfo broadcast(Value from, Value to, const AxisInfo &info) {
  AxisInfo result(info);
  for (auto [facts, before, after] :
       llvm::zip_equal(result, shapeOf(from), shapeOf(to)))
    if (before != after)
      facts.constancy = after;
  return result;
}

/// The constants 0 and 1 leave the other operand of a product its runs.
static bool isOne(Value value) { return matchPattern(value, m_One()); }

static std::optional<AxisInfo> transfer(Operation *op,
                                        ArrayRef<AxisInfo> operands) {
  Value result = op->getResult(0);
  auto intOf = [&](StringRef name) {
    auto attr = dyn_cast_or_null<IntegerAttr>(propertyOf(op, name));
    return attr ? std::optional<int64_t>(attr.getInt()) : std::nullopt;
  };

  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    APInt value;
    if (matchPattern(constant.getResult(), m_ConstantInt(&value)) &&
        value.getSignificantBits() <= 64)
      return splat(result, powerIn(value.getSExtValue()));
    return std::nullopt;
  }
  if (isa<arith::AddIOp>(op))
    return add(operands[0], operands[1]);
  if (isa<arith::SubIOp>(op))
    return subtract(operands[0], operands[1]);
  if (auto product = dyn_cast<arith::MulIOp>(op)) {
    if (isOne(product.getLhs()))
      return operands[1];
    if (isOne(product.getRhs()))
      return operands[0];
    return multiply(operands[0], operands[1]);
  }
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return remainder(operands[0], operands[1]);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison.getPredicate(), operands[0], operands[1]);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return combineConstancy(operands[0], operands[1]);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
    return operands[0];

  if (isOp(op, "tt.make_range")) {
    auto start = intOf("start");
    return start ? std::optional<AxisInfo>(
                       AxisInfo{{shapeOf(result).front(), powerIn(*start), 1}})
                 : std::nullopt;
  }
  if (isOp(op, "tt.splat"))
    return splat(result, operands[0].front().divisibility);
  if (isOp(op, "tt.expand_dims")) {
    auto axis = intOf("axis");
    bool valid =
        axis && *axis >= 0 && *axis <= static_cast<int64_t>(operands[0].size());
    return valid ? std::optional<AxisInfo>(expandDims(operands[0], *axis))
                 : std::nullopt;
  }
  if (isOp(op, "tt.broadcast"))
    return broadcast(op->getOperand(0), result, operands[0]);
  if (isOp(op, "tt.addptr")) {
    Type pointee = tt::pointerOf(result.getType()).getPointeeType();
    if (!pointee.isIntOrFloat())
      return std::nullopt;
    int64_t bytes = std::max(pointee.getIntOrFloatBitWidth() / 8, 1u);
    return add(operands[0], operands[1], bytes);
  }
  if (isOp(op, "tt.trans")) {
    auto order = dyn_cast_or_null<DenseI32ArrayAttr>(propertyOf(op, "order"));
    if (!order || order.size() != static_cast<int64_t>(operands[0].size()))
      return std::nullopt;
    AxisInfo info;
    for (int32_t dim : order.asArrayRef())
      info.push_back(operands[0][dim]);
    return info;
  }
  return std::nullopt;
}

/// What the author of the kernel promised with tl.multiple_of and its like.
static void addHints(Operation *op, AxisInfo &info) {
  auto raise = [&](StringRef name, int64_t AxisFacts::*fact) {
    auto hint = op->getAttrOfType<DenseIntElementsAttr>(name);
    if (!hint || hint.getNumElements() != static_cast<int64_t>(info.size()))
      return;
    for (auto [facts, value] : llvm::zip_equal(info, hint.getValues<APInt>()))
      facts.*fact = std::max(facts.*fact, powerIn(value.getSExtValue()));
  };
  raise("tt.contiguity", &AxisFacts::contiguity);
  raise("tt.divisibility", &AxisFacts::divisibility);
  raise("tt.constancy", &AxisFacts::constancy);
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

namespace {
/// Facts on the way to a fixed point; none as long as no value has come by.
struct AxisState {
  std::optional<AxisInfo> info;

  bool operator==(const AxisState &other) const { return info == other.info; }

  static AxisState join(const AxisState &lhs, const AxisState &rhs) {
    if (!lhs.info || !rhs.info)
      return lhs.info ? lhs : rhs;
    AxisInfo result;
    for (auto [left, right] : llvm::zip(*lhs.info, *rhs.info)) {
      int64_t runs = std::min(left.contiguity, right.contiguity);
      result.push_back(
          {runs,
           std::min(divisorOfRuns(left, runs), divisorOfRuns(right, runs)),
           std::min(left.constancy, right.constancy)});
    }
    return {result};
  }

  void print(raw_ostream &os) const {
    if (!info)
      return;
    for (const AxisFacts &facts : *info)
      os << '[' << facts.contiguity << ", " << facts.divisibility << ", "
         << facts.constancy << ']';
  }
};

struct AxisLattice : public dataflow::Lattice<AxisState> {
  using Lattice::Lattice;
};

class Propagation
    : public dataflow::SparseForwardDataFlowAnalysis<AxisLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const AxisLattice *> operands,
                               ArrayRef<AxisLattice *> results) override {
    SmallVector<AxisInfo> infos;
    for (const AxisLattice *operand : operands) {
      if (!operand->getValue().info)
        return success(); // Comes again with a value.
      infos.push_back(*operand->getValue().info);
    }
    if (results.size() != 1) {
      setAllToEntryStates(results);
      return success();
    }
    AxisInfo info = transfer(op, infos).value_or(unknown(op->getResult(0)));
    addHints(op, info);
    propagateIfChanged(results.front(), results.front()->join({info}));
    return success();
  }

  void visitNonControlFlowArguments(Operation *op,
                                    const RegionSuccessor &successor,
                                    ArrayRef<AxisLattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(
          op, successor, arguments, firstIndex);
    ProgramPoint *point = getProgramPointBefore(loop.getBody());
    int64_t divisor = kMax;
    for (Value bound : {loop.getLowerBound(), loop.getStep()}) {
      auto &state = getLatticeElementFor(point, bound)->getValue();
      if (!state.info)
        return;
      divisor = std::min(divisor, divisorOfAll(*state.info));
    }
    AxisLattice *induction = getLatticeElement(loop.getInductionVar());
    propagateIfChanged(induction, induction->join({AxisInfo{{1, divisor, 1}}}));
  }

  void setToEntryState(AxisLattice *lattice) override {
    Value value = lattice->getAnchor();
    AxisInfo info = unknown(value);
    // Triton specializes kernels on the alignment of their arguments.
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function =
              dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp());
          function && argument.getOwner()->isEntryBlock())
        if (auto divisor = function.getArgAttrOfType<IntegerAttr>(
                argument.getArgNumber(), "tt.divisibility"))
          info.front().divisibility = powerIn(divisor.getInt());
    propagateIfChanged(lattice, lattice->join({info}));
  }
};
} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root)
    : solver(std::make_unique<DataFlowSolver>()) {
  dataflow::loadBaselineAnalyses(*solver);
  solver->load<Propagation>();
  // Without a fixed point nothing is known.
  if (failed(solver->initializeAndRun(root)))
    solver.reset();
}

AxisInfo AxisInfoAnalysis::lookup(Value value) const {
  auto *state = solver ? solver->lookupState<AxisLattice>(value) : nullptr;
  bool known = state && state->getValue().info &&
               state->getValue().info->size() == unknown(value).size();
  return known ? *state->getValue().info : unknown(value);
}

int64_t AxisInfoAnalysis::vectorSize(Value pointers, unsigned dim) const {
  AxisFacts facts = lookup(pointers)[dim];
  Type pointee = tt::pointerOf(pointers.getType()).getPointeeType();
  if (!pointee.isIntOrFloat() || pointee.getIntOrFloatBitWidth() < 8)
    return 1;
  int64_t aligned = facts.divisibility / (pointee.getIntOrFloatBitWidth() / 8);
  return std::max<int64_t>(1, std::min(facts.contiguity, aligned));
}
