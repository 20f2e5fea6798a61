// RUN: tle-opt %s --tle-lower-dot-operands | FileCheck %s

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// WGMMA would read the buffer where the dot is, behind an atomic that
// tle-lower-local-ptr has left and that may be one on the buffer.
// CHECK-LABEL: tt.func public @atomic_between(
// CHECK: %[[TILE:.*]] = tle.local_load
// CHECK: "tt.atomic_rmw"
// CHECK: "tt.dot"(%{{.*}}, %[[TILE]], %{{.*}})
tt.func public @atomic_between(%left: tensor<64x64xf16>, %init: tensor<64x128xf16>, %acc: tensor<64x128xf32>, %ptr: !tt.ptr<f16>, %value: f16, %mask: i1) {
  %buffer = tle.alloc %init : (tensor<64x128xf16>) -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
  %right = tle.local_load %buffer : !ttg.memdesc<64x128xf16, #shared, #smem, mutable> -> tensor<64x128xf16>
  %old = "tt.atomic_rmw"(%ptr, %value, %mask) <{atomic_rmw_op = 5 : i32, scope = 1 : i32, sem = 1 : i32}> {tle.shared_access = "atomic"} : (!tt.ptr<f16>, f16, i1) -> f16
  %d = "tt.dot"(%left, %right, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
  "test.use"(%d) : (tensor<64x128xf32>) -> ()
  tt.return
}
