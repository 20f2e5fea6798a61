// The `tle` dialect: what a kernel's `tle.gpu` calls mean, before any hardware is chosen.

#ifndef FLAGTREE_TLE_IR_TLEDIALECT_TD
#define FLAGTREE_TLE_IR_TLEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tle_Dialect : Dialect {
  let name = "tle";
  let cppNamespace = "::flagtree::tle";
  let summary = "Shared-memory buffers, copies, barriers and asynchronous matrix products";
  let description = [{
    Each operation is one call of the Python API `tle.gpu`. The front end emits
    it as an intrinsic, `tt.call @"tle.<op>.<n>"(operands)` with attributes
    prefixed `tle.`; the pass `raise-intrinsics` makes the operation of it, and the
    passes of the NVIDIA backend replace every one of them by operations of
    `tt`, `ttg` and `ttng`.

    A buffer is a mutable `!ttg.memdesc` in shared memory. Tensors carry no layout
    at this level; only buffers do. But for `tle.async_tma_load` and `tle.wgmma`, operations
    have synchronous meaning: what one writes, every thread that executes it can read in
    the next. Threads of different partitions of a `ttg.warp_specialize` meet at barriers.

    A verifier's message starts with the number of the rule it enforces, for
    example `[C20]`; docs/errors.md lists the rules.
  }];
}

#endif // FLAGTREE_TLE_IR_TLEDIALECT_TD
