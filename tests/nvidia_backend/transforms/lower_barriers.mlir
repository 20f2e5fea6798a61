// RUN: tle-opt %s -split-input-file --tle-lower-barriers | FileCheck %s
// RUN: tle-opt %s -split-input-file "--tle-lower-barriers=warp-arrivals=4" | FileCheck %s --check-prefix=WARP
// RUN: tle-opt %s -split-input-file "--tle-lower-barriers=warp-arrivals=8" | FileCheck %s --check-prefix=PARTS

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A producer and a consumer: initialized before the worker starts, invalidated at the end of the block.
// CHECK-LABEL: @pipeline
// CHECK: %[[EMPTY:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<2x1xi64
// CHECK: %[[E0:.*]] = tle.slot %[[EMPTY]][%{{.*}}]
// CHECK: "ttng.init_barrier"(%[[E0]]) <{count = 1 : i32}>
// CHECK: "ttng.init_barrier"
// CHECK-NOT: fence
// CHECK: %[[FULL:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<2x1xi64
// CHECK: "ttng.init_barrier"
// CHECK: "ttng.init_barrier"
// CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
// CHECK-NEXT: "gpu.barrier"
// CHECK-NEXT: "ttg.warp_specialize"(%[[EMPTY]], %[[FULL]]
// The default function waits, announces both copies and starts them.
// CHECK: "ttng.wait_barrier"(%{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait}
// CHECK: "ttng.barrier_expect"(%[[SLOT:[^,]*]], %{{.*}}) <{size = 16384 : i32}>
// CHECK-NOT: barrier_expect
// CHECK: "ttng.async_tma_copy_global_to_local"(%{{.*}}, %{{.*}}, %{{.*}}, %[[SLOT]], %{{.*}}, %{{.*}}) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false}>
// CHECK: "ttng.async_tma_copy_global_to_local"
// CHECK: ttg.warp_yield
// CHECK: "ttng.wait_barrier"
// CHECK: "gpu.barrier"
// CHECK-NEXT: "ttng.arrive_barrier"(%{{.*}}) <{count = 1 : i32}>
// CHECK: ttg.warp_return
// CHECK: "gpu.barrier"
// CHECK-COUNT-2: "ttng.inval_barrier"
// CHECK: "ttg.local_dealloc"
// CHECK-NEXT: "gpu.barrier"
// CHECK-COUNT-2: "ttng.inval_barrier"
// CHECK: "ttg.local_dealloc"
// CHECK-NEXT: tt.return

