//===- TTG.cpp - The typed part of Triton's ttg dialect -------------------===//

#include "core/triton/TTG.h"

#include "core/triton/Layouts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flagtree::ttg;

#include "core/triton/TTGDialect.cpp.inc"

// Parameter format `[1, 8]` used by the generated attribute code below.
namespace flagtree::ttg {
static FailureOr<SmallVector<int32_t>> parseIntList(AsmParser &parser) {
  SmallVector<int32_t> values;
  auto element = [&] { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  return values;
}

static void printIntList(AsmPrinter &printer, ArrayRef<int32_t> values) {
  printer << '[' << values << ']';
}
} // namespace flagtree::ttg

#define GET_ATTRDEF_CLASSES
#include "core/triton/TTGAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "core/triton/TTGTypes.cpp.inc"

#define GET_OP_CLASSES
#include "core/triton/TTGOps.cpp.inc"

namespace {
/// Layouts are long and repeat in every type: print them as aliases.
struct LayoutAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    StringRef name = TypeSwitch<Attribute, StringRef>(attr)
                         .Case([](BlockedAttr) { return "blocked"; })
                         .Case([](LinearAttr) { return "linear"; })
                         .Case([](NvidiaMmaAttr) { return "mma"; })
                         .Case<SwizzledSharedAttr, NvmmaSharedAttr>(
                             [](auto) { return "shared"; })
                         .Case([](SharedMemoryAttr) { return "smem"; })
                         .Case([](VerbatimAttr verbatim) {
                           return isSharedLayout(verbatim) ? "shared" : "";
                         })
                         .Default([](Attribute) { return StringRef(); });
    if (name.empty())
      return AliasResult::NoAlias;
    os << name;
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TTGDialect::initialize() {
  allowUnknownOperations();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "core/triton/TTGAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "core/triton/TTGTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/triton/TTGOps.cpp.inc"
      >();
  addInterfaces<LayoutAliases>();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute TTGDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  StringRef text = parser.getFullSymbolSpec();
  // An alias in there would dangle: its definition is not part of the text.
  if (text.contains('#')) {
    parser.emitError(parser.getNameLoc())
        << "attribute '#ttg." << mnemonic
        << "' is kept word for word and cannot hold another attribute";
    return {};
  }
  return VerbatimAttr::get(getContext(), text);
}

void TTGDialect::printAttribute(Attribute attr,
                                DialectAsmPrinter &printer) const {
  if (auto verbatim = dyn_cast<VerbatimAttr>(attr))
    printer << verbatim.getText();
  else
    (void)generatedAttributePrinter(attr, printer);
}

Attribute LinearAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict;
  if (parser.parseLess() || parser.parseAttribute(dict) ||
      parser.parseGreater())
    return {};
  auto bases = [&](StringRef key) { return dict.getAs<ArrayAttr>(key); };
  ArrayAttr reg = bases("register"), lane = bases("lane"), warp = bases("warp"),
            block = bases("block");
  if (!reg || !lane || !warp || !block) {
    parser.emitError(loc, "expected the bases of register, lane, warp and "
                          "block in '#ttg.linear'");
    return {};
  }
  return get(parser.getContext(), reg, lane, warp, block);
}

void LinearAttr::print(AsmPrinter &printer) const {
  printer << "<{register = " << getReg() << ", lane = " << getLane()
          << ", warp = " << getWarp() << ", block = " << getBlock() << "}>";
}

/// Passes compute with layouts: a list that is no order, or a zero, must not
/// get that far.
static LogicalResult verifyOrder(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int32_t> order) {
  if (order.empty())
    return emitError() << "a layout has at least one dimension";
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  for (auto [index, dim] : llvm::enumerate(sorted))
    if (dim != static_cast<int32_t>(index))
      return emitError() << "order = [" << order
                         << "] of a layout does not name each dimension once";
  return success();
}

static LogicalResult
verifyPowersOfTwo(function_ref<InFlightDiagnostic()> emitError,
                  ArrayRef<int32_t> values) {
  for (int32_t value : values)
    if (value <= 0 || !llvm::isPowerOf2_32(value))
      return emitError() << "a layout counts in powers of two; got " << value;
  return success();
}

LogicalResult BlockedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int32_t> sizePerThread,
                                  ArrayRef<int32_t> threadsPerWarp,
                                  ArrayRef<int32_t> warpsPerCTA,
                                  ArrayRef<int32_t> order, ArrayAttr) {
  size_t rank = order.size();
  if (sizePerThread.size() != rank || threadsPerWarp.size() != rank ||
      warpsPerCTA.size() != rank)
    return emitError() << "the lists of a blocked layout must have one length";
  if (failed(verifyOrder(emitError, order)) ||
      failed(verifyPowersOfTwo(emitError, sizePerThread)) ||
      failed(verifyPowersOfTwo(emitError, threadsPerWarp)))
    return failure();
  return verifyPowersOfTwo(emitError, warpsPerCTA);
}

LogicalResult
SwizzledSharedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           unsigned vec, unsigned perPhase, unsigned maxPhase,
                           ArrayRef<int32_t> order, ArrayAttr) {
  if (failed(verifyOrder(emitError, order)))
    return failure();
  return verifyPowersOfTwo(emitError, {static_cast<int32_t>(vec),
                                       static_cast<int32_t>(perPhase),
                                       static_cast<int32_t>(maxPhase)});
}

