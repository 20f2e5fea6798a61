// RUN: tle-opt %s -split-input-file --tle-lower-memory="num-warps=8 capability=90" | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// CHECK: #[[DEFAULT:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 2], order = [1, 0]}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
// CHECK: tt.func public @buffers(%[[V:.*]]: tensor<64x64xf16>, %[[W:.*]]: tensor<64x64xi32>, %[[I:.*]]: i32)
tt.func public @buffers(%v: tensor<64x64xf16>, %w: tensor<64x64xi32>, %i: i32) {
  // CHECK: %[[RING:.*]] = "ttg.local_alloc"() <{alignment = 1024 : i32}> : () -> !ttg.memdesc<2x64x64xf16
  %ring = tle.alloc {alignment = 1024 : i32} : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  // CHECK: %[[INIT:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xi32
  // CHECK: %[[WE:.*]] = "tt.broadcast"(%[[W]]) : (tensor<64x64xi32>) -> tensor<64x64xi32, #[[DEFAULT]]>
  // CHECK: "ttg.local_store"(%[[WE]], %[[INIT]])
  %init = tle.alloc %w : (tensor<64x64xi32>) -> !ttg.memdesc<64x64xi32, #plain, #smem, mutable>
  // CHECK: %[[SLOT:.*]] = "ttg.memdesc_index"(%[[RING]], %[[I]])
  %slot = tle.slot %ring[%i] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // CHECK: %[[VE:.*]] = "tt.fp_to_fp"(%[[V]]) : (tensor<64x64xf16>) -> tensor<64x64xf16, #[[DEFAULT]]>
  // CHECK: "ttg.local_store"(%[[VE]], %[[SLOT]])
  tle.local_store %v, %slot : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  // CHECK: %[[LE:.*]] = "ttg.local_load"(%[[SLOT]]) : {{.*}} -> tensor<64x64xf16, #[[DEFAULT]]>
  // CHECK: %[[L:.*]] = "tt.fp_to_fp"(%[[LE]]) : (tensor<64x64xf16, #[[DEFAULT]]>) -> tensor<64x64xf16>
  %l = tle.local_load %slot : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
  // CHECK: arith.addf %[[L]], %[[L]]
  %u = arith.addf %l, %l : tensor<64x64xf16>
  // No address is taken: Triton sees the last use.
  // CHECK-NOT: ttg.local_dealloc
  tt.return
}

// -----

