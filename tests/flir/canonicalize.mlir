// RUN: tle-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @whole_view
// CHECK-SAME: (%[[B:.*]]: !tile.buf
// CHECK-NOT: tile.subview
// CHECK: tile.to_tensor %[[B]]
tt.func @whole_view(%b: !tile.buf<[16, 8], f32, shared>) -> tensor<16x8xf32> {
  %zero = arith.constant 0 : i32
  %v = tile.subview %b[%zero, %zero] [[16, 8]] [[1, 1]] : (!tile.buf<[16, 8], f32, shared>, i32, i32) -> !tile.buf<[16, 8], f32, shared>
  %x = tile.to_tensor %v : !tile.buf<[16, 8], f32, shared> -> tensor<16x8xf32>
  tt.return %x : tensor<16x8xf32>
}

// A layout on the view is for the conversion to check, and an unknown offset may be wrong.
// CHECK-LABEL: @kept_views
// CHECK-COUNT-2: tile.subview
tt.func @kept_views(%b: !tile.buf<[16], f32, shared>, %i: i32) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0 : i32
  %v = tile.subview %b[%zero] [[16]] [[1]] {tle.gpu_layout = "other"} : (!tile.buf<[16], f32, shared>, i32) -> !tile.buf<[16], f32, shared>
  %w = tile.subview %b[%i] [[16]] [[1]] : (!tile.buf<[16], f32, shared>, i32) -> !tile.buf<[16], f32, shared>
  %x = tile.to_tensor %v : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  %y = tile.to_tensor %w : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tt.return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @no_offset
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %{{.*}}: index)
// CHECK-NEXT: tile.load %[[P]]
tt.func @no_offset(%p: !tt.ptr<f32>, %s: index) -> !tile.tensor<[16], f32, ub> {
  %zero = arith.constant 0 : index
  %q = tile.gm_offset %p[%zero] strides [%s] : !tt.ptr<f32>, (index), (index)
  %r = tile.gm_offset %q[%s] strides [%zero] : !tt.ptr<f32>, (index), (index)
  %u = tile.gm_offset %r[] strides [] : !tt.ptr<f32>
  %t = tile.load %u : !tt.ptr<f32> -> !tile.tensor<[16], f32, ub>
  tt.return %t : !tile.tensor<[16], f32, ub>
}

// CHECK-LABEL: @offset
// CHECK: tile.gm_offset
tt.func @offset(%p: !tt.ptr<f32>, %s: index) -> !tile.tensor<[16], f32, ub> {
  %one = arith.constant 1 : index
  %q = tile.gm_offset %p[%one] strides [%s] : !tt.ptr<f32>, (index), (index)
  %t = tile.load %q : !tt.ptr<f32> -> !tile.tensor<[16], f32, ub>
  tt.return %t : !tile.tensor<[16], f32, ub>
}

// CHECK-LABEL: @same_type
// CHECK-SAME: (%[[X:.*]]: !tile.tensor
// CHECK-NEXT: tt.return %[[X]], %[[X]]
tt.func @same_type(%x: !tile.tensor<[16, 1], f32, local>) -> (!tile.tensor<[16, 1], f32, local>, !tile.tensor<[16, 1], f32, local>) {
  %c = tile.cast %x : !tile.tensor<[16, 1], f32, local> -> !tile.tensor<[16, 1], f32, local>
  %b = tile.broadcast %x {axis = 1, shape = [16, 1]} : !tile.tensor<[16, 1], f32, local> -> !tile.tensor<[16, 1], f32, local>
  tt.return %c, %b : !tile.tensor<[16, 1], f32, local>, !tile.tensor<[16, 1], f32, local>
}
