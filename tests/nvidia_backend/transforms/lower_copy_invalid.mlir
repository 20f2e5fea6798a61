// RUN: tle-opt %s -split-input-file -verify-diagnostics --tle-lower-copy

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @gather(%desc: !tt.tensordesc<tensor<1x64xf16>>, %rows: tensor<32xi32>, %i: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<1x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable>
  // expected-error @+1 {{[C29] the descriptor is also used in a way that gives it another memory layout than this copy's buffer has}}
  tle.tma_load %desc[%i, %i], %a : !tt.tensordesc<tensor<1x64xf16>>, !ttg.memdesc<1x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable>
  // expected-note @+1 {{the other use is here}}
  %g = "tt.descriptor_gather"(%desc, %rows, %i) : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma64 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @other_layout(%desc: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma64, #smem, mutable>
  // expected-note @+1 {{the other use is here}}
  %v = "tt.descriptor_load"(%desc, %i, %i) <{cache = 1 : i32, evict = 1 : i32}> : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32) -> tensor<64x64xf16>
  tle.local_store %v, %b : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma64, #smem, mutable>
  // expected-error @+1 {{[C29]}}
  tle.tma_store %a, %desc[%i, %i] : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !tt.tensordesc<tensor<64x64xf16>>
  tt.return
}
