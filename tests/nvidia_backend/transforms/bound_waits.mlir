// RUN: tle-opt %s --pass-pipeline="builtin.module(tle-lower-barriers,tle-lower-memory,tle-bound-waits{milliseconds=250})" | FileCheck %s
// RUN: tle-opt %s --pass-pipeline="builtin.module(tle-lower-barriers,tle-lower-memory)" | FileCheck %s --check-prefix=OFF

// Without the pass there is nothing but the wait.
// OFF-NOT: globaltimer
// OFF-NOT: tt.assert

#slots = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Each wait is asked for first, for 250 ms; then it is waited for as ever.
// CHECK-LABEL: tt.func public @waits
// CHECK: ttg.warp_specialize.partitions
// CHECK: scf.for
// CHECK: %[[SLOT:.*]] = "ttg.memdesc_index"
// CHECK: %[[WIDE:.*]] = "tti.experimental_memdesc_to_i64"(%[[SLOT]])
// CHECK-NEXT: %[[ADDRESS:.*]] = arith.trunci %[[WIDE]] : i64 to i32
// CHECK-NEXT: %[[GOOD:.*]] = "tt.elementwise_inline_asm"(%[[ADDRESS]], %[[PARITY:.*]]) <{asm_string = "{{.*}}mbarrier.try_wait.parity.shared.b64 good, [$1], $2;{{.*}}setp.lt.u64 early, now, 250000000;{{.*}}", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}>
// CHECK-NEXT: %[[IS_GOOD:.*]] = arith.trunci %[[GOOD]] : i32 to i1
// CHECK-NEXT: "tt.assert"(%[[IS_GOOD]]) <{message = "a wait at a barrier took longer than 250 ms (TLE_WAIT_TIMEOUT_MS): the phase it waits for is not complete"}>
// CHECK-NEXT: "ttng.wait_barrier"(%[[SLOT]], %[[PARITY]])
// CHECK-NOT: tt.assert
// CHECK: tt.return
tt.func public @waits(%n: i32) {
  %bars = "tle.alloc_barriers"() <{arrive_count = 1 : i32, ready = true}> : () -> !ttg.memdesc<2x1xi64, #slots, #smem, mutable>
  "ttg.warp_specialize"(%bars, %n) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%bars1: !ttg.memdesc<2x1xi64, #slots, #smem, mutable>, %n1: i32):
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      scf.for %i = %c0 to %n1 step %c1 : i32 {
        %parity = arith.andi %i, %c1 : i32
        %bar = "tle.slot"(%bars1, %c0) : (!ttg.memdesc<2x1xi64, #slots, #smem, mutable>, i32) -> !ttg.memdesc<1xi64, #slots, #smem, mutable>
        "tle.barrier_wait"(%bar, %parity) : (!ttg.memdesc<1xi64, #slots, #smem, mutable>, i32) -> ()
        "tle.barrier_arrive"(%bar) <{count = 1 : i32}> : (!ttg.memdesc<1xi64, #slots, #smem, mutable>) -> ()
      }
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<2x1xi64, #slots, #smem, mutable>, i32) -> ()
  tt.return
}

// The hardware does not bound the wait at a named barrier.
// CHECK-LABEL: tt.func public @named
// CHECK-NOT: tt.assert
// CHECK: llvm.nvvm.barrier.cta.sync.aligned.count
// CHECK: tt.return
tt.func public @named() {
  %c0 = arith.constant 0 : i32
  %bars = "tle.alloc_barriers"() <{arrive_count = 128 : i32, ready = false}> : () -> !ttg.memdesc<1x1xi64, #slots, #smem, mutable>
  %bar = "tle.slot"(%bars, %c0) : (!ttg.memdesc<1x1xi64, #slots, #smem, mutable>, i32) -> !ttg.memdesc<1xi64, #slots, #smem, mutable>
  "tle.named_barrier_wait"(%bar) : (!ttg.memdesc<1xi64, #slots, #smem, mutable>) -> ()
  tt.return
}
