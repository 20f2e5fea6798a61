// Allocations, synchronous copies, and what the module is told of the launch.
// RUN: tle-opt %s --convert-common-ir-to-ttgir=num-warps=8 | FileCheck %s

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

// CHECK-DAG: #[[$SHARED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$FLAT:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// CHECK-DAG: #[[$SMEM:.*]] = #ttg.shared_memory
// CHECK-DAG: #[[$TILE:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 2], order = [1, 0]}>
// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32}

// CHECK-LABEL: @global_to_shared
// CHECK-SAME: (%[[P:.*]]: tensor<64x64x!tt.ptr<f16>>)
// CHECK-NEXT: %[[B:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #[[$SHARED]], #[[$SMEM]], mutable>
// CHECK-NEXT: %[[L:.*]] = "tt.load"(%[[P]]) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f16>>) -> tensor<64x64xf16>
// CHECK-NEXT: %[[E:.*]] = "tt.fp_to_fp"(%[[L]]) : (tensor<64x64xf16>) -> tensor<64x64xf16, #[[$TILE]]>
// CHECK-NEXT: "ttg.local_store"(%[[E]], %[[B]])
// CHECK-NEXT: "ttg.local_dealloc"(%[[B]])
// CHECK-NEXT: tt.return
tt.func public @global_to_shared(%p: tensor<64x64x!tt.ptr<f16>>) {
  %b = tile.alloc {tle.gpu_layout = #shared} : !tile.buf<[64, 64], f16, shared>
  tile.copy %p -> %b : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
  tt.return
}

// Elements that are no floats go over another bridge.
// CHECK-LABEL: @shared_to_global
// CHECK-SAME: (%[[P:.*]]: tensor<128x!tt.ptr<i32>>)
// CHECK: %[[B:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<128xi32, #[[$FLAT]], #[[$SMEM]], mutable>
// CHECK-NEXT: %[[L:.*]] = "ttg.local_load"(%[[B]]) : (!ttg.memdesc<128xi32, #[[$FLAT]], #[[$SMEM]], mutable>) -> tensor<128xi32, #[[$ROW]]>
// CHECK-NEXT: %[[E:.*]] = "tt.broadcast"(%[[L]]) : (tensor<128xi32, #[[$ROW]]>) -> tensor<128xi32>
// CHECK-NEXT: "tt.store"(%[[P]], %[[E]]) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}>
// CHECK-NEXT: "ttg.local_dealloc"(%[[B]])
tt.func public @shared_to_global(%p: tensor<128x!tt.ptr<i32>>) {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[128], i32, shared>
  tile.copy %b -> %p : !tile.buf<[128], i32, shared>, tensor<128x!tt.ptr<i32>>
  tt.return
}

// A buffer lives to the end of its block, wherever control leaves.
// CHECK-LABEL: @scopes
// CHECK: %[[OUTER:.*]] = "ttg.local_alloc"
// CHECK: cf.cond_br
// CHECK: ^bb1:
// CHECK-NEXT: "ttg.local_dealloc"(%[[OUTER]])
// CHECK-NEXT: tt.return
// CHECK: ^bb2:
// CHECK: scf.for
// CHECK:   %[[INNER:.*]] = "ttg.local_alloc"
// CHECK:   "ttg.local_store"(%{{.*}}, %[[INNER]])
// CHECK-NEXT: "ttg.local_dealloc"(%[[INNER]])
// CHECK-NEXT: }
// CHECK: "ttg.local_dealloc"(%[[OUTER]])
// CHECK-NEXT: tt.return
tt.func public @scopes(%p: tensor<128x!tt.ptr<i32>>, %c: i1, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[128], i32, shared>
  tile.copy %p -> %b : tensor<128x!tt.ptr<i32>>, !tile.buf<[128], i32, shared>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  // Triton's pipeliner does not know what buffers hold.
  scf.for %i = %zero to %n step %one : i32 {
    %t = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[128], i32, shared>
    tile.copy %p -> %t : tensor<128x!tt.ptr<i32>>, !tile.buf<[128], i32, shared>
  }
  tile.copy %b -> %p : !tile.buf<[128], i32, shared>, tensor<128x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: @loops_as_written
// CHECK: scf.for
// CHECK: scf.for
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK: scf.for
// CHECK: } {tt.num_stages = 3 : i32}
tt.func public @loops_as_written(%p: tensor<128x!tt.ptr<i32>>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[128], i32, shared>
  scf.for %i = %zero to %n step %one : i32 {
    scf.for %j = %zero to %n step %one : i32 {
      tile.copy %p -> %b : tensor<128x!tt.ptr<i32>>, !tile.buf<[128], i32, shared>
    } {tt.num_stages = 3 : i32}
  } {tt.num_stages = 3 : i32}
  scf.for %i = %zero to %n step %one : i32 {
    "test.other"() : () -> ()
  } {tt.num_stages = 3 : i32}
  tt.return
}
