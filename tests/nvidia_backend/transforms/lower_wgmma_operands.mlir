// RUN: tle-opt %s --split-input-file --verify-diagnostics --tle-lower-wgmma

// What may be right is accepted.

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A wait in the loop finishes the product before the next write.
tt.func public @waited_for(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v = tle.wgmma_wait %t {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Also at the head of the next iteration.
tt.func public @wait_before_the_write(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %first = tle.wgmma %b, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<64x64xf32>) : i32 {
    %v = tle.wgmma_wait %acc {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %v {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Two slots and one product in flight; three and two.
tt.func public @rings(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %three = tle.alloc : () -> !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.remsi %i, %c2 : i32
    %a = tle.slot %ring[%k] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v = tle.wgmma_wait %t {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
  }
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %s) -> (tensor<64x64xf32>) : i32 {
    %k = arith.remsi %i, %c3 : i32
    %a = tle.slot %three[%k] : !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v = tle.wgmma_wait %t {pendings = 2 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %u {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The slot that the last product read is filled, which the wait has finished.
tt.func public @prefetch(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.remsi %i, %c3 : i32
    %a = tle.slot %ring[%k] : !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v = tle.wgmma_wait %t {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    %j = arith.addi %i, %c2 : i32
    %l = arith.remsi %j, %c3 : i32
    %next = tle.slot %ring[%l] : !ttg.memdesc<3x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.local_store %x, %next : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    scf.yield %v : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A slot for each iteration.
tt.func public @each_slot_once(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<4x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.remsi %i, %c4 : i32
    %a = tle.slot %ring[%k] : !ttg.memdesc<4x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// And by its number alone, up to a bound that is not known here.
tt.func public @slots_one_by_one(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<4x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tle.slot %ring[%i] : !ttg.memdesc<4x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A counter that the loop carries may be any slot.
tt.func public @counted_slot(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s, %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %k = %c0) -> (tensor<64x64xf32>, i32) : i32 {
    %a = tle.slot %ring[%k] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v = tle.wgmma_wait %t {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    %j = arith.addi %k, %c1 : i32
    %l = arith.remsi %j, %c2 : i32
    scf.yield %v, %l : tensor<64x64xf32>, i32
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The condition may hold in the first iteration only, before any product.
tt.func public @first_iteration_only(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    }
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Or in the last one only, behind all writes.
tt.func public @last_iteration_only(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    tle.local_store %x, %b : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %last = arith.cmpi eq, %i, %n : i32
    %t = scf.if %last -> (tensor<64x64xf32>) {
      %u = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %u : tensor<64x64xf32>
    } else {
      scf.yield %acc : tensor<64x64xf32>
    }
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Of two branches only one may be taken.
tt.func public @either_or(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.if %c -> (tensor<64x64xf32>) {
    %t = tle.wgmma %a, %b, %zero {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  } else {
    scf.yield %zero : tensor<64x64xf32>
  }
  scf.if %d {
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A wait in a branch is taken to happen.
tt.func public @waited_for_in_a_branch(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v = scf.if %c -> (tensor<64x64xf32>) {
      %u = tle.wgmma_wait %t {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
      scf.yield %u : tensor<64x64xf32>
    } else {
      scf.yield %t : tensor<64x64xf32>
    }
    scf.yield %v : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The other buffer, and another slot.
tt.func public @other_buffer(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r0 = tle.slot %ring[%c0] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %r1 = tle.slot %ring[%c1] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.local_store %x, %r1 : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %t = tle.wgmma %r0, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.local_store %x, %r1 : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The queue of a worker is its own, and empty at first.
tt.func public @other_warps(%x: tensor<64x64xf16>, %n: i32, %c: i1, %d: i1) {
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %s = tle.wgmma %b, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  "ttg.warp_specialize"(%b) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
      ^bb0(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>):
      %y = arith.constant dense<1.0> : tensor<64x64xf16>
      tle.local_store %y, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A masked store may write nothing.
tt.func public @by_masked_pointer(%n: i32, %h: i16, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %adr = "tti.experimental_memdesc_to_i64"(%a) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> i64
  %ptr = arith.trunci %adr : i64 to i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %st = "tt.elementwise_inline_asm"(%ptr, %h, %c) <{asm_string = "@$3 st.shared.b16 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,h,b", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i16, i1) -> i32
    %t = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}
