//===- TleDialect.cpp - Verifiers and effects of the `tle` dialect --------===//

#include "tle/ir/TleDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using flagtree::tt::PointerType;
using flagtree::tt::TensorDescType;
using flagtree::ttg::MemDescType;
using flagtree::ttg::NvmmaSharedAttr;

#include "tle/ir/TleDialect.cpp.inc"

namespace flagtree::tle {

void TleDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tle/ir/TleOps.cpp.inc"
      >();
}

unsigned defaultSwizzle(ArrayRef<int64_t> shape, unsigned elementBits) {
  if (shape.size() < 2)
    return 0;
  int64_t rows = 1;
  for (int64_t size : shape.drop_back())
    rows *= size;
  if (rows < 8)
    return 0;
  int64_t bytes = shape.back() * elementBits / 8;
  for (unsigned swizzle : {128u, 64u, 32u})
    if (bytes >= swizzle && bytes % swizzle == 0)
      return swizzle;
  return 0;
}

static MemDescType barrierType(MLIRContext *context, ArrayRef<int64_t> shape) {
  auto layout = ttg::SwizzledSharedAttr::get(context, 1, 1, 1, {0}, {});
  return MemDescType::get(shape, IntegerType::get(context, 64), layout,
                          ttg::SharedMemoryAttr::get(context),
                          /*mutableMemory=*/true);
}

MemDescType barrierArrayType(MLIRContext *context, int64_t count) {
  return barrierType(context, {count, 1});
}

MemDescType barrierSlotType(MLIRContext *context) {
  return barrierType(context, {1});
}

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

static std::string shapeText(ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(
             llvm::map_range(shape,
                             [](int64_t size) { return std::to_string(size); }),
             ", ") +
         "]";
}

/// L24: whoever writes a buffer needs a mutable one.
static LogicalResult verifyMutable(Operation *op, MemDescType buffer) {
  if (buffer.getMutableMemory())
    return success();
  return op->emitOpError("[L24] the buffer is read-only; a buffer that is "
                         "written must be mutable: ")
         << buffer;
}

/// L20: a tensor that is the contents of a whole buffer.
static LogicalResult verifyWhole(Operation *op, RankedTensorType tensor,
                                 MemDescType buffer) {
  if (tensor.getShape() == buffer.getShape() &&
      tensor.getElementType() == buffer.getElementType())
    return success();
  return op->emitOpError("[L20] a tensor of shape ")
         << shapeText(tensor.getShape()) << " and element type "
         << tensor.getElementType()
         << " is not the contents of a buffer of shape "
         << shapeText(buffer.getShape()) << " and element type "
         << buffer.getElementType() << "; both must be equal";
}

/// C20 to C23: pointers and mask of a copy between global memory and a buffer.
static LogicalResult verifyPointers(Operation *op, RankedTensorType pointers,
                                    MemDescType buffer, RankedTensorType mask) {
  if (pointers.getShape() != buffer.getShape())
    return op->emitOpError("[C20] pointers of shape ")
           << shapeText(pointers.getShape())
           << " do not match the buffer's shape "
           << shapeText(buffer.getShape())
           << "; a copy moves the whole buffer, so the shapes must be equal";
  auto pointer = cast<PointerType>(pointers.getElementType());
  if (pointer.getPointeeType() != buffer.getElementType())
    return op->emitOpError("[C21] pointers to ")
           << pointer.getPointeeType() << " do not match a buffer of "
           << buffer.getElementType() << "; cast the pointers or allocate the "
           << "buffer with the pointers' element type";
  if (pointer.getAddressSpace() != 1)
    return op->emitOpError("[C22] pointers of address space ")
           << pointer.getAddressSpace()
           << " are not global; a copy goes between global memory (address "
              "space 1) and a buffer";
  if (mask && mask.getShape() != buffer.getShape())
    return op->emitOpError("[C23] a mask of shape ")
           << shapeText(mask.getShape())
           << " does not match the buffer's shape "
           << shapeText(buffer.getShape()) << "; broadcast it to that shape";
  return success();
}

