//===- Memory.h - What the lowerings share about buffers --------*- C++ -*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_MEMORY_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_MEMORY_H

#include "core/triton/TTG.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace flagtree::nvidia {

/// What a lowering has to know of the launch.
struct Launch {
  int32_t numWarps;
  int32_t numCTAs;
  int32_t capability;
};

/// `launch` with the number of warps that execute `op`: those of the worker of
/// warp_specialize it stands in, or of the launch.
Launch launchAt(mlir::Operation *op, const Launch &launch);

//===----------------------------------------------------------------------===//
// Bridges between tensors with and without a layout
//
// Operations of ttg and ttng take tensors with a layout, all others of the
// module have none before stock Triton's conversion. Two values of one tensor
// type that differ in the layout alone are joined by an operation of tt that
// folds away once both sides have layouts.
//===----------------------------------------------------------------------===//

/// `value` in the default layout.
mlir::Value withLayout(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, const Launch &launch);

/// `value`, which has the default layout, without one.
mlir::Value withoutLayout(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value);

/// `value` in layout `encoding`, by ttg.convert_layout.
mlir::Value convertLayout(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Attribute encoding);

/// Size of a buffer's contents in bytes.
int64_t bytesOf(ttg::MemDescType buffer);

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The type of an mbarrier: one i64 in shared memory.
ttg::MemDescType barrierType(mlir::MLIRContext *context);

/// ttg.local_alloc of `type` without contents.
mlir::Value createAlloc(mlir::OpBuilder &builder, mlir::Location loc,
                        ttg::MemDescType type,
                        mlir::IntegerAttr alignment = {});

/// tt.load of `ptrs`, zero where `mask` (may be null) is false.
mlir::Value createLoad(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value ptrs, mlir::Value mask);

/// tt.store of `value` to `ptrs` where `mask` (may be null) is true.
void createStore(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value ptrs,
                 mlir::Value value, mlir::Value mask);

/// ttng.fence_async_shared: what generic instructions wrote to shared memory
/// becomes visible to TMA and WGMMA.
void createProxyFence(mlir::OpBuilder &builder, mlir::Location loc);

//===----------------------------------------------------------------------===//
// Who writes what
//===----------------------------------------------------------------------===//

/// The buffer that `buffer` is a view of, or `buffer` itself.
mlir::Value rootOf(mlir::Value buffer);

/// Whether `op` is assembly or a library function that is not declared pure:
/// it may write any memory.
bool isImpureForeignCode(mlir::Operation *op);

/// False if executing `op`, its regions included, surely leaves the buffer
/// `root` alone.
bool mayWrite(mlir::Operation *op, mlir::Value root);

/// False if the buffer `root` surely keeps its contents from `from` to every
/// execution of `to`, which is in the block of `from` or in a region below it.
bool mayWriteBetween(mlir::Operation *from, mlir::Operation *to,
                     mlir::Value root);

/// Makes stock Triton's pipeliner leave the loops around `op` as written.
void keepLoopsAsWritten(mlir::Operation *op);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_MEMORY_H
