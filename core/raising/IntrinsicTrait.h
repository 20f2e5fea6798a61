//===- IntrinsicTrait.h - Operations the front end may emit -----*- C++ -*-===//
//
// The front end of a stock Triton wheel cannot make our operations. It emits
// calls `tt.call @"tle.<op>.<n>"(...) {tle.<attribute> = ...}`; the pass
// raise-intrinsics turns each into operation `tle.<op>`. The operations that
// may be reached this way carry the trait IntrinsicOp; the table of intrinsics
// is computed from it, for the pass and for the front end alike.
//
// In ODS:  def IntrinsicOp : NativeOpTrait<"IntrinsicOp"> {
//            let cppNamespace = "::flagtree";
//          }
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_CORE_RAISING_INTRINSICTRAIT_H
#define FLAGTREE_CORE_RAISING_INTRINSICTRAIT_H

#include "mlir/IR/OpDefinition.h"

namespace flagtree {

/// Marks an operation that the front end may emit as a call. A call has neither
/// regions nor successors, so such an operation has none.
template <typename ConcreteType>
class IntrinsicOp : public mlir::OpTrait::TraitBase<ConcreteType, IntrinsicOp> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *) {
    static_assert(ConcreteType::template hasTrait<mlir::OpTrait::ZeroRegions>(),
                  "an intrinsic has no regions");
    static_assert(
        ConcreteType::template hasTrait<mlir::OpTrait::ZeroSuccessors>(),
        "an intrinsic has no successors");
    return mlir::success();
  }
};

} // namespace flagtree

#endif // FLAGTREE_CORE_RAISING_INTRINSICTRAIT_H