LogicalResult NvmmaSharedAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, unsigned swizzlingByteWidth,
    bool, unsigned elementBitWidth, bool, unsigned rank, ArrayAttr) {
  if (!llvm::is_contained({0u, 32u, 64u, 128u}, swizzlingByteWidth))
    return emitError() << "swizzlingByteWidth must be 0, 32, 64 or 128; got "
                       << swizzlingByteWidth;
  if (!llvm::is_contained({8u, 16u, 32u, 64u}, elementBitWidth))
    return emitError() << "elementBitWidth must be 8, 16, 32 or 64; got "
                       << elementBitWidth;
  if (rank == 0)
    return emitError() << "a layout has at least one dimension";
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type MemDescType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape, allocShape;
  Type elementType;
  Attribute encoding, memorySpace;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.parseAttribute(encoding) || parser.parseComma() ||
      parser.parseAttribute(memorySpace))
    return {};
  bool mutableMemory = false;
  bool more = succeeded(parser.parseOptionalComma());
  if (more && succeeded(parser.parseOptionalKeyword("mutable"))) {
    mutableMemory = true;
    more = succeeded(parser.parseOptionalComma());
  }
  if (more && parser.parseDimensionList(allocShape, /*allowDynamic=*/false,
                                        /*withTrailingX=*/false))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MemDescType>(
      loc, parser.getContext(), shape, elementType, encoding, memorySpace,
      mutableMemory, allocShape.empty() ? shape : allocShape);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t dim : getShape())
    printer << dim << 'x';
  printer << getElementType() << ", " << getEncoding() << ", "
          << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (getAllocShape() != getShape()) {
    printer << ", ";
    llvm::interleave(
        getAllocShape(), [&](int64_t dim) { printer << dim; },
        [&] { printer << 'x'; });
  }
  printer << '>';
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type,
                                  Attribute encoding, Attribute memorySpace,
                                  bool, ArrayRef<int64_t> allocShape) {
  if (shape.empty())
    return emitError() << "a memdesc has at least one dimension";
  if (llvm::any_of(shape, [](int64_t dim) { return dim <= 0; }) ||
      !llvm::all_of(shape.drop_front(),
                    [](int64_t dim) { return llvm::isPowerOf2_64(dim); }))
    return emitError() << "dimensions of a memdesc must be positive, and all "
                          "but the first powers of two; got ["
                       << shape << ']';
  if (allocShape.size() < shape.size() ||
      llvm::any_of(
          llvm::zip(shape, allocShape.take_back(shape.size())),
          [](auto pair) { return std::get<0>(pair) > std::get<1>(pair); }))
    return emitError() << "the allocation [" << allocShape
                       << "] does not cover the shape [" << shape << ']';
  if (!isSharedLayout(encoding))
    return success();
  if (!isa<SharedMemoryAttr>(memorySpace))
    return emitError() << "a memdesc with a shared layout lies in "
                          "#ttg.shared_memory, not in "
                       << memorySpace;
  unsigned rank = rankOfSharedLayout(encoding);
  if (rank && rank != shape.size() && rank + 1 != shape.size())
    return emitError() << "the rank of the layout must be the rank of the "
                          "memdesc or one less; got "
                       << rank << " and " << shape.size();
  return success();
}

MemDescType MemDescType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                                   Type elementType) const {
  return MemDescType::get(shape.value_or(getShape()), elementType,
                          getEncoding(), getMemorySpace(), getMutableMemory(),
                          shape ? *shape : getAllocShape());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The holder of the partitions, or null while the operation is malformed.
static WarpSpecializePartitionsOp holderOf(WarpSpecializeOp op) {
  Region &region = op.getPartitionOpHolder();
  if (region.empty() || region.front().empty())
    return {};
  return dyn_cast<WarpSpecializePartitionsOp>(region.front().front());
}

MutableArrayRef<Region> WarpSpecializeOp::getPartitionRegions() {
  return holderOf(*this)->getRegions();
}

LogicalResult WarpSpecializeOp::verifyRegions() {
  if (!holderOf(*this))
    return emitOpError("expects ttg.warp_specialize.partitions in its second "
                       "region");
  MutableArrayRef<Region> partitions = getPartitionRegions();
  if (partitions.size() != getPartitionNumWarps().size())
    return emitOpError() << "has " << partitions.size() << " partitions, but "
                         << getPartitionNumWarps().size()
                         << " numbers of warps";
  for (auto [index, region] : llvm::enumerate(partitions))
    if (TypeRange(region.getArgumentTypes()) !=
        TypeRange(getExplicitCaptures().getTypes()))
      return emitOpError() << "partition " << index
                           << " does not take the captured types";
  return success();
}

LogicalResult WarpYieldOp::verify() {
  auto parent = cast<WarpSpecializeOp>((*this)->getParentOp());
  if (getOperandTypes() != parent->getResultTypes())
    return emitOpError() << "yields (" << getOperandTypes()
                         << "), but the results are ("
                         << parent->getResultTypes() << ")";
  return success();
}
