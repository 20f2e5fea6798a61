// RUN: tle-opt %s | FileCheck %s
// RUN: tle-opt %s | tle-opt | FileCheck %s
// RUN: tle-opt %s -mlir-print-op-generic | tle-opt | FileCheck %s

#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tm = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#smem = #ttg.shared_memory

// CHECK: tt.func private @external(!tt.ptr<f32>, i32) -> i32
tt.func private @external(!tt.ptr<f32>, i32) -> i32

// CHECK: tt.func public @types(%{{.+}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.+}}: i32) attributes {noinline = false}
tt.func public @types(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
  // Address space 1 is the default and not printed.
  // CHECK: () -> (!tt.ptr<f32>, !tt.ptr<f16, 3>, !tt.ptr<!tt.ptr<i8>>, !tt.ptr<tensor<4x4xf16>>)
  %0:4 = "test.type"() : () -> (!tt.ptr<f32, 1>, !tt.ptr<f16, 3>, !tt.ptr<!tt.ptr<i8>>, !tt.ptr<tensor<4x4xf16>>)
  // CHECK: () -> (tensor<8x!tt.ptr<f32>>, tensor<8x!tt.ptr<f32, 3>, #{{.+}}>)
  %1:2 = "test.type"() : () -> (tensor<8x!tt.ptr<f32>>, tensor<8x!tt.ptr<f32, 3>, #sw>)
  // CHECK: () -> (!tt.tensordesc<tensor<128x64xf16>>, !tt.tensordesc<tensor<128x64xf16, #{{.+}}>>, !tt.tensordesc<tensor<16x16xsi8>>, !tt.tensordesc<tensor<16x16xui8>>)
  %2:4 = "test.type"() : () -> (!tt.tensordesc<tensor<128x64xf16>>, !tt.tensordesc<tensor<128x64xf16, #nv>>, !tt.tensordesc<tensor<16x16xsi8>>, !tt.tensordesc<tensor<16x16xui8>>)
  // CHECK: () -> !ttg.async.token
  %3 = "test.type"() : () -> !ttg.async.token
  // CHECK: () -> (!ttg.memdesc<64x64xf16, #{{.+}}, #{{.+}}>, !ttg.memdesc<3x64x64xf16, #{{.+}}, #{{.+}}, mutable>)
  %4:2 = "test.type"() : () -> (!ttg.memdesc<64x64xf16, #nv, #smem, 64x64>, !ttg.memdesc<3x64x64xf16, #nv, #smem, mutable>)
  // CHECK: () -> (!ttg.memdesc<32x64xf16, #{{.+}}, #{{.+}}, mutable, 2x64x64>, !ttg.memdesc<32x64xf16, #{{.+}}, #{{.+}}, 64x64>)
  %5:2 = "test.type"() : () -> (!ttg.memdesc<32x64xf16, #nv, #smem, mutable, 2x64x64>, !ttg.memdesc<32x64xf16, #nv, #smem, 64x64>)
  // CHECK: () -> !ttg.memdesc<1xi64, #{{.+}}, #{{.+}}, mutable>
  %6 = "test.type"() : () -> !ttg.memdesc<1xi64, #sw, #smem, mutable>
  // CHECK: () -> !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>, #ttng.tensor_memory, mutable>
  %7 = "test.type"() : () -> !ttg.memdesc<128x128xf32, #tm, #ttng.tensor_memory, mutable>
  // CHECK: %{{.+}} = tt.call @external(%{{.+}}, %{{.+}}) : (!tt.ptr<f32>, i32) -> i32
  %8 = tt.call @external(%p, %n) : (!tt.ptr<f32>, i32) -> i32
  tt.return
}
