//===- TileOps.cpp - Verifiers, effects and folders of `tile` -------------===//

#include "flir/TileDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using flagtree::tt::PointerType;

namespace flagtree::tile {

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> valuesOf(ArrayAttr attr) {
  return llvm::map_to_vector(
      attr, [](Attribute value) { return cast<IntegerAttr>(value).getInt(); });
}

/// `[64, 32]`, for messages.
static std::string text(ArrayRef<int64_t> shape) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  llvm::interleaveComma(shape, stream << '[');
  stream << ']';
  return result;
}

/// T15: a builtin tensor that is the contents of a whole buffer.
static LogicalResult verifyWhole(Operation *op, RankedTensorType tensor,
                                 BufType buffer) {
  if (tensor.getShape() == buffer.getShape() &&
      tensor.getElementType() == buffer.getElementType())
    return success();
  return op->emitOpError("[T15] a tensor of shape ")
         << text(tensor.getShape()) << " and element type "
         << tensor.getElementType()
         << " is not the contents of a buffer of shape "
         << text(buffer.getShape()) << " and element type "
         << buffer.getElementType() << "; both must be equal";
}

/// T23: an axis that exists.
static LogicalResult verifyAxis(Operation *op, int64_t axis, TileType source) {
  if (axis >= 0 && axis < source.getRank())
    return success();
  return op->emitOpError("[T23] axis ")
         << axis << " does not exist in a tile of rank " << source.getRank();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  BufType type = getBuffer().getType();
  if ((!getSpace() || *getSpace() == type.getSpace()) &&
      (!getShape() ||
       ArrayRef<int64_t>(valuesOf(*getShape())) == type.getShape()) &&
      (!getDtype() || *getDtype() == type.getElementType()))
    return success();
  return emitOpError(
             "[T4] space, shape and dtype must repeat the result type, ")
         << type;
}

SmallVector<int64_t> SubviewOp::getStaticStrides() {
  return valuesOf(getStrides());
}

LogicalResult SubviewOp::verify() {
  BufType source = getSource().getType(), view = getView().getType();
  if (getOffsets().size() != source.getRank())
    return emitOpError("[T5] ")
           << getOffsets().size() << " offsets given for a buffer of rank "
           << source.getRank() << "; give one per dimension";
  SmallVector<int64_t> sizes = valuesOf(getSizes()),
                       strides = valuesOf(getStrides());
  if (ArrayRef<int64_t>(sizes) != view.getShape() ||
      strides.size() != view.getRank())
    return emitOpError("[T6] sizes ")
           << text(sizes) << " and strides " << text(strides)
           << " do not describe a view of shape " << text(view.getShape())
           << "; give its shape as sizes and one stride per dimension";
  if (llvm::any_of(strides, [](int64_t stride) { return stride < 1; }))
    return emitOpError("[T7] strides ")
           << text(strides) << " must all be positive";
  if (view.getRank() > source.getRank())
    return emitOpError("[T8] a view of rank ")
           << view.getRank() << " of a buffer of rank " << source.getRank()
           << " does not exist; a view has the buffer's rank or less";
  if (view.getElementType() != source.getElementType() ||
      view.getSpace() != source.getSpace())
    return emitOpError("[T9] the view ")
           << view << " must have the element type and the memory space of "
           << source;

  // A dropped dimension has extent 1.
  unsigned dropped = getDroppedDims();
  for (auto [dim, offset] : llvm::enumerate(getOffsets())) {
    APInt constant;
    if (!matchPattern(offset, m_ConstantInt(&constant)))
      continue;
    int64_t first = constant.getSExtValue();
    int64_t last = dim < dropped ? first
                                 : first + (sizes[dim - dropped] - 1) *
                                               strides[dim - dropped];
    if (first < 0 || last >= source.getShape()[dim])
      return emitOpError("[T10] the view covers [")
             << first << ", " << last << "] of dimension " << dim
             << ", which has size " << source.getShape()[dim];
  }
  return success();
}

OpFoldResult SubviewOp::fold(FoldAdaptor adaptor) {
  // The whole buffer. A view with a layout of its own is kept, for the
  // conversion to check.
  bool whole = getSource().getType() == getView().getType() &&
               !(*this)->hasAttr(kGpuLayout) &&
               llvm::all_of(adaptor.getOffsets(), [](Attribute offset) {
                 auto value = dyn_cast_or_null<IntegerAttr>(offset);
                 return value && value.getValue().isZero();
               });
  return whole ? getSource() : Value();
}

