// RUN: tle-opt %s -split-input-file --tle-outline-workers="num-warps=4" | FileCheck %s
// RUN: tle-opt %s -split-input-file --tle-outline-workers="num-warps=4" --tle-merge-workers | FileCheck %s --check-prefix=MERGED

#mine = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>

// A worker of the launch's warp count stays, one whose tensors have layouts too, and one without tensors.
// CHECK: module attributes
// CHECK-SAME: tle.workers.1 = "
// CHECK-SAME: \22ttg.num-warps\22 = 1 : i32
// CHECK-SAME: tle.workers.2 = "
// CHECK-SAME: worker.4
// CHECK-NOT: tle.workers.4
// CHECK: tt.func public @kernel
// MERGED-NOT: tle.workers
// MERGED: tt.func public @kernel
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32) {
    // CHECK: "ttg.warp_specialize"(%{{.*}}, %{{.*}}) <{partitionNumWarps = array<i32: 1, 4, 1, 2, 2>
    "ttg.warp_specialize"(%p, %n) <{partitionNumWarps = array<i32: 1, 4, 1, 2, 2>}> ({
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"() ({
      // CHECK: ^bb0(%{{.*}}: !tt.ptr<f32>, %{{.*}}: i32):
      // CHECK-NEXT: ttg.warp_return
      // CHECK-NEXT: }, {
      // MERGED: ^bb0(%[[P:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32):
      // MERGED: %[[X:.*]] = "tt.splat"(%[[P]]) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
      // MERGED: scf.for %{{.*}} = %{{.*}} to %[[N]]
      // MERGED: "tt.store"(%[[X]]
      // MERGED: llvm.loop_annotation = #llvm.loop_annotation<licm = #llvm.loop_licm<disable = true>>
      // MERGED: ttg.warp_return
      // MERGED-NEXT: }, {
      ^bb0(%a: !tt.ptr<f32>, %m: i32):
        %x = "tt.splat"(%a) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
        %zero = arith.constant dense<0.0> : tensor<64xf32>
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        scf.for %i = %c0 to %m step %c1 : i32 {
          "tt.store"(%x, %zero) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> ()
        } {llvm.loop_annotation = #llvm.loop_annotation<licm = #llvm.loop_licm<disable = true>>}
        "ttg.warp_return"() : () -> ()
      }, {
      // CHECK: "tt.splat"
      ^bb0(%a: !tt.ptr<f32>, %m: i32):
        %x = "tt.splat"(%a) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
        "ttg.warp_return"() : () -> ()
      }, {
      // CHECK: tt.store
      ^bb0(%a: !tt.ptr<f32>, %m: i32):
        %zero = arith.constant 0.0 : f32
        "tt.store"(%a, %zero) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f32>, f32) -> ()
        "ttg.warp_return"() : () -> ()
      }, {
      // CHECK: tensor<64x!tt.ptr<f32>, #
      ^bb0(%a: !tt.ptr<f32>, %m: i32):
        %x = "tt.splat"(%a) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>, #mine>
        "ttg.warp_return"() : () -> ()
      }, {
      // CHECK: ^bb0
      // CHECK-NEXT: ttg.warp_return
      ^bb0(%a: !tt.ptr<f32>, %m: i32):
        %x = "tt.splat"(%a) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
        %e = "tt.broadcast"(%x) : (tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>, #mine>
        "ttg.warp_return"() : () -> ()
      }) : () -> ()
    }) : (!tt.ptr<f32>, i32) -> ()
    tt.return
  }
}

// -----

// Nothing to do.
// CHECK-NOT: tle.workers
// CHECK: tt.func public @plain
tt.func public @plain(%p: !tt.ptr<f32>) {
  tt.return
}

// -----

// What a default partition yields has a layout; around it tensors have none.
// CHECK-LABEL: tt.func public @results
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @results(%p: !tt.ptr<f32>, %n: i32) {
    // CHECK: %[[R:.*]]:3 = "ttg.warp_specialize"
    %r:3 = "ttg.warp_specialize"(%n) <{partitionNumWarps = array<i32: 4>}> ({
      // CHECK: %[[X:.*]] = "tt.splat"(%{{.*}}) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
      // CHECK: %[[PTRS:.*]] = "tt.broadcast"(%[[X]]) : (tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>, #blocked>
      // CHECK: %[[VALUES:.*]] = "tt.fp_to_fp"(%{{.*}}) : (tensor<64xf32>) -> tensor<64xf32, #blocked>
      // CHECK: ttg.warp_yield %[[PTRS]], %{{.*}}, %[[VALUES]] :
      %x = "tt.splat"(%p) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
      %zero = arith.constant dense<0.0> : tensor<64xf32>
      "ttg.warp_yield"(%x, %n, %zero) : (tensor<64x!tt.ptr<f32>>, i32, tensor<64xf32>) -> ()
    }, {
      "ttg.warp_specialize.partitions"() ({
      ^bb0(%m: i32):
        "ttg.warp_return"() : () -> ()
      }) : () -> ()
    }) : (i32) -> (tensor<64x!tt.ptr<f32>>, i32, tensor<64xf32>)
    // CHECK: (i32) -> (tensor<64x!tt.ptr<f32>, #blocked>, i32, tensor<64xf32, #blocked>)
    // CHECK-DAG: %[[P:.*]] = "tt.broadcast"(%[[R]]#0) : (tensor<64x!tt.ptr<f32>, #blocked>) -> tensor<64x!tt.ptr<f32>>
    // CHECK-DAG: %[[V:.*]] = "tt.fp_to_fp"(%[[R]]#2) : (tensor<64xf32, #blocked>) -> tensor<64xf32>
    // CHECK: "tt.store"(%[[P]], %[[V]])
    "tt.store"(%r#0, %r#2) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> ()
    tt.return
  }
}
