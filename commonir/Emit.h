//===- Emit.h - The operations the conversion makes -------------*- C++ -*-===//

#ifndef FLAGTREE_COMMONIR_EMIT_H
#define FLAGTREE_COMMONIR_EMIT_H

#include "core/triton/TTG.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace flagtree::commonir {

/// Makes operations of tt and ttg at one place, for the warps that run there.
///
/// Operations of ttg take and make tensors with a layout; those of tt in the
/// rest of the module have none before Triton's own conversion. `joined` joins
/// the two by an operation that folds away once all tensors have layouts.
class Emitter {
public:
  /// `numWarps` and `numCTAs` are those of the launch; a partition around
  /// `before` has warps of its own.
  Emitter(mlir::Operation *before, int32_t numWarps, int32_t numCTAs);

  /// `tensor` in the default layout, unless it has a layout.
  mlir::Value encoded(mlir::Value tensor);
  /// `tensor` as a `type`, which differs in the layout at most. `foldable` =
  /// false keeps the joint as an operation of its own.
  mlir::Value joined(mlir::Value tensor, mlir::RankedTensorType type,
                     bool foldable = true);

  mlir::Value localAlloc(ttg::MemDescType type);
  mlir::Value memdescIndex(mlir::Value buffer, mlir::Value index,
                           ttg::MemDescType type);
  mlir::Value memdescSubslice(mlir::Value buffer,
                              llvm::ArrayRef<int32_t> offsets,
                              ttg::MemDescType type);
  /// The contents of `buffer` in the layout of `type`, or in the default one.
  mlir::Value localLoad(mlir::Value buffer, mlir::RankedTensorType type);
  mlir::Operation *localStore(mlir::Value tensor, mlir::Value buffer);
  mlir::Value load(mlir::Value pointers);
  void store(mlir::Value pointers, mlir::Value tensor);

  mlir::Operation *asyncCopy(mlir::Value pointers, mlir::Value buffer);
  mlir::Operation *asyncCommit(mlir::ValueRange tokens);
  mlir::Operation *asyncWait(mlir::Value token);

  int32_t getNumWarps() const { return numWarps; }
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

private:
  mlir::RankedTensorType encodedType(mlir::RankedTensorType type) const;

  mlir::OpBuilder builder;
  mlir::Location loc;
  int32_t numWarps, numCTAs;
};

} // namespace flagtree::commonir

#endif // FLAGTREE_COMMONIR_EMIT_H
