// The pass from TileIR to Triton's GPU dialect.

#ifndef FLAGTREE_COMMONIR_PASSES_TD
#define FLAGTREE_COMMONIR_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertCommonIRToTTGIR
    : Pass<"convert-common-ir-to-ttgir", "::mlir::ModuleOp"> {
  let summary = "turn buffers and copies of TileIR into operations of ttg";
  let description = [{
    Runs directly after raise-intrinsics. `tile.alloc` becomes `ttg.local_alloc`, with a
    `ttg.local_dealloc` where control leaves its scope; `tile.subview` becomes
    `ttg.memdesc_index` (rank-reducing) or `ttg.memdesc_subslice`; `tile.to_tensor` and
    `tile.store_tensor` become `ttg.local_load` and `ttg.local_store`. A copy into
    a buffer becomes an asynchronous copy with commit and wait where `enable-async-copy` is
    set and the pointers are known to allow it, else a load and a `ttg.local_store`; a copy
    out of a buffer becomes a `ttg.local_load` and a store. Every copy is complete for
    whatever follows it.

    Waits of successive asynchronous copies are merged within one block, for copies into
    different known allocations with nothing but region-free operations without memory
    effects between them. Loops that write buffers get `tt.num_stages = 0`: Triton's
    pipeliner orders operations by their values alone. Without `keep-loops` a later pass has to
    see to it, and the `ttg.local_store` of a synchronous copy gets `ttg.copies`, by which that pass
    knows it from one that the program makes of a loaded tensor.

    Layouts come from the attribute `tle.gpu_layout` of allocations and views and from
    `builtin.unrealized_conversion_cast`s to and from `!ttg.memdesc`, which are gone
    afterwards. Function arguments, results and calls, scf, cf, and what
    ttg.warp_specialize captures are retyped. Tensors without a layout are bridged to
    the default one.

    What is not supported is refused with a rule, T31 to T55 (docs/commonir.md); the pass fails
    rather than leave an operation or type of `tile` or a cast behind.
  }];
  let options = [
    Option<"enableAsyncCopy", "enable-async-copy", "bool", /*default=*/"false",
           "copy to shared memory asynchronously, from capability 80 on">,
    Option<"keepLoops", "keep-loops", "bool", /*default=*/"true",
           "keep Triton's pipeliner away from loops that write buffers">,
    Option<"numWarps", "num-warps", "int32_t", /*default=*/"4",
           "warps of a program instance">,
    Option<"numCTAs", "num-ctas", "int32_t", /*default=*/"1",
           "CTAs of a program instance">,
    Option<"capability", "capability", "int32_t", /*default=*/"90",
           "compute capability of the target, 90 for sm_90">
  ];
}

#endif // FLAGTREE_COMMONIR_PASSES_TD
