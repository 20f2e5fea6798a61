//===- Memory.cpp - What the lowerings share about buffers ----------------===//

#include "nvidia_backend/transforms/Memory.h"

#include "core/triton/Layouts.h"
#include "core/triton/TT.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tle/ir/TleDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace flagtree::nvidia {

Launch launchAt(Operation *op, const Launch &launch) {
  auto holder = op->getParentOfType<ttg::WarpSpecializePartitionsOp>();
  if (!holder)
    return launch;
  Region *partition = op->getParentRegion();
  while (partition->getParentOp() != holder)
    partition = partition->getParentRegion();
  auto specialized = cast<ttg::WarpSpecializeOp>(holder->getParentOp());
  int32_t numWarps =
      specialized.getPartitionNumWarps()[partition->getRegionNumber()];
  return {numWarps, launch.numCTAs, launch.capability};
}

//===----------------------------------------------------------------------===//
// Bridges
//===----------------------------------------------------------------------===//

static Value bridge(OpBuilder &builder, Location loc, Value value, Type type) {
  bool isFloat = isa<FloatType>(cast<RankedTensorType>(type).getElementType());
  return createOp(builder, loc, isFloat ? "tt.fp_to_fp" : "tt.broadcast", value,
                  type)
      ->getResult(0);
}

Value withLayout(OpBuilder &builder, Location loc, Value value,
                 const Launch &launch) {
  auto type = cast<RankedTensorType>(value.getType());
  return bridge(builder, loc, value,
                ttg::withDefaultLayout(type, launch.numWarps, launch.numCTAs));
}

Value withoutLayout(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return bridge(builder, loc, value, ttg::withoutLayout(type));
}

