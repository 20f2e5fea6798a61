//===- InputText.h - Texts that MLIR's parser cannot take as is -*- C++ -*-===//

#ifndef FLAGTREE_CORE_API_INPUTTEXT_H
#define FLAGTREE_CORE_API_INPUTTEXT_H

#include "mlir/IR/BuiltinOps.h"

namespace flagtree {

/// Emits an error unless `text` can be given to MLIR's parser, which is
/// recursive and built with assertions: some texts would end the process.
llvm::LogicalResult checkText(mlir::MLIRContext *context, llvm::StringRef text);

/// `text` with alias definitions spelled out where MLIR would lose them: an
/// attribute of a dialect that is not loaded is kept word for word, so an alias
/// in it (`#llvm.loop_annotation<licm = #loop_licm>`) would dangle.
std::string spellOutAliases(mlir::MLIRContext *context, llvm::StringRef text);

/// Emits an error if `module` still holds an attribute or type whose text names
/// an alias.
llvm::LogicalResult checkNoLostAlias(mlir::ModuleOp module);

/// The module in `text`, with the three above; null after an error.
mlir::OwningOpRef<mlir::ModuleOp> parseText(mlir::MLIRContext *context,
                                            llvm::StringRef text);

} // namespace flagtree

#endif // FLAGTREE_CORE_API_INPUTTEXT_H
