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

// -----

#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>
#smem = #ttg.shared_memory

// Slot 1 would begin at byte 32.
tt.func public @small_slots(%desc: !tt.tensordesc<tensor<16xf16>>, %i: i32) {
  %ring = tle.alloc : () -> !ttg.memdesc<3x16xf16, #plain, #smem, mutable>
  %slot = tle.slot %ring[%i] : !ttg.memdesc<3x16xf16, #plain, #smem, mutable> -> !ttg.memdesc<16xf16, #plain, #smem, mutable>
  // expected-error @+1 {{[C32] TMA copies to and from multiples of 128 bytes of shared memory, but the slots of this buffer have 32 each}}
  tle.tma_load %desc[%i], %slot : !tt.tensordesc<tensor<16xf16>>, !ttg.memdesc<16xf16, #plain, #smem, mutable>
  tt.return
}

// -----

#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A whole small buffer begins where it has to; its slot that a worker got does not.
tt.func public @small_slot_of_a_worker(%desc: !tt.tensordesc<tensor<2x8xf16>>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32) {
  %whole = tle.alloc : () -> !ttg.memdesc<2x8xf16, #plain, #smem, mutable>
  tle.async_tma_load %desc[%i, %i], %whole, %bar : !tt.tensordesc<tensor<2x8xf16>>, !ttg.memdesc<2x8xf16, #plain, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %ring = tle.alloc : () -> !ttg.memdesc<2x2x8xf16, #plain, #smem, mutable>
  %slot = tle.slot %ring[%i] : !ttg.memdesc<2x2x8xf16, #plain, #smem, mutable> -> !ttg.memdesc<2x8xf16, #plain, #smem, mutable>
  "ttg.warp_specialize"(%slot, %desc, %i) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%s: !ttg.memdesc<2x8xf16, #plain, #smem, mutable>, %d: !tt.tensordesc<tensor<2x8xf16>>, %j: i32):
      // expected-error @+1 {{[C32]}}
      tle.tma_store %s, %d[%j, %j] : !ttg.memdesc<2x8xf16, #plain, #smem, mutable>, !tt.tensordesc<tensor<2x8xf16>>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<2x8xf16, #plain, #smem, mutable>, !tt.tensordesc<tensor<2x8xf16>>, i32) -> ()
  tt.return
}
