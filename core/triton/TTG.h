//===- TTG.h - The typed part of Triton's ttg dialect -----------*- C++ -*-===//
//
// Layout attributes, !ttg.memdesc, !ttg.async.token and ttg.warp_specialize.
// All other ttg operations are unregistered: see Unregistered.h.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_CORE_TRITON_TTG_H
#define FLAGTREE_CORE_TRITON_TTG_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "core/triton/TTGDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "core/triton/TTGAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "core/triton/TTGTypes.h.inc"

#define GET_OP_CLASSES
#include "core/triton/TTGOps.h.inc"

#endif // FLAGTREE_CORE_TRITON_TTG_H
