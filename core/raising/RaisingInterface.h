//===- RaisingInterface.h - Dialects with types of their own ----*- C++ -*-===//
//
// Intrinsic calls carry types that the stock wheel knows. A dialect whose
// operations work on types of its own says here how the two correspond; the
// pass raise-intrinsics joins them by builtin.unrealized_conversion_cast, which
// the dialect's conversion removes.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_CORE_RAISING_RAISINGINTERFACE_H
#define FLAGTREE_CORE_RAISING_RAISINGINTERFACE_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OperationSupport.h"

namespace flagtree {

class RaisingInterface : public mlir::DialectInterface::Base<RaisingInterface> {
public:
  explicit RaisingInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// The type that an operand or result of type `type` of a call has in the
  /// operation; `type` itself where they do not differ.
  virtual mlir::Type raise(mlir::Type type) const = 0;

  /// Adds to the attributes of operation `name` what the raised types no longer
  /// say of `callResults`.
  virtual void complete(mlir::OperationName name, mlir::TypeRange callResults,
                        mlir::NamedAttrList &attributes) const = 0;
};

} // namespace flagtree

#endif // FLAGTREE_CORE_RAISING_RAISINGINTERFACE_H
