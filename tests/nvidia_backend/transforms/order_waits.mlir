// RUN: tle-opt %s -split-input-file --tle-order-waits | FileCheck %s

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A wait is a loop of assembly. Between a wait and the next one at the array, on the way around the loop as well, the warps meet.
// CHECK-LABEL: @ring
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK-NEXT: %[[SLOT:.*]] = "ttg.memdesc_index"
// CHECK-NEXT: "gpu.barrier"
// CHECK-NEXT: %[[WIDE:.*]] = "tti.experimental_memdesc_to_i64"(%[[SLOT]])
// CHECK-NEXT: %[[ADDRESS:.*]] = arith.trunci %[[WIDE]] : i64 to i32
// CHECK-NEXT: "tt.elementwise_inline_asm"(%[[ADDRESS]], %{{.*}}) <{asm_string = "{ .reg .pred done; poll: mbarrier.try_wait.parity.shared.b64 done, [$1], $2; @!done bra.uni poll; mov.b32 $0, 0; }", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}>
// CHECK-NOT: gpu.barrier
// CHECK-NOT: wait_barrier
// CHECK: tt.return
tt.func public @ring(%n: i32, %bars: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %b = "ttg.memdesc_index"(%bars, %i) : (!ttg.memdesc<2x1xi64, #bar, #smem, mutable>, i32) -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    "ttng.wait_barrier"(%b, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait} : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
  }
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Warps that meet at a named barrier in every iteration need nothing more, but once in front of the loop for the wait before it.
// CHECK-LABEL: @turns
// CHECK: mbarrier.try_wait
// CHECK: "gpu.barrier"
// CHECK-NEXT: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: mbarrier.try_wait
// CHECK-NOT: gpu.barrier
// CHECK: llvm.nvvm.barrier.cta.sync.aligned.count
// CHECK-NOT: gpu.barrier
// CHECK: mbarrier.try_wait
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
tt.func public @turns(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %id = arith.constant 6 : i32
  %threads = arith.constant 256 : i32
  %k = "ttg.local_alloc"() : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %v = "ttg.local_alloc"() : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  "ttng.wait_barrier"(%k, %c0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait} : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%last = %c0) -> (i32) : i32 {
    "ttng.wait_barrier"(%k, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait} : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
    "llvm.call_intrinsic"(%id, %threads) <{fastmathFlags = #llvm.fastmath<none>, intrin = "llvm.nvvm.barrier.cta.sync.aligned.count", op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>}> : (i32, i32) -> ()
    "ttng.wait_barrier"(%v, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait} : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
    scf.yield %i : i32
  }
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A worker of one warp need not meet itself; the default partition of four warps does, whatever way it took. Triton's own waits stay.
// CHECK-LABEL: @workers
// CHECK: scf.if
// CHECK: mbarrier.try_wait
// CHECK: "gpu.barrier"
// CHECK-NEXT: "tti.experimental_memdesc_to_i64"
// CHECK: "ttng.wait_barrier"
// CHECK: ttg.warp_yield
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: mbarrier.try_wait
// CHECK-NOT: gpu.barrier
// CHECK: ttg.warp_return
tt.func public @workers(%c: i1) {
  %c0 = arith.constant 0 : i32
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  "ttg.warp_specialize"(%b, %c0) <{partitionNumWarps = array<i32: 1>, requestedRegisters = array<i32: 32>}> ({
    scf.if %c {
      "ttng.wait_barrier"(%b, %c0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait} : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
    }
    "ttng.wait_barrier"(%b, %c0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait} : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
    "ttng.wait_barrier"(%b, %c0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%wb: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %w0: i32):
      "ttng.wait_barrier"(%wb, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait} : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
      "ttng.wait_barrier"(%wb, %w0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> {tle.wait} : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
  tt.return
}