/// C24 to C27: descriptor, coordinates and buffer of a TMA copy.
static LogicalResult verifyTma(Operation *op, TensorDescType desc,
                               unsigned coords, MemDescType buffer) {
  RankedTensorType block = desc.getSignlessBlockType();
  ArrayRef<int64_t> shape = block.getShape();
  size_t extra =
      shape.size() - std::min(shape.size(), buffer.getShape().size());
  if (shape.drop_front(extra) != buffer.getShape() ||
      llvm::any_of(shape.take_front(extra),
                   [](int64_t size) { return size != 1; }))
    return op->emitOpError("[C24] a descriptor with block shape ")
           << shapeText(shape) << " does not match a buffer of shape "
           << shapeText(buffer.getShape())
           << "; the shapes must be equal, but for leading dimensions of 1 of "
              "the descriptor";
  if (block.getElementType() != buffer.getElementType())
    return op->emitOpError("[C25] a descriptor of ")
           << block.getElementType() << " does not match a buffer of "
           << buffer.getElementType() << "; element types must be equal";
  if (coords != shape.size())
    return op->emitOpError("[C26] ")
           << coords << " coordinates given for a descriptor of rank "
           << shape.size() << "; give one offset per dimension";
  auto layout = dyn_cast<NvmmaSharedAttr>(buffer.getEncoding());
  unsigned swizzle =
      defaultSwizzle(shape, block.getElementType().getIntOrFloatBitWidth());
  if (!layout || layout.getTransposed() || layout.getFp4Padded() ||
      layout.getSwizzlingByteWidth() != swizzle)
    return op->emitOpError("[C27] a TMA copy needs the buffer in the layout of "
                           "the descriptor, an nvmma layout that is not "
                           "transposed and has a swizzle of ")
           << swizzle << " bytes, but the buffer has " << buffer.getEncoding()
           << "; allocate it with nv_mma_shared_layout=True and no layout";
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  MemDescType buffer = getBuffer().getType();
  if (!buffer.getMutableMemory() ||
      buffer.getShape() != buffer.getAllocShape() ||
      !isa<ttg::SharedMemoryAttr>(buffer.getMemorySpace()))
    return emitOpError("[A20] the result must be a mutable descriptor in "
                       "#ttg.shared_memory and no view of another, but it is ")
           << buffer;
  if (Value init = getInit()) {
    auto tensor = cast<RankedTensorType>(init.getType());
    if (tensor.getShape() != buffer.getShape() ||
        tensor.getElementType() != buffer.getElementType())
      return emitOpError("[A21] an initial value of shape ")
             << shapeText(tensor.getShape()) << " and element type "
             << tensor.getElementType() << " does not fit a buffer of shape "
             << shapeText(buffer.getShape()) << " and element type "
             << buffer.getElementType() << "; both must be equal";
  }
  if (std::optional<uint32_t> alignment = getAlignment();
      alignment && !llvm::isPowerOf2_32(*alignment))
    return emitOpError("[A22] an alignment of ")
           << *alignment << " bytes is not a power of two";
  return success();
}

void AllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       getOperation()->getOpResult(0));
  if (getInit())
    effects.emplace_back(MemoryEffects::Write::get(),
                         getOperation()->getOpResult(0));
}

LogicalResult SlotOp::verify() {
  MemDescType buffer = getBuffer().getType();
  MemDescType slot = getSlot().getType();
  if (buffer.getShape().size() < 2 ||
      slot.getShape() != buffer.getShape().drop_front() ||
      slot.getElementType() != buffer.getElementType() ||
      slot.getMemorySpace() != buffer.getMemorySpace() ||
      slot.getMutableMemory() != buffer.getMutableMemory())
    return emitOpError("[A23] the slot of a buffer of rank 2 or more is that "
                       "buffer without its first dimension; got ")
           << slot << " from " << buffer;
  APInt index;
  if (matchPattern(getIndex(), m_ConstantInt(&index)) &&
      (index.isNegative() || index.sge(buffer.getShape().front())))
    return emitOpError("[A24] slot ")
           << index.getSExtValue() << " of a buffer with "
           << buffer.getShape().front()
           << " slots does not exist; slots count from 0";
  return success();
}

