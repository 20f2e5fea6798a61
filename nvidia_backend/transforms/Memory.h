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

/// True for the type of a slot or an array of barriers.
bool isBarrierType(mlir::Type type);

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

/// ttng.async_tma_copy_global_to_local of the block of `desc` at `coords` into
/// `buffer`, which completes on the mbarrier `barrier`.
void createTmaLoad(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value desc, mlir::ValueRange coords,
                   mlir::Value barrier, mlir::Value buffer);

/// The buffer that `op`, if it is a ttng.async_tma_copy_global_to_local, fills;
/// null otherwise.
mlir::Value targetOfTmaLoad(mlir::Operation *op);

/// ttng.barrier_expect: `bytes` are to come in this phase of `barrier`.
void createExpect(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value barrier, int64_t bytes);

/// Attribute of a module with something to be lowered behind Triton's passes.
inline constexpr llvm::StringLiteral kLate = "tle.late";

/// ttng.wait_barrier for the phase of parity `phase`.
mlir::Operation *createWait(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value barrier, mlir::Value phase);

/// Attribute of a ttng.wait_barrier for tle-order-waits: in front of the end of
/// its barrier's life stands a `gpu.barrier`, so Triton need not know of it.
inline constexpr llvm::StringLiteral kFreeWait = "tle.wait";

/// Assembly that reads and writes memory: $0 is its i32 result, $1 the address
/// of the slot `barrier`, $2 and on are `operands`.
mlir::Value createBarrierAssembly(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value barrier,
                                  mlir::ValueRange operands,
                                  const llvm::Twine &code);

/// gpu.barrier, at which all threads of a partition meet.
void createBarrier(mlir::OpBuilder &builder, mlir::Location loc);

/// True for that, and for the one that Triton's passes make.
bool isBarrier(mlir::Operation *op);

/// Call of the convergent LLVM intrinsic `name`: all threads of the warps
/// execute it together, and no pass of LLVM may make two of it.
void createConvergent(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::StringRef name, mlir::ValueRange operands);

/// ttng.init_barrier.
void createInit(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Value barrier, int64_t count);

/// ttng.fence_async_shared: what generic instructions wrote to shared memory
/// becomes visible to TMA and WGMMA.
void createProxyFence(mlir::OpBuilder &builder, mlir::Location loc);

//===----------------------------------------------------------------------===//
// Who writes what
//===----------------------------------------------------------------------===//

/// What `value` stands for outside of workers of warp_specialize: what is
/// captured for an argument of one, otherwise `value` itself.
mlir::Value outsideOfWorkers(mlir::Value value);

/// `value` and the arguments of workers that stand for it.
llvm::SmallVector<mlir::Value> namesOf(mlir::Value value);

/// The buffer that `buffer` is a view of, or `buffer` itself. Looks through the
/// arguments of workers.
mlir::Value rootOf(mlir::Value buffer);

/// Where the block of `buffer` ends, in front of which the memory of `buffer`
/// may be released: in a function's body, wherever control leaves the blocks
/// that the allocation dominates.
llvm::SmallVector<mlir::Operation *> endsOfScope(mlir::Value buffer);

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

/// Stock Triton sinks the load of `buffer` into the loop of the only user of
/// its `tile` and does not look for writes on the way: true if there may be
/// one.
bool mayBeSunkPastWrite(mlir::Value buffer, mlir::Value tile);

/// Makes stock Triton's pipeliner leave the loops around `op` as written.
void keepLoopsAsWritten(mlir::Operation *op);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_MEMORY_H
