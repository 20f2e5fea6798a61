// RUN: tle-opt %s -split-input-file --tle-lower-memory | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// CommonIR ends the life of every buffer at the end of its scope. Where the users of one tell the end, others may
// have its memory sooner: of %a. An asynchronous copy that nothing follows ends later than it looks: %b.
// CHECK: tt.func public @ends
// CHECK: %[[A:.*]] = "ttg.local_alloc"
// CHECK: %[[B:.*]] = "ttg.local_alloc"
// CHECK-NOT: "ttg.local_dealloc"(%[[A]])
// CHECK: "ttg.local_dealloc"(%[[B]])
// CHECK-NEXT: tt.return
tt.func public @ends(%ptrs: tensor<128x!tt.ptr<f32>, #blocked>) {
  %a = "ttg.local_alloc"() : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<128xf32, #plain, #smem, mutable>
  %ca = "ttg.async_copy_global_to_local"(%ptrs, %a) <{cache = 1 : i32, contiguity = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<128x!tt.ptr<f32>, #blocked>, !ttg.memdesc<128xf32, #plain, #smem, mutable>) -> !ttg.async.token
  %cb = "ttg.async_copy_global_to_local"(%ptrs, %b) <{cache = 1 : i32, contiguity = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<128x!tt.ptr<f32>, #blocked>, !ttg.memdesc<128xf32, #plain, #smem, mutable>) -> !ttg.async.token
  %t = "ttg.async_commit_group"(%ca, %cb) : (!ttg.async.token, !ttg.async.token) -> !ttg.async.token
  %w = "ttg.async_wait"(%t) <{num = 0 : i32}> : (!ttg.async.token) -> !ttg.async.token
  %v = "ttg.local_load"(%a) : (!ttg.memdesc<128xf32, #plain, #smem, mutable>) -> tensor<128xf32, #blocked>
  "ttg.local_dealloc"(%b) : (!ttg.memdesc<128xf32, #plain, #smem, mutable>) -> ()
  "ttg.local_dealloc"(%a) : (!ttg.memdesc<128xf32, #plain, #smem, mutable>) -> ()
  tt.return
}
