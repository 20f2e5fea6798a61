//===- LowerLocalPtr.cpp - Accesses through pointers into buffers ---------===//

#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/SharedAccess.h"
#include "nvidia_backend/transforms/SharedAddress.h"
#include "tle/ir/TleDialect.h"
#include "llvm/ADT/StringSwitch.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERLOCALPTR
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

namespace {

enum class Use { Load, Store, Atomic, Shape, Refused };

/// What `use` of a pointer does. A pointer may be read or written through, and
/// its tensor reshaped; stored, compared, computed with or handed on it may
/// not.
Use classify(OpOperand &use) {
  if (use.getOperandNumber() != 0)
    return Use::Refused;
  return llvm::StringSwitch<Use>(use.getOwner()->getName().getStringRef())
      .Case("tt.load", Use::Load)
      .Case("tt.store", Use::Store)
      .Cases({"tt.atomic_rmw", "tt.atomic_cas"}, Use::Atomic)
      .Cases({"tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape",
              "tt.trans", "tt.bitcast"},
             Use::Shape)
      .Default(Use::Refused);
}

/// The accesses through pointers of one function of the module.
class Lowering {
public:
  explicit Lowering(MLIRContext *context, int32_t numCTAs)
      : builder(context), numCTAs(numCTAs) {}

  /// Checks `pointers` and everything done with it.
  LogicalResult check(tle::LocalPtrOp pointers);
  /// Replaces every access through `pointers`, and the pointers themselves.
  void lower(tle::LocalPtrOp pointers);
  bool foundAtomic() const { return hasAtomic; }

private:
  LogicalResult checkIndices(tle::LocalPtrOp pointers);
  LogicalResult checkUses(Value pointers);
  LogicalResult checkAtomic(Operation *op);

  void lowerUses(Value pointers, Value address);
  void lowerWholeBuffer(tle::LocalPtrOp pointers);
  Value addressOf(tle::LocalPtrOp pointers);
  void lowerLoad(Operation *load, Value address);
  void lowerStore(Operation *store, Value address);
  void lowerAtomic(Operation *atomic, Value address);
  void keepOutOfPipeliner(Operation *access);

