//===- Marks.h - What one pass tells a later one ----------------*- C++ -*-===//

#ifndef FLAGTREE_CORE_TRITON_MARKS_H
#define FLAGTREE_CORE_TRITON_MARKS_H

#include "llvm/ADT/StringRef.h"

namespace flagtree {

/// Unit attribute of a ttg.local_store whose tensor a tt.load before it loads
/// for nothing else: both are one copy from global memory. A store that the
/// program itself makes of a loaded tensor has none. The conversion of CommonIR
/// sets it for the pass that decides about pipelined loops, which removes it.
inline constexpr llvm::StringLiteral kCopyMark = "ttg.copies";

} // namespace flagtree

#endif // FLAGTREE_CORE_TRITON_MARKS_H
