// Passes of the NVIDIA backend, in the order in which they run.

#ifndef FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PASSES_TD
#define FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// Triton's concurrency sanitizer takes every TMA copy for an arrival at its
// barrier, and the announcement of bytes for none: it follows a program whose
// barriers count copies.
def ArrivalPerCopy
    : Option<"arrivalPerCopy", "arrival-per-copy", "bool", /*default=*/"false",
             "let every TMA copy be an arrival of its own">;

// What every lowering has to know of the launch.
class Nvidia_Pass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  list<Option> launch = [
    Option<"numWarps", "num-warps", "int32_t", /*default=*/"4",
           "warps of a program instance">,
    Option<"numCTAs", "num-ctas", "int32_t", /*default=*/"1",
           "CTAs of a program instance">,
    Option<"capability", "capability", "int32_t", /*default=*/"90",
           "compute capability of the target, 90 for sm_90">
  ];
  let options = launch;
  let dependentDialects = [
    "::flagtree::tle::TleDialect", "::flagtree::tt::TTDialect",
    "::flagtree::ttg::TTGDialect", "::mlir::arith::ArithDialect"
  ];
}

def TleLowerLocalPtr : Nvidia_Pass<"tle-lower-local-ptr"> {
  let summary = "lower accesses through pointers into buffers";
  let description = [{
    The first of the passes. Unmasked `tt.load`s and `tt.store`s through pointers to all
    elements of a buffer become `tle.local_load` and `tle.local_store`. Every
    other load and store becomes inline assembly on i32 addresses, `ld.shared` and
    `st.shared`, predicated by the mask; a lane that is masked off loads `other`, or zero
    without it. Stock Triton would make accesses of global memory of them.

    Atomics on the pointers stay until the layouts are final (see
    `tle-lower-shared-atomics`); the module attribute `tle.late` says that there
    are some. Their pointers are made of the same addresses.

    What was an access is marked by the attribute `tle.shared_access`, and the
    loops around it get `tt.num_stages = 0`, because Triton's pipeliner orders
    operations by their values alone.

    Rules: a pointer is only read and written through (L30); elements have 1 to 64
    bits (L32); constant indices lie in the buffer (L8); there is such an atomic
    (L34); one CTA per program instance (L35); the buffer's layout is known (L36).
  }];
}

def TlePromotePipelinedBuffers : Nvidia_Pass<"tle-promote-pipelined-buffers"> {
  let summary = "give the buffers of a pipelined loop to Triton's pipeliner";
  let description = [{
    A loop that asks for `num_stages` of 2 or more wants the copies of later
    iterations to run during the computation of earlier ones. A buffer whose only
    uses are one `tle.copy` per iteration of that loop and `tle.local_load`s and copies
    out that come after it in the same iteration holds nothing but the copied tensor.
    Such a buffer is replaced by a `tt.load`, which Triton's own pipeliner then spreads
    over as many buffers as there are stages, with asynchronous copies and
    asynchronous WGMMA. This is the meaning of `num_stages` for such a loop:
    it promises that the copies do not depend on what earlier iterations of the
    loop store to global memory. With that promise its results are the ones of the
    synchronous program, and the kernel's shared memory holds `num_stages - 1` or
    more copies of the buffer. The same holds for a buffer that CommonIR was lowered to: filled by
    `ttg.async_copy_global_to_local`, or by a `ttg.local_store` with `ttg.copies`, which is gone
    afterwards, and read by `ttg.local_load`.

    CommonIR ties the loads of its buffers to their place; those that no write of the buffer
    can meet are released.

    Nothing is promoted in a module with `tle.wgmma_pipeline_mode` = "user_promise": it says
    itself what runs at once.

    All other loops that write shared memory are executed as written. They get
    `tt.num_stages = 0`, because Triton's pipeliner orders operations by
    their values alone and would move accesses of a buffer past each other.

    `num-stages` is the number that a loop without its own `tt.num_stages` has. Such a
    loop is left as written if its stages would not fit into shared memory, or if
    it writes global memory: it promises nothing.

    The pass also gives a buffer that is used by slots the layout of its slots, which
    is how `ttg.memdesc_index` wants it. Such a buffer is indexed where it
    was allocated and used through its slots only (rule A25).
  }];
  let options = launch # [
    Option<"numStages", "num-stages", "int32_t", /*default=*/"0",
           "stages of a loop that does not say so">
  ];
}