  OpBuilder builder;
  int32_t numCTAs;
  bool hasAtomic = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The largest value of a constant index or of a range, if `index` is one.
static std::optional<std::pair<int64_t, int64_t>> knownRange(Value index) {
  APInt scalar;
  DenseIntElementsAttr values;
  if (matchPattern(index, m_ConstantInt(&scalar)))
    return std::pair(scalar.getSExtValue(), scalar.getSExtValue());
  if (matchPattern(index, m_Constant(&values))) {
    auto less = [](const APInt &a, const APInt &b) { return a.slt(b); };
    auto range = values.getValues<APInt>();
    return std::pair(llvm::min_element(range, less).operator*().getSExtValue(),
                     llvm::max_element(range, less).operator*().getSExtValue());
  }
  Operation *op = index.getDefiningOp();
  if (isOp(op, "tt.splat") || isOp(op, "tt.broadcast") ||
      isOp(op, "tt.expand_dims"))
    return knownRange(op->getOperand(0));
  if (!isOp(op, "tt.make_range"))
    return std::nullopt;
  auto start = dyn_cast_or_null<IntegerAttr>(propertyOf(op, "start"));
  auto end = dyn_cast_or_null<IntegerAttr>(propertyOf(op, "end"));
  if (!start || !end)
    return std::nullopt;
  return std::pair(start.getInt(), end.getInt() - 1);
}

LogicalResult Lowering::check(tle::LocalPtrOp pointers) {
  if (numCTAs != 1)
    return pointers.emitError()
           << "[L35] tle.gpu.local_ptr was used in a kernel with num_ctas = "
           << numCTAs
           << ": every CTA has shared memory of its own, but tensors are "
              "spread "
              "over all CTAs. Launch with num_ctas = 1.";
  if (failed(SharedAddress::of(pointers.getBuffer().getType(),
                               [&] { return pointers.emitError(); })))
    return failure();
  return success(succeeded(checkIndices(pointers)) &
                 succeeded(checkUses(pointers.getPtrs())));
}

/// True if some access through `pointers` takes place in every lane.
static bool hasUnmaskedAccess(Value pointers) {
  return llvm::any_of(pointers.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    switch (classify(use)) {
    case Use::Load:
      return user->getNumOperands() < 2;
    case Use::Store:
      return user->getNumOperands() < 3;
    case Use::Atomic:
      // A tl.atomic_* without a mask has one that is true throughout.
      return isOp(user, "tt.atomic_cas") || user->getNumOperands() < 3 ||
             matchPattern(user->getOperand(2), m_One());
    case Use::Shape:
      return hasUnmaskedAccess(user->getResult(0));
    case Use::Refused:
      return false;
    }
    llvm_unreachable("all kinds of uses are listed");
  });
}

LogicalResult Lowering::checkIndices(tle::LocalPtrOp pointers) {
  ArrayRef<int64_t> shape = pointers.getBuffer().getType().getShape();
  for (auto [dim, index] : llvm::enumerate(pointers.getIndices())) {
    auto range = knownRange(index);
    if (!range || (range->first >= 0 && range->second < shape[dim]))
      continue;
    bool allOutside = range->second < 0 || range->first >= shape[dim];
    if (!allOutside && !hasUnmaskedAccess(pointers.getPtrs()))
      continue;
    return pointers.emitError()
           << "[L8] index " << (range->first < 0 ? range->first : range->second)
           << " of tle.gpu.local_ptr lies outside dimension " << dim
           << " of the buffer, which has " << shape[dim]
           << " elements. Use indices from 0 to " << shape[dim] - 1
           << ", or a mask that is false in all other lanes.";
  }
  return success();
}

LogicalResult Lowering::checkUses(Value pointers) {
  bool valid = true;
  for (OpOperand &use : pointers.getUses()) {
    Operation *user = use.getOwner();
    switch (classify(use)) {
    case Use::Load:
    case Use::Store:
      if (bytesInShared(tt::pointerOf(pointers.getType()).getPointeeType()))
        break;
      user->emitError() << "[L32] an access through tle.gpu.local_ptr reads or "
                           "writes elements of type "
                        << tt::pointerOf(pointers.getType()).getPointeeType()
                        << ". Use integers or floats of 1 to 64 bits.";
      valid = false;
      break;
    case Use::Atomic:
      valid &= succeeded(checkAtomic(user));
      break;
    case Use::Shape:
      valid &= succeeded(checkUses(user->getResult(0)));
      break;
    case Use::Refused:
      user->emitError()
          << "[L30] a pointer made by tle.gpu.local_ptr was used in '"
          << user->getName()
          << "'. It may only be the pointer argument of tl.load, tl.store and "
             "the tl.atomic_* functions. To reach other elements, call "
             "local_ptr "
             "again with other indices; to hand a buffer on, pass the buffer "
             "itself.";
      valid = false;
      break;
    }
  }
  return success(valid);
}

LogicalResult Lowering::checkAtomic(Operation *op) {
  Type type = tt::elementOf(op->getOperand(1).getType());
  if (succeeded(atomicInstruction(op, type)))
    return success();
  return op->emitError()
         << "[L34] there is no shared memory atomic of this kind for elements "
            "of "
            "type "
         << type
         << ". Supported are add on 32 and 64 bit integers, float16, bfloat16, "
            "float32 and float64; and, or, xor, min, max, xchg on 32 and 64 "
            "bit "
            "elements; and cas on 16, 32 and 64 bit elements.";
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// True if `use` loads or stores by every lane.
static bool isUnmaskedWholeAccess(OpOperand &use) {
  switch (classify(use)) {
  case Use::Load:
    return use.getOwner()->getNumOperands() == 1;
  case Use::Store:
    return use.getOwner()->getNumOperands() == 2;
  default:
    return false;
  }
}

void Lowering::lower(tle::LocalPtrOp pointers) {
  if (pointers.getIndices().empty())
    lowerWholeBuffer(pointers);
  if (!pointers.getPtrs().use_empty()) {
    builder.setInsertionPoint(pointers);
    lowerUses(pointers.getPtrs(), addressOf(pointers));
  }
  pointers.erase();
}

/// Unmasked accesses to all elements are loads and stores of the buffer, which
/// later passes and Triton know best.
void Lowering::lowerWholeBuffer(tle::LocalPtrOp pointers) {
  Value buffer = pointers.getBuffer();
  if (pointers.getBuffer().getType().getElementType().isInteger(1))
    return;
  for (OpOperand &use :
       llvm::make_early_inc_range(pointers.getPtrs().getUses())) {
    if (!isUnmaskedWholeAccess(use))
      continue;
    Operation *access = use.getOwner();
    builder.setInsertionPoint(access);
    if (access->getNumResults() == 1)
      access->getResult(0).replaceAllUsesWith(tle::LocalLoadOp::create(
          builder, access->getLoc(), access->getResult(0).getType(), buffer));
    else
      tle::LocalStoreOp::create(builder, access->getLoc(),
                                access->getOperand(1), buffer);
    access->erase();
  }
}

/// `type` with i32 for its elements.
static Type likeI32(Type type) {
  Type i32 = IntegerType::get(type.getContext(), 32);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(i32)) : i32;
}

/// The number of the element in dimension `dim`, for all elements of `type`.
static Value iota(OpBuilder &builder, Location loc, RankedTensorType type,
                  int64_t dim) {
  int64_t size = type.getShape()[dim];
  Value index =
      createOp(builder, loc, "tt.make_range", {},
               RankedTensorType::get({size}, type.getElementType()),
               {builder.getNamedAttr("start", builder.getI32IntegerAttr(0)),
                builder.getNamedAttr("end", builder.getI32IntegerAttr(size))})
          ->getResult(0);
  SmallVector<int64_t> shape = {size};
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (axis == dim)
      continue;
    shape.insert(shape.begin() + axis, 1);
    index =
        createOp(builder, loc, "tt.expand_dims", index,
                 RankedTensorType::get(shape, type.getElementType()),
                 builder.getNamedAttr("axis", builder.getI32IntegerAttr(axis)))
            ->getResult(0);
  }
  if (index.getType() == type)
    return index;
  return createOp(builder, loc, "tt.broadcast", index, type)->getResult(0);
}

