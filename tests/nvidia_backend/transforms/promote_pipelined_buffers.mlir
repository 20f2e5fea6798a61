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

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Buffers that another dialect was lowered to: copied asynchronously with one wait, synchronously, and with a mask.
// CHECK: tt.func public @lowered
// CHECK-SAME: (%[[P:[^:]*]]: tensor<64x64x!tt.ptr<f16>>
// CHECK-NOT: ttg.
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = "tt.load"(%[[P]])
// CHECK-NEXT: %[[B:.*]] = "tt.load"(%[[P]])
// CHECK-NEXT: %[[C:.*]] = "tt.load"(%[[P]])
// CHECK-NOT: ttg.
// CHECK: "tt.load"(%[[P]], %{{.*}}, %{{.*}})
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: arith.addf %[[S]], %[[C]]
// CHECK-NOT: ttg.
// CHECK-NOT: tt.num_stages = 0
// CHECK: tt.return
tt.func public @lowered(%ptrs: tensor<64x64x!tt.ptr<f16>>, %mask: tensor<64x64xi1>, %n: i32) {
  %a = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %c = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %d = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    %pa = "tt.broadcast"(%ptrs) : (tensor<64x64x!tt.ptr<f16>>) -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %ta = "ttg.async_copy_global_to_local"(%pa, %a) <{cache = 1 : i32, contiguity = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f16>, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> !ttg.async.token
    %pb = "tt.broadcast"(%ptrs) : (tensor<64x64x!tt.ptr<f16>>) -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %tb = "ttg.async_copy_global_to_local"(%pb, %b) <{cache = 1 : i32, contiguity = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f16>, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> !ttg.async.token
    %t = "ttg.async_commit_group"(%ta, %tb) : (!ttg.async.token, !ttg.async.token) -> !ttg.async.token
    %w = "ttg.async_wait"(%t) <{num = 0 : i32}> : (!ttg.async.token) -> !ttg.async.token
    %l = "tt.load"(%ptrs) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f16>>) -> tensor<64x64xf16>
    %e = "tt.fp_to_fp"(%l) : (tensor<64x64xf16>) -> tensor<64x64xf16, #blocked>
    "ttg.local_store"(%e, %c) {ttg.copies} : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
    tle.copy %ptrs, %d mask %mask : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xi1>
    %ea = "ttg.local_load"(%a) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf16, #blocked>
    %va = "tt.fp_to_fp"(%ea) : (tensor<64x64xf16, #blocked>) -> tensor<64x64xf16>
    %vb = tle.local_load %b : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    %ec = "ttg.local_load"(%c) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf16, #blocked>
    %vc = "tt.bitcast"(%ec) : (tensor<64x64xf16, #blocked>) -> tensor<64x64xf16>
    %vd = tle.local_load %d : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    %u = arith.addf %va, %vb : tensor<64x64xf16>
    %v = arith.addf %u, %vc : tensor<64x64xf16>
  } {tt.num_stages = 2 : i32}
  "ttg.local_dealloc"(%a) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A slot of a lowered buffer, one whose value was computed, and a store that the program itself makes of a loaded tensor:
// all stay, in order. The mark of a copy goes in any case.
// CHECK: tt.func public @lowered_slot
// CHECK: "ttg.async_copy_global_to_local"
// CHECK: "ttg.async_wait"
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: "ttg.local_store"
// CHECK: "ttg.local_load"
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: "ttg.local_store"
// CHECK: "ttg.local_load"
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: "ttg.local_store"
// CHECK-NOT: ttg.copies
// CHECK: tt.return
tt.func public @lowered_slot(%plain: tensor<64x64x!tt.ptr<f16>>, %ptrs: tensor<64x64x!tt.ptr<f16>, #blocked>, %v: tensor<64x64xf16, #blocked>, %n: i32) {
  %ring = "ttg.local_alloc"() : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %d = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    %a = "ttg.memdesc_index"(%ring, %i) : (!ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>, i32) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %c = "ttg.async_copy_global_to_local"(%ptrs, %a) <{cache = 1 : i32, contiguity = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f16>, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> !ttg.async.token
    %t = "ttg.async_commit_group"(%c) : (!ttg.async.token) -> !ttg.async.token
    %w = "ttg.async_wait"(%t) <{num = 0 : i32}> : (!ttg.async.token) -> !ttg.async.token
  } {tt.num_stages = 3 : i32}
  scf.for %i = %n to %n step %n : i32 {
    "ttg.local_store"(%v, %b) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
    %e = "ttg.local_load"(%b) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf16, #blocked>
    %f = "tt.fp_to_fp"(%e) : (tensor<64x64xf16, #blocked>) -> tensor<64x64xf16>
  } {tt.num_stages = 3 : i32}
  scf.for %i = %n to %n step %n : i32 {
    %l = "tt.load"(%plain) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f16>>) -> tensor<64x64xf16>
    %t = "tt.fp_to_fp"(%l) : (tensor<64x64xf16>) -> tensor<64x64xf16, #blocked>
    "ttg.local_store"(%t, %d) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
    %e = "ttg.local_load"(%d) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf16, #blocked>
    %f = "tt.fp_to_fp"(%e) : (tensor<64x64xf16, #blocked>) -> tensor<64x64xf16>
  } {tt.num_stages = 3 : i32}
  %m = "tt.load"(%plain) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f16>>) -> tensor<64x64xf16>
  %g = "tt.fp_to_fp"(%m) : (tensor<64x64xf16>) -> tensor<64x64xf16, #blocked>
  "ttg.local_store"(%g, %d) {ttg.copies} : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// What is copied in and out again is the loaded tensor, too.
// CHECK: tt.func public @copied_out
// CHECK-SAME: %[[TO:[^:]*]]: tensor<64x64x!tt.ptr<f16>>, %[[MASK:[^:]*]]: tensor<64x64xi1>
// CHECK: scf.for
// CHECK-NEXT: %[[T:.*]] = "tt.load"
// CHECK-NEXT: "tt.store"(%[[TO]], %[[T]], %[[MASK]])
// CHECK-NEXT: } {tt.num_stages = 2 : i32}
tt.func public @copied_out(%ptrs: tensor<64x64x!tt.ptr<f16>>, %to: tensor<64x64x!tt.ptr<f16>>, %mask: tensor<64x64xi1>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.for %i = %n to %n step %n : i32 {
    tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.copy_out %a, %to mask %mask : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi1>
  } {tt.num_stages = 2 : i32}
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// CommonIR ties loads that are used in another loop to their place. The second buffer is not written there: Triton may
// move its load. A bitcast of another kind is left alone.
// CHECK: tt.func public @tied
// CHECK: %[[A:.*]] = "ttg.local_load"
// CHECK-NEXT: "tt.bitcast"(%[[A]])
// CHECK: %[[B:.*]] = "ttg.local_load"
// CHECK-NEXT: "tt.fp_to_fp"(%[[B]])
// CHECK: "tt.bitcast"
tt.func public @tied(%v: tensor<128xf32, #blocked>, %n: i32) {
  %a = "ttg.local_alloc"() : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  %ea = "ttg.local_load"(%a) : (!ttg.memdesc<128xf32, #plain, #smem, mutable>) -> tensor<128xf32, #blocked>
  %va = "tt.bitcast"(%ea) : (tensor<128xf32, #blocked>) -> tensor<128xf32>
  %eb = "ttg.local_load"(%b) : (!ttg.memdesc<128xf32, #plain, #smem, mutable>) -> tensor<128xf32, #blocked>
  %vb = "tt.bitcast"(%eb) : (tensor<128xf32, #blocked>) -> tensor<128xf32>
  scf.for %i = %n to %n step %n : i32 {
    %s = arith.addf %va, %vb : tensor<128xf32>
    %bits = "tt.bitcast"(%s) : (tensor<128xf32>) -> tensor<128xi32>
    "ttg.local_store"(%v, %a) : (tensor<128xf32, #blocked>, !ttg.memdesc<128xf32, #plain, #smem, mutable>) -> ()
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory

// A buffer whose slots a worker takes has their layout inside and outside of it.
// CHECK-LABEL: @captured_ring
// CHECK: %[[RING:.*]] = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #[[$SLOT:shared[0-9]*]], #smem, mutable>
// CHECK: "ttg.warp_specialize"(%[[RING]]
// CHECK: ^bb0(%[[ARG:.*]]: !ttg.memdesc<2x64x64xf16, #[[$SLOT]], #smem, mutable>, %{{.*}}: i32):
// CHECK: tle.slot %[[ARG]]
// CHECK: -> !ttg.memdesc<64x64xf16, #[[$SLOT]], #smem, mutable>
tt.func public @captured_ring(%v: tensor<64x64xf16>, %i: i32) {
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma3, #smem, mutable>
  "ttg.warp_specialize"(%ring, %i) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%r: !ttg.memdesc<2x64x64xf16, #nvmma3, #smem, mutable>, %j: i32):
      %s = tle.slot %r[%j] : !ttg.memdesc<2x64x64xf16, #nvmma3, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      %t = tle.local_load %s : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
      %u = arith.addf %t, %t : tensor<64x64xf16>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<2x64x64xf16, #nvmma3, #smem, mutable>, i32) -> ()
  tt.return
}
