//===- LowerSharedAtomics.cpp - Atomics on buffers ------------------------===//

#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nvidia_backend/transforms/Memory.h"
#include "nvidia_backend/transforms/Passes.h"
#include "nvidia_backend/transforms/SharedAccess.h"
#include "nvidia_backend/transforms/SharedAddress.h"

namespace flagtree::nvidia {
#define GEN_PASS_DEF_TLELOWERSHAREDATOMICS
#include "nvidia_backend/transforms/Passes.h.inc"
} // namespace flagtree::nvidia

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

/// The bits of the thread number in which threads with the same elements of a
/// tensor of `shape` differ. `layout` is a default one: one element per thread
/// and step, so that no thread holds an element twice. Of the threads of a
/// worker, whose numbers start at a multiple of 32, just one of those has zeros
/// there as well: adding a constant permutes the values of the mask from the
/// lowest bit up.
static uint32_t replicaBits(ArrayRef<int64_t> shape, ttg::BlockedAttr layout) {
  uint32_t mask = 0, bit = 1;
  SmallVector<int64_t> covered(shape.size(), 1);
  for (ArrayRef<int32_t> counts :
       {layout.getThreadsPerWarp(), layout.getWarpsPerCTA()})
    for (int32_t dim : layout.getOrder())
      for (int32_t left = counts[dim]; left > 1; left /= 2, bit *= 2) {
        if (covered[dim] >= shape[dim])
          mask |= bit;
        covered[dim] *= 2;
      }
  return mask;
}

/// The number of the element along dimension `dim`, for a tensor of `type`.
static Value iota(OpBuilder &builder, Location loc, RankedTensorType type,
                  int64_t dim) {
  // The layout of a tensor of that dimension alone: all others sliced away, the
  // last one first, and put back the other way round.
  SmallVector<int64_t> others;
  SmallVector<Attribute> layouts = {type.getEncoding()};
  for (int64_t axis = type.getRank(); axis-- > 0;)
    if (axis != dim) {
      others.push_back(axis);
      layouts.push_back(
          ttg::SliceAttr::get(builder.getContext(), axis, layouts.back()));
    }
  Type i32 = builder.getI32Type();
  int64_t size = type.getShape()[dim];
  SmallVector<int64_t> shape = {size};
  auto create = [&](StringRef name, ValueRange operands,
                    ArrayRef<NamedAttribute> properties) {
    return createOp(builder, loc, name, operands,
                    RankedTensorType::get(shape, i32, layouts.pop_back_val()),
                    properties)
        ->getResult(0);
  };
  Value index =
      create("tt.make_range", {},
             {builder.getNamedAttr("start", builder.getI32IntegerAttr(0)),
              builder.getNamedAttr("end", builder.getI32IntegerAttr(size))});
  for (int64_t axis : llvm::reverse(others)) {
    shape.insert(shape.begin() + axis, 1);
    index =
        create("tt.expand_dims", index,
               builder.getNamedAttr("axis", builder.getI32IntegerAttr(axis)));
  }
  auto whole = type.clone(i32);
  return index.getType() == whole
             ? index
             : createOp(builder, loc, "tt.broadcast", index, whole)
                   ->getResult(0);
}

namespace {

/// One atomic on the way to inline assembly.
///
/// A tensor may have every element in several threads, and a scalar is in all
/// of them, but each element is updated once: by the thread whose bits of
/// `replicaBits` are zero. The others get the old value through a scratch
/// buffer.
class AtomicLowering {
public:
  AtomicLowering(Operation *atomic, int32_t numWarps, int32_t capability);
  void lower();

private:
  Value inLayout(Value value, Attribute layout);
  Value addressInRegisters();
  std::string code(std::optional<size_t> scratchOperand) const;
  std::string compareAndSwapLoop() const;
  Value createScratch(Value &address);
  Value readScratch(Value scratch);

  Operation *atomic;
  OpBuilder builder;
  Location loc;
  int32_t capability;