/// `index` as i32. Indices are not negative, so that narrow ones may be
/// unsigned.
static Value toI32(OpBuilder &builder, Location loc, Value index) {
  unsigned width = tt::elementOf(index.getType()).getIntOrFloatBitWidth();
  Type type = likeI32(index.getType());
  if (width < 32)
    return arith::ExtUIOp::create(builder, loc, type, index);
  if (width > 32)
    return arith::TruncIOp::create(builder, loc, type, index);
  return index;
}

Value Lowering::addressOf(tle::LocalPtrOp pointers) {
  Location loc = pointers.getLoc();
  Type type = likeI32(pointers.getPtrs().getType());
  SmallVector<Value> indices;
  for (Value index : pointers.getIndices())
    indices.push_back(toI32(builder, loc, index));
  if (indices.empty())
    for (int64_t dim = 0; dim < cast<RankedTensorType>(type).getRank(); ++dim)
      indices.push_back(iota(builder, loc, cast<RankedTensorType>(type), dim));
  // `check` has seen that the buffer can be addressed.
  auto address = SharedAddress::of(pointers.getBuffer().getType(),
                                   [&] { return pointers.emitError(); });
  Value base = sharedBase(builder, loc, pointers.getBuffer());
  if (isa<RankedTensorType>(type))
    base = createOp(builder, loc, "tt.splat", base, type)->getResult(0);
  return arith::AddIOp::create(builder, loc, base,
                               address->offset(builder, loc, indices));
}

/// Rewrites what is done with `pointers`, which lie at `address`.
void Lowering::lowerUses(Value pointers, Value address) {
  for (OpOperand &use : llvm::make_early_inc_range(pointers.getUses())) {
    Operation *user = use.getOwner();
    builder.setInsertionPoint(user);
    switch (classify(use)) {
    case Use::Load:
      lowerLoad(user, address);
      break;
    case Use::Store:
      lowerStore(user, address);
      break;
    case Use::Atomic:
      lowerAtomic(user, address);
      continue;
    case Use::Shape: {
      Value result = user->getResult(0);
      Value moved = address;
      if (!isOp(user, "tt.bitcast"))
        moved =
            createOp(builder, user->getLoc(), user->getName().getStringRef(),
                     address, likeI32(result.getType()),
                     propertiesOf(user).getValue())
                ->getResult(0);
      lowerUses(result, moved);
      break;
    }
    case Use::Refused:
      llvm_unreachable("refused by check");
    }
    user->erase();
  }
}

