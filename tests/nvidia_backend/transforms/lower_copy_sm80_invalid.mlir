// RUN: tle-opt %s -verify-diagnostics --tle-lower-copy="capability=80"

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @tma(%desc: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-error @+1 {{[C28] TMA copies need compute capability 9.0 or newer, but the target is sm_80}}
  tle.tma_load %desc[%i, %i], %a : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}
