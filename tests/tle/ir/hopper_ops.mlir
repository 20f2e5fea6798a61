// RUN: tle-opt %s | tle-opt | FileCheck %s
// RUN: tle-opt %s --mlir-print-op-generic | tle-opt | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// CHECK: tt.func public @barriers
tt.func public @barriers(%i: i32, %phase: i32) {
  // CHECK: %[[BARS:.*]] = tle.alloc_barriers {arrive_count = 2 : i32, ready = true} : !ttg.memdesc<3x1xi64, #{{.*}}, #smem, mutable>
  %bars = tle.alloc_barriers {arrive_count = 2 : i32, ready = true} : !ttg.memdesc<3x1xi64, #bar, #smem, mutable>
  // CHECK: %[[SLOT:.*]] = tle.slot %[[BARS]][%{{.*}}] : !ttg.memdesc<3x1xi64, #{{.*}}, #smem, mutable> -> !ttg.memdesc<1xi64, #{{.*}}, #smem, mutable>
  %slot = tle.slot %bars[%i] : !ttg.memdesc<3x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: tle.barrier_wait %[[SLOT]], %{{.*}} : !ttg.memdesc<1xi64
  tle.barrier_wait %slot, %phase : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: tle.barrier_arrive %[[SLOT]] {count = 2 : i32} : !ttg.memdesc<1xi64
  tle.barrier_arrive %slot {count = 2 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// CHECK: tt.func public @named
tt.func public @named(%slot: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // CHECK: tle.named_barrier_wait %{{.*}} : !ttg.memdesc<1xi64
  tle.named_barrier_wait %slot : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: tle.named_barrier_arrive %{{.*}} : !ttg.memdesc<1xi64
  tle.named_barrier_arrive %slot : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// CHECK: tt.func public @tma
tt.func public @tma(%desc: !tt.tensordesc<tensor<64x64xf16>>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %i: i32) {
  // CHECK: %[[FULL:.*]] = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 8192 : i32, ready = false}
  %full = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = 8192 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  %slot = tle.slot %full[%i] : !ttg.memdesc<1x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  // CHECK: tle.async_tma_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #{{.*}}, #smem, mutable>, !ttg.memdesc<1xi64
  tle.async_tma_load %desc[%i, %i], %b, %slot : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// CHECK: tt.func public @wgmma
tt.func public @wgmma(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %b: !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>, %reg: tensor<64x64xf16>) -> tensor<64x128xf32> {
  // CHECK: %[[ACC:.*]] = tle.wgmma %{{.*}}, %{{.*}} {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = true, trans_b = true} : (!ttg.memdesc<64x64xf16, #{{.*}}, #smem, mutable>, !ttg.memdesc<128x64xf16, #{{.*}}, #smem, mutable>) -> tensor<64x128xf32>
  %acc = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = true, trans_b = true} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>) -> tensor<64x128xf32>
  // CHECK: %[[ACC1:.*]] = tle.wgmma %{{.*}}, %{{.*}}, %[[ACC]] {{.*}} : (tensor<64x64xf16>, !ttg.memdesc<128x64xf16, #{{.*}}, #smem, mutable>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %acc1 = tle.wgmma %reg, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (tensor<64x64xf16>, !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>, tensor<64x128xf32>) -> tensor<64x128xf32>
  // CHECK: tle.wgmma_wait %[[ACC1]] {pendings = 1 : i32} : tensor<64x128xf32> -> tensor<64x128xf32>
  %done = tle.wgmma_wait %acc1 {pendings = 1 : i32} : tensor<64x128xf32> -> tensor<64x128xf32>
  tt.return %done : tensor<64x128xf32>
}

// CHECK: tt.func public @float8_with_f16
tt.func public @float8_with_f16(%a: !ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem, mutable>, %b: !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>) {
  // CHECK: tle.wgmma %{{.*}}, %{{.*}} {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, {{.*}} -> tensor<64x64xf16>
  %acc = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem, mutable>, !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>) -> tensor<64x64xf16>
  tt.return
}
