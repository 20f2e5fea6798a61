//===- SharedAddress.h - Where the elements of a buffer lie -----*- C++ -*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_SHAREDADDRESS_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_SHAREDADDRESS_H

#include "core/triton/TTG.h"
#include "mlir/IR/Builders.h"

namespace flagtree::nvidia {

/// Bytes one element takes in shared memory; an i1 takes a byte. 0 for types
/// that are neither integers nor floats.
unsigned bytesInShared(mlir::Type elementType);

/// The byte offset of a buffer's elements from its first one.
///
/// Triton's shared layouts are linear over bits: the offset is the xor of one
/// contribution for each set bit of the index. A leading stage dimension, which
/// the layout does not cover or which is no power of two, adds a multiple of
/// the size of a stage.
class SharedAddress {
public:
  /// The addressing of `buffer`; fails, with an error of rule L36, where the
  /// layout is not known here or does not fit the shape.
  static mlir::FailureOr<SharedAddress>
  of(ttg::MemDescType buffer,
     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  /// Creates the computation of the offset at `indices`, one per dimension of
  /// the buffer: all i32, or all tensors of i32 of one type. The offset has
  /// that type.
  mlir::Value offset(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::ValueRange indices) const;

private:
  bool hasStages = false;
  int64_t stageBytes = 0;
  /// For each dimension behind the stages and each bit of its index, in bytes.
  llvm::SmallVector<llvm::SmallVector<uint64_t>> contributions;
};

/// The constant `value`, as an i32 or a tensor of i32 like `type`.
mlir::Value i32Constant(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type, int64_t value);

/// The i32 address of the first byte of `buffer` in shared memory.
mlir::Value sharedBase(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value buffer);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_SHAREDADDRESS_H