// CHECK: tt.func public @memory_space
tt.func public @memory_space(%v: tensor<64x64xf32>) {
  // CHECK: %[[B:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf32, #{{.*}}, #smem, mutable>
  // CHECK: "ttg.local_store"(%{{.*}}, %[[B]])
  // CHECK: %[[L:.*]] = "ttg.local_load"(%[[B]])
  // CHECK: %[[R:.*]] = "tt.fp_to_fp"(%[[L]])
  // CHECK: arith.addf %[[R]], %[[R]]
  %r = tle.memory_space %v {space = "smem"} : tensor<64x64xf32> -> tensor<64x64xf32>
  %u = arith.addf %r, %r : tensor<64x64xf32>
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Stock Triton sinks the first load into the loop, past the store to its buffer, unless its
// user stands beside it. The second buffer is not written any more.
// CHECK: tt.func public @load_before_loop
tt.func public @load_before_loop(%v: tensor<128xf32>, %n: i32) {
  %a = tle.alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  %b = tle.alloc %v : (tensor<128xf32>) -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  // CHECK: %[[A:.*]] = "ttg.local_load"
  // CHECK: "tt.bitcast"(%[[A]])
  %va = tle.local_load %a : !ttg.memdesc<128xf32, #plain, #smem, mutable> -> tensor<128xf32>
  // CHECK: %[[B:.*]] = "ttg.local_load"
  // CHECK: "tt.fp_to_fp"(%[[B]])
  %vb = tle.local_load %b : !ttg.memdesc<128xf32, #plain, #smem, mutable> -> tensor<128xf32>
  scf.for %i = %n to %n step %n : i32 {
    %s = arith.addf %va, %vb : tensor<128xf32>
    tle.local_store %s, %a : tensor<128xf32>, !ttg.memdesc<128xf32, #plain, #smem, mutable>
  }
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A buffer whose address is taken lives to the end of its block.
// CHECK: tt.func public @address
tt.func public @address(%c: i1) {
  // CHECK: %[[A:.*]] = "ttg.local_alloc"
  %a = tle.alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  %0 = "tti.experimental_memdesc_to_i64"(%a) : (!ttg.memdesc<128xf32, #plain, #smem, mutable>) -> i64
  // CHECK: cf.cond_br
  cf.cond_br %c, ^early, ^late
^early:
  // CHECK: "ttg.local_dealloc"(%[[A]])
  // CHECK-NEXT: tt.return
  tt.return
^late:
  // CHECK: scf.if
  scf.if %c {
    // CHECK: %[[B:.*]] = "ttg.local_alloc"
    %b = tle.alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
    // CHECK: "tti.experimental_memdesc_to_i64"(%[[B]])
    %1 = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<128xf32, #plain, #smem, mutable>) -> i64
    // CHECK: "ttg.local_dealloc"(%[[B]])
    // CHECK-NEXT: }
  }
  // CHECK: "ttg.local_dealloc"(%[[A]])
  // CHECK-NEXT: tt.return
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Two buffers that change places live to the end, whichever name they have. Loads see a view: stock Triton
// prefetches loads of a loop's argument past the store of the next iteration.
// CHECK: tt.func public @swapped
tt.func public @swapped(%v: tensor<128xf32>, %n: i32) {
  // CHECK: %[[A:.*]] = "ttg.local_alloc"
  // CHECK: %[[B:.*]] = "ttg.local_alloc"
  %a = tle.alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  // CHECK: scf.for
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %b) -> (!ttg.memdesc<128xf32, #plain, #smem, mutable>, !ttg.memdesc<128xf32, #plain, #smem, mutable>) : i32 {
    tle.local_store %v, %x : tensor<128xf32>, !ttg.memdesc<128xf32, #plain, #smem, mutable>
    // CHECK: %[[VIEW:.*]] = "ttg.memdesc_subslice"(%{{.*}}) <{offsets = array<i32: 0>}>
    // CHECK: "ttg.local_load"(%[[VIEW]])
    %l = tle.local_load %x : !ttg.memdesc<128xf32, #plain, #smem, mutable> -> tensor<128xf32>
    scf.yield %y, %x : !ttg.memdesc<128xf32, #plain, #smem, mutable>, !ttg.memdesc<128xf32, #plain, #smem, mutable>
  }
  // CHECK: "ttg.local_store"
  tle.local_store %v, %r#0 : tensor<128xf32>, !ttg.memdesc<128xf32, #plain, #smem, mutable>
  // CHECK-DAG: "ttg.local_dealloc"(%[[A]])
  // CHECK-DAG: "ttg.local_dealloc"(%[[B]])
  // CHECK: tt.return
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A worker's tensors have the layout of its warps. A buffer that the default function uses beside it lives to the end:
// Triton gives the memory of one whose last user has passed to workers, which run at the same time.
// CHECK-LABEL: @worker
// CHECK: %[[MINE:.*]] = "ttg.local_alloc"
// CHECK: "ttg.local_load"(%[[MINE]]){{.*}} -> tensor<256xf16, #[[$FOUR:blocked[0-9]*]]>
// CHECK: ^bb0(%[[ITS:.*]]: !ttg.memdesc<256xf16
// CHECK: "ttg.local_load"(%[[ITS]]){{.*}} -> tensor<256xf16, #[[$TWO:blocked[0-9]*]]>
// CHECK: ttg.warp_return
// CHECK: "ttg.local_dealloc"(%[[MINE]])
// CHECK-NOT: local_dealloc
tt.func public @worker() {
  %mine = tle.alloc : () -> !ttg.memdesc<256xf16, #plain, #smem, mutable>
  %its = tle.alloc : () -> !ttg.memdesc<256xf16, #plain, #smem, mutable>
  "ttg.warp_specialize"(%its) <{partitionNumWarps = array<i32: 2>}> ({
    %t = tle.local_load %mine : !ttg.memdesc<256xf16, #plain, #smem, mutable> -> tensor<256xf16>
    %u = arith.addf %t, %t : tensor<256xf16>
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%b: !ttg.memdesc<256xf16, #plain, #smem, mutable>):
      %t = tle.local_load %b : !ttg.memdesc<256xf16, #plain, #smem, mutable> -> tensor<256xf16>
      %u = arith.addf %t, %t : tensor<256xf16>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<256xf16, #plain, #smem, mutable>) -> ()
  tt.return
}