  Type type;                  ///< of the elements, as the operation has them
  RankedTensorType tensor;    ///< null for a scalar
  ttg::BlockedAttr ownLayout; ///< of the assembly's operands
  uint32_t replicas;          ///< bits that must be zero in the owning thread
  AsmRegister reg;
  std::string instruction;
};

} // namespace

AtomicLowering::AtomicLowering(Operation *atomic, int32_t numWarps,
                               int32_t capability)
    : atomic(atomic), builder(atomic), loc(atomic->getLoc()),
      capability(capability), type(atomic->getResult(0).getType()),
      tensor(dyn_cast<RankedTensorType>(type)),
      replicas(uint32_t(numWarps) * 32 - 1),
      reg(AsmRegister::forType(tt::elementOf(type))) {
  if (tensor) {
    ownLayout =
        ttg::defaultBlocked(builder.getContext(), tensor.getShape(), numWarps);
    replicas = replicaBits(tensor.getShape(), ownLayout);
  }
  // tle-lower-local-ptr lets no other atomics through.
  instruction = *atomicInstruction(atomic, tt::elementOf(type));
}

Value AtomicLowering::inLayout(Value value, Attribute layout) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor || tensor.getEncoding() == layout)
    return value;
  return convertLayout(builder, loc, value, layout);
}

/// The i32 address behind the pointers that tle-lower-local-ptr has made.
Value AtomicLowering::addressInRegisters() {
  auto like = [&](Type element) {
    return tensor ? Type(tensor.clone(element)) : element;
  };
  Value wide = createOp(builder, loc, "tt.ptr_to_int", atomic->getOperand(0),
                        like(builder.getI64Type()))
                   ->getResult(0);
  Value address =
      arith::TruncIOp::create(builder, loc, like(builder.getI32Type()), wide);
  return inLayout(address, ownLayout);
}

/// bfloat16 additions of targets without an instruction for them.
std::string AtomicLowering::compareAndSwapLoop() const {
  std::string swap = instruction;
  StringRef add = "add.noftz.bf16";
  swap.replace(swap.size() - add.size(), add.size(), "cas.b16");
  return "@!update bra done; ld.shared.b16 old, [$1]; "
         "again: mov.b16 seen, old; fma.rn.bf16 sum, seen, one, $2; " +
         swap +
         " old, [$1], seen, sum; setp.ne.b16 retry, old, seen; "
         "@retry bra again; done: ";
}

/// Operands: the address, one or two values, the mask of a tt.atomic_rmw, the
/// address in the scratch buffer. Where the mask is false the old value reads
/// as zero.
std::string AtomicLowering::code(std::optional<size_t> scratchOperand) const {
  bool isSwap = isOp(atomic, "tt.atomic_cas");
  bool hasMask = !isSwap && atomic->getNumOperands() == 3;
  bool needsLoop = StringRef(instruction).ends_with("bf16") && capability < 90;
  std::string text = "{ .reg .pred owner, update; .reg .b32 thread; .reg ." +
                     reg.moveType + " old; ";
  if (needsLoop)
    text += ".reg .pred retry; .reg .b16 seen, sum, one; mov.b16 one, 0x3F80; ";
  text += "mov.u32 thread, %tid.x; and.b32 thread, thread, " +
          std::to_string(replicas) + "; setp.eq.u32 owner, thread, 0; ";
  text += hasMask ? "and.pred update, owner, $3; " : "mov.pred update, owner; ";
  text += "mov." + reg.moveType + " old, 0; ";
  if (needsLoop)
    text += compareAndSwapLoop();
  else
    text += "@update " + instruction + " old, [$1], $2" +
            (isSwap ? ", $3; " : "; ");
  if (scratchOperand)
    text += "@owner st.shared." + reg.memoryType + " [$" +
            std::to_string(*scratchOperand) + "], old; mov.b32 $0, 0; }";
  else
    text += "mov." + reg.moveType + " $0, old; }";
  return text;
}

