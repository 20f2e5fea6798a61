//===- Passes.h - Raising of intrinsics -------------------------*- C++ -*-===//

#ifndef FLAGTREE_CORE_RAISING_PASSES_H
#define FLAGTREE_CORE_RAISING_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace flagtree {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "core/raising/Passes.h.inc"

} // namespace flagtree

#endif // FLAGTREE_CORE_RAISING_PASSES_H
