//===- Dump.h - The module after each pass, in files ------------*- C++ -*-===//

#ifndef FLAGTREE_CORE_API_DUMP_H
#define FLAGTREE_CORE_API_DUMP_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"

namespace flagtree {

/// Writes `module` to <dir>/<kernel>/<number>-input.mlir now and to
/// <number>-<pass>.mlir after each pass of `passes`; a failed pass ends in
/// "-failed". Files are never overwritten. What cannot be written is a warning.
void dumpTo(llvm::StringRef dir, mlir::ModuleOp module,
            mlir::PassManager &passes);

} // namespace flagtree

#endif // FLAGTREE_CORE_API_DUMP_H
