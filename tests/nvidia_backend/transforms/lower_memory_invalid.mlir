// RUN: tle-opt %s -verify-diagnostics --tle-lower-memory

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @left_over(%ptrs: tensor<64x64x!tt.ptr<f16>>) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-error @+1 {{'tle.copy' op [I20] was not lowered}}
  tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}
