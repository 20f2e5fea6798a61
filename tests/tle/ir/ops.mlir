// RUN: tle-opt %s | tle-opt | FileCheck %s
// RUN: tle-opt %s --mlir-print-op-generic | tle-opt | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory

// CHECK: tt.func public @buffers
tt.func public @buffers(%tile: tensor<64x64xf16>, %i: i32) {
  // CHECK: %[[B:.*]] = tle.alloc : () -> !ttg.memdesc<3x64x64xf16, #{{.*}}, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<3x64x64xf16, #nvmma3, #smem, mutable>
  // CHECK: %[[I:.*]] = tle.alloc %{{.*}} {alignment = 1024 : i32} : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16
  %init = tle.alloc %tile {alignment = 1024 : i32} : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // CHECK: %[[S:.*]] = tle.slot %[[B]][%{{.*}}] : !ttg.memdesc<3x64x64xf16, #{{.*}}, #smem, mutable> -> !ttg.memdesc<64x64xf16
  %s = tle.slot %b[%i] : !ttg.memdesc<3x64x64xf16, #nvmma3, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // CHECK: %[[T:.*]] = tle.local_load %[[I]] : !ttg.memdesc<64x64xf16, #{{.*}}, #smem, mutable> -> tensor<64x64xf16>
  %t = tle.local_load %init : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
  // CHECK: %[[M:.*]] = tle.memory_space %[[T]] {space = "smem"} : tensor<64x64xf16> -> tensor<64x64xf16>
  %m = tle.memory_space %t {space = "smem"} : tensor<64x64xf16> -> tensor<64x64xf16>
  // CHECK: tle.local_store %[[M]], %[[S]] : tensor<64x64xf16>, !ttg.memdesc<64x64xf16
  tle.local_store %m, %s : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// CHECK: tt.func public @pointers
tt.func public @pointers(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %i: i32, %v: tensor<32xi32>) {
  // CHECK: tle.local_ptr %{{.*}}[] : (!ttg.memdesc<64x64xf16, #{{.*}}, #smem, mutable>) -> tensor<64x64x!tt.ptr<f16>>
  %0 = tle.local_ptr %b[] : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64x!tt.ptr<f16>>
  // CHECK: tle.local_ptr %{{.*}}[%{{.*}}, %{{.*}}] : ({{.*}}, i32, i32) -> !tt.ptr<f16>
  %1 = tle.local_ptr %b[%i, %i] : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, i32, i32) -> !tt.ptr<f16>
  // CHECK: tle.local_ptr %{{.*}}[%{{.*}}, %{{.*}}] : ({{.*}}, tensor<32xi32>, tensor<32xi32>) -> tensor<32x!tt.ptr<f16>>
  %2 = tle.local_ptr %b[%v, %v] : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<32xi32>, tensor<32xi32>) -> tensor<32x!tt.ptr<f16>>
  tt.return
}

// CHECK: tt.func public @copies
tt.func public @copies(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %p: tensor<64x64x!tt.ptr<f16>>, %m: tensor<64x64xi1>,
                       %d: !tt.tensordesc<tensor<1x64x64xf16>>, %i: i32) {
  // CHECK: tle.copy %{{.*}}, %{{.*}} : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #{{.*}}, #smem, mutable>
  tle.copy %p, %b : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // CHECK: tle.copy %{{.*}}, %{{.*}} mask %{{.*}} : {{.*}}, tensor<64x64xi1>
  tle.copy %p, %b mask %m : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xi1>
  // CHECK: tle.copy_out %{{.*}}, %{{.*}} mask %{{.*}} : {{.*}}, tensor<64x64xi1>
  tle.copy_out %b, %p mask %m : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi1>
  // CHECK: tle.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x64x64xf16>>, !ttg.memdesc<64x64xf16
  tle.tma_load %d[%i, %i, %i], %b : !tt.tensordesc<tensor<1x64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // CHECK: tle.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !ttg.memdesc<64x64xf16
  tle.tma_store %b, %d[%i, %i, %i] : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !tt.tensordesc<tensor<1x64x64xf16>>
  tt.return
}