/// Shape of an operand of tile.copy; null for a pointer to a whole tile.
static std::optional<ArrayRef<int64_t>> copiedShape(Type type) {
  if (auto buffer = dyn_cast<BufType>(type))
    return buffer.getShape();
  if (auto tile = dyn_cast<TileType>(type))
    return tile.getShape();
  if (auto pointers = dyn_cast<RankedTensorType>(type))
    return pointers.getShape();
  return std::nullopt;
}

static Type copiedElement(Type type) {
  if (auto buffer = dyn_cast<BufType>(type))
    return buffer.getElementType();
  if (auto tile = dyn_cast<TileType>(type))
    return tile.getElementType();
  return tt::pointerOf(type).getPointeeType();
}

LogicalResult CopyOp::verify() {
  Type source = getSource().getType(), dest = getDest().getType();
  if (!isa<BufType, TileType>(source) && !tt::pointerOf(source))
    return emitOpError("[T11] the source must be a buffer, a tile tensor or "
                       "pointers, not ")
           << source;
  bool toBuffer = isa<BufType>(dest);
  if (!toBuffer && (!tt::pointerOf(dest) || tt::pointerOf(source)))
    return emitOpError("[T12] a copy goes into a buffer, or from a buffer or "
                       "tile tensor through pointers, not from ")
           << source << " to " << dest;
  auto from = copiedShape(source), to = copiedShape(dest);
  if (from && to) {
    SmallVector<int64_t> expected(*from);
    if (getTranspose() && expected.size() > 1)
      std::swap(expected[expected.size() - 1], expected[expected.size() - 2]);
    if (ArrayRef<int64_t>(expected) != *to)
      return emitOpError("[T13] a source of shape ")
             << text(*from) << " does not fit a destination of shape "
             << text(*to)
             << (getTranspose() ? " with its last two dimensions exchanged"
                                : "; a copy moves the whole tile");
  }
  if (copiedElement(source) != copiedElement(dest))
    return emitOpError("[T14] elements of type ")
           << copiedElement(source) << " cannot be copied to elements of type "
           << copiedElement(dest) << "; a copy does not convert";
  return success();
}

void CopyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // A tile tensor is a value; buffers and pointers are memory.
  if (!isa<TileType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

LogicalResult ToTensorOp::verify() {
  return verifyWhole(*this, cast<RankedTensorType>(getTensor().getType()),
                     getBuffer().getType());
}

LogicalResult StoreTensorOp::verify() {
  return verifyWhole(*this, cast<RankedTensorType>(getTensor().getType()),
                     getBuffer().getType());
}

LogicalResult VecFillOp::verify() {
  if (getValue().getType() == getBuffer().getType().getElementType())
    return success();
  return emitOpError("[T16] a scalar of type ")
         << getValue().getType() << " cannot fill a buffer of "
         << getBuffer().getType().getElementType();
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

LogicalResult GmOffsetOp::verify() {
  if (getIndices().size() == getStrides().size())
    return success();
  return emitOpError("[T17] ")
         << getIndices().size() << " indices given with " << getStrides().size()
         << " strides; give one stride per index";
}

OpFoldResult GmOffsetOp::fold(FoldAdaptor adaptor) {
  // Every product is zero, so the pointer stays.
  for (auto [index, stride] :
       llvm::zip_equal(adaptor.getIndices(), adaptor.getStrides()))
    if (llvm::none_of(ArrayRef<Attribute>{index, stride}, [](Attribute attr) {
          auto value = dyn_cast_or_null<IntegerAttr>(attr);
          return value && value.getValue().isZero();
        }))
      return {};
  return getPointer();
}

LogicalResult LoadOp::verify() {
  TileType tile = getTile().getType();
  if (getPointer().getType().getPointeeType() != tile.getElementType())
    return emitOpError("[T18] a pointer of type ")
           << getPointer().getType() << " does not point to elements of "
           << tile;
  if (getDstSpace() && *getDstSpace() != tile.getSpace())
    return emitOpError("[T19] dst_space is ")
           << stringifyMemorySpace(*getDstSpace())
           << ", but the tile is in memory space "
           << stringifyMemorySpace(tile.getSpace());
  return success();
}

LogicalResult StoreOp::verify() {
  Type value = getValue().getType();
  if (isa<BufType, TileType>(value) &&
      copiedElement(value) == getPointer().getType().getPointeeType())
    return success();
  return emitOpError("[T18] the value must be a buffer or tile tensor of the "
                     "element type of ")
         << getPointer().getType() << ", not " << value;
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (isa<BufType>(getValue().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getValueMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getPointerMutable());
}

//===----------------------------------------------------------------------===//
// Matrix unit
//===----------------------------------------------------------------------===//

/// Shape of a factor as it is multiplied.
static SmallVector<int64_t> factorShape(BufType factor, bool transpose) {
  SmallVector<int64_t> shape(factor.getShape());
  if (transpose && shape.size() == 2)
    std::swap(shape[0], shape[1]);
  return shape;
}

LogicalResult CubeLaunchOp::verify() {
  BufType a = getA().getType(), b = getB().getType(), acc = getAcc().getType();
  SmallVector<int64_t> left = factorShape(a, getTransposeA()),
                       right = factorShape(b, getTransposeB());
  if (left.size() != 2 || right.size() != 2 || acc.getRank() != 2 ||
      left[1] != right[0] || acc.getShape()[0] != left[0] ||
      acc.getShape()[1] != right[1])
    return emitOpError("[T20] a product of ")
           << text(left) << " and " << text(right)
           << " does not fit an accumulator of shape " << text(acc.getShape())
           << "; matrices [m, k] and [k, n] make [m, n]";
  auto stages = [](BufType stage, BufType factor) {
    return stage.getShape() == factor.getShape() &&
           stage.getElementType() == factor.getElementType();
  };
  if (!stages(getStageA().getType(), a) || !stages(getStageB().getType(), b))
    return emitOpError("[T21] the stages ")
           << getStageA().getType() << " and " << getStageB().getType()
           << " must have shape and element type of the factors " << a
           << " and " << b;
  if (getDst().getType().getPointeeType() != acc.getElementType())
    return emitOpError("[T22] a product of ")
           << acc.getElementType() << " cannot be written through "
           << getDst().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  int64_t axis = getAxisAttr().getInt();
  if (failed(verifyAxis(*this, axis, source)))
    return failure();
  SmallVector<int64_t> expected(source.getShape());
  expected[axis] = 1;
  if (result != TileType::get(getContext(), expected, source.getElementType(),
                              source.getSpace()))
    return emitOpError("[T24] reducing ")
           << source << " along axis " << axis << " makes a tile of shape "
           << text(expected) << " of the same type, not " << result;
  if (!llvm::is_contained({"sum", "prod", "max", "min"}, getOp()))
    return emitOpError("[T25] \"")
           << getOp() << "\" is no reduction; use sum, prod, max or min";
  return success();
}

LogicalResult ElemwiseOp::verify() {
  unsigned arity = llvm::StringSwitch<unsigned>(getFunc())
                       .Cases({"add", "sub", "mul", "div", "max", "min"}, 2)
                       .Cases({"exp", "log", "sqrt", "rsqrt", "abs", "neg"}, 1)
                       .Default(0);
  if (arity == 0 || getNumOperands() != arity)
    return emitOpError("[T26] \"")
           << getFunc() << "\" with " << getNumOperands()
           << " operands is no function; use add, sub, mul, div, max, min with "
              "two or exp, log, sqrt, rsqrt, abs, neg with one";
  if (llvm::any_of(getOperandTypes(),
                   [&](Type type) { return type != getResult().getType(); }))
    return emitOpError("[T27] operands must have the type of the result, ")
           << getResult().getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  int64_t axis = getAxisAttr().getInt();
  if (failed(verifyAxis(*this, axis, source)))
    return failure();
  SmallVector<int64_t> shape = valuesOf(getShape()), base(shape);
  if (axis < static_cast<int64_t>(base.size()))
    base[axis] = 1;
  if (ArrayRef<int64_t>(base) != source.getShape() ||
      ArrayRef<int64_t>(shape) != result.getShape() ||
      source.getElementType() != result.getElementType() ||
      source.getSpace() != result.getSpace())
    return emitOpError("[T28] ")
           << source << " cannot be broadcast along axis " << axis << " to "
           << result << " with shape " << text(shape)
           << "; only that dimension, of size 1, may grow";
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getSource().getType() == getResult().getType() ? getSource() : Value();
}

LogicalResult CastOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (source.getShape() == result.getShape() &&
      source.getSpace() == result.getSpace())
    return success();
  return emitOpError("[T29] a cast converts elements only; shape and memory "
                     "space must stay, but ")
         << source << " is cast to " << result;
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getSource().getType() == getResult().getType() ? getSource() : Value();
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyFlag(Op op) {
  if (op.getProducer() != op.getConsumer())
    return success();
  return op.emitOpError("[T30] an event orders two queues, but producer and "
                        "consumer are both ")
         << stringifyPipe(op.getProducer());
}

LogicalResult SetFlagOp::verify() { return verifyFlag(*this); }

LogicalResult WaitFlagOp::verify() { return verifyFlag(*this); }

} // namespace flagtree::tile

#define GET_OP_CLASSES
#include "flir/TileOps.cpp.inc"