/// A buffer for one register per element, and in `address` the place of the
/// thread's own.
Value AtomicLowering::createScratch(Value &address) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> shape = tensor ? SmallVector<int64_t>(tensor.getShape())
                                      : SmallVector<int64_t>{1};
  SmallVector<int32_t> order(llvm::reverse(llvm::seq<int32_t>(shape.size())));
  auto buffer = ttg::MemDescType::get(
      shape, builder.getIntegerType(reg.width),
      ttg::SwizzledSharedAttr::get(context, 1, 1, 1, order, {}),
      ttg::SharedMemoryAttr::get(context), /*mutableMemory=*/true);
  Value scratch = createAlloc(builder, loc, buffer);
  address = sharedBase(builder, loc, scratch);
  if (!tensor)
    return scratch;

  auto numbers = RankedTensorType::get(shape, builder.getI32Type(), ownLayout);
  SmallVector<Value> indices;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    indices.push_back(iota(builder, loc, numbers, dim));
  auto layout = SharedAddress::of(buffer, [&] { return atomic->emitError(); });
  Value base =
      createOp(builder, loc, "tt.splat", address, numbers)->getResult(0);
  address = arith::AddIOp::create(builder, loc, base,
                                  layout->offset(builder, loc, indices));
  return scratch;
}

/// The old values, in the layout of the operation.
Value AtomicLowering::readScratch(Value scratch) {
  Type i = builder.getIntegerType(reg.width);
  auto loaded =
      tensor
          ? tensor.clone(i)
          : RankedTensorType::get({1}, i,
                                  ttg::defaultBlocked(builder.getContext(), {1},
                                                      (replicas + 1) / 32));
  Value old =
      createOp(builder, loc, "ttg.local_load", scratch, loaded)->getResult(0);
  return tensor ? old
                : createOp(builder, loc, "tt.unsplat", old, i)->getResult(0);
}

void AtomicLowering::lower() {
  Value result = atomic->getResult(0);
  // Without replicas in other threads or registers the old value is at hand.
  bool toScratch = !result.use_empty() && (!tensor || replicas != 0 ||
                                           tensor.getEncoding() != ownLayout);

  SmallVector<Value> operands = {addressInRegisters()};
  std::string constraints = ",r";
  for (Value value : atomic->getOperands().drop_front()) {
    bool isMask = tt::elementOf(value.getType()).isInteger(1);
    value = inLayout(value, ownLayout);
    operands.push_back(isMask ? value : toRegister(builder, loc, value));
    constraints += isMask ? ",b" : "," + reg.constraint;
  }
  Value scratch;
  std::optional<size_t> scratchOperand;
  if (toScratch) {
    scratch = createScratch(operands.emplace_back());
    scratchOperand = operands.size();
    constraints += ",r";
    // Others may still read what the memory held before.
    createBarrier(builder, loc);
  }
  Type resultType = operands.front().getType(); // i32, for nobody
  if (!toScratch)
    resultType = reg.likeType(resultType);
  Operation *access =
      createAsm(builder, loc, code(scratchOperand),
                (toScratch ? "=&r" : "=&" + reg.constraint) + constraints,
                operands, resultType, SharedAccess::Atomic);

  if (!result.use_empty()) {
    Value old = access->getResult(0);
    if (toScratch) {
      createBarrier(builder, loc);
      old = readScratch(scratch);
      createOp(builder, loc, "ttg.local_dealloc", scratch, {});
    }
    result.replaceAllUsesWith(fromRegister(builder, loc, old, type));
  }
  atomic->erase();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct TleLowerSharedAtomics
    : public flagtree::nvidia::impl::TleLowerSharedAtomicsBase<
          TleLowerSharedAtomics> {
  using TleLowerSharedAtomicsBase::TleLowerSharedAtomicsBase;

  void runOnOperation() override {
    SmallVector<Operation *> atomics;
    getOperation().walk([&](Operation *op) {
      if (op->getName().getStringRef().starts_with("tt.atomic_") &&
          accessOf(op))
        atomics.push_back(op);
    });
    Launch launch{numWarps, numCTAs, capability};
    for (Operation *atomic : atomics)
      AtomicLowering(atomic, launchAt(atomic, launch).numWarps, capability)
          .lower();
    getOperation()->removeAttr(kLate);
  }
};
} // namespace
