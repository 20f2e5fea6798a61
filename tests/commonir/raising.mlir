// From the calls of a front end, which knows !ttg.memdesc only, to tile operations and to ttg.
// RUN: tle-opt %s --raise-intrinsics --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tle-opt %s --raise-intrinsics --convert-common-ir-to-ttgir --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=TTG

#ring = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// CHECK-DAG: #[[$RING:.*]] = #ttg.nvmma_shared<{{.*}}rank = 3}>
// CHECK-DAG: #[[$SHARED:.*]] = #ttg.nvmma_shared<{{.*}}elementBitWidth = 16}>
// CHECK-NOT: tt.func private
// CHECK-LABEL: tt.func public @kernel
// CHECK-SAME: (%[[P:.*]]: tensor<64x64x!tt.ptr<f16>>, %[[I:.*]]: i32)
// CHECK: %[[B:.*]] = tile.alloc {tle.gpu_layout = #[[$RING]]} : !tile.buf<[2, 64, 64], f16, shared>
// CHECK: %[[S:.*]] = tile.subview %[[B]][%[[I]], %{{.*}}, %{{.*}}] {{\[\[}}64, 64]] {{\[\[}}1, 1]] {tle.gpu_layout = #[[$SHARED]]}
// CHECK: %[[M:.*]] = builtin.unrealized_conversion_cast %[[S]]
// CHECK: tile.copy %[[P]] -> %[[S]] : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
// CHECK: %[[X:.*]] = tile.to_tensor %[[S]] : !tile.buf<[64, 64], f16, shared> -> tensor<64x64xf16>
// CHECK: tile.store_tensor %[[X]], %[[S]]
// CHECK: tile.copy %[[S]] -> %[[P]]
// CHECK: "test.use"(%[[M]])

// TTG-LABEL: tt.func public @kernel
// TTG-NOT: {{tile\.|unrealized}}
// TTG: %[[B:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<2x64x64xf16
// TTG: %[[S:.*]] = "ttg.memdesc_index"(%[[B]], %{{.*}})
// TTG: "test.use"(%[[S]])
// TTG-NOT: {{tile\.|unrealized}}
module attributes {tle.used = 1 : i32} {
  tt.func private @"tile.alloc.0"() -> !ttg.memdesc<2x64x64xf16, #ring, #smem, mutable>
  tt.func private @"tile.subview.0"(!ttg.memdesc<2x64x64xf16, #ring, #smem, mutable>, i32, i32, i32) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.func private @"tile.copy.0"(tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>)
  tt.func private @"tile.copy.1"(!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>)
  tt.func private @"tile.to_tensor.0"(!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> tensor<64x64xf16>
  tt.func private @"tile.store_tensor.0"(tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>)
  tt.func public @kernel(%p: tensor<64x64x!tt.ptr<f16>>, %i: i32) {
    %zero = arith.constant 0 : i32
    %b = tt.call @"tile.alloc.0"() : () -> !ttg.memdesc<2x64x64xf16, #ring, #smem, mutable>
    %s = tt.call @"tile.subview.0"(%b, %i, %zero, %zero) : (!ttg.memdesc<2x64x64xf16, #ring, #smem, mutable>, i32, i32, i32) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.call @"tile.copy.0"(%p, %s) : (tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    %x = tt.call @"tile.to_tensor.0"(%s) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> tensor<64x64xf16>
    tt.call @"tile.store_tensor.0"(%x, %s) : (tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    tt.call @"tile.copy.1"(%s, %p) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64x!tt.ptr<f16>>) -> ()
    "test.use"(%s) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    tt.return
  }
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module {
  tt.func private @"tile.copy.0"(tensor<64x!tt.ptr<f16>>, !ttg.memdesc<128xf16, #flat, #smem, mutable>)
  tt.func public @wrong_shape(%p: tensor<64x!tt.ptr<f16>>, %m: !ttg.memdesc<128xf16, #flat, #smem, mutable>) {
    // expected-error @+1 {{[T13] a source of shape [64] does not fit a destination of shape [128]}}
    tt.call @"tile.copy.0"(%p, %m) : (tensor<64x!tt.ptr<f16>>, !ttg.memdesc<128xf16, #flat, #smem, mutable>) -> ()
    tt.return
  }
}

// -----

module {
  // expected-error @+1 {{[I1] @"tile.load.0" is declared, but is no intrinsic}}
  tt.func private @"tile.load.0"(!tt.ptr<f32>) -> tensor<16xf32>
  tt.func public @not_for_front_ends(%p: !tt.ptr<f32>) {
    %x = tt.call @"tile.load.0"(%p) : (!tt.ptr<f32>) -> tensor<16xf32>
    tt.return
  }
}
