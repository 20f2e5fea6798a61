// RUN: tle-opt %s --tle-lower-barriers="arrival-per-copy=true" -verify-diagnostics

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @one_copy_or_two(%i: i32, %d: !tt.tensordesc<tensor<64x64xf16>>, %e: !tt.tensordesc<tensor<128x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>
  %full = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 16384 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %f = tle.slot %full[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-note @+1 {{the use with 2 copies is here}}
  tle.async_tma_load %d[%i, %i], %a, %f : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.async_tma_load %d[%i, %i], %a, %f : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %f, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B38] Triton's concurrency sanitizer takes every copy for an arrival, but the uses of the barrier have 2 copies and 1}}
  tle.async_tma_load %e[%i, %i], %b, %f : !tt.tensordesc<tensor<128x64xf16>>, !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %f, %c1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
