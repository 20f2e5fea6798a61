// The pass that turns intrinsic calls into operations.

#ifndef FLAGTREE_CORE_RAISING_PASSES_TD
#define FLAGTREE_CORE_RAISING_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseIntrinsics : Pass<"raise-intrinsics", "::mlir::ModuleOp"> {
  let summary = "turn calls of intrinsics into the operations they stand for";
  let description = [{
    `tt.call @"tle.<op>.<n>"(operands) {tle.<attribute> = value}` becomes operation
    `tle.<op>` with the same operands, result types and location. Attributes whose
    name carries the dialect's prefix become inherent attributes without it; a
    one-dimensional `dense` of i32 becomes `array<i32>`; all other attributes stay
    discardable. The declarations and the module attribute `tle.used` go away.

    Where the dialect has types of its own (see RaisingInterface.h), its operations get
    these, and `builtin.unrealized_conversion_cast` joins them to the types of the call.

    Errors, at the call's location (at the function's for I1 and I3):

    - I1: the function is declared, but names no intrinsic.
    - I2: the intrinsic has no such attribute.
    - I3: a function with a body has the name of an intrinsic.
    - I4: operands, results or attribute values do not fit the operation.
    - I5: the intrinsic is used in another way than by a call.
    - I6: the call stands in a function that was not inlined into the kernel.
  }];
}

#endif // FLAGTREE_CORE_RAISING_PASSES_TD
