// RUN: tle-opt %s -split-input-file --tle-lower-barriers -verify-diagnostics

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case0(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %b = tle.alloc_barriers {arrive_count = 1 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %t = tle.slot %b[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %r = scf.for %k = %c0 to %i step %i iter_args(%x = %s) -> (!ttg.memdesc<1xi64, #bar, #smem, mutable>) : i32 {
    // expected-error @+1 {{[B26] the barrier was chosen at run time}}
    tle.barrier_wait %x, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
    scf.yield %t : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  }

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case1(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %b = tle.alloc_barriers {arrive_count = 128 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %t = tle.slot %b[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-note @+1 {{the slot is used as an mbarrier here}}
  tle.barrier_arrive %t {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B27] slot 0 is used as a named barrier here and as an mbarrier elsewhere}}
  tle.named_barrier_wait %s : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case2(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 128 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  %t = tle.slot %b[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B28] the slot of a named barrier must be known at compile time}}
  tle.named_barrier_wait %t : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case3(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 128 : i32, ready = true} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B29] a named barrier cannot be READY}}
  tle.named_barrier_wait %s : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case4(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 8192 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B30] a named barrier cannot expect bytes}}
  tle.named_barrier_arrive %s : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case5(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 8192 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B31] the only arrival at a barrier with expect_bytes is that of its TMA copies}}
  tle.barrier_arrive %s {count = 1 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case6(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B32] an arrival that counts 2 exceeds the arrive_count of the barrier, 1.}}
  tle.barrier_arrive %s {count = 2 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case7(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 8192 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B33] the barrier expects bytes, but no copy completes on it}}
  tle.barrier_wait %s, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case8(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %b = tle.alloc_barriers {arrive_count = 256 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+2 {{[B34] slot 0 of the named barriers is for arrive_count = 256 threads, but the functions that use it have 128}}
  // expected-note @+1 {{used by 4 warps here}}
  tle.named_barrier_wait %s : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case9(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %b = tle.alloc_barriers {arrive_count = 128 : i32, ready = false} : !ttg.memdesc<15x1xi64, #bar, #smem, mutable>
  %k0 = arith.constant 0 : i32
  %s0 = tle.slot %b[%k0] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k1 = arith.constant 1 : i32
  %s1 = tle.slot %b[%k1] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k2 = arith.constant 2 : i32
  %s2 = tle.slot %b[%k2] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s2 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k3 = arith.constant 3 : i32
  %s3 = tle.slot %b[%k3] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s3 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k4 = arith.constant 4 : i32
  %s4 = tle.slot %b[%k4] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s4 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k5 = arith.constant 5 : i32
  %s5 = tle.slot %b[%k5] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s5 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k6 = arith.constant 6 : i32
  %s6 = tle.slot %b[%k6] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s6 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k7 = arith.constant 7 : i32
  %s7 = tle.slot %b[%k7] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s7 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k8 = arith.constant 8 : i32
  %s8 = tle.slot %b[%k8] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s8 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k9 = arith.constant 9 : i32
  %s9 = tle.slot %b[%k9] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s9 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k10 = arith.constant 10 : i32
  %s10 = tle.slot %b[%k10] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s10 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k11 = arith.constant 11 : i32
  %s11 = tle.slot %b[%k11] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s11 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k12 = arith.constant 12 : i32
  %s12 = tle.slot %b[%k12] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s12 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k13 = arith.constant 13 : i32
  %s13 = tle.slot %b[%k13] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.named_barrier_wait %s13 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %k14 = arith.constant 14 : i32
  %s14 = tle.slot %b[%k14] : !ttg.memdesc<15x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B35] the kernel uses more named barriers than the 14 that its warp_specialize leaves free of the hardware's 16}}
  tle.named_barrier_wait %s14 : !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case10(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[C30] a copy completes on a barrier that expects no bytes}}
  tle.async_tma_load %d[%i, %i], %a, %s : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case11(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 4096 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-note @+2 {{this copy brings 8192 bytes}}
  // expected-error @+1 {{[C31] the copies that complete one use of the barrier bring 8192 bytes, but the barrier has expect_bytes = 4096}}
  tle.async_tma_load %d[%i, %i], %a, %s : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Two uses without a wait for the first: the second would begin while the first still runs.
tt.func public @two_copies_and_the_bytes_of_one(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 8192 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.async_tma_load %d[%i, %i], %a, %s : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %s, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-note @+2 {{this copy brings 8192 bytes}}
  // expected-error @+1 {{[C31] the copies that complete one use of the barrier bring 16384 bytes, but the barrier has expect_bytes = 8192}}
  tle.async_tma_load %d[%i, %i], %a, %s : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-note @+1 {{this copy brings 8192 bytes}}
  tle.async_tma_load %d[%i, %i], %a, %s : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @case12(%i: i32, %phase: i32, %d: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 16384 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-note @+2 {{this copy brings 8192 bytes}}
  // expected-error @+1 {{[C31] the copies that complete one use of the barrier bring 8192 bytes, but the barrier has expect_bytes = 16384}}
  tle.async_tma_load %d[%i, %i], %a, %s : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %s, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.async_tma_load %d[%i, %i], %a, %s : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>

  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Nothing arrives; READY lets the wait of the first use pass.
tt.func public @nobody_arrives(%phase: i32) {
  %c0 = arith.constant 0 : i32
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %r = tle.alloc_barriers {arrive_count = 1 : i32, ready = true} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  %t = tle.slot %r[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %t, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B37] nothing arrives at the barrier, so that this wait cannot end}}
  tle.barrier_wait %s, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// READY lets waits of even uses pass, whose parity is 1, and no other.
tt.func public @nobody_arrives_at_ready() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-note @+1 {{the barrier is allocated here}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, ready = true} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %s = tle.slot %b[%c0] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tle.barrier_wait %s, %c1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // expected-error @+1 {{[B37] nothing arrives at the barrier, so that this wait cannot end}}
  tle.barrier_wait %s, %c0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