Value convertLayout(OpBuilder &builder, Location loc, Value value,
                    Attribute encoding) {
  auto type = cast<RankedTensorType>(value.getType());
  return createOp(builder, loc, "ttg.convert_layout", value,
                  ttg::withLayout(type, encoding))
      ->getResult(0);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

int64_t bytesOf(ttg::MemDescType buffer) {
  int64_t bits = buffer.getElementType().getIntOrFloatBitWidth();
  for (int64_t size : buffer.getShape())
    bits *= size;
  return bits / 8;
}

bool isBarrierType(Type type) {
  auto buffer = dyn_cast<ttg::MemDescType>(type);
  return buffer && (buffer == tle::barrierSlotType(type.getContext()) ||
                    buffer == tle::barrierArrayType(type.getContext(),
                                                    buffer.getShape().front()));
}

Value createAlloc(OpBuilder &builder, Location loc, ttg::MemDescType type,
                  IntegerAttr alignment) {
  SmallVector<NamedAttribute> properties;
  if (alignment)
    properties.push_back(builder.getNamedAttr("alignment", alignment));
  return createOp(builder, loc, "ttg.local_alloc", {}, type, properties)
      ->getResult(0);
}

Value createLoad(OpBuilder &builder, Location loc, Value ptrs, Value mask) {
  auto type = cast<RankedTensorType>(ptrs.getType());
  auto pointer = cast<tt::PointerType>(type.getElementType());
  auto tile = RankedTensorType::get(type.getShape(), pointer.getPointeeType());
  SmallVector<Value> operands = {ptrs};
  if (mask) {
    auto zero = cast<ElementsAttr>(builder.getZeroAttr(tile));
    operands.append({mask, arith::ConstantOp::create(builder, loc, zero)});
  }
  int32_t masked = mask ? 1 : 0;
  return createOp(
             builder, loc, "tt.load", operands, tile,
             {builder.getNamedAttr("boundaryCheck",
                                   builder.getDenseI32ArrayAttr({})),
              builder.getNamedAttr("cache", builder.getI32IntegerAttr(1)),
              builder.getNamedAttr("evict", builder.getI32IntegerAttr(1)),
              builder.getNamedAttr("isVolatile", builder.getBoolAttr(false)),
              builder.getNamedAttr(
                  "operandSegmentSizes",
                  builder.getDenseI32ArrayAttr({1, masked, masked}))})
      ->getResult(0);
}

void createStore(OpBuilder &builder, Location loc, Value ptrs, Value value,
                 Value mask) {
  SmallVector<Value> operands = {ptrs, value};
  if (mask)
    operands.push_back(mask);
  createOp(
      builder, loc, "tt.store", operands, {},
      {builder.getNamedAttr("boundaryCheck", builder.getDenseI32ArrayAttr({})),
       builder.getNamedAttr("cache", builder.getI32IntegerAttr(1)),
       builder.getNamedAttr("evict", builder.getI32IntegerAttr(1))});
}

void createTmaLoad(OpBuilder &builder, Location loc, Value desc,
                   ValueRange coords, Value barrier, Value buffer) {
  SmallVector<Value> operands = {desc};
  llvm::append_range(operands, coords);
  operands.append(
      {barrier, buffer, arith::ConstantIntOp::create(builder, loc, 1, 1)});
  createOp(builder, loc, "ttng.async_tma_copy_global_to_local", operands, {},
           {builder.getNamedAttr("cache", builder.getI32IntegerAttr(1)),
            builder.getNamedAttr("evict", builder.getI32IntegerAttr(1)),
            builder.getNamedAttr("isVolatile", builder.getBoolAttr(false))});
}

Value targetOfTmaLoad(Operation *op) {
  if (!isOp(op, "ttng.async_tma_copy_global_to_local"))
    return {};
  return op->getOperand(op->getNumOperands() - 2); // then comes the predicate
}

void createExpect(OpBuilder &builder, Location loc, Value barrier,
                  int64_t bytes) {
  Value always = arith::ConstantIntOp::create(builder, loc, 1, 1);
  createOp(builder, loc, "ttng.barrier_expect", {barrier, always}, {},
           {builder.getNamedAttr("size", builder.getI32IntegerAttr(bytes))});
}

Operation *createWait(OpBuilder &builder, Location loc, Value barrier,
                      Value phase) {
  return createOp(
      builder, loc, "ttng.wait_barrier", {barrier, phase}, {},
      {builder.getNamedAttr("operandSegmentSizes",
                            builder.getDenseI32ArrayAttr({1, 1, 0, 0}))});
}

Value createBarrierAssembly(OpBuilder &builder, Location loc, Value barrier,
                            ValueRange operands, const Twine &code) {
  Type word = builder.getI32Type();
  Value wide = createOp(builder, loc, "tti.experimental_memdesc_to_i64",
                        barrier, builder.getI64Type())
                   ->getResult(0);
  SmallVector<Value> inputs = {
      arith::TruncIOp::create(builder, loc, word, wide)};
  llvm::append_range(inputs, operands);
  std::string constraints = "=r";
  for (size_t i = 0; i < inputs.size(); ++i)
    constraints += ",r";
  return createOp(
             builder, loc, "tt.elementwise_inline_asm", inputs, word,
             {builder.getNamedAttr("asm_string", builder.getStringAttr(code)),
              builder.getNamedAttr("constraints",
                                   builder.getStringAttr(constraints)),
              builder.getNamedAttr("packed_element",
                                   builder.getI32IntegerAttr(1)),
              builder.getNamedAttr("pure", builder.getBoolAttr(false))})
      ->getResult(0);
}

void createBarrier(OpBuilder &builder, Location loc) {
  createOp(builder, loc, "gpu.barrier", {}, {});
}

bool isBarrier(Operation *op) {
  return isOp(op, "gpu.barrier") || isOp(op, "ttg.local_barrier");
}

void createConvergent(OpBuilder &builder, Location loc, StringRef name,
                      ValueRange operands) {
  auto count = static_cast<int32_t>(operands.size());
  createOp(builder, loc, "llvm.call_intrinsic", operands, {},
           {builder.getNamedAttr("fastmathFlags",
                                 OpaqueAttr::get(builder.getStringAttr("llvm"),
                                                 "fastmath<none>",
                                                 builder.getNoneType())),
            builder.getNamedAttr("intrin", builder.getStringAttr(name)),
            builder.getNamedAttr("op_bundle_sizes",
                                 builder.getDenseI32ArrayAttr({})),
            builder.getNamedAttr("operandSegmentSizes",
                                 builder.getDenseI32ArrayAttr({count, 0}))});
}

void createInit(OpBuilder &builder, Location loc, Value barrier,
                int64_t count) {
  createOp(builder, loc, "ttng.init_barrier", barrier, {},
           {builder.getNamedAttr("count", builder.getI32IntegerAttr(count))});
}

void createProxyFence(OpBuilder &builder, Location loc) {
  createOp(builder, loc, "ttng.fence_async_shared", {}, {},
           {builder.getNamedAttr("bCluster", builder.getBoolAttr(false))});
}

//===----------------------------------------------------------------------===//
// Who writes what
//===----------------------------------------------------------------------===//

/// What the argument `value` of a worker stands for; null for any other value.
static Value captureOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto holder = argument ? dyn_cast<ttg::WarpSpecializePartitionsOp>(
                               argument.getOwner()->getParentOp())
                         : ttg::WarpSpecializePartitionsOp();
  if (!holder || !argument.getOwner()->isEntryBlock())
    return {};
  auto specialized = cast<ttg::WarpSpecializeOp>(holder->getParentOp());
  return specialized.getExplicitCaptures()[argument.getArgNumber()];
}

Value outsideOfWorkers(Value value) {
  while (Value capture = captureOf(value))
    value = capture;
  return value;
}

