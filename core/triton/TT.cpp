//===- TT.cpp - The typed part of Triton's tt dialect ---------------------===//

#include "core/triton/TT.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flagtree::tt;

#include "core/triton/TTDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "core/triton/TTTypes.cpp.inc"

#define GET_OP_CLASSES
#include "core/triton/TTOps.cpp.inc"

void TTDialect::initialize() {
  allowUnknownOperations();
  addTypes<
#define GET_TYPEDEF_LIST
#include "core/triton/TTTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/triton/TTOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

RankedTensorType TensorDescType::getSignlessBlockType() const {
  auto integer = dyn_cast<IntegerType>(getBlockType().getElementType());
  if (!integer)
    return getBlockType();
  return getBlockType().clone(
      IntegerType::get(getContext(), integer.getWidth()));
}

Type flagtree::tt::elementOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getElementType() : type;
}

PointerType flagtree::tt::pointerOf(Type type) {
  return dyn_cast<PointerType>(elementOf(type));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "refers to " << getCalleeAttr()
                         << ", which is not a function of this module";
  auto expected = callee.getFunctionType();
  auto given = FunctionType::get(getContext(), getOperandTypes(),
                                 (*this)->getResultTypes());
  if (expected != given)
    return emitOpError() << "has type " << given << ", but " << getCalleeAttr()
                         << " has type " << expected;
  return success();
}

LogicalResult ReturnOp::verify() {
  auto results = (*this)->getParentOfType<FuncOp>().getResultTypes();
  if (getOperandTypes() != TypeRange(results))
    return emitOpError() << "returns (" << getOperandTypes()
                         << "), but the function's results are (" << results
                         << ")";
  return success();
}
