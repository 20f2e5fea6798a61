// RUN: tle-opt %s --split-input-file --tle-order-shared-accesses | FileCheck %s
// RUN: tle-opt %s --split-input-file --tle-order-shared-accesses="capability=80" | FileCheck %s --check-prefix=SM80
// SM80-COUNT-1: fence_async_shared
// SM80-NOT: fence_async_shared

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// The first access waits for what the memory held, a load for the store, a
// store for the load, and the memory is released after the last access.
// CHECK-LABEL: tt.func public @straight(
tt.func public @straight(%i: i32, %n: i32, %mask: i1, %tile: tensor<64xi32, #blocked>) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  // CHECK: "tt.int_to_ptr"
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: %{{.*}} = "tt.elementwise_inline_asm"{{.*}}"st.shared
  %s = "tt.elementwise_inline_asm"(%b_p, %i) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: %{{.*}} = "tt.elementwise_inline_asm"{{.*}}"ld.shared
  %l = "tt.elementwise_inline_asm"(%b_q) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: %{{.*}} = "tt.elementwise_inline_asm"{{.*}}"ld.shared
  %l2 = "tt.elementwise_inline_asm"(%b_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: %{{.*}} = "tt.elementwise_inline_asm"{{.*}}"st.shared
  %s2 = "tt.elementwise_inline_asm"(%b_q, %l) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Live buffers are apart: no barrier between accesses to different ones.
// CHECK-LABEL: tt.func public @two_buffers(
tt.func public @two_buffers(%i: i32, %n: i32, %mask: i1, %tile: tensor<64xi32, #blocked>) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  %c = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %c_base = "tti.experimental_memdesc_to_i64"(%c) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %c_p = arith.trunci %c_base : i64 to i32
  %c_q = arith.addi %c_p, %i : i32
  %c_a = "tt.int_to_ptr"(%c_base) : (i64) -> !tt.ptr<i32>
  // CHECK: "tt.int_to_ptr"
  // CHECK: "tt.int_to_ptr"
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"st.shared
  %s = "tt.elementwise_inline_asm"(%b_p, %i) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: {{.*}}"st.shared
  %t = "tt.elementwise_inline_asm"(%c_p, %i) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ld.shared
  %l = "tt.elementwise_inline_asm"(%b_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: {{.*}}"ld.shared
  %m = "tt.elementwise_inline_asm"(%c_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: "ttg.local_dealloc"
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  "ttg.local_dealloc"(%c) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Triton's loads and stores of the buffer come after accesses by address, behind a
// fence where TMA or WGMMA may be the reader, and before them.
// CHECK-LABEL: tt.func public @with_triton(
tt.func public @with_triton(%i: i32, %n: i32, %mask: i1, %tile: tensor<64xi32, #blocked>) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  // CHECK: "ttg.local_store"
  "ttg.local_store"(%tile, %b) : (tensor<64xi32, #blocked>, !ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ld.shared
  %l = "tt.elementwise_inline_asm"(%b_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: "ttg.local_store"
  "ttg.local_store"(%tile, %b) : (tensor<64xi32, #blocked>, !ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"st.shared
  %s = "tt.elementwise_inline_asm"(%b_p, %l) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ttg.local_load"
  %t = "ttg.local_load"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> tensor<64xi32, #blocked>
  // CHECK-NEXT: "test.use"
  "test.use"(%t) : (tensor<64xi32, #blocked>) -> ()
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Atomics need no order among themselves.
// CHECK-LABEL: tt.func public @atomics(
tt.func public @atomics(%i: i32, %n: i32, %mask: i1, %tile: tensor<64xi32, #blocked>) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  // CHECK: "tt.int_to_ptr"
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"st.shared
  %s = "tt.elementwise_inline_asm"(%b_p, %i) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"tt.atomic_rmw"
  %x = "tt.atomic_rmw"(%b_a, %i, %mask) <{atomic_rmw_op = 4 : i32, scope = 1 : i32, sem = 1 : i32}> {tle.shared_access = "atomic"} : (!tt.ptr<i32>, i32, i1) -> i32
  // CHECK-NEXT: {{.*}}"tt.atomic_rmw"
  %y = "tt.atomic_rmw"(%b_a, %x, %mask) <{atomic_rmw_op = 4 : i32, scope = 1 : i32, sem = 1 : i32}> {tle.shared_access = "atomic"} : (!tt.ptr<i32>, i32, i1) -> i32
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ld.shared
  %l = "tt.elementwise_inline_asm"(%b_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// A loop's access meets the one of the iteration before: one barrier between
// load and store, one before the load for the store of the last iteration. What was pending before
// the loop is settled before it.
// CHECK-LABEL: tt.func public @loop(
tt.func public @loop(%i: i32, %n: i32, %mask: i1, %tile: tensor<64xi32, #blocked>) {
  %one = arith.constant 1 : i32
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  // CHECK: "ttg.local_store"
  "ttg.local_store"(%tile, %b) : (tensor<64xi32, #blocked>, !ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: scf.for
  scf.for %k = %i to %n step %one : i32 {
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ld.shared
  %l = "tt.elementwise_inline_asm"(%b_q) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"st.shared
  %s = "tt.elementwise_inline_asm"(%b_p, %l) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: {{^ *}}}
  }
  // CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Loads alone ask for nothing in the loop, so that it stays free of barriers.
// CHECK-LABEL: tt.func public @loads_in_loop(
tt.func public @loads_in_loop(%i: i32, %n: i32, %mask: i1, %tile: tensor<64xi32, #blocked>) {
  %one = arith.constant 1 : i32
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  // CHECK: "ttg.local_store"
  "ttg.local_store"(%tile, %b) : (tensor<64xi32, #blocked>, !ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: scf.for
  scf.for %k = %i to %n step %one : i32 {
  // CHECK-NEXT: {{.*}}"ld.shared
  %l = "tt.elementwise_inline_asm"(%b_q) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: {{^ *}}}
  }
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Either way may have been taken, and the while loop's condition runs first.
// CHECK-LABEL: tt.func public @branches(
tt.func public @branches(%i: i32, %n: i32, %mask: i1, %tile: tensor<64xi32, #blocked>) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  // CHECK: scf.if
  scf.if %mask {
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"st.shared
  %s = "tt.elementwise_inline_asm"(%b_p, %i) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: } else {
  } else {
  // CHECK-NEXT: {{.*}}"test.nothing"
  "test.nothing"() : () -> ()
  // CHECK-NEXT: {{^ *}}}
  }
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}scf.while
  %r = scf.while (%x = %i) : (i32) -> i32 {
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ld.shared
  %c = "tt.elementwise_inline_asm"(%b_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: arith.cmpi
  %more = arith.cmpi slt, %c, %n : i32
  scf.condition(%more) %c : i32
  } do {
  ^bb0(%y: i32):
  // CHECK: ^bb0
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"st.shared
  %s2 = "tt.elementwise_inline_asm"(%b_p, %y) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  scf.yield %y : i32
  }
  // CHECK: {{^ *}}}
  // CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Waiting makes the copies of other threads visible only behind a barrier.
// CHECK-LABEL: tt.func public @waits(
tt.func public @waits(%i: i32, %n: i32, %mask: i1, %tile: tensor<64xi32, #blocked>) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  // CHECK: "tt.int_to_ptr"
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ld.shared
  %l = "tt.elementwise_inline_asm"(%b_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: {{.*}}"ttg.async_wait"
  %w = "ttg.async_wait"() <{num = 0 : i32}> : () -> !ttg.async.token
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ld.shared
  %m = "tt.elementwise_inline_asm"(%b_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: "gpu.barrier"
  "gpu.barrier"() : () -> ()
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// The way of an early return, and a function without accesses.
// CHECK-LABEL: tt.func public @early_return(
tt.func public @early_return(%i: i32, %n: i32, %mask: i1) {
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  %b_q = arith.addi %b_p, %i : i32
  %b_a = "tt.int_to_ptr"(%b_base) : (i64) -> !tt.ptr<i32>
  // CHECK: cf.cond_br
  cf.cond_br %mask, ^store, ^end
^store:
  // CHECK: ^bb1:
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"st.shared
  %s = "tt.elementwise_inline_asm"(%b_p, %i) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  // CHECK-NEXT: cf.br
  cf.br ^end
^end:
  // CHECK: ^bb2:
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: {{.*}}"ld.shared
  %l = "tt.elementwise_inline_asm"(%b_p) <{asm_string = "ld.shared.b32 $0, [$1];", constraints = "=r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "load"} : (i32) -> i32
  // CHECK-NEXT: "ttng.fence_async_shared"() <{bCluster = false}>
  // CHECK-NEXT: "gpu.barrier"()
  // CHECK-NEXT: "ttg.local_dealloc"
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// CHECK-LABEL: tt.func public @untouched(
// CHECK-NOT: gpu.barrier
tt.func public @untouched(%buffer: !ttg.memdesc<64xi32, #shared, #smem, mutable>) {
  "test.use"(%buffer) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  "ttg.local_dealloc"(%buffer) : (!ttg.memdesc<64xi32, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>

// One fence and one barrier, also in a loop; a fence that stands there is not
// repeated, and needs a barrier behind it.
// CHECK-LABEL: tt.func public @wgmma(
tt.func public @wgmma(%i: i32, %n: i32, %value: i16, %acc: tensor<64x64xf32, #mma>) {
  %one = arith.constant 1 : i32
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %b_base = "tti.experimental_memdesc_to_i64"(%b) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> i64
  %b_p = arith.trunci %b_base : i64 to i32
  // CHECK: "gpu.barrier"()
  // CHECK-NEXT: scf.for
  %r = scf.for %k = %i to %n step %one iter_args(%a = %acc) -> (tensor<64x64xf32, #mma>) : i32 {
    // CHECK-NEXT: "gpu.barrier"()
    // CHECK-NEXT: {{.*}}"st.shared
    %s = "tt.elementwise_inline_asm"(%b_p, %value) <{asm_string = "st.shared.b16 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,h", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i16) -> i32
    // CHECK-NEXT: "ttng.fence_async_shared"
    // CHECK-NEXT: "gpu.barrier"()
    // CHECK-NEXT: {{.*}}"ttng.warp_group_dot"
    %d = "ttng.warp_group_dot"(%b, %b, %a) <{inputPrecision = 0 : i32, isAsync = false, maxNumImpreciseAcc = 0 : i32}> : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma>
    // CHECK-NEXT: "gpu.barrier"()
    // CHECK-NEXT: {{.*}}"st.shared
    %t = "tt.elementwise_inline_asm"(%b_p, %value) <{asm_string = "st.shared.b16 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,h", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i16) -> i32
    // CHECK-NEXT: "ttng.fence_async_shared"
    "ttng.fence_async_shared"() <{bCluster = false}> : () -> ()
    // CHECK-NEXT: "gpu.barrier"()
    // CHECK-NEXT: {{.*}}"ttng.warp_group_dot"
    %e = "ttng.warp_group_dot"(%b, %b, %d) <{inputPrecision = 0 : i32, isAsync = false, maxNumImpreciseAcc = 0 : i32}> : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma>
    // CHECK-NEXT: scf.yield
    scf.yield %e : tensor<64x64xf32, #mma>
  }
  "test.use"(%r) : (tensor<64x64xf32, #mma>) -> ()
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<64xi32, #shared, #smem, mutable>
!barrier = !ttg.memdesc<1xi64, #shared, #smem, mutable>

// A worker that stores by address tells others when all its threads have stored and fenced. All threads meet where workers
// start and end: the load after them needs no barrier.
// CHECK-LABEL: @worker
// CHECK: "test.before"
// CHECK: "tt.elementwise_inline_asm"
// CHECK-NEXT: "ttng.fence_async_shared"
// CHECK-NEXT: "gpu.barrier"
// CHECK: "ttg.warp_specialize"
// CHECK: ^bb0
// CHECK-NOT: "gpu.barrier"
// CHECK: st.shared
// CHECK-NEXT: "ttng.fence_async_shared"
// CHECK-NEXT: "gpu.barrier"
// CHECK-NEXT: "ttng.arrive_barrier"
// CHECK: st.shared
// CHECK-NEXT: "ttng.fence_async_shared"
// CHECK-NEXT: "gpu.barrier"
// CHECK-NEXT: "llvm.call_intrinsic"
// CHECK: st.shared
// CHECK-NEXT: "ttng.fence_async_shared"
// CHECK-NEXT: "gpu.barrier"
// CHECK-NEXT: ttg.warp_return
tt.func public @worker(%value: i32) {
  %buffer = "ttg.local_alloc"() : () -> !buffer
  %bar = "ttg.local_alloc"() : () -> !barrier
  "test.before"() : () -> ()
  %wide = "tti.experimental_memdesc_to_i64"(%buffer) : (!buffer) -> i64
  %address = arith.trunci %wide : i64 to i32
  %0 = "tt.elementwise_inline_asm"(%address, %value) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
  "ttg.warp_specialize"(%buffer, %bar, %value) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%b: !buffer, %full: !barrier, %v: i32):
      %w = "tti.experimental_memdesc_to_i64"(%b) : (!buffer) -> i64
      %a = arith.trunci %w : i64 to i32
      %1 = "tt.elementwise_inline_asm"(%a, %v) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
      "ttng.arrive_barrier"(%full) <{count = 1 : i32}> : (!barrier) -> ()
      %2 = "tt.elementwise_inline_asm"(%a, %v) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
      "llvm.call_intrinsic"() : () -> ()
      %3 = "tt.elementwise_inline_asm"(%a, %v) <{asm_string = "st.shared.b32 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r", packed_element = 1 : i32, pure = false}> {tle.shared_access = "store"} : (i32, i32) -> i32
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!buffer, !barrier, i32) -> ()
  tt.return
}