def TleLowerDotOperands : Nvidia_Pass<"tle-lower-dot-operands"> {
  let summary = "let WGMMA read buffers where they are";
  let description = [{
    A `tt.dot` whose operand B, or both operands, come from `tle.local_load`s
    of buffers in an nvmma layout becomes a synchronous `ttng.warp_group_dot` that
    reads shared memory itself, on capability 90 and for shapes and types that
    WGMMA has. Between load and dot the buffer must not be written. A `tt.trans` of the
    loaded tensor becomes a transposed view for types of 16 bits.

    The accumulator passes `tt.fp_to_fp` and `ttg.convert_layout` on its way in and
    out, which Triton's layout passes fold away, so that a loop keeps it in the
    registers of the matrix unit. A dot that does not fit stays a `tt.dot` on loaded tensors.
  }];
}

def TleLowerCopy : Nvidia_Pass<"tle-lower-copy"> {
  let summary = "lower copies between global memory and buffers";
  let description = [{
    `tle.copy` becomes `tt.load` and `tle.local_store`, `tle.copy_out` becomes
    `tle.local_load` and `tt.store`. `tle.tma_load` becomes a TMA copy on an mbarrier
    of its own, and a wait for it; consecutive ones share the barrier and the wait.
    `tle.tma_store` becomes a proxy fence, a TMA copy and a wait.

    Rules: TMA copies need capability 90 (C28); a descriptor of TMA copies is not
    used in a way that gives it another layout than the copied buffers have (C29).
  }];
  let options = launch # [ArrivalPerCopy];
}

def TleLowerAsyncLoad : Nvidia_Pass<"tle-lower-async-load"> {
  let summary = "lower loads that ask to be asynchronous";
  let description = [{
    A `tt.load` of a tensor of global pointers with `tt.load.async = true` becomes
    `ttg.async_copy_global_to_local` into a buffer of its own, commit, wait and
    load. The hardware copies 4, 8 or 16 bytes at a time: where it cannot be shown
    that the pointers and the mask allow that, and on capabilities below
    80, the load stays a plain one.
  }];
}

def TleFenceWrites : Nvidia_Pass<"tle-fence-writes"> {
  let summary = "place proxy fences behind generic writes";
  let description = [{
    What generic instructions write to memory that a `tle.wgmma` reads, or that a TMA copy overwrites, is made
    visible to the asynchronous proxy by a `ttng.fence_async_shared` on the writer's side, in front of what may
    tell other threads. Writes of TMA need none. Memory is followed through slots, loops, branches and workers.
  }];
  let options = [];
}

def TleLowerWgmma : Nvidia_Pass<"tle-lower-wgmma"> {
  let summary = "lower asynchronous matrix products";
  let description = [{
    `tle.wgmma` becomes an asynchronous `ttng.warp_group_dot`, one group of the queue of its warp
    group, and `tle.wgmma_wait` a `ttng.warp_group_dot_wait`. Accumulators stay in the registers of the
    tensor cores (`#ttg.nvidia_mma`): results of products and waits, and the loop arguments and
    results of loops and branches that carry them. They meet other tensors, by `tt.fp_to_fp` and
    `ttg.convert_layout`, only where complete values leave or values enter. Without `init`,
    or with a constant, the accumulator is a constant, so that the instructions
    need not read it. Operands A in registers are converted to `#ttg.dot_op`. Accumulators of f16, and
    float8 products that are added up outside of the tensor cores because of
    `max_num_imprecise_acc`, are waited for at once.

    Values are followed through the queue, which completes groups in order: a value is complete
    after a wait(p) if p or more groups were issued after its own; until then it has one
    owner.

    With the module attribute `tle.wgmma_pipeline_mode` = "user_promise" Triton's pipeliner leaves all
    loops alone (`tt.num_stages = 0`), otherwise ("compiler_auto", or without it) those with explicit products.

    Rules: a value is used when it is complete (W30); a wait is for the result of a product (W31); an
    incomplete value is handed on once (W32) and not lost (W33); what adds to one
    accumulator has operands of one width (W34); a buffer is not written while a product surely
    reads it, also one of an earlier iteration (W35); the target is sm_90, with one CTA and a multiple
    of four warps (W36); the tile has enough columns for the warps (W37); buffers are swizzled (W38); the mode is one of the two (W39); f32 is multiplied as
    tf32 (W40).
  }];
}

