// RUN: tle-opt %s -split-input-file --tle-promote-pipelined-buffers="num-stages=3" | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A loop that is pipelined by default, whose buffers hold only what is copied.
// CHECK: tt.func public @promoted
// CHECK-NOT: tle.alloc
// CHECK: scf.for
// CHECK: %[[A:.*]] = "tt.load"(%{{.*}}, %{{.*}}, %{{.*}}) <{{{.*}}operandSegmentSizes = array<i32: 1, 1, 1>}>
// CHECK: %[[B:.*]] = "tt.descriptor_load"(%{{.*}}, %{{.*}}, %{{.*}}) <{cache = 1 : i32, evict = 1 : i32}>
// CHECK: arith.addf %[[A]], %[[B]]
// CHECK-NOT: tt.num_stages
// CHECK: tt.return
tt.func public @promoted(%ptrs: tensor<64x64x!tt.ptr<f16>>, %mask: tensor<64x64xi1>, %desc: !tt.tensordesc<tensor<64x64xf16>>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %a mask %mask : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xi1>
    tle.tma_load %desc[%i, %n], %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    %vb = tle.local_load %b : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    %u = arith.addf %va, %vb : tensor<64x64xf16>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// What an iteration stores may be what the next one copies: only a loop that asks for stages promises that it is not.
// CHECK: tt.func public @stores
// CHECK: scf.for
// CHECK: tle.copy
// CHECK: tle.copy_out
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: scf.for
// CHECK: tle.copy
// CHECK: "tt.store"
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: scf.for
// CHECK: "tt.load"
// CHECK: "tt.store"
// CHECK: } {tt.num_stages = 2 : i32}
tt.func public @stores(%ptrs: tensor<64x64x!tt.ptr<f16>>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %c = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.copy_out %a, %ptrs : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>
  }
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %b : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %v = tle.local_load %b : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    "tt.store"(%ptrs, %v) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xf16>) -> ()
  }
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %c : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %v = tle.local_load %c : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    "tt.store"(%ptrs, %v) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xf16>) -> ()
  } {tt.num_stages = 2 : i32}
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// One stage: everything stays in its order.
// CHECK: tt.func public @one_stage
// CHECK: tle.alloc
// CHECK: tle.copy
// CHECK: tle.local_load
// CHECK: } {tt.num_stages = 0 : i32}
tt.func public @one_stage(%ptrs: tensor<64x64x!tt.ptr<f16>>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    %u = arith.addf %va, %va : tensor<64x64xf16>
  } {tt.num_stages = 1 : i32}
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The load comes first: it reads what the iteration before has copied.
// CHECK: tt.func public @read_before_write
// CHECK: tle.local_load
// CHECK: tle.copy
// CHECK: } {tt.num_stages = 0 : i32}
tt.func public @read_before_write(%ptrs: tensor<64x64x!tt.ptr<f16>>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %u = arith.addf %va, %va : tensor<64x64xf16>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The contents outlive the loop.
// CHECK: tt.func public @read_after_loop
// CHECK: tle.copy
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: tle.local_load
tt.func public @read_after_loop(%ptrs: tensor<64x64x!tt.ptr<f16>>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  }
  %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
  %u = arith.addf %va, %va : tensor<64x64xf16>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A copy that does not happen in every iteration.
// CHECK: tt.func public @conditional
// CHECK: scf.if
// CHECK: tle.copy
// CHECK: } {tt.num_stages = 0 : i32}
tt.func public @conditional(%ptrs: tensor<64x64x!tt.ptr<f16>>, %n: i32, %c: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    scf.if %c {
      tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    }
    %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    %u = arith.addf %va, %va : tensor<64x64xf16>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// One buffer that has to stay keeps the other one.
// CHECK: tt.func public @all_or_none
// CHECK-COUNT-2: tle.alloc
// CHECK: tle.copy
// CHECK: tle.local_store
// CHECK: } {tt.num_stages = 0 : i32}
tt.func public @all_or_none(%ptrs: tensor<64x64x!tt.ptr<f16>>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    tle.local_store %va, %b : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Buffers that are only read leave the loop to the pipeliner.
// CHECK: tt.func public @only_read
// CHECK: scf.for
// CHECK: tle.local_load
// CHECK-NOT: tt.num_stages
// CHECK: tt.return
tt.func public @only_read(%v: tensor<64x64xf16>, %n: i32) {
  %a = tle.alloc %v : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    %u = arith.addf %va, %va : tensor<64x64xf16>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A loop around a loop is not pipelined, and the inner loop sees its buffer whole.
// CHECK: tt.func public @nested
// CHECK: scf.for
// CHECK: tle.copy
// CHECK: scf.for
// CHECK: tle.local_load
// CHECK: }
// CHECK-NOT: tt.num_stages
// CHECK: } {tt.num_stages = 0 : i32}
tt.func public @nested(%ptrs: tensor<64x64x!tt.ptr<f16>>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    scf.for %j = %n to %n step %n : i32 {
      %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
      %u = arith.addf %va, %va : tensor<64x64xf16>
    }
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory

// A buffer with slots takes the layout of its slots.
// CHECK: #[[SLOT:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK: tt.func public @slots
// CHECK: tle.alloc : () -> !ttg.memdesc<3x64x64xf16, #[[SLOT]], #smem, mutable>
// CHECK: tle.slot {{.*}} : !ttg.memdesc<3x64x64xf16, #[[SLOT]], #smem, mutable> -> !ttg.memdesc<64x64xf16, #[[SLOT]], #smem, mutable>
tt.func public @slots(%v: tensor<64x64xf16>, %i: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<3x64x64xf16, #nvmma3, #smem, mutable>
  %s = tle.slot %a[%i] : !ttg.memdesc<3x64x64xf16, #nvmma3, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.local_store %v, %s : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Three times 128 KiB do not fit. Only a loop that asks for its stages itself gets them, or the error of stock Triton.
// CHECK: tt.func public @room
// CHECK: scf.for
// CHECK: tle.copy
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: scf.for
// CHECK: tt.load
// CHECK: } {tt.num_stages = 3 : i32}
tt.func public @room(%ptrs: tensor<1024x64x!tt.ptr<f16>>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<1024x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<1024x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %a : tensor<1024x64x!tt.ptr<f16>>, !ttg.memdesc<1024x64xf16, #nvmma, #smem, mutable>
    %va = tle.local_load %a : !ttg.memdesc<1024x64xf16, #nvmma, #smem, mutable> -> tensor<1024x64xf16>
    %u = arith.addf %va, %va : tensor<1024x64xf16>
  }
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %b : tensor<1024x64x!tt.ptr<f16>>, !ttg.memdesc<1024x64xf16, #nvmma, #smem, mutable>
    %va = tle.local_load %b : !ttg.memdesc<1024x64xf16, #nvmma, #smem, mutable> -> tensor<1024x64xf16>
    %u = arith.addf %va, %va : tensor<1024x64xf16>
  } {tt.num_stages = 3 : i32}
  tt.return
}
