//===- TileDialect.h - The `tile` dialect -----------------------*- C++ -*-===//

#ifndef FLAGTREE_FLIR_TILEDIALECT_H
#define FLAGTREE_FLIR_TILEDIALECT_H

#include "core/raising/IntrinsicTrait.h"
#include "core/triton/TT.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "flir/TileDialect.h.inc"

#include "flir/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "flir/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "flir/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "flir/TileOps.h.inc"

namespace flagtree::tile {

/// Discardable attribute of the operations that make a buffer: its layout in
/// GPU shared memory, as the front end chose it.
inline constexpr llvm::StringLiteral kGpuLayout = "tle.gpu_layout";

} // namespace flagtree::tile

#endif // FLAGTREE_FLIR_TILEDIALECT_H
