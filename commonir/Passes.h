//===- Passes.h - From TileIR to Triton's GPU dialect -----------*- C++ -*-===//

#ifndef FLAGTREE_COMMONIR_PASSES_H
#define FLAGTREE_COMMONIR_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace flagtree::commonir {

#define GEN_PASS_DECL
#include "commonir/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "commonir/Passes.h.inc"

} // namespace flagtree::commonir

#endif // FLAGTREE_COMMONIR_PASSES_H