LogicalResult LocalLoadOp::verify() {
  return verifyWhole(*this, cast<RankedTensorType>(getTile().getType()),
                     getBuffer().getType());
}

LogicalResult LocalStoreOp::verify() {
  if (failed(verifyWhole(*this, cast<RankedTensorType>(getValue().getType()),
                         getBuffer().getType())))
    return failure();
  return verifyMutable(*this, getBuffer().getType());
}

LogicalResult LocalPtrOp::verify() {
  MemDescType buffer = getBuffer().getType();
  size_t rank = buffer.getShape().size();
  if (!getIndices().empty() && getIndices().size() != rank)
    return emitOpError("[L21] ")
           << getIndices().size() << " indices given for a buffer of rank "
           << rank << "; give one per dimension, or none for the whole buffer";
  if (!getIndices().empty()) {
    auto shapeOf = [](Type type) -> std::optional<ArrayRef<int64_t>> {
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        return tensor.getShape();
      return std::nullopt;
    };
    auto shape = shapeOf(getIndices().front().getType());
    if (llvm::any_of(getIndices(), [&](Value index) {
          return shapeOf(index.getType()) != shape;
        }))
      return emitOpError("[L22] indices must be all scalars, or all tensors of "
                         "one shape");
  }

  auto pointer =
      dyn_cast<PointerType>(getElementTypeOrSelf(getPtrs().getType()));
  auto pointers = dyn_cast<RankedTensorType>(getPtrs().getType());
  ArrayRef<int64_t> shape = buffer.getShape();
  bool scalar = false;
  if (!getIndices().empty()) {
    auto index = dyn_cast<RankedTensorType>(getIndices().front().getType());
    scalar = !index;
    shape = index ? index.getShape() : ArrayRef<int64_t>();
  }
  if (scalar == static_cast<bool>(pointers) ||
      (pointers && pointers.getShape() != shape) ||
      pointer.getPointeeType() != buffer.getElementType() ||
      pointer.getAddressSpace() != tt::kGlobal)
    return emitOpError("[L23] the result must be ")
           << (scalar ? "one pointer" : "pointers of shape ")
           << (scalar ? std::string() : shapeText(shape)) << " to "
           << buffer.getElementType() << " in address space 1, but it is "
           << getPtrs().getType();
  return success();
}

