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
  return tensor && tensor.getRank() > 0
             ? SmallVector<int64_t>(tensor.getShape())
             : SmallVector<int64_t>{1};
}

static AxisInfo unknown(Value value) { return AxisInfo(shapeOf(value).size()); }

/// Divides every element along a dimension.
static int64_t divisorOfAll(const AxisFacts &facts) {
  return facts.contiguity == 1 ? facts.divisibility : 1;
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
    int64_t leftDivisor = divisorOfAll(left);
    int64_t rightDivisor = divisorOfAll(right);
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
    int64_t divisor = runs > 1 ? divisorOfRuns(left, runs) : divisorOfAll(left);
    result.push_back({runs, std::min(divisor, divisorOfAll(right)),
                      std::min(left.constancy, right.constancy)});
  }
  return result;
}

static AxisInfo multiply(const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo result;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    result.push_back({1,
                      std::min(kMax, divisorOfAll(left) * divisorOfAll(right)),
                      std::min(left.constancy, right.constancy)});
  return result;
}

/// Length of the runs of `left` that stay within one multiple of `right`.
static int64_t alignedRuns(const AxisFacts &left, const AxisFacts &right) {
  return std::min({left.contiguity, left.divisibility, right.constancy,
                   divisorOfAll(right)});
}

/// Of tensors of `shape` only, and of one run modulo one number: Triton knows
/// no more.
static AxisInfo remainder(const AxisInfo &lhs, const AxisInfo &rhs,
                          ArrayRef<int64_t> shape) {
  AxisInfo result;
  for (auto [left, right, size] : llvm::zip_equal(lhs, rhs, shape)) {
    AxisFacts facts;
    facts.constancy = std::min(left.constancy, right.constancy);
    if (left.contiguity == size && right.constancy == size)
      facts.contiguity = alignedRuns(left, right);
    if (right.constancy > 1)
      facts.divisibility =
          std::min(facts.contiguity > 1 ? divisorOfRuns(left, facts.contiguity)
                                        : divisorOfAll(left),
                   divisorOfAll(right));
    result.push_back(facts);
  }
  return result;
}

