//===- TleDialect.h - The `tle` dialect --------------------------*- C++
//-*-===//

#ifndef FLAGTREE_TLE_IR_TLEDIALECT_H
#define FLAGTREE_TLE_IR_TLEDIALECT_H

#include "core/raising/IntrinsicTrait.h"
#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tle/ir/TleDialect.h.inc"

#define GET_OP_CLASSES
#include "tle/ir/TleOps.h.inc"

namespace flagtree::tle {

/// The swizzle, in bytes, that Triton gives to an nvmma buffer or descriptor of
/// `shape` by default: the widest that the innermost dimension fills, and none
/// for less than 8 rows.
unsigned defaultSwizzle(llvm::ArrayRef<int64_t> shape, unsigned elementBits);

/// The type of an array of `count` barriers, and of one slot of it.
ttg::MemDescType barrierArrayType(mlir::MLIRContext *context, int64_t count);
ttg::MemDescType barrierSlotType(mlir::MLIRContext *context);

} // namespace flagtree::tle

#endif // FLAGTREE_TLE_IR_TLEDIALECT_H
