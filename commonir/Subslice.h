//===- Subslice.h - Parts of a shared-memory buffer -------------*- C++ -*-===//

#ifndef FLAGTREE_COMMONIR_SUBSLICE_H
#define FLAGTREE_COMMONIR_SUBSLICE_H

#include "core/triton/TTG.h"
#include "flir/TileDialect.h"

namespace flagtree::commonir {

/// Reports why `ttg.memdesc_subslice` cannot express the view `op`, which has
/// the rank of its source (T42, T43).
llvm::LogicalResult checkSubslice(tile::SubviewOp op, ttg::MemDescType source);

/// The constant offsets of a view that `checkSubslice` accepts.
llvm::SmallVector<int32_t> staticOffsets(tile::SubviewOp op);

} // namespace flagtree::commonir

#endif // FLAGTREE_COMMONIR_SUBSLICE_H
