// Views by leading index, parts, and views of views.
// RUN: tle-opt %s --convert-common-ir-to-ttgir | FileCheck %s

#ring = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#transposed = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#swizzled = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// CHECK-DAG: #[[$RING:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
// CHECK-DAG: #[[$SHARED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$TRANSPOSED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-DAG: #[[$SWIZZLED:.*]] = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-DAG: #[[$FLAT:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// A ring of three: the index may be known only at run time, as i32 or as index.
// CHECK-LABEL: @slots
// CHECK-SAME: (%[[I:.*]]: i32, %[[J:.*]]: index)
// CHECK: %[[B:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<3x64x64xf16, #[[$RING]], #smem, mutable>
// CHECK: "ttg.memdesc_index"(%[[B]], %[[I]]) : (!ttg.memdesc<3x64x64xf16, #[[$RING]], #smem, mutable>, i32) -> !ttg.memdesc<64x64xf16, #[[$SHARED]], #smem, mutable>
// CHECK: %[[J32:.*]] = arith.index_cast %[[J]] : index to i32
// CHECK: "ttg.memdesc_index"(%[[B]], %[[J32]])
tt.func public @slots(%i: i32, %j: index) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[3, 64, 64], f16, shared>
  %s = tile.subview %b[%i, %zero, %zero] [[64, 64]] [[1, 1]] {tle.gpu_layout = #shared} : (!tile.buf<[3, 64, 64], f16, shared>, i32, i32, i32) -> !tile.buf<[64, 64], f16, shared>
  %t = tile.subview %b[%j, %zero, %zero] [[64, 64]] [[1, 1]] {tle.gpu_layout = #shared} : (!tile.buf<[3, 64, 64], f16, shared>, index, i32, i32) -> !tile.buf<[64, 64], f16, shared>
  %x = tile.to_tensor %s : !tile.buf<[64, 64], f16, shared> -> tensor<64x64xf16>
  %y = tile.to_tensor %t : !tile.buf<[64, 64], f16, shared> -> tensor<64x64xf16>
  tt.return %x, %y : tensor<64x64xf16>, tensor<64x64xf16>
}

// A part keeps the layout and says of which buffer it is, also through another part.
// CHECK-LABEL: @parts
// CHECK: %[[B:.*]] = "ttg.local_alloc"
// CHECK: %[[P:.*]] = "ttg.memdesc_subslice"(%[[B]]) <{offsets = array<i32: 32, 64>}> : (!ttg.memdesc<64x128xf16, #[[$SHARED]], #smem, mutable>) -> !ttg.memdesc<32x64xf16, #[[$SHARED]], #smem, mutable, 64x128>
// CHECK: %[[Q:.*]] = "ttg.memdesc_subslice"(%[[P]]) <{offsets = array<i32: 8, 0>}> : (!ttg.memdesc<32x64xf16, #[[$SHARED]], #smem, mutable, 64x128>) -> !ttg.memdesc<8x64xf16, #[[$SHARED]], #smem, mutable, 64x128>
// CHECK: "ttg.local_load"(%[[Q]])
tt.func public @parts() -> tensor<8x64xf16> {
  %zero = arith.constant 0 : i32
  %eight = arith.constant 8 : index
  %half = arith.constant 32 : i32
  %right = arith.constant 64 : i32
  %b = tile.alloc {tle.gpu_layout = #shared} : !tile.buf<[64, 128], f16, shared>
  %p = tile.subview %b[%half, %right] [[32, 64]] [[1, 1]] : (!tile.buf<[64, 128], f16, shared>, i32, i32) -> !tile.buf<[32, 64], f16, shared>
  %q = tile.subview %p[%eight, %zero] [[8, 64]] [[1, 1]] {tle.gpu_layout = #shared} : (!tile.buf<[32, 64], f16, shared>, index, i32) -> !tile.buf<[8, 64], f16, shared>
  %x = tile.to_tensor %q : !tile.buf<[8, 64], f16, shared> -> tensor<8x64xf16>
  tt.return %x : tensor<8x64xf16>
}

// CHECK-LABEL: @part_of_slot
// CHECK: "ttg.memdesc_index"
// CHECK: "ttg.memdesc_subslice"(%{{.*}}) <{offsets = array<i32: 0, 32>}> : (!ttg.memdesc<64x64xf16, #[[$SHARED]], #smem, mutable>) -> !ttg.memdesc<64x32xf16, #[[$SHARED]], #smem, mutable, 64x64>
tt.func public @part_of_slot(%i: i32) -> tensor<64x32xf16> {
  %zero = arith.constant 0 : i32
  %half = arith.constant 32 : i32
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[2, 64, 64], f16, shared>
  %s = tile.subview %b[%i, %zero, %zero] [[64, 64]] [[1, 1]] {tle.gpu_layout = #shared} : (!tile.buf<[2, 64, 64], f16, shared>, i32, i32, i32) -> !tile.buf<[64, 64], f16, shared>
  %p = tile.subview %s[%zero, %half] [[64, 32]] [[1, 1]] : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[64, 32], f16, shared>
  %x = tile.to_tensor %p : !tile.buf<[64, 32], f16, shared> -> tensor<64x32xf16>
  tt.return %x : tensor<64x32xf16>
}

// What is cut at a multiple of the swizzle's period stays regular.
// CHECK-LABEL: @layouts
// CHECK: "ttg.memdesc_subslice"(%{{.*}}) <{offsets = array<i32: 0, 8>}> {{.*}} -> !ttg.memdesc<64x8xf16, #[[$TRANSPOSED]], #smem, mutable, 64x64>
// CHECK: "ttg.memdesc_subslice"(%{{.*}}) <{offsets = array<i32: 16, 0>}> {{.*}} -> !ttg.memdesc<8x64xf16, #[[$SWIZZLED]], #smem, mutable, 64x64>
// CHECK: "ttg.memdesc_subslice"(%{{.*}}) <{offsets = array<i32: 3, 0>}> {{.*}} -> !ttg.memdesc<1x64xf16, #[[$FLAT]], #smem, mutable, 64x64>
// CHECK: "ttg.memdesc_subslice"(%{{.*}}) <{offsets = array<i32: 0, 0>}> {{.*}} -> !ttg.memdesc<64x64xf16, #[[$FLAT]], #smem, mutable>
tt.func public @layouts() -> (tensor<64x8xf16>, tensor<8x64xf16>, tensor<1x64xf16>, tensor<64x64xf16>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %sixteen = arith.constant 16 : i32
  %a = tile.alloc {tle.gpu_layout = #transposed} : !tile.buf<[64, 64], f16, shared>
  %b = tile.alloc {tle.gpu_layout = #swizzled} : !tile.buf<[64, 64], f16, shared>
  %c = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[64, 64], f16, shared>
  %p = tile.subview %a[%zero, %eight] [[64, 8]] [[1, 1]] : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[64, 8], f16, shared>
  %q = tile.subview %b[%sixteen, %zero] [[8, 64]] [[1, 1]] : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[8, 64], f16, shared>
  %r = tile.subview %c[%three, %zero] [[1, 64]] [[1, 1]] : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[1, 64], f16, shared>
  %s = tile.subview %c[%zero, %zero] [[64, 64]] [[1, 1]] : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[64, 64], f16, shared>
  %x = tile.to_tensor %p : !tile.buf<[64, 8], f16, shared> -> tensor<64x8xf16>
  %y = tile.to_tensor %q : !tile.buf<[8, 64], f16, shared> -> tensor<8x64xf16>
  %z = tile.to_tensor %r : !tile.buf<[1, 64], f16, shared> -> tensor<1x64xf16>
  %w = tile.to_tensor %s : !tile.buf<[64, 64], f16, shared> -> tensor<64x64xf16>
  tt.return %x, %y, %z, %w : tensor<64x8xf16>, tensor<8x64xf16>, tensor<1x64xf16>, tensor<64x64xf16>
}
