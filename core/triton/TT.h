//===- TT.h - The typed part of Triton's tt dialect -------------*- C++ -*-===//
//
// Types !tt.ptr and !tt.tensordesc, and the operations tt.func, tt.call and
// tt.return. All other tt operations are unregistered: see Unregistered.h.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_CORE_TRITON_TT_H
#define FLAGTREE_CORE_TRITON_TT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "core/triton/TTDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "core/triton/TTTypes.h.inc"

#define GET_OP_CLASSES
#include "core/triton/TTOps.h.inc"

namespace flagtree::tt {

/// Address spaces of !tt.ptr.
enum AddressSpace : int { kGlobal = 1, kShared = 3 };

/// The element type behind `type`: itself, or the element of a tensor.
mlir::Type elementOf(mlir::Type type);

/// The pointer type in `type`, a !tt.ptr or a tensor of them; null otherwise.
PointerType pointerOf(mlir::Type type);

} // namespace flagtree::tt

#endif // FLAGTREE_CORE_TRITON_TT_H