SmallVector<Value> namesOf(Value value) {
  SmallVector<Value> names = {value};
  for (size_t next = 0; next < names.size(); ++next)
    for (OpOperand &use : names[next].getUses())
      if (auto specialized = dyn_cast<ttg::WarpSpecializeOp>(use.getOwner()))
        for (Region &worker : specialized.getPartitionRegions())
          names.push_back(worker.getArgument(use.getOperandNumber()));
  return names;
}

Value rootOf(Value buffer) {
  while (true) {
    buffer = outsideOfWorkers(buffer);
    Operation *op = buffer.getDefiningOp();
    if (!isa_and_nonnull<tle::SlotOp>(op) && !isOp(op, "ttg.memdesc_index") &&
        !isOp(op, "ttg.memdesc_subslice") && !isOp(op, "ttg.memdesc_trans"))
      return buffer;
    buffer = op->getOperand(0);
  }
}

SmallVector<Operation *> endsOfScope(Value buffer) {
  Block *home = buffer.getParentBlock();
  DominanceInfo dominance(home->getParentOp());
  SmallVector<Operation *> ends;
  for (Block &block : *home->getParent()) {
    if (!dominance.dominates(home, &block))
      continue;
    Operation *end = block.getTerminator();
    bool leaves = end->getNumSuccessors() == 0 ||
                  llvm::any_of(end->getSuccessors(), [&](Block *next) {
                    return !dominance.dominates(home, next);
                  });
    if (leaves)
      ends.push_back(end);
  }
  return ends;
}

static bool isAllocation(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  return isa_and_nonnull<tle::AllocOp, tle::AllocBarriersOp>(op) ||
         isOp(op, "ttg.local_alloc");
}

/// Two allocations are distinct; anything else may be any buffer.
static bool mayBeSame(Value buffer, Value root) {
  Value other = rootOf(buffer);
  return other == root || !isAllocation(other) || !isAllocation(root);
}

bool isImpureForeignCode(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name != "tt.elementwise_inline_asm" && name != "tt.extern_elementwise")
    return false;
  auto pure = dyn_cast_or_null<BoolAttr>(propertyOf(op, "pure"));
  return !pure || !pure.getValue();
}

/// For the operations that are not registered here. A tt operation reaches
/// shared memory only through a pointer into it or through foreign code.
static bool mayWriteShared(Operation *op, Value root) {
  StringRef name = op->getName().getStringRef();
  if (isImpureForeignCode(op))
    return true;
  if (name.starts_with("tt.")) {
    bool writes = name == "tt.store" || name.starts_with("tt.atomic_");
    if (!writes)
      return false;
    // tle-lower-local-ptr has left atomics on buffers, whose pointers look
    // global.
    tt::PointerType pointer = tt::pointerOf(op->getOperand(0).getType());
    return !pointer || pointer.getAddressSpace() != tt::kGlobal ||
           op->hasAttr("tle.shared_access");
  }
  if (name == "ttg.local_store" || name == "ttg.async_copy_global_to_local")
    return mayBeSame(op->getOperand(1), root);
  return llvm::StringSwitch<bool>(name)
      .Cases({"ttg.convert_layout", "ttg.local_alloc", "ttg.local_load",
              "ttg.local_dealloc", "ttg.async_commit_group", "ttg.async_wait"},
             false)
      .Cases({"ttg.memdesc_index", "ttg.memdesc_subslice", "ttg.memdesc_trans",
              "ttng.warp_group_dot", "ttng.fence_async_shared", "gpu.barrier",
              "llvm.intr.assume"},
             false)
      .Default(true);
}

bool mayWrite(Operation *op, Value root) {
  if (isa<tle::WgmmaOp, tle::WgmmaWaitOp>(op))
    return false;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      if (mayWrite(&nested, root))
        return true;
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isMemoryEffectFree(op))
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return op->isRegistered() || mayWriteShared(op, root);
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [&](MemoryEffects::EffectInstance &effect) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()))
      return false;
    Value written = effect.getValue();
    return !written || (isa<ttg::MemDescType>(written.getType()) &&
                        mayBeSame(written, root));
  });
}

bool mayWriteBetween(Operation *from, Operation *to, Value root) {
  Operation *last = from->getBlock()->findAncestorOpInBlock(*to);
  if (!last || !from->isBeforeInBlock(last))
    return true;
  for (Operation *op = from->getNextNode(); op != last; op = op->getNextNode())
    if (mayWrite(op, root))
      return true;
  // A region may run more than once, so all of it counts.
  return last != to && mayWrite(last, root);
}

bool mayBeSunkPastWrite(Value buffer, Value tile) {
  Operation *op = tile.getDefiningOp();
  auto loop = op->getParentOfType<scf::ForOp>();
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    return user->getParentOfType<scf::ForOp>() != loop &&
           mayWriteBetween(op, user, rootOf(buffer));
  });
}

void keepLoopsAsWritten(Operation *op) {
  Builder builder(op->getContext());
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    loop->setAttr("tt.num_stages", builder.getI32IntegerAttr(0));
}

} // namespace flagtree::nvidia
