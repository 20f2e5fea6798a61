// Reads and writes of whole buffers, and the bridges to other dialects.
// RUN: tle-opt %s --convert-common-ir-to-ttgir --split-input-file | FileCheck %s
// RUN: tle-opt %s --convert-common-ir-to-ttgir=num-ctas=2 --split-input-file | FileCheck %s --check-prefix=CTAS

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#two = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory

// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$TWO:.*]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// CHECK-LABEL: @plain
// CHECK-SAME: (%[[X:.*]]: tensor<256xf32>)
// CHECK: %[[B:.*]] = "ttg.local_alloc"
// CHECK: %[[E:.*]] = "tt.fp_to_fp"(%[[X]]) : (tensor<256xf32>) -> tensor<256xf32, #[[$ROW]]>
// CHECK: "ttg.local_store"(%[[E]], %[[B]])
// CHECK: %[[L:.*]] = "ttg.local_load"(%[[B]]) : {{.*}} -> tensor<256xf32, #[[$ROW]]>
// CHECK: %[[R:.*]] = "tt.fp_to_fp"(%[[L]]) : (tensor<256xf32, #[[$ROW]]>) -> tensor<256xf32>
// CHECK: tt.return %[[R]]
// CTAS: CGALayout = {{\[\[}}1]]
tt.func public @plain(%x: tensor<256xf32>) -> tensor<256xf32> {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.store_tensor %x, %b : tensor<256xf32>, !tile.buf<[256], f32, shared>
  %y = tile.to_tensor %b : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  tt.return %y : tensor<256xf32>
}

// Tensors that have a layout need no bridge.
// CHECK-LABEL: @encoded
// CHECK-SAME: (%[[X:.*]]: tensor<256xf32, #[[$TWO]]>
// CHECK: "ttg.local_store"(%[[X]], %[[B:.*]]) :
// CHECK: %[[L:.*]] = "ttg.local_load"(%[[B]]) : {{.*}} -> tensor<256xf32, #[[$TWO]]>
// CHECK: tt.return %[[L]]
tt.func public @encoded(%x: tensor<256xf32, #two>) -> tensor<256xf32, #two> {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.store_tensor %x, %b : tensor<256xf32, #two>, !tile.buf<[256], f32, shared>
  %y = tile.to_tensor %b : !tile.buf<[256], f32, shared> -> tensor<256xf32, #two>
  tt.return %y : tensor<256xf32, #two>
}

// CHECK-LABEL: @encoded_pointers
// CHECK-SAME: (%[[P:.*]]: tensor<256x!tt.ptr<f32>, #[[$TWO]]>
// CHECK: %[[L:.*]] = "tt.load"(%[[P]]) {{.*}} -> tensor<256xf32, #[[$TWO]]>
// CHECK-NEXT: "ttg.local_store"(%[[L]], %[[B:.*]]) :
// CHECK-NEXT: %[[M:.*]] = "ttg.local_load"(%[[B]]) : {{.*}} -> tensor<256xf32, #[[$TWO]]>
// CHECK-NEXT: "tt.store"(%[[P]], %[[M]])
tt.func public @encoded_pointers(%p: tensor<256x!tt.ptr<f32>, #two>) {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>, #two>, !tile.buf<[256], f32, shared>
  tile.copy %b -> %p : !tile.buf<[256], f32, shared>, tensor<256x!tt.ptr<f32>, #two>
  tt.return
}

// A load whose users are in another loop is not theirs alone: Triton would move it there.
// CHECK-LABEL: @used_in_loop
// CHECK: %[[L:.*]] = "ttg.local_load"
// CHECK-NEXT: %[[R:.*]] = "tt.bitcast"(%[[L]]) : (tensor<256xf32, #[[$ROW]]>) -> tensor<256xf32>
// CHECK: scf.for
// CHECK: "test.use"(%[[R]])
tt.func public @used_in_loop(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %y = tile.to_tensor %b : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  scf.for %i = %zero to %n step %one : i32 {
    "test.use"(%y) : (tensor<256xf32>) -> ()
  }
  tt.return
}

// Other dialects see the descriptor of a buffer through a cast, and lend theirs.
// CHECK-LABEL: @bridges
// CHECK-SAME: (%[[M:.*]]: !ttg.memdesc<256xf32, #{{.*}}, #{{.*}}, mutable>)
// CHECK-NOT: unrealized_conversion_cast
// CHECK: %[[B:.*]] = "ttg.local_alloc"
// CHECK: "test.use"(%[[B]]) : (!ttg.memdesc<256xf32
// CHECK: "ttg.local_load"(%[[M]])
// CHECK: "ttg.local_load"(%[[B]])
tt.func public @bridges(%m: !ttg.memdesc<256xf32, #flat, #smem, mutable>) -> (tensor<256xf32>, tensor<256xf32>) {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %out = builtin.unrealized_conversion_cast %b : !tile.buf<[256], f32, shared> to !ttg.memdesc<256xf32, #flat, #smem, mutable>
  "test.use"(%out) : (!ttg.memdesc<256xf32, #flat, #smem, mutable>) -> ()
  %in = builtin.unrealized_conversion_cast %m : !ttg.memdesc<256xf32, #flat, #smem, mutable> to !tile.buf<[256], f32, shared>
  %back = builtin.unrealized_conversion_cast %out : !ttg.memdesc<256xf32, #flat, #smem, mutable> to !tile.buf<[256], f32, shared>
  %x = tile.to_tensor %in : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  %y = tile.to_tensor %back : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  tt.return %x, %y : tensor<256xf32>, tensor<256xf32>
}

// -----

// A module without TileIR is left alone.
// CHECK-LABEL: module {
// CHECK-NOT: ttg.num-warps
// CHECK: @nothing
module {
  tt.func public @nothing() {
    tt.return
  }
}