LogicalResult MemorySpaceOp::verify() {
  if (getSpace() != "smem")
    return emitOpError("[M20] memory space \"")
           << getSpace() << "\" is not supported; the only one is \"smem\"";
  auto tensor = cast<RankedTensorType>(getInput().getType());
  Type element = tensor.getElementType();
  if (tensor != getOutput().getType() || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() < 8)
    return emitOpError(
               "[M21] input and result must be of one type, a tensor of "
               "integers or floats of 8 bits or more; got ")
           << tensor << " and " << getOutput().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The type of an optional mask operand, or null.
static RankedTensorType maskType(Value mask) {
  return mask ? cast<RankedTensorType>(mask.getType()) : RankedTensorType();
}

LogicalResult CopyOp::verify() {
  if (failed(verifyPointers(*this, cast<RankedTensorType>(getPtrs().getType()),
                            getBuffer().getType(), maskType(getMask()))))
    return failure();
  return verifyMutable(*this, getBuffer().getType());
}

LogicalResult CopyOutOp::verify() {
  return verifyPointers(*this, cast<RankedTensorType>(getPtrs().getType()),
                        getBuffer().getType(), maskType(getMask()));
}

LogicalResult TmaLoadOp::verify() {
  if (failed(verifyTma(*this, getDesc().getType(), getCoords().size(),
                       getBuffer().getType())))
    return failure();
  return verifyMutable(*this, getBuffer().getType());
}

LogicalResult TmaStoreOp::verify() {
  return verifyTma(*this, getDesc().getType(), getCoords().size(),
                   getBuffer().getType());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Counts of an mbarrier have 20 bits, and one value is no count.
constexpr int64_t kMaxBarrierCount = (1 << 20) - 1;

static bool isBarrierCount(int64_t count) {
  return count >= 1 && count <= kMaxBarrierCount;
}

/// B24: what an operation on a barrier takes.
static LogicalResult verifySlot(Operation *op, Value barrier) {
  MemDescType slot = barrierSlotType(op->getContext());
  if (barrier.getType() == slot)
    return success();
  return op->emitOpError("[B24] expects one slot of barriers, ")
         << slot << ", but got " << barrier.getType()
         << "; take a slot of what tle.gpu.alloc_barriers returned";
}

LogicalResult AsyncTmaLoadOp::verify() {
  if (failed(verifyTma(*this, getDesc().getType(), getCoords().size(),
                       getBuffer().getType())) ||
      failed(verifyMutable(*this, getBuffer().getType())))
    return failure();
  return verifySlot(*this, getBarrier());
}

LogicalResult AllocBarriersOp::verify() {
  MemDescType type = getBarriers().getType();
  if (type != barrierArrayType(getContext(), type.getShape().front()))
    return emitOpError("[B20] the result must be an array of barriers such as ")
           << barrierArrayType(getContext(), 1) << ", but it is " << type;
  if (!isBarrierCount(getArriveCount()))
    return emitOpError("[B21] an arrive_count of ")
           << static_cast<int32_t>(getArriveCount())
           << " is not possible; it counts from 1 to " << kMaxBarrierCount;
  std::optional<uint32_t> bytes = getExpectBytes();
  if (bytes && !isBarrierCount(*bytes))
    return emitOpError("[B22] expect_bytes of ")
           << static_cast<int32_t>(*bytes)
           << " is not possible; one use of a barrier counts 1 to "
           << kMaxBarrierCount << " bytes";
  if (bytes && getArriveCount() != 1)
    return emitOpError("[B23] a barrier with expect_bytes has arrive_count 1, "
                       "the arrival that its TMA copies make together, but "
                       "got ")
           << getArriveCount();
  return success();
}

void AllocBarriersOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       getOperation()->getOpResult(0));
}

LogicalResult BarrierWaitOp::verify() {
  return verifySlot(*this, getBarrier());
}

LogicalResult BarrierArriveOp::verify() {
  if (failed(verifySlot(*this, getBarrier())))
    return failure();
  if (isBarrierCount(getCount()))
    return success();
  return emitOpError("[B25] an arrival cannot count ")
         << static_cast<int32_t>(getCount()) << "; it counts from 1 to "
         << kMaxBarrierCount;
}

LogicalResult NamedBarrierWaitOp::verify() {
  return verifySlot(*this, getBarrier());
}

LogicalResult NamedBarrierArriveOp::verify() {
  return verifySlot(*this, getBarrier());
}

//===----------------------------------------------------------------------===//
// Asynchronous matrix products
//===----------------------------------------------------------------------===//

/// True for the element types that WGMMA multiplies and those it adds to.
static bool areWgmmaTypes(Type a, Type b, Type acc) {
  if (a.isF16())
    return b.isF16() && (acc.isF32() || acc.isF16());
  if (isa<Float8E4M3FNType, Float8E5M2Type>(a))
    return isa<Float8E4M3FNType, Float8E5M2Type>(b) &&
           (acc.isF32() || acc.isF16());
  if (a.isBF16() || a.isF32())
    return b == a && acc.isF32();
  return a.isInteger(8) && b.isInteger(8) && acc.isInteger(32);
}

/// W23 and W25: how an operand in memory lies there. Dimension `k`, before
/// transposition, is the one that is summed over.
static LogicalResult verifyWgmmaOperand(WgmmaOp op, StringRef name,
                                        MemDescType operand, size_t k) {
  unsigned bits = operand.getElementTypeBitWidth();
  auto layout = dyn_cast<NvmmaSharedAttr>(operand.getEncoding());
  if (!layout || layout.getFp4Padded() || layout.getElementBitWidth() != bits)
    return op.emitOpError("[W23] operand ")
           << name << " has the layout " << operand.getEncoding()
           << ", but WGMMA reads memory in an nvmma layout of its element type "
              "only; allocate it with nv_mma_shared_layout=True";
  size_t contiguous = layout.getTransposed() ? 0 : 1;
  if (bits != 16 && contiguous != k)
    return op.emitOpError("[W25] operand ")
           << name << " of " << operand.getElementType()
           << " would be read along M or N, which WGMMA can only do with "
              "elements of 16 bits; store it with K as the contiguous dimension"
           << (name == "a" ? "" : " and use trans_b=True");
  return success();
}

