//===- Registration.h - Everything the core knows ---------------*- C++ -*-===//

#ifndef FLAGTREE_CORE_REGISTRATION_REGISTRATION_H
#define FLAGTREE_CORE_REGISTRATION_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace flagtree {

/// Adds the dialects of the core, ours and those of MLIR that Triton uses.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Adds the passes of the core to MLIR's global registry. Call it once.
void registerAllPasses();

/// Whether this build carries the CommonIR part (FLAGTREE_COMMON_IR).
bool commonIrEnabled();

} // namespace flagtree

#endif // FLAGTREE_CORE_REGISTRATION_REGISTRATION_H