/// Triton knows of runs only beside one bound for all of `shape`.
static AxisInfo compare(arith::CmpIPredicate predicate, const AxisInfo &lhs,
                        const AxisInfo &rhs, ArrayRef<int64_t> shape) {
  using Predicate = arith::CmpIPredicate;
  // An aligned run lies wholly below an aligned bound, or wholly not.
  bool leftRuns = llvm::is_contained(
      {Predicate::slt, Predicate::sge, Predicate::ult, Predicate::uge},
      predicate);
  bool rightRuns = llvm::is_contained(
      {Predicate::sgt, Predicate::sle, Predicate::ugt, Predicate::ule},
      predicate);
  AxisInfo result;
  for (auto [left, right, size] : llvm::zip_equal(lhs, rhs, shape)) {
    int64_t constancy = std::min(left.constancy, right.constancy);
    if (leftRuns && right.constancy == size)
      constancy = std::max(constancy, alignedRuns(left, right));
    if (rightRuns && left.constancy == size)
      constancy = std::max(constancy, alignedRuns(right, left));
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
  int64_t divisor = kMax;
  for (const AxisFacts &facts : info)
    divisor = std::min(divisor, divisorOfAll(facts));
  AxisInfo result(info);
  result.insert(result.begin() + axis, {1, divisor, 1});
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

/// A factor that leaves the other one its runs.
static bool isOne(Value value) { return matchPattern(value, m_One()); }

/// Facts of the result of a registered operation on operands of its own shape.
static std::optional<AxisInfo> transferArith(Operation *op,
                                             ArrayRef<AxisInfo> operands) {
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
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return remainder(operands[0], operands[1], shapeOf(op->getResult(0)));
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison.getPredicate(), operands[0], operands[1],
                   shapeOf(op->getResult(0)));
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return combineConstancy(operands[0], operands[1]);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
    return operands[0];
  return std::nullopt;
}

/// Facts of the result of an operation of tt. Nothing has verified it: what
/// does not fit together gives no facts.
static std::optional<AxisInfo> transferTriton(Operation *op,
                                              ArrayRef<AxisInfo> operands) {
  Value result = op->getResult(0);
  size_t rank = shapeOf(result).size();
  auto intOf = [&](StringRef name) {
    auto attr = dyn_cast_or_null<IntegerAttr>(propertyOf(op, name));
    return attr ? std::optional<int64_t>(attr.getInt()) : std::nullopt;
  };

  if (isOp(op, "tt.make_range")) {
    auto start = intOf("start");
    if (!start || rank != 1)
      return std::nullopt;
    return AxisInfo{{shapeOf(result).front(), powerIn(*start), 1}};
  }
  if (isOp(op, "tt.addptr")) {
    tt::PointerType pointer = tt::pointerOf(result.getType());
    if (operands.size() != 2 || operands[0].size() != rank ||
        operands[1].size() != rank || !pointer ||
        !pointer.getPointeeType().isIntOrFloat())
      return std::nullopt;
    unsigned bits = pointer.getPointeeType().getIntOrFloatBitWidth();
    return add(operands[0], operands[1], std::max(bits / 8, 1u));
  }
  if (operands.size() != 1)
    return std::nullopt;
  const AxisInfo &operand = operands.front();
  if (isOp(op, "tt.splat"))
    return splat(result, operand.front().divisibility);
  if (isOp(op, "tt.expand_dims")) {
    auto axis = intOf("axis");
    if (!axis || *axis < 0 || *axis > static_cast<int64_t>(operand.size()))
      return std::nullopt;
    return expandDims(operand, *axis);
  }
  if (isOp(op, "tt.broadcast") && operand.size() == rank)
    return broadcast(op->getOperand(0), result, operand);
  if (isOp(op, "tt.trans")) {
    auto order = dyn_cast_or_null<DenseI32ArrayAttr>(propertyOf(op, "order"));
    if (!order || llvm::any_of(order.asArrayRef(), [&](int32_t dim) {
          return dim < 0 || dim >= static_cast<int64_t>(operand.size());
        }))
      return std::nullopt;
    return llvm::map_to_vector<4>(order.asArrayRef(),
                                  [&](int32_t dim) { return operand[dim]; });
  }
  return std::nullopt;
}

static AxisInfo transfer(Operation *op, ArrayRef<AxisInfo> operands) {
  Value result = op->getResult(0);
  std::optional<AxisInfo> info;
  APInt constant;
  if (matchPattern(result, m_ConstantInt(&constant))) {
    if (constant.getSignificantBits() <= 64)
      info = splat(result, powerIn(constant.getSExtValue()));
  } else if (isa_and_nonnull<arith::ArithDialect>(op->getDialect())) {
    info = transferArith(op, operands);
  } else {
    info = transferTriton(op, operands);
  }
  bool fits = info && info->size() == shapeOf(result).size();
  return fits ? *info : unknown(result);
}

/// What the author of the kernel promised with tl.multiple_of and its like.
static void takeHints(Operation *op, AxisInfo &info) {
  auto set = [&](StringRef name, int64_t AxisFacts::*fact) {
    auto hint = op->getAttrOfType<DenseIntElementsAttr>(name);
    if (!hint || hint.getNumElements() != static_cast<int64_t>(info.size()))
      return;
    for (auto [facts, value] : llvm::zip_equal(info, hint.getValues<APInt>()))
      facts.*fact = powerIn(value.getSExtValue());
  };
  set("tt.contiguity", &AxisFacts::contiguity);
  set("tt.divisibility", &AxisFacts::divisibility);
  set("tt.constancy", &AxisFacts::constancy);
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
    AxisInfo info = transfer(op, infos);
    takeHints(op, info);
    propagateIfChanged(results.front(), results.front()->join({info}));
    return success();
  }

  void visitNonControlFlowArguments(Operation *op,
                                    const RegionSuccessor &successor,
                                    ArrayRef<AxisLattice *> arguments,
                                    unsigned firstIndex) override {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitInduction(loop);
    if (isa<ttg::WarpSpecializePartitionsOp>(op))
      return visitCaptures(op->getParentOfType<ttg::WarpSpecializeOp>(),
                           arguments);
    SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(
        op, successor, arguments, firstIndex);
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

private:
  /// The induction variable is a multiple of what divides bound and step.
  void visitInduction(scf::ForOp loop) {
    ProgramPoint *point = getProgramPointBefore(loop.getBody());
    int64_t divisor = kMax;
    for (Value bound : {loop.getLowerBound(), loop.getStep()}) {
      const AxisState &state = getLatticeElementFor(point, bound)->getValue();
      if (!state.info)
        return;
      divisor = std::min(divisor, divisorOfAll(state.info->front()));
    }
    AxisLattice *induction = getLatticeElement(loop.getInductionVar());
    propagateIfChanged(induction, induction->join({AxisInfo{{1, divisor, 1}}}));
  }

  /// What a partition receives is what was captured.
  void visitCaptures(ttg::WarpSpecializeOp op,
                     ArrayRef<AxisLattice *> arguments) {
    for (auto [argument, capture] :
         llvm::zip_equal(arguments, op.getExplicitCaptures())) {
      Block *body = cast<BlockArgument>(argument->getAnchor()).getOwner();
      const AxisState &state =
          getLatticeElementFor(getProgramPointBefore(body), capture)
              ->getValue();
      propagateIfChanged(argument, argument->join(state));
    }
  }
};
} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(Operation *root)
    : solver(std::make_unique<DataFlowSolver>(
          DataFlowConfig().setInterprocedural(false))) {
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