void Lowering::lowerLoad(Operation *load, Value address) {
  Location loc = load->getLoc();
  Value result = load->getResult(0);
  Type element = tt::elementOf(result.getType());
  AsmRegister reg = AsmRegister::forType(element);
  bool isVolatile = false;
  if (auto flag = dyn_cast_or_null<BoolAttr>(propertyOf(load, "isVolatile")))
    isVolatile = flag.getValue();
  std::string read = (Twine("ld") + (isVolatile ? ".volatile" : "") +
                      ".shared." + reg.memoryType + " $0, [$1];")
                         .str();

  // Operands: pointer, mask, value where the mask is false. Without the last
  // those lanes read as zero.
  SmallVector<Value> operands = {address};
  std::string code = read, constraints = "=" + reg.constraint + ",r";
  if (load->getNumOperands() > 1) {
    operands.push_back(load->getOperand(1));
    std::string other = "0";
    constraints = "=&" + reg.constraint + ",r,b";
    if (load->getNumOperands() > 2) {
      operands.push_back(toRegister(builder, loc, load->getOperand(2)));
      constraints += "," + reg.constraint;
      other = "$3";
    }
    code = "mov." + reg.moveType + " $0, " + other + "; @$2 " + read;
  }
  Operation *access =
      createAsm(builder, loc, code, constraints, operands,
                reg.likeType(result.getType()), SharedAccess::Load);
  keepOutOfPipeliner(access);
  result.replaceAllUsesWith(
      fromRegister(builder, loc, access->getResult(0), result.getType()));
}

void Lowering::lowerStore(Operation *store, Value address) {
  Location loc = store->getLoc();
  Value value = store->getOperand(1);
  AsmRegister reg = AsmRegister::forType(tt::elementOf(value.getType()));
  SmallVector<Value> operands = {address, toRegister(builder, loc, value)};
  std::string code = "st.shared." + reg.memoryType + " [$1], $2;",
              constraints = "=r,r," + reg.constraint;
  if (store->getNumOperands() > 2) {
    operands.push_back(store->getOperand(2));
    code = "@$3 " + code;
    constraints += ",b";
  }
  // Inline assembly has a result; nobody reads this one.
  keepOutOfPipeliner(createAsm(builder, loc, code + " mov.b32 $0, 0;",
                               constraints, operands, likeI32(value.getType()),
                               SharedAccess::Store));
}

/// An atomic stays what it is until the layouts are final, so that no pass of
/// Triton repeats it; its pointer becomes an address that looks like a global
/// one.
void Lowering::lowerAtomic(Operation *atomic, Value address) {
  Location loc = atomic->getLoc();
  Type type = atomic->getOperand(1).getType();
  auto like = [&](Type element) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? Type(tensor.clone(element)) : element;
  };
  Value wide =
      arith::ExtUIOp::create(builder, loc, like(builder.getI64Type()), address);
  Value pointer = createOp(builder, loc, "tt.int_to_ptr", wide,
                           like(tt::PointerType::get(tt::elementOf(type))))
                      ->getResult(0);
  atomic->setOperand(0, pointer);
  markAccess(atomic, SharedAccess::Atomic);
  keepOutOfPipeliner(atomic);
  hasAtomic = true;
}

/// Triton's pipeliner sees no order between accesses it does not know, so the
/// loops around one are executed as written.
void Lowering::keepOutOfPipeliner(Operation *access) {
  keepLoopsAsWritten(access);
  for (auto loop = access->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    loop->removeAttr("tt.warp_specialize");
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct TleLowerLocalPtr
    : public flagtree::nvidia::impl::TleLowerLocalPtrBase<TleLowerLocalPtr> {
  using TleLowerLocalPtrBase::TleLowerLocalPtrBase;

  void runOnOperation() override {
    SmallVector<tle::LocalPtrOp> pointers;
    getOperation().walk([&](tle::LocalPtrOp op) { pointers.push_back(op); });
    Lowering lowering(&getContext(), numCTAs);
    bool valid = true;
    for (tle::LocalPtrOp op : pointers)
      valid &= succeeded(lowering.check(op));
    if (!valid)
      return signalPassFailure();
    for (tle::LocalPtrOp op : pointers)
      lowering.lower(op);
    if (lowering.foundAtomic())
      getOperation()->setAttr(kLate,
                              Builder(&getContext()).getI32IntegerAttr(1));
  }
};
} // namespace
