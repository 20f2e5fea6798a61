// RUN: tle-opt %s -split-input-file --pass-pipeline="builtin.module(tle-lower-copy{arrival-per-copy=true},tle-lower-barriers{arrival-per-copy=true})" | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Two copies of a use are two arrivals, each with its own bytes.
// CHECK-LABEL: tt.func public @two_copies
// CHECK: "ttng.init_barrier"(%{{.*}}) <{count = 2 : i32}>
// CHECK: "ttng.barrier_expect"(%[[BAR:.*]], %{{.*}}) <{size = 8192 : i32}>
// CHECK: "ttng.async_tma_copy_global_to_local"
// CHECK: "ttng.barrier_expect"(%{{.*}}, %{{.*}}) <{size = 4096 : i32}>
// CHECK: "ttng.async_tma_copy_global_to_local"
// CHECK-NOT: ttng.barrier_expect
tt.func public @two_copies(%i: i32, %d: !tt.tensordesc<tensor<64x64xf16>>, %e: !tt.tensordesc<tensor<32x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %a = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<32x64xf16, #nvmma, #smem, mutable>
  %full = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 12288 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %f = tle.slot %full[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.async_tma_load %d[%i, %i], %a, %f : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.async_tma_load %e[%i, %i], %b, %f : !tt.tensordesc<tensor<32x64xf16>>, !ttg.memdesc<32x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %f, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Copies that wait by themselves, too.
// CHECK-LABEL: tt.func public @whole
// CHECK: "ttng.init_barrier"(%{{.*}}) <{count = 2 : i32}>
// CHECK: "ttng.barrier_expect"(%{{.*}}, %{{.*}}) <{size = 8192 : i32}>
// CHECK: "ttng.async_tma_copy_global_to_local"
// CHECK: "ttng.barrier_expect"(%{{.*}}, %{{.*}}) <{size = 8192 : i32}>
// CHECK: "ttng.async_tma_copy_global_to_local"
// CHECK: "ttng.wait_barrier"
tt.func public @whole(%i: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.tma_load %d[%i, %i], %a : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.tma_load %d[%i, %i], %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}
