//===- Wgmma.h - What WGMMA can do ------------------------------*- C++ -*-===//

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMA_H
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMA_H

#include "core/triton/TTG.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace flagtree::nvidia {

/// Module attribute that says who orders asynchronous products: the kernel with
/// "user_promise", Triton's pipeliner with "compiler_auto" or without it.
inline constexpr llvm::StringLiteral kPipelineMode = "tle.wgmma_pipeline_mode";
bool isUserPromise(mlir::ModuleOp module);

/// Values of the property `inputPrecision`, and the least number of imprecise
/// additions that products of 8-bit floats in f32 accumulators can have.
inline constexpr int64_t kTF32 = 0;
inline constexpr int64_t kLeastImprecise = 32;

/// True if WGMMA can read operand `index` (A is 0, B is 1) from a buffer of
/// `type`, of whose contents it is the transposed if `transposed`.
bool isReadableByWgmma(ttg::MemDescType type, bool transposed, unsigned index);

/// How the warps share a tile of `shape`: along M as far as there are rows, 16
/// for each warp, and then along N.
llvm::SmallVector<int32_t, 2> warpsOverTile(llvm::ArrayRef<int64_t> shape,
                                            int32_t numWarps);

/// The layout of an accumulator of `shape` for operands of type `operand`, with
/// the widest instruction that fits. `warps` is its number of warps per
/// dimension.
ttg::NvidiaMmaAttr accumulatorLayout(mlir::Type operand,
                                     llvm::ArrayRef<int64_t> shape,
                                     llvm::ArrayRef<int32_t> warps);

/// A view of the transposed contents of `buffer`, a matrix.
mlir::Value transposedView(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value buffer);

} // namespace flagtree::nvidia

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_WGMMA_H
