//===- CheckText.h - Input that MLIR's parser cannot survive ----*- C++ -*-===//
//
// MLIR's parser is recursive and built with assertions: some texts end the
// process instead of failing to parse. These checks come first.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_CORE_API_CHECKTEXT_H
#define FLAGTREE_CORE_API_CHECKTEXT_H

#include "mlir/IR/BuiltinOps.h"

namespace flagtree {

/// Emits an error unless `text` can be given to MLIR's parser.
llvm::LogicalResult checkText(mlir::MLIRContext *context, llvm::StringRef text);

/// Emits an error if `module` holds an attribute or type whose text names an
/// alias: such a text is kept word for word, and the alias is lost on printing.
llvm::LogicalResult checkNoLostAlias(mlir::ModuleOp module);

} // namespace flagtree

#endif // FLAGTREE_CORE_API_CHECKTEXT_H
