// Buffers that pass through functions, calls, scf, branches and warp specialization.
// RUN: tle-opt %s --convert-common-ir-to-ttgir | FileCheck %s

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// CHECK-DAG: #[[$FLAT:.*]] = #ttg.swizzled_shared
// CHECK-DAG: #[[$SMEM:.*]] = #ttg.shared_memory
// CHECK-DAG: #[[$FOUR:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[$ONE:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

// CHECK-LABEL: tt.func private @second(
// CHECK-SAME: %{{.*}}: !ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>, %[[B:.*]]: !ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>) -> !ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>
// CHECK: tt.return %[[B]] : !ttg.memdesc
tt.func private @second(%a: !tile.buf<[256], f32, shared>, %b: !tile.buf<[256], f32, shared>) -> !tile.buf<[256], f32, shared> {
  tt.return %b : !tile.buf<[256], f32, shared>
}

// CHECK-LABEL: @calls
// CHECK: %[[C:.*]] = tt.call @second(%{{.*}}, %{{.*}}) : (!ttg.memdesc<{{.*}}>, !ttg.memdesc<{{.*}}>) -> !ttg.memdesc
// CHECK: "ttg.local_load"(%[[C]])
tt.func public @calls() -> tensor<256xf32> {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %c = tt.call @second(%a, %b) : (!tile.buf<[256], f32, shared>, !tile.buf<[256], f32, shared>) -> !tile.buf<[256], f32, shared>
  %x = tile.to_tensor %c : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  tt.return %x : tensor<256xf32>
}

// The callee stands before its caller, and is called by a callee.
// CHECK-LABEL: tt.func private @inner
// CHECK-SAME: !ttg.memdesc
tt.func private @inner(%b: !tile.buf<[256], f32, shared>, %x: tensor<256xf32>) {
  tile.store_tensor %x, %b : tensor<256xf32>, !tile.buf<[256], f32, shared>
  tt.return
}

// CHECK-LABEL: tt.func private @outer
// CHECK-SAME: !ttg.memdesc
tt.func private @outer(%b: !tile.buf<[256], f32, shared>, %x: tensor<256xf32>) {
  tt.call @inner(%b, %x) : (!tile.buf<[256], f32, shared>, tensor<256xf32>) -> ()
  tt.return
}

// CHECK-LABEL: @nested_calls
tt.func public @nested_calls(%x: tensor<256xf32>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tt.call @outer(%a, %x) : (!tile.buf<[256], f32, shared>, tensor<256xf32>) -> ()
  tt.return
}

// Two buffers change places in every iteration.
// CHECK-LABEL: @loop
// CHECK: %[[A:.*]] = "ttg.local_alloc"
// CHECK: %[[B:.*]] = "ttg.local_alloc"
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[A]], %[[Y:.*]] = %[[B]]) -> (!ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>, !ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>)
// CHECK: "ttg.local_load"(%[[X]])
// CHECK: "ttg.local_store"(%{{.*}}, %[[Y]])
// CHECK: scf.yield %[[Y]], %[[X]] : !ttg.memdesc
// CHECK: "ttg.local_load"(%[[R]]#0)
tt.func public @loop(%n: i32) -> tensor<256xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %b) -> (!tile.buf<[256], f32, shared>, !tile.buf<[256], f32, shared>) : i32 {
    %t = tile.to_tensor %x : !tile.buf<[256], f32, shared> -> tensor<256xf32>
    tile.store_tensor %t, %y : tensor<256xf32>, !tile.buf<[256], f32, shared>
    scf.yield %y, %x : !tile.buf<[256], f32, shared>, !tile.buf<[256], f32, shared>
  }
  %t = tile.to_tensor %r#0 : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  tt.return %t : tensor<256xf32>
}

