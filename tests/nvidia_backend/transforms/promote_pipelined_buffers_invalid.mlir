// RUN: tle-opt %s -split-input-file -verify-diagnostics --tle-promote-pipelined-buffers

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory

tt.func public @whole_and_slots(%i: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<4x64x64xf16, #nvmma3, #smem, mutable>
  // expected-note @+1 {{a slot is taken here}}
  %s = tle.slot %a[%i] : !ttg.memdesc<4x64x64xf16, #nvmma3, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-error @+1 {{[A25] a buffer with slots is moved slot by slot}}
  %t = tle.local_load %a : !ttg.memdesc<4x64x64xf16, #nvmma3, #smem, mutable> -> tensor<4x64x64xf16>
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#plain2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#plain1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @slot_of_slot(%i: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<4x4x64xf16, #plain, #smem, mutable>
  %s = tle.slot %a[%i] : !ttg.memdesc<4x4x64xf16, #plain, #smem, mutable> -> !ttg.memdesc<4x64xf16, #plain2, #smem, mutable>
  // expected-error @+1 {{[A25] only a buffer as tle.gpu.alloc returned it has slots}}
  %t = tle.slot %s[%i] : !ttg.memdesc<4x64xf16, #plain2, #smem, mutable> -> !ttg.memdesc<64xf16, #plain1, #smem, mutable>
  tt.return
}

// -----

#plain2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#plain1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @initial_value(%v: tensor<4x64xf16>, %i: i32) {
  // expected-error @+1 {{[A25] a buffer with slots takes no initial value}}
  %a = tle.alloc %v : (tensor<4x64xf16>) -> !ttg.memdesc<4x64xf16, #plain2, #smem, mutable>
  %s = tle.slot %a[%i] : !ttg.memdesc<4x64xf16, #plain2, #smem, mutable> -> !ttg.memdesc<64xf16, #plain1, #smem, mutable>
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @chosen(%c: i1, %v: tensor<64xf16>) {
  %a = tle.alloc : () -> !ttg.memdesc<64xf16, #plain, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64xf16, #plain, #smem, mutable>
  // expected-error @+1 {{[A25] a buffer cannot be chosen at run time}}
  %s = arith.select %c, %a, %b : !ttg.memdesc<64xf16, #plain, #smem, mutable>
  tle.local_store %v, %s : tensor<64xf16>, !ttg.memdesc<64xf16, #plain, #smem, mutable>
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @leaves_loop(%v: tensor<64xf16>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64xf16, #plain, #smem, mutable>
  %r = scf.for %i = %n to %n step %n iter_args(%x = %a) -> (!ttg.memdesc<64xf16, #plain, #smem, mutable>) : i32 {
    // expected-error @+1 {{[A25] a buffer cannot leave the loop or branch that it is allocated in}}
    %b = tle.alloc : () -> !ttg.memdesc<64xf16, #plain, #smem, mutable>
    scf.yield %b : !ttg.memdesc<64xf16, #plain, #smem, mutable>
  }
  tle.local_store %v, %r : tensor<64xf16>, !ttg.memdesc<64xf16, #plain, #smem, mutable>
  tt.return
}
