// ODS name of the trait in IntrinsicTrait.h.

#ifndef FLAGTREE_CORE_RAISING_INTRINSICTRAIT_TD
#define FLAGTREE_CORE_RAISING_INTRINSICTRAIT_TD

include "mlir/IR/OpBase.td"

// The front end may emit this operation as a call; see IntrinsicTrait.h.
def IntrinsicOp : NativeOpTrait<"IntrinsicOp"> {
  let cppNamespace = "::flagtree";
}

#endif // FLAGTREE_CORE_RAISING_INTRINSICTRAIT_TD
