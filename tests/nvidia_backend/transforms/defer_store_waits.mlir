// RUN: tle-opt %s -split-input-file --tle-defer-store-waits | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#smem = #ttg.shared_memory

// A worker that stores in a loop waits before it writes the buffer again, and at its end.
// CHECK-LABEL: tt.func public @worker
// CHECK: ttg.warp_specialize.partitions
// CHECK: scf.for
// CHECK: "ttng.async_tma_store_wait"() <{pendings = 0 : i32}>
// CHECK-NEXT: "ttg.local_store"
// CHECK-NEXT: "ttng.async_tma_copy_local_to_global"
// CHECK-NEXT: }
// CHECK-NEXT: "ttng.async_tma_store_wait"() <{pendings = 0 : i32}>
// CHECK-NEXT: ttg.warp_return
// CHECK-NOT: ttng.async_tma_store_wait
tt.func public @worker(%desc: !tt.tensordesc<tensor<64x64xf16>>, %n: i32) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  "ttg.warp_specialize"(%b, %desc, %n) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%b1: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %desc1: !tt.tensordesc<tensor<64x64xf16>>, %n1: i32):
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %x = arith.constant dense<1.0> : tensor<64x64xf16, #blocked>
      scf.for %i = %c0 to %n1 step %c1 : i32 {
        "ttg.local_store"(%x, %b1) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
        "ttng.async_tma_copy_local_to_global"(%desc1, %i, %i, %b1) : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
        "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
      }
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !tt.tensordesc<tensor<64x64xf16>>, i32) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#smem = #ttg.shared_memory

// Slots of one ring are one buffer; a load between needs no wait.
// CHECK-LABEL: tt.func public @slots
// CHECK: "ttng.async_tma_store_wait"
// CHECK-NEXT: "ttg.local_store"
// CHECK-NEXT: "ttng.async_tma_copy_local_to_global"
// CHECK-NEXT: "ttg.local_load"
// CHECK-NEXT: "ttng.async_tma_store_wait"
// CHECK-NEXT: "ttg.local_store"
// CHECK-NEXT: "ttng.async_tma_copy_local_to_global"
// CHECK-NEXT: "ttg.local_dealloc"
// CHECK-NEXT: "ttng.async_tma_store_wait"
// CHECK-NEXT: tt.return
tt.func public @slots(%desc: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %x: tensor<64x64xf16, #blocked>) {
  %ring = "ttg.local_alloc"() : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %a = "ttg.memdesc_index"(%ring, %i) : (!ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>, i32) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  "ttg.local_store"(%x, %a) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_copy_local_to_global"(%desc, %i, %i, %a) : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
  %y = "ttg.local_load"(%a) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf16, #blocked>
  "ttg.local_store"(%y, %a) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_copy_local_to_global"(%desc, %i, %i, %a) : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
  "ttg.local_dealloc"(%ring) : (!ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#smem = #ttg.shared_memory

// A wait right in front of the next write stays there.
// CHECK-LABEL: tt.func public @adjacent
// CHECK: "ttng.async_tma_store_wait"
// CHECK-NEXT: "ttg.local_store"
// CHECK-NEXT: "ttng.async_tma_copy_local_to_global"
// CHECK-NEXT: "ttng.async_tma_store_wait"
// CHECK-NEXT: "ttg.local_store"
// CHECK-NEXT: "ttng.async_tma_copy_local_to_global"
// CHECK-NEXT: "ttg.local_dealloc"
// CHECK-NEXT: "ttng.async_tma_store_wait"
// CHECK-NEXT: tt.return
tt.func public @adjacent(%desc: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %x: tensor<64x64xf16, #blocked>) {
  %a = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  "ttg.local_store"(%x, %a) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_copy_local_to_global"(%desc, %i, %i, %a) : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
  "ttg.local_store"(%x, %a) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_copy_local_to_global"(%desc, %i, %i, %a) : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
  "ttg.local_dealloc"(%a) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#smem = #ttg.shared_memory

// The buffer is also accessed by the default partition, or by address, or lives in the loop: the wait stays.
// CHECK-LABEL: tt.func public @kept
// CHECK: ttg.warp_specialize.partitions
// CHECK-NEXT: ^bb0
// CHECK-NEXT: "ttng.async_tma_copy_local_to_global"
// CHECK-NEXT: "ttng.async_tma_store_wait"
// CHECK-NEXT: ttg.warp_return
// CHECK: memdesc_to_i64
// CHECK-NEXT: "ttng.async_tma_copy_local_to_global"
// CHECK-NEXT: "ttng.async_tma_store_wait"
// CHECK: scf.for
// CHECK: "ttng.async_tma_copy_local_to_global"
// CHECK-NEXT: "ttng.async_tma_store_wait"
tt.func public @kept(%desc: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %x: tensor<64x64xf16, #blocked>) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  "ttg.warp_specialize"(%b, %desc, %i) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.local_store"(%x, %b) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%b1: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %desc1: !tt.tensordesc<tensor<64x64xf16>>, %i1: i32):
      "ttng.async_tma_copy_local_to_global"(%desc1, %i1, %i1, %b1) : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
      "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !tt.tensordesc<tensor<64x64xf16>>, i32) -> ()
  %c = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %address = "tti.experimental_memdesc_to_i64"(%c) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> i64
  "ttng.async_tma_copy_local_to_global"(%desc, %i, %i, %c) : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
  scf.for %k = %i to %i step %i : i32 {
    %d = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    "ttg.local_store"(%x, %d) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
    "ttng.async_tma_copy_local_to_global"(%desc, %i, %i, %d) : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
    "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
  }
  tt.return
}
