// RUN: tle-opt %s -split-input-file --tle-lower-copy | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// CHECK: tt.func public @pointers(%[[PTRS:.*]]: tensor<64x64x!tt.ptr<f16>>, %[[MASK:.*]]: tensor<64x64xi1>)
// CHECK: %[[BUFFER:.*]] = tle.alloc
// CHECK: %[[ALL:.*]] = "tt.load"(%[[PTRS]]) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}>
// CHECK: tle.local_store %[[ALL]], %[[BUFFER]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
// CHECK: %[[SOME:.*]] = "tt.load"(%[[PTRS]], %[[MASK]], %[[ZERO]])
// CHECK: tle.local_store %[[SOME]], %[[BUFFER]]
// CHECK: %[[OUT:.*]] = tle.local_load %[[BUFFER]]
// CHECK: "tt.store"(%[[PTRS]], %[[OUT]]) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}>
// CHECK: %[[OUT2:.*]] = tle.local_load %[[BUFFER]]
// CHECK: "tt.store"(%[[PTRS]], %[[OUT2]], %[[MASK]])
tt.func public @pointers(%ptrs: tensor<64x64x!tt.ptr<f16>>, %mask: tensor<64x64xi1>) {
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.copy %ptrs, %b : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.copy %ptrs, %b mask %mask : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xi1>
  tle.copy_out %b, %ptrs : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>
  tle.copy_out %b, %ptrs mask %mask : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi1>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Two loads share one barrier, which counts the bytes of both.
// CHECK: tt.func public @tma(%[[DESC:.*]]: !tt.tensordesc<tensor<1x64x64xf16>>, %[[I:.*]]: i32)
// CHECK: %[[A:.*]] = tle.alloc
// CHECK: %[[B:.*]] = tle.alloc
// CHECK: %[[J:.*]] = arith.addi
// CHECK: %[[BAR:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>
// CHECK: "ttng.init_barrier"(%[[BAR]]) <{count = 1 : i32}>
// CHECK: "ttng.barrier_expect"(%[[BAR]], %[[TRUE:.*]]) <{size = 16384 : i32}>
// CHECK: "ttng.async_tma_copy_global_to_local"(%[[DESC]], %[[I]], %[[I]], %[[I]], %[[BAR]], %[[A]], %{{.*}})
// CHECK: "ttng.async_tma_copy_global_to_local"(%[[DESC]], %[[I]], %[[J]], %[[I]], %[[BAR]], %[[B]], %{{.*}})
// CHECK: "ttng.wait_barrier"(%[[BAR]], %{{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
// CHECK: "ttng.inval_barrier"(%[[BAR]])
// CHECK: "ttng.fence_async_shared"() <{bCluster = false}>
// CHECK: "ttng.async_tma_copy_local_to_global"(%[[DESC]], %[[I]], %[[I]], %[[I]], %[[A]])
// CHECK: "ttng.async_tma_store_wait"() <{pendings = 0 : i32}>
tt.func public @tma(%desc: !tt.tensordesc<tensor<1x64x64xf16>>, %i: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.tma_load %desc[%i, %i, %i], %a : !tt.tensordesc<tensor<1x64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %j = arith.addi %i, %i : i32
  tle.tma_load %desc[%i, %j, %i], %b : !tt.tensordesc<tensor<1x64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.tma_store %a, %desc[%i, %i, %i] : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !tt.tensordesc<tensor<1x64x64xf16>>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Loads into one buffer keep their order, and so does a load behind a read.
// CHECK: tt.func public @tma_apart
// CHECK: "ttng.wait_barrier"
// CHECK: "ttng.wait_barrier"
// CHECK: tle.local_load
// CHECK: "ttng.wait_barrier"
tt.func public @tma_apart(%desc: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %ptrs: tensor<64x64x!tt.ptr<f16>>) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.tma_load %desc[%i, %i], %a : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.tma_load %desc[%i, %i], %a : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.copy_out %a, %ptrs : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>
  tle.tma_load %desc[%i, %i], %a : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}