LogicalResult WgmmaOp::verify() {
  auto a = cast<ShapedType>(getA().getType());
  MemDescType b = getB().getType();
  auto acc = cast<RankedTensorType>(getAcc().getType());
  auto matrix = [](ShapedType type, bool transposed) {
    SmallVector<int64_t> shape(type.getShape());
    if (transposed)
      std::reverse(shape.begin(), shape.end());
    return shape;
  };
  SmallVector<int64_t> left = matrix(a, getTransA()),
                       right = matrix(b, getTransB());
  if (left.size() != 2 || right.size() != 2 || acc.getRank() != 2 ||
      left[1] != right[0] || left[0] != acc.getDimSize(0) ||
      right[1] != acc.getDimSize(1))
    return emitOpError("[W20] a product of ")
           << shapeText(left) << " and " << shapeText(right)
           << " does not fit an accumulator of shape "
           << shapeText(acc.getShape())
           << "; [M, K] times [K, N] makes [M, N], after the transpositions";

  Type element = a.getElementType();
  if (!areWgmmaTypes(element, b.getElementType(), acc.getElementType()))
    return emitOpError("[W22] WGMMA has no product of ")
           << element << " and " << b.getElementType() << " that adds to "
           << acc.getElementType()
           << "; it has f16 with an accumulator of f16 or f32, bf16 with f32, "
              "f32 (as tf32) with f32, f8E4M3FN and f8E5M2 with f16 or f32, i8 "
              "with i32";
  int64_t m = left[0], n = right[1], k = left[1];
  int64_t step = 256 / element.getIntOrFloatBitWidth();
  if (m % 64 != 0 || n < 8 || n > 256 || !llvm::isPowerOf2_64(n) ||
      k % step != 0)
    return emitOpError("[W21] WGMMA has no product with M = ")
           << m << ", N = " << n << ", K = " << k
           << "; M must be a multiple of 64, N one of 8, 16, 32, 64, 128 and "
              "256, and K a multiple of "
           << step << " for " << element;

  if (getTransA() && isa<RankedTensorType>(a))
    return emitOpError("[W24] a tensor as operand a cannot be transposed; "
                       "transpose it by tl.trans, or store it in a buffer");
  if (auto memory = dyn_cast<MemDescType>(a))
    if (failed(verifyWgmmaOperand(*this, "a", memory, getTransA() ? 0 : 1)))
      return failure();
  if (failed(verifyWgmmaOperand(*this, "b", b, getTransB() ? 1 : 0)))
    return failure();

  constexpr uint32_t kFewestImprecise = 32;
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element) &&
      acc.getElementType().isF32() &&
      getMaxNumImpreciseAcc() < kFewestImprecise)
    return emitOpError("[W26] max_num_imprecise_acc of ")
           << getMaxNumImpreciseAcc()
           << " is too small for products of float8; "
           << "it is " << kFewestImprecise << " or more";
  if (getInit() && getInit().getType() != acc)
    return emitOpError("[W27] an accumulator of type ")
           << getInit().getType() << " does not fit the result type " << acc
           << "; both must be equal";
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  constexpr uint32_t kMostPending = 7;
  if (getPendings() > kMostPending)
    return emitOpError("[W28] ") << static_cast<int32_t>(getPendings())
                                 << " products cannot be left pending; 0 to "
                                 << kMostPending << " can";
  if (getAcc().getType() != getResult().getType())
    return emitOpError("[W29] the result must have the type of the "
                       "accumulator, ")
           << getAcc().getType() << ", but it is " << getResult().getType();
  return success();
}

} // namespace flagtree::tle

#define GET_OP_CLASSES
#include "tle/ir/TleOps.cpp.inc"
