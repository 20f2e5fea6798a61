//===- Unregistered.h - Making and reading untyped operations ---*- C++ -*-===//
//
// Most tt, ttg and ttng operations are unregistered here. MLIR keeps the
// properties of such an operation as one dictionary attribute; these helpers
// are the only place that knows it.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_CORE_TRITON_UNREGISTERED_H
#define FLAGTREE_CORE_TRITON_UNREGISTERED_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace flagtree {

/// Creates operation `name`, e.g. "ttg.local_load". `properties` are the
/// inherent attributes, printed `<{...}>`, and must be complete: stock Triton
/// fills in no defaults for them in generic form. `attributes` are the
/// discardable ones. Works for registered operations too.
mlir::Operation *createOp(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::StringRef name, mlir::ValueRange operands,
                          mlir::TypeRange resultTypes,
                          llvm::ArrayRef<mlir::NamedAttribute> properties = {},
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

/// The inherent attributes of an unregistered operation.
mlir::DictionaryAttr propertiesOf(mlir::Operation *op);

/// Inherent attribute `name` of an operation, registered or not; null if unset.
mlir::Attribute propertyOf(mlir::Operation *op, llvm::StringRef name);

/// Sets inherent attribute `name` of an operation, registered or not.
void setProperty(mlir::Operation *op, llvm::StringRef name,
                 mlir::Attribute value);

/// True if `op` is operation `name`, registered or not.
inline bool isOp(mlir::Operation *op, llvm::StringRef name) {
  return op && op->getName().getStringRef() == name;
}

} // namespace flagtree

#endif // FLAGTREE_CORE_TRITON_UNREGISTERED_H
