//===- TileDialect.cpp - Attributes, types and interfaces of `tile` -------===//

#include "flir/TileDialect.h"

#include "core/raising/RaisingInterface.h"
#include "core/triton/TTG.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flagtree::tile;

#include "flir/TileDialect.cpp.inc"

#include "flir/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "flir/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "flir/TileTypes.cpp.inc"

namespace {
/// A Triton front end holds buffers as `!ttg.memdesc`. The layout in that type
/// goes into `tle.gpu_layout`.
struct TileRaising : public flagtree::RaisingInterface {
  using RaisingInterface::RaisingInterface;

  Type raise(Type type) const override {
    auto buffer = dyn_cast<flagtree::ttg::MemDescType>(type);
    if (!buffer ||
        !isa<flagtree::ttg::SharedMemoryAttr>(buffer.getMemorySpace()))
      return type;
    return BufType::get(type.getContext(), buffer.getShape(),
                        buffer.getElementType(), MemorySpace::shared);
  }

  void complete(OperationName name, TypeRange callResults,
                NamedAttrList &attributes) const override {
    if (callResults.size() != 1)
      return;
    auto buffer = dyn_cast<flagtree::ttg::MemDescType>(callResults.front());
    if (!buffer)
      return;
    attributes.set(kGpuLayout, buffer.getEncoding());
    if (name.getStringRef() != SubviewOp::getOperationName())
      return;
    Builder builder(name.getContext());
    attributes.set("sizes", builder.getI64ArrayAttr(buffer.getShape()));
    attributes.set("strides", builder.getI64ArrayAttr(SmallVector<int64_t>(
                                  buffer.getShape().size(), 1)));
  }
};
} // namespace

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "flir/TileOps.cpp.inc"
      >();
  addInterfaces<TileRaising>();
}

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "flir/TileAttrs.cpp.inc"
      >();
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "flir/TileTypes.cpp.inc"
      >();
}

Attribute NZAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> size;
  if (parser.parseLess() ||
      parser.parseDimensionList(size, /*allowDynamic=*/false,
                                /*withTrailingX=*/false) ||
      parser.parseGreater())
    return {};
  if (size.size() != 2) {
    parser.emitError(loc, "expected `<height x width>` in '#tile.nz'");
    return {};
  }
  return parser.getChecked<NZAttr>(loc, parser.getContext(), size[0], size[1]);
}

void NZAttr::print(AsmPrinter &printer) const {
  printer << '<' << getHeight() << 'x' << getWidth() << '>';
}

LogicalResult NZAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             int64_t height, int64_t width) {
  if (height > 0 && width > 0)
    return success();
  return emitError() << "[T1] a fractal of " << height << " x " << width
                     << " is empty; height and width must be positive";
}

/// T2 and T3, for buffers and tile tensors alike.
static LogicalResult verifyShaped(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty() || llvm::any_of(shape, [](int64_t dim) { return dim < 1; }))
    return emitError() << "[T2] a tile has one dimension or more, all of them "
                          "positive; got ["
                       << shape << ']';
  if (!elementType.isIntOrFloat())
    return emitError() << "[T3] elements of a tile are integers or floats, not "
                       << elementType;
  return success();
}

LogicalResult BufType::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape, Type elementType,
                              MemorySpace) {
  return verifyShaped(emitError, shape, elementType);
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               MemorySpace) {
  return verifyShaped(emitError, shape, elementType);
}
