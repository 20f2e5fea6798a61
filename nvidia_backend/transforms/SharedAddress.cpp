//===- SharedAddress.cpp - Where the elements of a buffer lie -------------===//

#include "nvidia_backend/transforms/SharedAddress.h"

#include "core/triton/Layouts.h"
#include "core/triton/Unregistered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flagtree;
using namespace flagtree::nvidia;

unsigned flagtree::nvidia::bytesInShared(Type elementType) {
  if (!elementType.isIntOrFloat())
    return 0;
  return std::max(elementType.getIntOrFloatBitWidth(), 8u) / 8;
}

Value flagtree::nvidia::i32Constant(OpBuilder &builder, Location loc, Type type,
                                    int64_t value) {
  TypedAttr attr = builder.getI32IntegerAttr(value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    attr = DenseElementsAttr::get(tensor, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

Value flagtree::nvidia::sharedBase(OpBuilder &builder, Location loc,
                                   Value buffer) {
  Value wide = createOp(builder, loc, "tti.experimental_memdesc_to_i64", buffer,
                        builder.getI64Type())
                   ->getResult(0);
  return arith::TruncIOp::create(builder, loc, builder.getI32Type(), wide);
}

//===----------------------------------------------------------------------===//
// Layouts as bases
//===----------------------------------------------------------------------===//

namespace {

/// An element's index, one number per dimension.
using Index = SmallVector<int64_t>;

/// Element k of the list is the index of the element at offset 2^k.
using Bases = SmallVector<Index>;

/// Appends the bits [`from`, `to`) of the index of dimension `dim` to `bases`.
void grow(Bases &bases, size_t rank, size_t dim, int64_t from, int64_t to) {
  for (int64_t value = from; value < to; value *= 2) {
    Index index(rank, 0);
    index[dim] = value;
    bases.push_back(std::move(index));
  }
}

/// swizzled_shared: the vectors of a row are permuted by its phase. Dimensions
/// beyond the two fastest follow in order.
Bases swizzledBases(ArrayRef<int64_t> shape, ttg::SwizzledSharedAttr layout) {
  size_t rank = shape.size();
  ArrayRef<int32_t> order = layout.getOrder();
  Bases bases;
  grow(bases, rank, order[0], 1, shape[order[0]]);
  for (size_t i = 1; i < rank; ++i) {
    size_t first = bases.size();
    grow(bases, rank, order[i], 1, shape[order[i]]);
    if (i > 1)
      continue;
    for (Index &index : MutableArrayRef(bases).drop_front(first)) {
      int64_t phase =
          index[order[1]] / layout.getPerPhase() % layout.getMaxPhase();
      index[order[0]] = layout.getVec() * phase % shape[order[0]];
    }
  }
  return bases;
}

/// nvmma_shared: boxes of at most 256 elements a side, as TMA moves them, whose
/// contiguous side is the swizzle's width; within a box the 16-byte vectors of
/// a row of all other dimensions are permuted. Fails where the shape has no
/// whole box.
FailureOr<Bases> nvmmaBases(ArrayRef<int64_t> shape,
                            ttg::NvmmaSharedAttr layout) {
  size_t rank = shape.size();
  SmallVector<int64_t> box;
  for (int64_t size : shape)
    box.push_back(std::min<int64_t>(size, 256));
  Bases bases;
  int64_t swizzle = layout.getSwizzlingByteWidth();
  if (swizzle == 0) {
    for (size_t dim = rank; dim-- > 0;)
      grow(bases, rank, dim, 1, box[dim]);
    for (size_t dim = rank; dim-- > 0;)
      grow(bases, rank, dim, box[dim], shape[dim]);
    return bases;
  }

  // The dimensions of the box from the outermost in, the contiguous one last.
  SmallVector<size_t> nest;
  for (size_t dim = 0; dim < rank; ++dim)
    nest.push_back(layout.getTransposed() ? (dim + 1) % rank : dim);
  size_t contiguous = nest.pop_back_val();
  int64_t elementBits = layout.getElementBitWidth();
  box[contiguous] = 8 * swizzle / elementBits;
  if (box[contiguous] > shape[contiguous])
    return failure();
  grow(bases, rank, contiguous, 1, box[contiguous]);
  int64_t vector = 128 / elementBits, perPhase = 128 / swizzle,
          maxPhase = swizzle / 16, row = 1;
  for (size_t dim : llvm::reverse(nest)) {
    size_t first = bases.size();
    grow(bases, rank, dim, 1, box[dim]);
    for (Index &index : MutableArrayRef(bases).drop_front(first)) {
      index[contiguous] = vector * (row / perPhase % maxPhase);
      row *= 2;
    }
  }
  for (size_t dim = 0; dim < rank; ++dim)
    grow(bases, rank, dim, box[dim], shape[dim]);
  return bases;
}

/// The offset of each index bit: the inverse of `bases` over bits. Index bits
/// are numbered through all dimensions, the first dimension first. Fails where
/// the layout is not one to one.
FailureOr<SmallVector<uint64_t>> invert(ArrayRef<int64_t> shape,
                                        const Bases &bases) {
  // Row k says: the offsets of `offsets` together have the index bits `bits`.
  struct Row {
    uint64_t bits, offsets;
  };
  SmallVector<Row> rows;
  for (auto [k, index] : llvm::enumerate(bases)) {
    uint64_t bits = 0;
    unsigned start = 0;
    for (auto [value, size] : llvm::zip(index, shape)) {
      bits |= uint64_t(value) << start;
      start += llvm::Log2_64(size);
    }
    rows.push_back({bits, uint64_t(1) << k});
  }
  SmallVector<uint64_t> inverse;
  for (unsigned bit = 0; bit < rows.size(); ++bit) {
    auto *pivot = llvm::find_if(MutableArrayRef(rows).drop_front(bit),
                                [&](Row row) { return row.bits >> bit & 1; });
    if (pivot == rows.end())
      return failure();
    std::swap(rows[bit], *pivot);
    for (auto [k, row] : llvm::enumerate(rows))
      if (k != bit && (row.bits >> bit & 1)) {
        row.bits ^= rows[bit].bits;
        row.offsets ^= rows[bit].offsets;
      }
  }
  for (Row row : rows)
    inverse.push_back(row.offsets);
  return inverse;
}

/// `layout` for the dimensions behind the first one.
Attribute dropLeadingDimension(Attribute layout) {
  if (auto nvmma = dyn_cast<ttg::NvmmaSharedAttr>(layout)) {
    unsigned rank = nvmma.getRank() - 1;
    return ttg::NvmmaSharedAttr::get(
        layout.getContext(), rank > 1 ? nvmma.getSwizzlingByteWidth() : 0,
        rank > 1 && nvmma.getTransposed(), nvmma.getElementBitWidth(),
        nvmma.getFp4Padded(), rank, nvmma.getCGALayout());
  }
  auto swizzled = cast<ttg::SwizzledSharedAttr>(layout);
  SmallVector<int32_t> order;
  for (int32_t dim : swizzled.getOrder().drop_back())
    order.push_back(dim - 1);
  return ttg::SwizzledSharedAttr::get(
      layout.getContext(), swizzled.getVec(), swizzled.getPerPhase(),
      swizzled.getMaxPhase(), order, swizzled.getCGALayout());
}

/// True if the buffer is split over several CTAs.
bool isSplitOverCTAs(ArrayAttr cgaLayout) {
  return llvm::any_of(ttg::basesOf(cgaLayout), [](const auto &basis) {
    return llvm::any_of(basis, [](int64_t value) { return value != 0; });
  });
}

} // namespace

//===----------------------------------------------------------------------===//
// SharedAddress
//===----------------------------------------------------------------------===//

FailureOr<SharedAddress>
SharedAddress::of(ttg::MemDescType buffer,
                  function_ref<InFlightDiagnostic()> emitError) {
  Attribute layout = buffer.getEncoding();
  ArrayRef<int64_t> shape = buffer.getShape();
  unsigned elementBytes = bytesInShared(buffer.getElementType());
  auto refuse = [&](const Twine &reason) {
    emitError()
        << "[L36] tle.gpu.local_ptr cannot address a buffer of type " << buffer
        << ": " << reason
        << ". Use a buffer of 8 to 64 bit elements made by tle.gpu.alloc with "
           "a default, "
           "nv_mma_shared_layout or swizzled_shared_layout layout, or a "
           "slot of one.";
    return failure();
  };

  auto swizzled = dyn_cast<ttg::SwizzledSharedAttr>(layout);
  auto nvmma = dyn_cast<ttg::NvmmaSharedAttr>(layout);
  if (!elementBytes || elementBytes > 8)
    return refuse("its elements are not of 8 to 64 bits");
  if ((!swizzled && !nvmma) || (nvmma && nvmma.getFp4Padded()))
    return refuse("its layout is not one of those local_ptr knows");
  if (isSplitOverCTAs(swizzled ? swizzled.getCGALayout()
                               : nvmma.getCGALayout()))
    return refuse("it is split over the CTAs of a cluster");
  if (buffer.getAllocShape().take_back(shape.size()) != shape)
    return refuse("it is a part of a larger buffer");

  SharedAddress address;
  unsigned layoutRank = ttg::rankOfSharedLayout(layout);
  address.hasStages =
      layoutRank < shape.size() || !llvm::isPowerOf2_64(shape.front());
  if (address.hasStages) {
    shape = shape.drop_front();
    address.stageBytes = elementBytes;
    for (int64_t size : shape)
      address.stageBytes *= size;
    if (layoutRank > shape.size() && swizzled &&
        swizzled.getOrder().back() != 0)
      return refuse("its first dimension is no power of two and not the "
                    "slowest one");
    if (layoutRank > shape.size() && !shape.empty())
      layout = dropLeadingDimension(layout);
  }
  if (shape.empty())
    return address;

  FailureOr<Bases> bases =
      isa<ttg::SwizzledSharedAttr>(layout)
          ? swizzledBases(shape, cast<ttg::SwizzledSharedAttr>(layout))
          : nvmmaBases(shape, cast<ttg::NvmmaSharedAttr>(layout));
  FailureOr<SmallVector<uint64_t>> inverse = failure();
  if (succeeded(bases))
    inverse = invert(shape, *bases);
  if (failed(inverse))
    return refuse("its shape is smaller than its swizzle");
  ArrayRef<uint64_t> rest = *inverse;
  for (int64_t size : shape) {
    auto &bits = address.contributions.emplace_back();
    for (uint64_t offset : rest.take_front(llvm::Log2_64(size)))
      bits.push_back(offset * elementBytes);
    rest = rest.drop_front(llvm::Log2_64(size));
  }
  return address;
}

Value SharedAddress::offset(OpBuilder &builder, Location loc,
                            ValueRange indices) const {
  Type type = indices.front().getType();
  auto constant = [&](int64_t value) {
    return i32Constant(builder, loc, type, value);
  };
  Value stages, offset;
  if (hasStages) {
    stages = arith::MulIOp::create(builder, loc, indices.front(),
                                   constant(stageBytes));
    indices = indices.drop_front();
  }
  for (auto [index, bits] : llvm::zip(indices, contributions)) {
    // Bits that move by the same distance move together.
    llvm::MapVector<int, uint64_t> masks;
    for (auto [bit, bytes] : llvm::enumerate(bits))
      for (uint64_t left = bytes; left != 0; left &= left - 1)
        masks[int(llvm::countr_zero(left)) - int(bit)] |= uint64_t(1) << bit;
    for (auto [distance, mask] : masks) {
      Value part = index;
      if (mask + 1 != uint64_t(1) << bits.size())
        part = arith::AndIOp::create(builder, loc, part, constant(mask));
      if (distance > 0)
        part = arith::ShLIOp::create(builder, loc, part, constant(distance));
      else if (distance < 0)
        part = arith::ShRUIOp::create(builder, loc, part, constant(-distance));
      offset =
          offset ? arith::XOrIOp::create(builder, loc, offset, part) : part;
    }
  }
  if (stages && offset)
    return arith::AddIOp::create(builder, loc, stages, offset);
  if (stages || offset)
    return stages ? stages : offset;
  return constant(0);
}
