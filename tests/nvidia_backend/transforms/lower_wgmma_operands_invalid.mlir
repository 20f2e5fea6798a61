// RUN: tle-opt %s --split-input-file --verify-diagnostics --tle-lower-wgmma

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The second iteration overwrites what the first one's product reads.
tt.func public @by_the_next_iteration(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The wait leaves the newest product running.
tt.func public @too_late_a_wait(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v = tle.wgmma_wait %t {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Slots are made in each iteration, of the same number.
tt.func public @constant_slot_in_loop(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tle.slot %ring[%c1] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %again = tle.slot %ring[%c1] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %again, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// What runs at the end of a loop runs on behind it.
tt.func public @behind_a_loop(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads; wait for the wgmma first}}
  tle.local_store %x, %b : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The inner loop issues, the outer one writes.
tt.func public @across_an_inner_loop(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %u = scf.for %j = %c0 to %n step %c1 iter_args(%in = %acc) -> (tensor<64x64xf32>) : i32 {
      // expected-note@+1 {{the wgmma is here}}
      %t = tle.wgmma %a, %b, %in {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %t : tensor<64x64xf32>
    }
    scf.yield %u : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The outer loop issues, the inner one writes.
tt.func public @in_an_inner_loop(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
      tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    }
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Also where a condition decides how often.
tt.func public @in_a_while(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.while (%acc = %zero) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    scf.condition(%c) %acc : tensor<64x64xf32>
  } do {
    ^bb0(%acc: tensor<64x64xf32>):
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @behind_a_while(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.while (%acc = %zero) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    scf.condition(%c) %acc : tensor<64x64xf32>
  } do {
    ^bb0(%acc: tensor<64x64xf32>):
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads; wait for the wgmma first}}
  tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A product in a branch runs on behind it.
tt.func public @behind_a_branch(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.if %c -> (tensor<64x64xf32>) {
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %zero {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  } else {
    scf.yield %zero : tensor<64x64xf32>
  }
  // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads; wait for the wgmma first}}
  tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// And a write in a branch meets what ran before it.
tt.func public @in_a_branch(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  scf.if %c {
  } else {
    // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads; wait for the wgmma first}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @in_the_same_branch(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.if %c {
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
      tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      // expected-note@+1 {{the wgmma is here}}
      %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %t : tensor<64x64xf32>
    }
    %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Of a ring, slot 0 comes again.
tt.func public @ring_without_a_wait(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.remsi %i, %c2 : i32
    %a = tle.slot %ring[%k] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The slot of the product before the last is written, but two may run.
tt.func public @ring_with_a_late_wait(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.remsi %i, %c2 : i32
    %a = tle.slot %ring[%k] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v = tle.wgmma_wait %t {pendings = 2 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Three slots ahead in a ring of three is this slot.
tt.func public @prefetch_too_early(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.remsi %i, %c3 : i32
    %a = tle.slot %ring[%k] : !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %j = arith.addi %i, %c3 : i32
    %l = arith.remsi %j, %c3 : i32
    %next = tle.slot %ring[%l] : !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    scf.if %c {
      // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads; wait for the wgmma first}}
      tle.local_store %x, %next : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    }
    %v = tle.wgmma_wait %t {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The slot behind is the one of the iteration before.
tt.func public @next_slot(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<8x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %j = arith.addi %i, %c1 : i32
    %a = tle.slot %ring[%i] : !ttg.memdesc<8x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %next = tle.slot %ring[%j] : !ttg.memdesc<8x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %next, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A write of all slots writes each.
tt.func public @whole_ring(%y: tensor<2x64x64xf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tle.slot %ring[%c0] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %y, %ring : tensor<2x64x64xf16>, !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A buffer of the loop is the same memory in each iteration.
tt.func public @allocated_in_the_loop(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    %a = tle.alloc %x : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The barrier of a copy says when it is there, not when it may begin.
tt.func public @by_tma_in_a_loop(%desc: !tt.tensordesc<tensor<64x64xf16>>, %bar: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>, %n: i32, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    "ttng.async_tma_copy_global_to_local"(%desc, %n, %n, %bar, %a, %p) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false}> : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, i1) -> ()
    "ttng.wait_barrier"(%bar, %n, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>, i32, i1) -> ()
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// In a worker as anywhere.
tt.func public @in_a_worker(%n: i32) {
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  "ttg.warp_specialize"(%b) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
      ^bb0(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>):
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
        %c9 = arith.constant 9 : i32
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %y = arith.constant dense<1.0> : tensor<64x64xf16>
      %s = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
        tle.local_store %y, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
        // expected-note@+1 {{the wgmma is here}}
        %t = tle.wgmma %a, %a, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %t : tensor<64x64xf32>
      }
      %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A store through a pointer writes a part of the buffer.
tt.func public @by_pointer(%n: i32, %h: i16) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %adr = "tti.experimental_memdesc_to_i64"(%a) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> i64
  %ptr = arith.trunci %adr : i64 to i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    %st = "tt.elementwise_inline_asm"(%ptr, %h) <{asm_string = "st.shared.b16 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,h", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i16) -> i32
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Behind an early return.
tt.func public @behind_an_early_return(%x: tensor<64x64xf16>, %c: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  cf.cond_br %c, ^return, ^go
^return:
  %v = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
^go:
  // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads; wait for the wgmma first}}
  tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Slots as CommonIR makes them.
tt.func public @ring_of_common_ir(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.remsi %i, %c2 : i32
    %a = "ttg.memdesc_index"(%ring, %k) : (!ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>, i32) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-error@+1 {{[W35] writes a buffer that a wgmma of an earlier iteration still reads; wait for the wgmma in the loop}}
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    // expected-note@+1 {{the wgmma is here}}
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}
