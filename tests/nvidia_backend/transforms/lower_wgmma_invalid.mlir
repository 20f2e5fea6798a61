// RUN: tle-opt %s --split-input-file --verify-diagnostics --tle-lower-wgmma

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Straight on.
tt.func public @computed(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W30] uses the result of a wgmma that may still be running; use what wgmma_wait(pendings, acc) returns, with pendings of no more than 0}}
  %t = arith.addf %s, %s : tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @stored(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %out: tensor<64x64x!tt.ptr<f32>>) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W30] uses the result of a wgmma}}
  "tt.store"(%out, %s) : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xf32>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @reduced(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W30] uses the result of a wgmma}}
  %r = "tt.reduce"(%s) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    "tt.reduce.return"(%z) : (f32) -> ()
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func private @returned(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32> {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W30] uses the result of a wgmma}}
  tt.return %s : tensor<64x64xf32>
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The newest group may be the one that is still running.
tt.func public @one_pending(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  %w = tle.wgmma_wait %s {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  // expected-error@+1 {{[W30] uses the result of a wgmma that may still be running; wgmma_wait(1) lets the newest groups run on, up to 1, and this one may be among them: use what wgmma_wait(pendings, acc) returns, with pendings of no more than 0}}
  %t = arith.addf %w, %w : tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The queue is first in, first out, but only a wait for a value gives it.
tt.func public @other_wait(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  %t = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  %w = tle.wgmma_wait %t {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  // expected-error@+1 {{[W30] uses the result of a wgmma that may still be running; its group is finished by now, but only the value that a wgmma_wait returns may be used}}
  %u = arith.addf %s, %w : tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// One branch leaves it pending.
tt.func public @branch(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %c: i1) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  %r = scf.if %c -> tensor<64x64xf32> {
    %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %w : tensor<64x64xf32>
  } else {
    scf.yield %s : tensor<64x64xf32>
  }
  // expected-error@+1 {{[W30] uses the result of a wgmma}}
  %t = arith.addf %r, %r : tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The first iteration uses zeros, the second one a pending value.
tt.func public @loop(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error@+1 {{[W30] uses the result of a wgmma}}
    %t = arith.addf %acc, %acc : tensor<64x64xf32>
    // expected-note@+1 {{the wgmma is here}}
    %s = tle.wgmma %a, %a, %t {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %r {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// wait(1) at the end of an iteration completes the group of the iteration before, not the own one.
tt.func public @loop_one_pending(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %n: i32, %out: tensor<64x64x!tt.ptr<f32>>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-note@+1 {{the wgmma is here}}
    %s = tle.wgmma %a, %a, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %w = tle.wgmma_wait %s {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %w : tensor<64x64xf32>
  }
  // expected-error@+1 {{[W30] uses the result of a wgmma}}
  "tt.store"(%out, %r) : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xf32>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Operand A must be complete.
tt.func public @operand(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf16>
  // expected-error@+1 {{[W30] uses the result of a wgmma}}
  %t = tle.wgmma %s, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  %w = tle.wgmma_wait %t {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A branch that only chooses becomes a select, which reads both values.
tt.func public @choice(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %c: i1) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W30] uses the result of a wgmma}}
  %r = scf.if %c -> tensor<64x64xf32> {
    scf.yield %s : tensor<64x64xf32>
  } else {
    scf.yield %zero : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %r {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

// A wait for what no product made, straight on and around a loop.
tt.func public @nothing(%x: tensor<64x64xf32>) {
  // expected-error@+1 {{[W31] waits for a value that no wgmma made; pass the accumulator that tle.gpu.wgmma returned}}
  %w = tle.wgmma_wait %x {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func public @nothing_in_loop(%x: tensor<64x64xf32>, %n: i32) {
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %x) -> (tensor<64x64xf32>) : i32 {
    // expected-error@+1 {{[W31] waits for a value that no wgmma made}}
    %w = tle.wgmma_wait %acc {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %w : tensor<64x64xf32>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// An accumulator in flight has one owner.
tt.func public @twice(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  // expected-note@+1 {{it was handed on here}}
  %t = tle.wgmma %a, %a, %s {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>, tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W32] takes the result of a wgmma that was handed on before it was waited for}}
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  %x = tle.wgmma_wait %t {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @each_iteration(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %n: i32) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  scf.for %i = %n to %n step %n : i32 {
    // expected-error@+1 {{[W32] takes the same result of a wgmma that nobody waited for in each iteration of a loop}}
    %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Nobody waits: at once, behind the last wait, for all iterations but the last, behind a loop.
tt.func public @lost(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-error@+1 {{[W33] the result of a wgmma is lost here before it is complete; wait for it: acc = wgmma_wait(0, acc)}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @lost_behind_wait(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W33] the result of a wgmma is lost here}}
  %w = tle.wgmma_wait %s {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @lost_in_loop(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{[W33] the result of a wgmma is lost here}}
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-note@+1 {{the wgmma is here}}
    %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %r {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @lost_behind_loop(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{[W33] the result of a wgmma is lost here}}
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-note@+1 {{the wgmma is here}}
    %s = tle.wgmma %a, %a, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory

// Operands of 16 and of 8 bits lay out the accumulator differently.
tt.func public @widths(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %b: !ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem>) {
  // expected-note@+1 {{the other product}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W34] adds products of 'f8E5M2' to an accumulator of products of 'f16'}}
  %t = tle.wgmma %b, %b, %s {input_precision = 0 : i32, max_num_imprecise_acc = 128 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem>, !ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w = tle.wgmma_wait %t {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// What a running group reads is not written: the buffer itself, and the same slot.
tt.func public @overwritten(%x: tensor<64x64xf16>) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads; wait for the wgmma first}}
  tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @overwritten_slot(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %a0 = tle.slot %ring[%c0] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %a1 = tle.slot %ring[%c1] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %again = tle.slot %ring[%c0] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a0, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  tle.local_store %x, %a1 : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %v = tle.wgmma_wait %s {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  scf.for %i = %n to %n step %n : i32 {
    // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads}}
    tle.local_store %x, %again : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  }
  %w = tle.wgmma_wait %v {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @overwritten_by_tma(%desc: !tt.tensordesc<tensor<64x64xf16>>, %bar: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>, %n: i32, %p: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // expected-note@+1 {{the wgmma is here}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  // expected-error@+1 {{[W35] writes a buffer that a wgmma still reads}}
  "ttng.async_tma_copy_global_to_local"(%desc, %n, %n, %bar, %a, %p) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false}> : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, i1) -> ()
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A worker of two warps has no warp group.
tt.func public @two_warps(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  "ttg.warp_specialize"(%a) <{partitionNumWarps = array<i32: 2>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem>):
      // expected-error@+1 {{[W36] is executed by groups of 4 warps, but runs here in 2; give the kernel, or the worker it is in, 4, 8 or 16 warps}}
      %s = tle.wgmma %b, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
      %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<64x64xf16, #nvmma, #smem>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// 64 x 16 is two groups of warps at most.
tt.func public @small_tile(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  "ttg.warp_specialize"(%a) <{partitionNumWarps = array<i32: 16>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem>):
      %c = tle.alloc : () -> !ttg.memdesc<64x16xf16, #narrow, #smem, mutable>
      // expected-error@+1 {{[W37] a tile of 64 x 16 is too small for 16 warps}}
      %s = tle.wgmma %b, %c {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x16xf16, #narrow, #smem, mutable>) -> tensor<64x16xf32>
      %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32> -> tensor<64x16xf32>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<64x64xf16, #nvmma, #smem>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#flat = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @unswizzled(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %b: !ttg.memdesc<64x8xf16, #flat, #smem>) {
  // expected-error@+1 {{[W38] operand b is read from a buffer without swizzling}}
  %s = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x8xf16, #flat, #smem>) -> tensor<64x8xf32>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x8xf32> -> tensor<64x8xf32>
  tt.return
}

// -----

// expected-error@+1 {{[W39] the module attribute 'tle.wgmma_pipeline_mode' must be "compiler_auto" or "user_promise", but is "always"}}
module attributes {tle.wgmma_pipeline_mode = "always"} {
}

// -----

#nvmma32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory

tt.func public @ieee(%a: !ttg.memdesc<64x32xf32, #nvmma32, #smem>) {
  // expected-error@+1 {{[W40] multiplies f32 as tf32 only}}
  %s = tle.wgmma %a, %a {input_precision = 2 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x32xf32, #nvmma32, #smem>, !ttg.memdesc<64x32xf32, #nvmma32, #smem>) -> tensor<64x64xf32>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}
