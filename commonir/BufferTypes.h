//===- BufferTypes.h - The descriptor of every buffer -----------*- C++ -*-===//

#ifndef FLAGTREE_COMMONIR_BUFFERTYPES_H
#define FLAGTREE_COMMONIR_BUFFERTYPES_H

#include "core/triton/TTG.h"
#include "flir/TileDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace flagtree::commonir {

/// The `!ttg.memdesc` that each buffer of a module becomes.
///
/// Values that control flow or a cast makes one buffer form a class; the class
/// gets its descriptor from an allocation, a view or a cast.
class BufferTypes {
public:
  /// Computes all descriptors, or reports why a buffer has none.
  llvm::LogicalResult compute(mlir::ModuleOp module);

  /// The descriptor of a buffer; only after a successful `compute`.
  ttg::MemDescType operator[](mlir::Value buffer) const;

  /// Reports allocations that control flow hands out of their scope (T37).
  llvm::LogicalResult checkScopes(mlir::ModuleOp module) const;

private:
  /// One buffer under two names: `to` is `from` after a branch, call or cast.
  void flow(mlir::Value from, mlir::Value to);
  void flow(mlir::ValueRange from, mlir::ValueRange to);
  llvm::LogicalResult connect(mlir::Operation *op,
                              mlir::SymbolTableCollection &symbols);

  ttg::MemDescType lookup(mlir::Value buffer) const;
  llvm::LogicalResult assign(mlir::Value buffer, ttg::MemDescType type,
                             mlir::Operation *op);
  llvm::LogicalResult assign(tile::AllocOp op);
  llvm::LogicalResult assign(mlir::UnrealizedConversionCastOp op);
  llvm::LogicalResult assign(tile::SubviewOp op, ttg::MemDescType source);

  /// T45: a buffer seen by leading index is not used in another way.
  llvm::LogicalResult checkIndexed(mlir::ModuleOp module) const;
  /// T35: every buffer has a descriptor.
  llvm::LogicalResult checkComplete(mlir::ModuleOp module) const;

  llvm::EquivalenceClasses<mlir::Value> classes;
  llvm::DenseMap<mlir::Value, ttg::MemDescType> types;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> successors;
};

} // namespace flagtree::commonir

#endif // FLAGTREE_COMMONIR_BUFFERTYPES_H
