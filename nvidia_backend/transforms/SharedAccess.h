//===- SharedAccess.h - Accesses of shared memory by address ----*- C++ -*-===//
//
// An access through a pointer into a buffer is inline assembly on i32
// addresses, or an atomic that will be. Triton does not see it as an access of
// shared memory; the attribute `tle.shared_access` says what it is.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_SHAREDACCESS_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_SHAREDACCESS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace flagtree::nvidia {

enum class SharedAccess { Load, Store, Atomic };

/// Marks `op` as an access, and reads the mark.
void markAccess(mlir::Operation *op, SharedAccess access);
std::optional<SharedAccess> accessOf(mlir::Operation *op);

/// The buffer that `address` points into, which tle-lower-local-ptr has made as
/// base plus offset; null if that is not known.
mlir::Value bufferBehind(mlir::Value address);

/// How values of one element type pass through inline assembly and memory.
struct AsmRegister {
  static AsmRegister forType(mlir::Type element);

  /// `type`, a scalar or tensor, with the register's integer type for elements.
  mlir::Type likeType(mlir::Type type) const;

  unsigned width;         ///< of the register: 16, 32 or 64
  std::string constraint; ///< of an operand: h, r or l
  std::string memoryType; ///< of a load or store: b8, b16, b32 or b64
  std::string moveType;   ///< of the register: b16, b32 or b64
};

/// `value` as the integer that its register holds, and back to `type`.
mlir::Value toRegister(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value);
mlir::Value fromRegister(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Type type);

/// Inline assembly over single elements that makes `access`; `code` has
/// operands
/// `$0` (the result) and `$1`...
mlir::Operation *createAsm(mlir::OpBuilder &builder, mlir::Location loc,
                           llvm::StringRef code, llvm::StringRef constraints,
                           mlir::ValueRange operands, mlir::Type resultType,
                           SharedAccess access);

/// The PTX instruction of a tt.atomic_rmw or tt.atomic_cas on shared elements
/// of type `element`, without operands: `atom.relaxed.cta.shared.add.u32`.
/// Fails where PTX has none.
mlir::FailureOr<std::string> atomicInstruction(mlir::Operation *atomic,
                                               mlir::Type element);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_SHAREDACCESS_H
