// Generic passes see what is memory and what is a value.
// RUN: tle-opt %s --cse --canonicalize | FileCheck %s

// Two allocations are two buffers.
// CHECK-LABEL: @two_allocations
tt.func @two_allocations(%ptrs: tensor<16x!tt.ptr<f32>>) {
  // CHECK-COUNT-2: tile.alloc
  %a = tile.alloc : !tile.buf<[16], f32, shared>
  %b = tile.alloc : !tile.buf<[16], f32, shared>
  // CHECK-COUNT-2: tile.copy
  tile.copy %ptrs -> %a : tensor<16x!tt.ptr<f32>>, !tile.buf<[16], f32, shared>
  tile.copy %ptrs -> %b : tensor<16x!tt.ptr<f32>>, !tile.buf<[16], f32, shared>
  tt.return
}

// An allocation that nobody uses goes away.
// CHECK-LABEL: @unused
// CHECK-NOT: tile.alloc
// CHECK: tt.return
tt.func @unused() {
  %a = tile.alloc : !tile.buf<[16], f32, shared>
  tt.return
}

// Two reads of unchanged memory are one.
// CHECK-LABEL: @reads
// CHECK: %[[T:.*]] = tile.to_tensor
// CHECK-NOT: tile.to_tensor
// CHECK: tt.return %[[T]], %[[T]]
tt.func @reads(%b: !tile.buf<[16], f32, shared>) -> (tensor<16xf32>, tensor<16xf32>) {
  %x = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  %y = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tt.return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @reads_across_store
// CHECK: %[[X:.*]] = tile.to_tensor
// CHECK: tile.store_tensor
// CHECK: %[[Y:.*]] = tile.to_tensor
// CHECK: tt.return %[[X]], %[[Y]]
tt.func @reads_across_store(%b: !tile.buf<[16], f32, shared>, %v: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %x = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tile.store_tensor %v, %b : tensor<16xf32>, !tile.buf<[16], f32, shared>
  %y = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tt.return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @reads_across_copy
// CHECK: %[[X:.*]] = tile.to_tensor
// CHECK: tile.copy
// CHECK: %[[Y:.*]] = tile.to_tensor
// CHECK: tt.return %[[X]], %[[Y]]
tt.func @reads_across_copy(%b: !tile.buf<[16], f32, shared>, %p: tensor<16x!tt.ptr<f32>>) -> (tensor<16xf32>, tensor<16xf32>) {
  %x = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tile.copy %p -> %b : tensor<16x!tt.ptr<f32>>, !tile.buf<[16], f32, shared>
  %y = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tt.return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @reads_across_fill
// CHECK: %[[X:.*]] = tile.to_tensor
// CHECK: tile.vec_fill
// CHECK: %[[Y:.*]] = tile.to_tensor
// CHECK: tt.return %[[X]], %[[Y]]
tt.func @reads_across_fill(%b: !tile.buf<[16], f32, shared>, %v: f32) -> (tensor<16xf32>, tensor<16xf32>) {
  %x = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tile.vec_fill %b, %v : !tile.buf<[16], f32, shared>, f32
  %y = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tt.return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// A view shares memory: a write through it ends the life of what was read.
// CHECK-LABEL: @reads_across_view
// CHECK: %[[X:.*]] = tile.to_tensor
// CHECK: tile.store_tensor
// CHECK: %[[Y:.*]] = tile.to_tensor
// CHECK: tt.return %[[X]], %[[Y]]
tt.func @reads_across_view(%b: !tile.buf<[16], f32, shared>, %v: tensor<8xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %eight = arith.constant 8 : i32
  %x = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  %part = tile.subview %b[%eight] [[8]] [[1]] : (!tile.buf<[16], f32, shared>, i32) -> !tile.buf<[8], f32, shared>
  tile.store_tensor %v, %part : tensor<8xf32>, !tile.buf<[8], f32, shared>
  %y = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tt.return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @loads_across_store
// CHECK: %[[X:.*]] = tile.load
// CHECK: tile.store
// CHECK: %[[Y:.*]] = tile.load
// CHECK: tt.return %[[X]], %[[Y]]
tt.func @loads_across_store(%p: !tt.ptr<f32>, %b: !tile.buf<[16], f32, ub>) -> (!tile.tensor<[16], f32, ub>, !tile.tensor<[16], f32, ub>) {
  %x = tile.load %p : !tt.ptr<f32> -> !tile.tensor<[16], f32, ub>
  tile.store %b -> %p : !tile.buf<[16], f32, ub>, !tt.ptr<f32>
  %y = tile.load %p : !tt.ptr<f32> -> !tile.tensor<[16], f32, ub>
  tt.return %x, %y : !tile.tensor<[16], f32, ub>, !tile.tensor<[16], f32, ub>
}

// Events and waits order memory and are never dropped.
// CHECK-LABEL: @reads_across_wait
// CHECK: %[[X:.*]] = tile.to_tensor
// CHECK: tile.set_flag
// CHECK: tile.wait_flag
// CHECK: tile.pipe_barrier
// CHECK: tile.cube_wait
// CHECK: %[[Y:.*]] = tile.to_tensor
// CHECK: tt.return %[[X]], %[[Y]]
tt.func @reads_across_wait(%b: !tile.buf<[16], f32, l1>) -> (tensor<16xf32>, tensor<16xf32>) {
  %x = tile.to_tensor %b : !tile.buf<[16], f32, l1> -> tensor<16xf32>
  tile.set_flag <PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>
  tile.wait_flag <PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>
  tile.pipe_barrier <PIPE_V>
  tile.cube_wait
  %y = tile.to_tensor %b : !tile.buf<[16], f32, l1> -> tensor<16xf32>
  tt.return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// Values are values: equal ones are merged, unused ones dropped.
// CHECK-LABEL: @values
// CHECK: %[[C:.*]] = tile.cast
// CHECK-NOT: tile.cast
// CHECK-NOT: tile.reduce
// CHECK: tt.return %[[C]], %[[C]]
tt.func @values(%x: !tile.tensor<[16, 8], f32, local>) -> (!tile.tensor<[16, 8], f16, local>, !tile.tensor<[16, 8], f16, local>) {
  %a = tile.cast %x : !tile.tensor<[16, 8], f32, local> -> !tile.tensor<[16, 8], f16, local>
  %b = tile.cast %x : !tile.tensor<[16, 8], f32, local> -> !tile.tensor<[16, 8], f16, local>
  %r = tile.reduce %x {axis = 1, op = "max"} : !tile.tensor<[16, 8], f32, local> -> !tile.tensor<[16, 1], f32, local>
  tt.return %a, %b : !tile.tensor<[16, 8], f16, local>, !tile.tensor<[16, 8], f16, local>
}
