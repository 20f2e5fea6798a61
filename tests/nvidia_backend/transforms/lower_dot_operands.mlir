// RUN: tle-opt %s -split-input-file --tle-lower-dot-operands | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Both operands in buffers that other instructions write: fence, WGMMA, accumulator in its registers.
// CHECK: #[[DEFAULT:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
// CHECK: #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
// CHECK: tt.func public @both
// CHECK: %[[A:.*]] = tle.alloc
// CHECK: %[[B:.*]] = tle.alloc
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK-NOT: tle.local_load
// CHECK: %[[E:.*]] = "tt.fp_to_fp"(%[[ACC]]) : (tensor<64x128xf32>) -> tensor<64x128xf32, #[[DEFAULT]]>
// CHECK: %[[M:.*]] = "ttg.convert_layout"(%[[E]]) : {{.*}} -> tensor<64x128xf32, #[[MMA]]>
// CHECK: "ttng.fence_async_shared"() <{bCluster = false}>
// CHECK: %[[D:.*]] = "ttng.warp_group_dot"(%[[A]], %[[B]], %[[M]]) <{inputPrecision = 0 : i32, isAsync = false, maxNumImpreciseAcc = 7 : i32}>
// CHECK: %[[C:.*]] = "ttg.convert_layout"(%[[D]]) : {{.*}} -> tensor<64x128xf32, #[[DEFAULT]]>
// CHECK: %[[R:.*]] = "tt.fp_to_fp"(%[[C]]) : {{.*}} -> tensor<64x128xf32>
// CHECK: scf.yield %[[R]]
// CHECK: } {tt.num_stages = 0 : i32}
tt.func public @both(%pa: tensor<64x64x!tt.ptr<f16>>, %pb: tensor<64x128x!tt.ptr<f16>>, %zero: tensor<64x128xf32>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    tle.copy %pa, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.copy %pb, %b : tensor<64x128x!tt.ptr<f16>>, !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
    %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    %vb = tle.local_load %b : !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable> -> tensor<64x128xf16>
    %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 7 : i32}> : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A from registers, B transposed; only TMA writes B, so that no fence is needed.
// CHECK: #[[NVMMA:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK: #[[T:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK: tt.func public @registers
// CHECK: %[[B:.*]] = tle.alloc
// CHECK: %[[BT:.*]] = "ttg.memdesc_trans"(%[[B]]) <{order = array<i32: 1, 0>}> : {{.*}} -> !ttg.memdesc<64x128xf16, #[[T]], #smem, mutable>
// CHECK: %[[A:.*]] = "ttg.convert_layout"(%{{.*}}) : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #{{.*}}, kWidth = 2}>>
// CHECK-NOT: fence
// CHECK: "ttng.warp_group_dot"(%[[A]], %[[BT]], %{{.*}})
tt.func public @registers(%va: tensor<64x64xf16>, %desc: !tt.tensordesc<tensor<128x64xf16>>, %acc: tensor<64x128xf32>, %n: i32) {
  %b = tle.alloc : () -> !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>
  tle.tma_load %desc[%n, %n], %b : !tt.tensordesc<tensor<128x64xf16>>, !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>
  %vb = tle.local_load %b : !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable> -> tensor<128x64xf16>
  %vt = "tt.trans"(%vb) <{order = array<i32: 1, 0>}> : (tensor<128x64xf16>) -> tensor<64x128xf16>
  %d = "tt.dot"(%va, %vt, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %u = arith.addf %d, %d : tensor<64x128xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Loaded before the loop, read by every dot in it: the buffer is not written there.
// CHECK: tt.func public @loaded_outside
// CHECK-NOT: tle.local_load
// CHECK: scf.for
// CHECK: "ttng.warp_group_dot"
tt.func public @loaded_outside(%a0: tensor<64x64xf16>, %b0: tensor<64x128xf16>, %zero: tensor<64x128xf32>, %n: i32) {
  %a = tle.alloc %a0 : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc %b0 : (tensor<64x128xf16>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
  %vb = tle.local_load %b : !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable> -> tensor<64x128xf16>
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return
}

// -----

#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory

// 8 bits: B has K innermost, which is what the transposition of an NxK buffer gives.
// CHECK: tt.func public @bytes
// CHECK: "ttng.warp_group_dot"({{.*}}) <{inputPrecision = 2 : i32, isAsync = false, maxNumImpreciseAcc = 0 : i32}> : {{.*}} -> tensor<64x64xi32, #{{.*}}>
// CHECK: "ttg.convert_layout"
// CHECK: "tt.broadcast"
tt.func public @bytes(%a0: tensor<64x64xi8>, %b0: tensor<64x64xi8>, %acc: tensor<64x64xi32>) {
  %a = tle.alloc %a0 : (tensor<64x64xi8>) -> !ttg.memdesc<64x64xi8, #nvmma8, #smem, mutable>
  %b = tle.alloc %b0 : (tensor<64x64xi8>) -> !ttg.memdesc<64x64xi8, #nvmma8, #smem, mutable>
  %va = tle.local_load %a : !ttg.memdesc<64x64xi8, #nvmma8, #smem, mutable> -> tensor<64x64xi8>
  %vb = tle.local_load %b : !ttg.memdesc<64x64xi8, #nvmma8, #smem, mutable> -> tensor<64x64xi8>
  %vt = "tt.trans"(%vb) <{order = array<i32: 1, 0>}> : (tensor<64x64xi8>) -> tensor<64x64xi8>
  %d = "tt.dot"(%va, %vt, %acc) <{inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>) -> tensor<64x64xi32>
  %u = arith.addi %d, %d : tensor<64x64xi32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#default = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#smem = #ttg.shared_memory

// The operations of ttg that CommonIR becomes serve as well; the store to the other buffer does not matter.
// CHECK: tt.func public @converted_before
// CHECK: %[[A:.*]] = "ttg.local_alloc"
// CHECK: %[[B:.*]] = "ttg.local_alloc"
// CHECK-NOT: ttg.local_load
// CHECK: ttng.fence_async_shared
// CHECK: "ttng.warp_group_dot"(%[[A]], %[[B]], %{{.*}})
tt.func public @converted_before(%v: tensor<64x64xf16, #default>, %acc: tensor<64x64xf32>) {
  %a = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  "ttg.local_store"(%v, %a) : (tensor<64x64xf16, #default>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  %la = "ttg.local_load"(%a) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf16, #default>
  %va = "tt.fp_to_fp"(%la) : (tensor<64x64xf16, #default>) -> tensor<64x64xf16>
  "ttg.local_store"(%v, %b) : (tensor<64x64xf16, #default>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> ()
  %lb = "ttg.local_load"(%b) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf16, #default>
  %vb = "tt.fp_to_fp"(%lb) : (tensor<64x64xf16, #default>) -> tensor<64x64xf16>
  %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  tt.return
}