// Four warps arrive at the empty barriers; the one with bytes keeps its count.
// WARP-LABEL: @pipeline
// WARP-COUNT-2: "ttng.init_barrier"(%{{.*}}) <{count = 4 : i32}>
// WARP-COUNT-2: "ttng.init_barrier"(%{{.*}}) <{count = 1 : i32}>
// WARP: "llvm.call_intrinsic"(%{{.*}}) <{fastmathFlags = #llvm.fastmath<none>, intrin = "llvm.nvvm.bar.warp.sync"
// WARP: "tti.experimental_memdesc_to_i64"
// WARP: "tt.elementwise_inline_asm"
// WARP-SAME: @first mbarrier.arrive.shared::cta.b64 _, [$1], 1;
// WARP-NOT: ttng.arrive_barrier
// WARP: tt.return
tt.func public @pipeline(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %phase: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %empty = tle.alloc_barriers {arrive_count = 1 : i32, ready = true} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %full = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 16384 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  "ttg.warp_specialize"(%empty, %full, %i, %phase) <{partitionNumWarps = array<i32: 4>, requestedRegisters = array<i32: 152>}> ({
    %e = tle.slot %empty[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.barrier_wait %e, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %f0 = tle.slot %full[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.async_tma_load %d[%i, %i], %a, %f0 : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %f1 = tle.slot %full[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.async_tma_load %d[%i, %i], %b, %f1 : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%pe: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, %pf: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, %pi: i32, %pp: i32):
      %f = tle.slot %pf[%pi] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
      tle.barrier_wait %f, %pp : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      %e = tle.slot %pe[%pi] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
      tle.barrier_arrive %e {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<2x1xi64, #bar, #smem, mutable>, !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, i32, i32) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Two uses of one slot, one after the other, are announced one by one.
// CHECK-LABEL: @two_uses
// CHECK: "ttng.barrier_expect"(%{{.*}}) <{size = 8192 : i32}>
// CHECK: "ttng.async_tma_copy_global_to_local"
// CHECK: "ttng.wait_barrier"
// CHECK: "ttng.barrier_expect"(%{{.*}}) <{size = 8192 : i32}>
// CHECK: "ttng.async_tma_copy_global_to_local"
tt.func public @two_uses(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %phase: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %c0 = arith.constant 0 : i32
  %empty = tle.alloc_barriers {arrive_count = 1 : i32, ready = true} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %full = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 8192 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %f = tle.slot %full[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %e = tle.slot %empty[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.async_tma_load %d[%i, %i], %a, %f : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %e, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.async_tma_load %d[%i, %i], %a, %f : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Named barriers only: no memory, and no capture of it. Ids 0 and 1 are Triton's, 2 to 4 those of the three workers that a
// worker of one warp and its padding make.
// CHECK-LABEL: @named
// CHECK-NOT: local_alloc
// CHECK: "ttg.warp_specialize"(%{{.*}}) <{partitionNumWarps = array<i32: 1>
// CHECK: %[[ID0:.*]] = arith.constant 5 : i32
// CHECK: %[[N0:.*]] = arith.constant 160 : i32
// CHECK: "llvm.call_intrinsic"(%[[ID0]], %[[N0]]) <{fastmathFlags = #llvm.fastmath<none>, intrin = "llvm.nvvm.barrier.cta.sync.aligned.count", op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>}> : (i32, i32) -> ()
// CHECK: %[[ID1:.*]] = arith.constant 6 : i32
// CHECK: intrin = "llvm.nvvm.barrier.cta.arrive.aligned.count"
// CHECK: ^bb0(%{{.*}}: i32):
// CHECK: arith.constant 5 : i32
// CHECK: intrin = "llvm.nvvm.barrier.cta.arrive.aligned.count"
// CHECK: arith.constant 6 : i32
// CHECK: intrin = "llvm.nvvm.barrier.cta.sync.aligned.count"
tt.func public @named(%i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bars = tle.alloc_barriers {arrive_count = 160 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %s0 = tle.slot %bars[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %s1 = tle.slot %bars[%c1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  "ttg.warp_specialize"(%i, %s0, %bars) <{partitionNumWarps = array<i32: 1>}> ({
    tle.named_barrier_wait %s0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.named_barrier_arrive %s1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%pi: i32, %p0: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %pb: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>):
      tle.named_barrier_arrive %p0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      %k1 = arith.constant 1 : i32
      %p1 = tle.slot %pb[%k1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
      tle.named_barrier_wait %p1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<2x1xi64, #bar, #smem, mutable>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Barriers of a branch end with it. Slots of one array may be of both kinds.
// CHECK-LABEL: @branch
// CHECK: scf.if
// CHECK: "ttg.local_alloc"() : () -> !ttg.memdesc<2x1xi64
// CHECK-COUNT-1: "ttng.init_barrier"
// CHECK-NOT: "ttng.init_barrier"
// CHECK: "llvm.call_intrinsic"
// CHECK: "ttng.arrive_barrier"
// CHECK: "gpu.barrier"
// CHECK-COUNT-1: "ttng.inval_barrier"
// CHECK-NEXT: "ttg.local_dealloc"
// CHECK-NEXT: }
tt.func public @branch(%cond: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.if %cond {
    %bars = tle.alloc_barriers {arrive_count = 128 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
    %s0 = tle.slot %bars[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    %s1 = tle.slot %bars[%c1] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.named_barrier_wait %s0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.barrier_arrive %s1 {count = 128 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Loops of a kernel that orders its work itself are not pipelined.
// CHECK-LABEL: @promise
// CHECK: } {tt.num_stages = 0 : i32}
module attributes {tle.wgmma_pipeline_mode = "user_promise"} {
  tt.func public @promise(%n: i32) {
    scf.for %i = %n to %n step %n : i32 {
    } {tt.num_stages = 3 : i32, tt.warp_specialize}
    tt.return
  }
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Two arrivals of four warps would be more than the four that are allowed: one thread arrives for all.
// CHECK-LABEL: @many_arrivals
// WARP-LABEL: @many_arrivals
// WARP: "ttng.init_barrier"(%{{.*}}) <{count = 2 : i32}>
// WARP: "gpu.barrier"
// WARP-NOT: mbarrier.arrive
// WARP: "gpu.barrier"
// WARP-NEXT: "ttng.arrive_barrier"(%{{.*}}) <{count = 1 : i32}>
// WARP: "ttng.arrive_barrier"(%{{.*}}) <{count = 1 : i32}>
tt.func public @many_arrivals(%phase: i32) {
  %c0 = arith.constant 0 : i32
  %all = tle.alloc_barriers {arrive_count = 2 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  "ttg.warp_specialize"(%all) <{partitionNumWarps = array<i32: 4>, requestedRegisters = array<i32: 152>}> ({
    %d = tle.slot %all[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.barrier_arrive %d {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%a: !ttg.memdesc<1x1xi64, #bar, #smem, mutable>):
      %zero = arith.constant 0 : i32
      %w = tle.slot %a[%zero] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
      tle.barrier_arrive %w {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<1x1xi64, #bar, #smem, mutable>) -> ()
  %s = tle.slot %all[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %s, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// The warps meet in front of an arrival that is a part of a phase and may follow on another one with no wait in between: the second here,
// not the one in the loop, but the one behind it.
// PARTS-LABEL: @parts_of_a_phase
// PARTS: "ttg.warp_specialize"
// PARTS-NOT: gpu.barrier
// PARTS: mbarrier.arrive
// PARTS-NOT: mbarrier.arrive
// PARTS: "gpu.barrier"
// PARTS-NOT: gpu.barrier
// PARTS: mbarrier.arrive
// PARTS: scf.for
// PARTS-NOT: gpu.barrier
// PARTS: mbarrier.arrive
// PARTS-NOT: mbarrier.arrive
// PARTS: "gpu.barrier"
// PARTS-NOT: gpu.barrier
// PARTS: mbarrier.arrive
// PARTS: ttg.warp_yield
// One arrival after the other in a loop with no wait, and one that is a phase of its own.
// PARTS: scf.for
// PARTS: "gpu.barrier"
// PARTS-NOT: gpu.barrier
// PARTS: mbarrier.arrive
// PARTS-NOT: gpu.barrier
// PARTS: mbarrier.arrive
// PARTS-NOT: gpu.barrier
// PARTS: ttg.warp_return
tt.func public @parts_of_a_phase(%n: i32, %phase: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %all = tle.alloc_barriers {arrive_count = 2 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  "ttg.warp_specialize"(%all, %n) <{partitionNumWarps = array<i32: 2>, requestedRegisters = array<i32: 152>}> ({
    %d = tle.slot %all[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.barrier_arrive %d {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    tle.barrier_arrive %d {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      tle.barrier_wait %d, %i : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      tle.barrier_arrive %d {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    }
    tle.barrier_arrive %d {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%a: !ttg.memdesc<1x1xi64, #bar, #smem, mutable>, %m: i32):
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %w = tle.slot %a[%zero] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
      scf.for %i = %zero to %m step %one : i32 {
        tle.barrier_arrive %w {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      }
      tle.barrier_arrive %w {count = 2 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<1x1xi64, #bar, #smem, mutable>, i32) -> ()
  tt.return
}