// CHECK-LABEL: @choice
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (!ttg.memdesc<256xf32
// CHECK: scf.yield %{{.*}} : !ttg.memdesc
// CHECK: scf.yield %{{.*}} : !ttg.memdesc
// CHECK: "ttg.local_load"(%[[R]])
tt.func public @choice(%c: i1) -> tensor<256xf32> {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %r = scf.if %c -> (!tile.buf<[256], f32, shared>) {
    scf.yield %a : !tile.buf<[256], f32, shared>
  } else {
    scf.yield %b : !tile.buf<[256], f32, shared>
  }
  %t = tile.to_tensor %r : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  tt.return %t : tensor<256xf32>
}

// CHECK-LABEL: @while
// CHECK: scf.while (%[[X:.*]] = %{{.*}}) : (!ttg.memdesc<{{.*}}>) -> !ttg.memdesc
// CHECK: scf.condition(%{{.*}}) %[[X]] : !ttg.memdesc
// CHECK: ^bb0(%[[Y:.*]]: !ttg.memdesc
// CHECK: scf.yield %[[Y]] : !ttg.memdesc
tt.func public @while(%c: i1) -> tensor<256xf32> {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %r = scf.while (%x = %a) : (!tile.buf<[256], f32, shared>) -> !tile.buf<[256], f32, shared> {
    scf.condition(%c) %x : !tile.buf<[256], f32, shared>
  } do {
  ^bb0(%y: !tile.buf<[256], f32, shared>):
    scf.yield %y : !tile.buf<[256], f32, shared>
  }
  %t = tile.to_tensor %r : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  tt.return %t : tensor<256xf32>
}

// An allocation of the entry block is alive in all blocks; a user may stand before the maker of
// its operand.
// CHECK-LABEL: @branches
// CHECK: cf.cond_br %{{.*}}, ^bb2(%{{.*}} : !ttg.memdesc<{{.*}}>), ^bb2(%{{.*}} : !ttg.memdesc
// CHECK: ^bb1:
// CHECK: "ttg.local_load"(%[[V:.*]]) : (!ttg.memdesc<128xf32, {{.*}}, mutable, 256>)
// CHECK: ^bb2(%[[X:.*]]: !ttg.memdesc
// CHECK: %[[V]] = "ttg.memdesc_subslice"(%[[X]])
tt.func public @branches(%c: i1) -> tensor<128xf32> {
  %zero = arith.constant 0 : i32
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  cf.cond_br %c, ^bb2(%a : !tile.buf<[256], f32, shared>), ^bb2(%b : !tile.buf<[256], f32, shared>)
^bb1:
  %t = tile.to_tensor %v : !tile.buf<[128], f32, shared> -> tensor<128xf32>
  tt.return %t : tensor<128xf32>
^bb2(%x: !tile.buf<[256], f32, shared>):
  %v = tile.subview %x[%zero] [[128]] [[1]] : (!tile.buf<[256], f32, shared>, i32) -> !tile.buf<[128], f32, shared>
  cf.br ^bb1
}

// Captures of partitions, and tensors for the warps that run there.
// CHECK-LABEL: @partitions
// CHECK: "ttg.warp_specialize"(%{{.*}}) <{partitionNumWarps = array<i32: 1, 4>
// CHECK: ttg.warp_yield %{{.*}} : !ttg.memdesc
// CHECK: ^bb0(%[[X:.*]]: !ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>):
// CHECK: "ttg.local_load"(%[[X]]) : {{.*}} -> tensor<256xf32, #[[$ONE]]>
// CHECK: ^bb0(%[[Y:.*]]: !ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>):
// CHECK: "ttg.local_load"(%[[Y]]) : {{.*}} -> tensor<256xf32, #[[$FOUR]]>
// CHECK: }) : (!ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>) -> !ttg.memdesc
tt.func public @partitions() {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %r = "ttg.warp_specialize"(%a) <{partitionNumWarps = array<i32: 1, 4>}> ({
    "ttg.warp_yield"(%a) : (!tile.buf<[256], f32, shared>) -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%x: !tile.buf<[256], f32, shared>):
      %t = tile.to_tensor %x : !tile.buf<[256], f32, shared> -> tensor<256xf32>
      "test.use"(%t) : (tensor<256xf32>) -> ()
      "ttg.warp_return"() : () -> ()
    }, {
    ^bb0(%y: !tile.buf<[256], f32, shared>):
      %t = tile.to_tensor %y : !tile.buf<[256], f32, shared> -> tensor<256xf32>
      "test.use"(%t) : (tensor<256xf32>) -> ()
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!tile.buf<[256], f32, shared>) -> !tile.buf<[256], f32, shared>
  %t = tile.to_tensor %r : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  "test.use"(%t) : (tensor<256xf32>) -> ()
  tt.return
}

// A front end hands buffers on as descriptors; bridges stand on both sides.
// CHECK-LABEL: @bridged_partition
// CHECK-NOT: unrealized_conversion_cast
// CHECK: ^bb0(%[[X:.*]]: !ttg.memdesc<256xf32, #[[$FLAT]], #[[$SMEM]], mutable>):
// CHECK-NEXT: "ttg.local_load"(%[[X]])
tt.func public @bridged_partition() {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %m = builtin.unrealized_conversion_cast %a : !tile.buf<[256], f32, shared> to !ttg.memdesc<256xf32, #flat, #smem, mutable>
  "ttg.warp_specialize"(%m) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%x: !ttg.memdesc<256xf32, #flat, #smem, mutable>):
      %b = builtin.unrealized_conversion_cast %x : !ttg.memdesc<256xf32, #flat, #smem, mutable> to !tile.buf<[256], f32, shared>
      %t = tile.to_tensor %b : !tile.buf<[256], f32, shared> -> tensor<256xf32>
      "test.use"(%t) : (tensor<256xf32>) -> ()
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<256xf32, #flat, #smem, mutable>) -> ()
  tt.return
}
