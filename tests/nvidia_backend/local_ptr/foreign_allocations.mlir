// RUN: tle-opt %s --tle-lower-local-ptr --tle-lower-memory --tle-order-shared-accesses | FileCheck %s

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A buffer that another conversion has allocated lives to the end of its block, too.
// CHECK-LABEL: tt.func public @allocated(
// CHECK: %[[BUFFER:.*]] = "ttg.local_alloc"()
// CHECK: "gpu.barrier"()
// CHECK: ld.shared.b32
// CHECK: "gpu.barrier"()
// CHECK-NEXT: "ttg.local_dealloc"(%[[BUFFER]])
// CHECK-NEXT: tt.return
tt.func public @allocated(%i: i32) {
  %buffer = "ttg.local_alloc"() : () -> !ttg.memdesc<64xi32, #shared, #smem, mutable>
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<64xi32, #shared, #smem, mutable>, i32) -> !tt.ptr<i32>
  %value = "tt.load"(%ptr) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<i32>) -> i32
  "test.use"(%value) : (i32) -> ()
  tt.return
}
