// RUN: tle-opt %s --split-input-file --tle-fence-writes | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The initial contents, and two stores with one fence, in front of what may tell other threads; none in the loop.
// CHECK-LABEL: tt.func public @stores
// CHECK: %[[A:.*]] = tle.alloc %{{.*}} :
// CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
// CHECK-NEXT: %[[B:.*]] = tle.alloc :
// CHECK-NEXT: scf.if
// CHECK-NEXT: tle.local_store %{{.*}}, %[[A]]
// CHECK-NEXT: math.exp2
// CHECK-NEXT: tle.local_store %{{.*}}, %[[B]]
// CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
// CHECK-NEXT: "ttng.arrive_barrier"
// CHECK-NOT: fence
// CHECK: scf.for
// CHECK-NOT: fence
// CHECK: tt.return
tt.func public @stores(%x: tensor<64x64xf16>, %c: i1, %n: i32, %bar: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>) {
  %a = tle.alloc %x : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  scf.if %c {
    tle.local_store %x, %a : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %y = math.exp2 %x : tensor<64x64xf16>
    tle.local_store %y, %b : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    "ttng.arrive_barrier"(%bar) <{count = 1 : i32}> : (!ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>) -> ()
  }
  scf.for %i = %n to %n step %n : i32 {
    %s = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
    %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Buffers that TMA writes need no fence, nor do those that neither a product reads nor TMA overwrites.
// CHECK-LABEL: tt.func public @none
// CHECK-NOT: fence
// CHECK: tt.return
tt.func public @none(%desc: !tt.tensordesc<tensor<64x64xf16>>, %x: tensor<64x64xf16>, %bar: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>, %n: i32, %p: i1) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %b = tle.alloc %x : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.local_store %x, %b : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  "ttng.async_tma_copy_global_to_local"(%desc, %n, %n, %bar, %a, %p) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false}> : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, i1) -> ()
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// One partition stores to a stage, another one reads the ring: the storing side fences.
// CHECK-LABEL: tt.func public @partitions
// CHECK: "ttg.warp_specialize"
// CHECK: tle.local_store
// CHECK-NEXT: "ttng.fence_async_shared"
// CHECK-NEXT: ttg.warp_yield
// CHECK-NOT: fence
// CHECK: tt.return
tt.func public @partitions(%x: tensor<64x64xf16>, %n: i32) {
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %other = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  "ttg.warp_specialize"(%ring, %other, %n) <{partitionNumWarps = array<i32: 4>}> ({
    %slot = tle.slot %ring[%n] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    tle.local_store %x, %slot : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%r: !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>, %o: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %i: i32):
      %a = tle.slot %r[%i] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
      %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
      %h = arith.truncf %w : tensor<64x64xf32> to tensor<64x64xf16>
      tle.local_store %h, %o : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, i32) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Stores by address, and copies that asynchronous waits end.
// CHECK-LABEL: tt.func public @other_writes
// CHECK: tle.shared_access = "store"
// CHECK-NEXT: "ttng.fence_async_shared"
// CHECK-NEXT: "gpu.barrier"
// CHECK: "ttg.async_wait"
// CHECK-NEXT: "ttng.fence_async_shared"
tt.func public @other_writes(%x: tensor<64x64xi16>, %token: !ttg.async.token) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %0 = "tti.experimental_memdesc_to_i64"(%a) : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = "tt.splat"(%1) : (i32) -> tensor<64x64xi32>
  %3 = "tt.elementwise_inline_asm"(%2, %x) <{asm_string = "st.shared.b16 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,h", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (tensor<64x64xi32>, tensor<64x64xi16>) -> tensor<64x64xi32>
  "gpu.barrier"() : () -> ()
  %4 = "ttg.async_wait"(%token) <{num = 0 : i32}> : (!ttg.async.token) -> !ttg.async.token
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// One partition changes a stage in place, another one has TMA fill it again: the storing side fences before it says so.
// CHECK-LABEL: tt.func public @overwritten
// CHECK: "ttg.warp_specialize"
// CHECK: tle.local_store
// CHECK-NEXT: "ttng.fence_async_shared"
// CHECK-NEXT: "ttng.arrive_barrier"
// CHECK-NOT: fence
// CHECK: tt.return
tt.func public @overwritten(%desc: !tt.tensordesc<tensor<64x64xf16>>, %empty: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %full: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %token: !ttg.async.token, %x: tensor<64x64xf16>, %n: i32, %p: i1) {
  %ring = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %other = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tle.local_store %x, %other : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %0 = "ttg.async_wait"(%token) <{num = 0 : i32}> : (!ttg.async.token) -> !ttg.async.token
  "ttg.warp_specialize"(%ring, %desc, %empty, %full, %n, %p) <{partitionNumWarps = array<i32: 1>}> ({
    %slot = tle.slot %ring[%n] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %y = tle.local_load %slot : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
    tle.local_store %y, %slot : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    "ttng.arrive_barrier"(%empty) <{count = 1 : i32}> : (!ttg.memdesc<1xi64, #bar, #smem, mutable>) -> ()
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%r: !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>, %d: !tt.tensordesc<tensor<64x64xf16>>, %e: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %f: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %q: i1):
      "ttng.wait_barrier"(%e, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ttg.memdesc<1xi64, #bar, #smem, mutable>, i32) -> ()
      %a = tle.slot %r[%i] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      "ttng.async_tma_copy_global_to_local"(%d, %i, %i, %f, %a, %q) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false}> : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, i1) -> ()
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>, !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>, i32, i1) -> ()
  tt.return
}
