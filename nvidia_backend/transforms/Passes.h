//===- Passes.h - Passes of the NVIDIA backend -------------------*- C++
//-*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PASSES_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PASSES_H

#include "core/triton/TT.h"
#include "core/triton/TTG.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tle/ir/TleDialect.h"

namespace flagtree::nvidia {

#define GEN_PASS_DECL
#include "nvidia_backend/transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nvidia_backend/transforms/Passes.h.inc"

/// Registers every pass of the backend by its flag.
inline void registerPasses() { registerNvidiaBackendPasses(); }

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PASSES_H