def TleLowerBarriers : Nvidia_Pass<"tle-lower-barriers"> {
  let summary = "lower barriers and the copies that complete on them";
  let description = [{
    A slot of barriers is what its uses make of it. An mbarrier takes memory, is
    initialized where the array is allocated, visibly for all workers and TMA, and
    invalidated at the end of that block. A copy that completes on one becomes a TMA
    copy; one thread announces the bytes of all copies of a use before the first. An
    arrival is made by one thread, behind a `gpu.barrier`, or by one thread of every warp, each
    a part of it, where that makes no more than `warp-arrivals` arrivals of a phase. Where that may
    follow on another arrival of the partition with no wait in between, a `gpu.barrier` keeps a warp
    from arriving for the next phase before all have arrived for this one.

    A named barrier takes a hardware barrier that Triton leaves free, and no memory.

    In a module with `tle.wgmma_pipeline_mode` = "user_promise" all loops get
    `tt.num_stages = 0`: Triton's pipeliner leaves them alone.

    Rules: the allocation and slot of a barrier are known (B26); a slot is an mbarrier
    or a named barrier (B27); named barriers have a constant slot (B28), are not READY
    (B29) and expect no bytes (B30); a barrier with bytes is completed by copies alone
    (B31) and by some (B33); something arrives where a wait does not pass as things are (B37); no
    arrival exceeds arrive_count (B32); the functions that use a named barrier have as many
    threads as it says (B34); there are enough hardware barriers (B35); the target has
    mbarriers (B36); copies complete on a barrier with expect_bytes (C30), and bring that
    many bytes (C31); with `arrival-per-copy` all uses of a barrier have as many copies (B38).
  }];
  let options = launch # [
    Option<"warpArrivals", "warp-arrivals", "int64_t", /*default=*/"0",
           "arrivals of a phase up to which every warp arrives by itself">,
    ArrivalPerCopy
  ];
}

def TleLowerMemory : Nvidia_Pass<"tle-lower-memory"> {
  let summary = "lower buffers, slots, and loads and stores of whole buffers";
  let description = [{
    The last of the early passes: `tle.alloc` becomes `ttg.local_alloc`, `tle.slot`
    `ttg.memdesc_index`, and loads and stores the ones of `ttg`, on tensors in
    Triton's default layout that are tied to tensors without layout by `tt.fp_to_fp` or
    `tt.broadcast`. `tle.memory_space` becomes a store to and a load from a
    buffer. The module gets the attributes that encoded tensors need.

    A buffer whose address is taken (`tti.experimental_memdesc_to_i64`) is kept alive to the end of
    its block by `ttg.local_dealloc`: Triton's allocation does not see accesses through
    addresses.

    Rule: no operation of the `tle` dialect is left (I20).
  }];
}

def TleDeferStoreWaits : Nvidia_Pass<"tle-defer-store-waits"> {
  let summary = "let TMA stores run on until their buffer is written again";
  let description = [{
    A TMA store reads its buffer while the program goes on; the wait for that stands
    behind the store. Where a buffer has no accesses but `ttg.local_store`, `ttg.local_load` and
    TMA stores, all of one partition, or all of the kernel's own body, the wait is moved to in front of each
    `ttg.local_store` to it and of the partition's end: what comes between, the next tile's main loop
    above all, runs at the same time. A buffer that others access, by TMA loads, WGMMA or
    addresses, or that lives in a loop only, keeps the wait behind the store.
  }];
}

def TleOrderSharedAccesses : Nvidia_Pass<"tle-order-shared-accesses"> {
  let summary = "put barriers around accesses through pointers into buffers";
  let description = [{
    Triton's own placement of barriers does not see these accesses. A `gpu.barrier` is put
    in front of an operation when a pending access to the same buffer conflicts with
    it and one of the two goes through a pointer: a load after a store or atomic, a store or
    atomic after anything, a second atomic after a first excepted. Before an
    operation of Triton that may read by TMA or WGMMA what was stored through a
    pointer, `ttng.fence_async_shared` comes first. The memory of a buffer counts
    as accessed where the buffer begins, and is released only after the last access
    through a pointer.

    The pass follows loops and branches, and runs when all operations of `tle` are lowered.
  }];
}

