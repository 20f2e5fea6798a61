// RUN: tle-opt %s --split-input-file --tle-lower-shared-atomics | FileCheck %s
// RUN: tle-opt %s --split-input-file --tle-lower-shared-atomics="capability=80" | FileCheck %s --check-prefix=SM80

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// As many elements as threads in the default layout: every thread owns its element.
// CHECK: module {
// CHECK-LABEL: tt.func public @every_thread(
module attributes {tle.late = 1 : i32} {
  tt.func public @every_thread(%ptrs: tensor<128x!tt.ptr<i32>, #blocked>, %value: tensor<128xi32, #blocked>, %mask: tensor<128xi1, #blocked>) {
    // CHECK: %[[WIDE:.*]] = "tt.ptr_to_int"(%{{.*}}) : (tensor<128x!tt.ptr<i32>, #blocked>) -> tensor<128xi64, #blocked>
    // CHECK: %[[ADDRESS:.*]] = arith.trunci %[[WIDE]]
    // CHECK: "tt.elementwise_inline_asm"(%[[ADDRESS]], %arg1, %arg2)
    // CHECK-SAME: and.b32 thread, thread, 0;
    // CHECK-SAME: and.pred update, owner, $3;
    // CHECK-SAME: @update atom.relaxed.cta.shared.add.u32 old, [$1], $2; mov.b32 $0, old; }", constraints = "=&r,r,r,b"
    // CHECK-SAME: {tle.shared_access = "atomic"}
    %old = "tt.atomic_rmw"(%ptrs, %value, %mask) <{atomic_rmw_op = 4 : i32, scope = 2 : i32, sem = 1 : i32}> {tle.shared_access = "atomic"} : (tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>, tensor<128xi1, #blocked>) -> tensor<128xi32, #blocked>
    "test.use"(%old) : (tensor<128xi32, #blocked>) -> ()
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// 16 elements are in the first 16 lanes of the first warp; all others see the old
// values through a buffer.
// CHECK: #[[$OWN:.*]] = #ttg.blocked<{sizePerThread = [1]
// CHECK-LABEL: tt.func public @replicas(
tt.func public @replicas(%ptrs: tensor<16x!tt.ptr<f32>, #blocked>, %value: tensor<16xf32, #blocked>) {
  // CHECK: "ttg.convert_layout"({{.*}}) : (tensor<16xi32, #blocked>) -> tensor<16xi32, #[[$OWN]]>
  // CHECK: %[[SCRATCH:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<16xi32
  // CHECK: "tti.experimental_memdesc_to_i64"(%[[SCRATCH]])
  // CHECK: "tt.make_range"() <{end = 16 : i32, start = 0 : i32}> : () -> tensor<16xi32, #[[$OWN]]>
  // CHECK: "gpu.barrier"()
  // CHECK-NEXT: "tt.elementwise_inline_asm"
  // CHECK-SAME: and.b32 thread, thread, 112; setp.eq.u32 owner, thread, 0; mov.pred update, owner;
  // CHECK-SAME: @update atom.acq_rel.sys.shared.cas.b32 old, [$1], $2, $3; @owner st.shared.b32 [$4], old; mov.b32 $0, 0; }", constraints = "=&r,r,r,r,r"
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: %[[OLD:.*]] = "ttg.local_load"(%[[SCRATCH]]) : ({{.*}}) -> tensor<16xi32, #blocked>
  // CHECK-NEXT: "ttg.local_dealloc"(%[[SCRATCH]])
  // CHECK-NEXT: "tt.bitcast"(%[[OLD]]) : (tensor<16xi32, #blocked>) -> tensor<16xf32, #blocked>
  %old = "tt.atomic_cas"(%ptrs, %value, %value) <{scope = 3 : i32, sem = 4 : i32}> {tle.shared_access = "atomic"} : (tensor<16x!tt.ptr<f32>, #blocked>, tensor<16xf32, #blocked>, tensor<16xf32, #blocked>) -> tensor<16xf32, #blocked>
  "test.use"(%old) : (tensor<16xf32, #blocked>) -> ()
  tt.return
}

// -----

// A scalar is updated by one thread of the program. Without a reader there is no
// buffer.
// CHECK-LABEL: tt.func public @scalar(
tt.func public @scalar(%ptr: !tt.ptr<i64>, %value: i64, %mask: i1) {
  // CHECK-NOT: ttg.local_alloc
  // CHECK: and.b32 thread, thread, 127;
  // CHECK-SAME: atom.release.gpu.shared.max.s64
  %unread = "tt.atomic_rmw"(%ptr, %value, %mask) <{atomic_rmw_op = 6 : i32, scope = 1 : i32, sem = 3 : i32}> {tle.shared_access = "atomic"} : (!tt.ptr<i64>, i64, i1) -> i64
  // CHECK: %[[SCRATCH:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<1xi64
  // CHECK: atom.acquire.cta.shared.exch.b64
  // CHECK-SAME: @owner st.shared.b64
  // CHECK: %[[OLD:.*]] = "ttg.local_load"(%[[SCRATCH]]) : ({{.*}}) -> tensor<1xi64, #{{.*}}>
  // CHECK: "tt.unsplat"(%[[OLD]])
  %old = "tt.atomic_rmw"(%ptr, %value, %mask) <{atomic_rmw_op = 10 : i32, scope = 2 : i32, sem = 2 : i32}> {tle.shared_access = "atomic"} : (!tt.ptr<i64>, i64, i1) -> i64
  "test.use"(%old) : (i64) -> ()
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

// bfloat16 additions are an instruction from sm_90 on. Replicas of a 4 x 8 tile are
// the second to fourth warp.
// CHECK-LABEL: tt.func public @bfloat(
// SM80-LABEL: tt.func public @bfloat(
tt.func public @bfloat(%ptrs: tensor<4x8x!tt.ptr<bf16>, #blocked>, %value: tensor<4x8xbf16, #blocked>, %mask: tensor<4x8xi1, #blocked>) {
  // CHECK: and.b32 thread, thread, 96;
  // CHECK-SAME: @update atom.relaxed.gpu.shared.add.noftz.bf16 old, [$1], $2;
  // SM80: @!update bra done; ld.shared.b16 old, [$1]; again: mov.b16 seen, old; fma.rn.bf16 sum, seen, one, $2; atom.relaxed.gpu.shared.cas.b16 old, [$1], seen, sum; setp.ne.b16 retry, old, seen; @retry bra again; done:
  %old = "tt.atomic_rmw"(%ptrs, %value, %mask) <{atomic_rmw_op = 5 : i32, scope = 1 : i32, sem = 1 : i32}> {tle.shared_access = "atomic"} : (tensor<4x8x!tt.ptr<bf16>, #blocked>, tensor<4x8xbf16, #blocked>, tensor<4x8xi1, #blocked>) -> tensor<4x8xbf16, #blocked>
  // Atomics on global memory are none of ours.
  // CHECK: "tt.atomic_rmw"
  %global = "tt.atomic_rmw"(%ptrs, %value, %mask) <{atomic_rmw_op = 5 : i32, scope = 1 : i32, sem = 1 : i32}> : (tensor<4x8x!tt.ptr<bf16>, #blocked>, tensor<4x8xbf16, #blocked>, tensor<4x8xi1, #blocked>) -> tensor<4x8xbf16, #blocked>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>

// In a worker of two warps one of 64 threads updates a scalar; the barriers are the worker's.
// CHECK-LABEL: tt.func public @worker(
// CHECK: ^bb0
// CHECK: "tt.elementwise_inline_asm"
// CHECK-SAME: and.b32 thread, thread, 63;
// CHECK: "tt.elementwise_inline_asm"
// CHECK-SAME: and.b32 thread, thread, 0;
// CHECK-SAME: "=&r,r,r"
// CHECK: ttg.warp_return
tt.func public @worker(%i: i32) {
  "ttg.warp_specialize"(%i) <{partitionNumWarps = array<i32: 2>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%j: i32):
      %ptr, %ptrs, %value = "test.get"() : () -> (!tt.ptr<i32>, tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked>)
      %old = "tt.atomic_rmw"(%ptr, %j) <{atomic_rmw_op = 4 : i32, scope = 2 : i32, sem = 1 : i32}> {tle.shared_access = "atomic"} : (!tt.ptr<i32>, i32) -> i32
      %olds = "tt.atomic_rmw"(%ptrs, %value) <{atomic_rmw_op = 4 : i32, scope = 2 : i32, sem = 1 : i32}> {tle.shared_access = "atomic"} : (tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked>) -> tensor<64xi32, #blocked>
      "test.use"(%olds) : (tensor<64xi32, #blocked>) -> ()
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (i32) -> ()
  tt.return
}