def TleBoundWaits : Nvidia_Pass<"tle-bound-waits"> {
  let summary = "let a wait at an mbarrier end the kernel instead of lasting for ever";
  let description = [{
    In front of every `ttng.wait_barrier` comes a loop that asks the same question until the clock of the
    device (`%globaltimer`) has gone on by `milliseconds`, and a `tt.assert` that the answer was yes: it prints file and
    line of the wait, block and thread, and ends the kernel with CUDA's error "device-side assert triggered". One lane
    of each warp that waits speaks. Waits at named barriers are left as they are, the hardware cannot bound them.

    Runs only when it is asked for, by `TLE_WAIT_TIMEOUT_MS`.
  }];
  let options = launch # [
    Option<"milliseconds", "milliseconds", "int64_t", /*default=*/"1000",
           "how long a wait may last">
  ];
}

def TleEncodeDescriptors : Nvidia_Pass<"tle-encode-descriptors"> {
  let summary = "give descriptors a layout that a worker captures and does not use";
  let description = [{
    Stock Triton chooses the layout of a tensor descriptor for each value that an operation has as
    operand or result. The argument of a partition of `ttg.warp_specialize` that nothing
    uses gets none, and its type is no longer the one of what was captured. In a module
    with such an argument every descriptor type gets the default layout, which is the
    one that Triton's pass chooses for descriptors of TMA copies (C27, C29). That pass still decides about
    the descriptors that are used. Other modules are left as they are.
  }];
}

def TleOutlineWorkers : Nvidia_Pass<"tle-outline-workers"> {
  let summary = "take workers with a warp count of their own out of the kernel";
  let description = [{
    Stock Triton's conversion to TTGIR gives every tensor of a module a layout for the warps of
    the launch. A partition of `ttg.warp_specialize` with another warp count needs
    other layouts, so each module is converted on its own: the bodies of the
    partitions of W warps become functions `@worker.<number>` of one module with W warps, whose text
    is attribute `tle.workers.<W>` of the kernel's module. An empty body stays behind. Bodies
    without tensors, or whose tensors have layouts, stay where they are.

    Tensors that a default partition yields get the default layout, which the conversion would
    not give them.

    The stage runs the conversion on those modules and `tle-merge-workers` after it.

    Rule: partitions call no functions (S20).
  }];
}

def TleMergeWorkers : Nvidia_Pass<"tle-merge-workers"> {
  let summary = "put converted workers back into the kernel";
  let description = [{
    Undoes `tle-outline-workers` with the bodies that the attributes hold now.
  }];
}

def TleOrderWaits : Nvidia_Pass<"tle-order-waits"> {
  let summary = "lower waits at mbarriers, and let warps meet between two at the same array";
  let description = [{
    Runs behind Triton's passes on TTGIR. Triton takes a wait at an mbarrier for an access of its memory and puts a
    barrier of the partition between two waits at one array of them, so that no warp gets two phases ahead
    of another, for which the parity would be the wrong one. It does not see that warps have met at a named
    barrier on the way. Waits with `tle.wait`, those of kernels, become loops of assembly, which Triton takes for no access, and
    a `gpu.barrier` comes in front of one if, on some path from another wait at the array, the
    warps of the partition have met at no `gpu.barrier` and at no named barrier. A partition of
    one warp needs none.
  }];
}

def TleLowerSharedAtomics : Nvidia_Pass<"tle-lower-shared-atomics"> {
  let summary = "lower atomics on buffers, once layouts are final";
  let description = [{
    Runs behind Triton's passes on TTGIR. A tensor may have its elements in
    several threads, but every element is updated once: the operands are
    converted to the default layout, whose owner of an element is known by bits of the
    thread number, and the owner executes `atom.shared`. When the old value is used
    by threads that are not the owner, it passes through a small buffer.

    The meaning of a lane that is masked off is a result of zero.
  }];
}

def TleCheckSharedMemory : Nvidia_Pass<"tle-check-shared-memory"> {
  let summary = "refuse a kernel whose shared memory does not fit, and say what it is for";
  let description = [{
    Runs on the final TTGIR when the total that stock Triton's allocation came to is known.
    The launch would fail with nothing but that number.

    Rule: `total` bytes are at most `limit` (A26).
  }];
  let options = launch # [
    Option<"total", "total", "int64_t", /*default=*/"0",
           "bytes of shared memory that the kernel needs">,
    Option<"limit", "limit", "int64_t", /*default=*/"0",
           "bytes of shared memory that a block may have">
  ];
}

#endif // FLAGTREE_NVIDIA_BACKEND_TRANSFORMS_PASSES_TD
