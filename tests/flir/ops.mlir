// Every operation, type and attribute, printed and parsed again.
// RUN: tle-opt %s | tle-opt | FileCheck %s
// RUN: tle-opt %s --mlir-print-op-generic | tle-opt | FileCheck %s

// CHECK-LABEL: @buffers
tt.func @buffers(%i: i32, %j: index, %v: f16) {
  %zero = arith.constant 0 : i32
  // CHECK: %[[B:.*]] = tile.alloc : !tile.buf<[2, 64, 32], f16, shared>
  %b = tile.alloc : !tile.buf<[2, 64, 32], f16, shared>
  // CHECK: tile.alloc {comment = "left", dtype = f32, layout = #tile.layout<nd>, lifetime = #tile.lifetime<default>, policy = #tile.policy<single_buffer>, shape = [16], space = #tile.space<ub>} : !tile.buf<[16], f32, ub>
  %c = tile.alloc {space = #tile.space<ub>, shape = [16], dtype = f32, policy = #tile.policy<single_buffer>, layout = #tile.layout<nd>, lifetime = #tile.lifetime<default>, comment = "left"} : !tile.buf<[16], f32, ub>
  // CHECK: tile.alloc {layout = #tile.layout<nz>, lifetime = #tile.lifetime<loop_carried>, policy = #tile.policy<double_buffer>} : !tile.buf<[16], f32, register>
  %d = tile.alloc {layout = #tile.layout<nz>, lifetime = #tile.lifetime<loop_carried>, policy = #tile.policy<double_buffer>} : !tile.buf<[16], f32, register>
  // CHECK: %[[S:.*]] = tile.subview %[[B]][%{{.*}}, %{{.*}}, %{{.*}}] {{\[\[}}64, 32]] {{\[\[}}1, 1]] : (!tile.buf<[2, 64, 32], f16, shared>, i32, i32, i32) -> !tile.buf<[64, 32], f16, shared>
  %s = tile.subview %b[%i, %zero, %zero] [[64, 32]] [[1, 1]] : (!tile.buf<[2, 64, 32], f16, shared>, i32, i32, i32) -> !tile.buf<[64, 32], f16, shared>
  // CHECK: tile.subview %[[B]][%{{.*}}, %{{.*}}, %{{.*}}] {{\[\[}}1, 16, 16]] {{\[\[}}1, 2, 2]] : (!tile.buf<[2, 64, 32], f16, shared>, index, i32, index) -> !tile.buf<[1, 16, 16], f16, shared>
  %t = tile.subview %b[%j, %i, %j] [[1, 16, 16]] [[1, 2, 2]] : (!tile.buf<[2, 64, 32], f16, shared>, index, i32, index) -> !tile.buf<[1, 16, 16], f16, shared>
  // CHECK: %[[T:.*]] = tile.to_tensor %[[S]] : !tile.buf<[64, 32], f16, shared> -> tensor<64x32xf16>
  %x = tile.to_tensor %s : !tile.buf<[64, 32], f16, shared> -> tensor<64x32xf16>
  // CHECK: tile.store_tensor %[[T]], %[[S]] : tensor<64x32xf16>, !tile.buf<[64, 32], f16, shared>
  tile.store_tensor %x, %s : tensor<64x32xf16>, !tile.buf<[64, 32], f16, shared>
  // CHECK: tile.vec_fill %[[S]], %{{.*}} {compute_unit = "v"} : !tile.buf<[64, 32], f16, shared>, f16
  tile.vec_fill %s, %v {compute_unit = "v"} : !tile.buf<[64, 32], f16, shared>, f16
  tt.return
}

// CHECK-LABEL: @copies
tt.func @copies(%ptrs: tensor<64x32x!tt.ptr<f16>>, %ptr: !tt.ptr<f16>, %b: !tile.buf<[64, 32], f16, l1>, %t: !tile.buf<[32, 64], f16, l0a>, %v: !tile.tensor<[64, 32], f16, local>) {
  // CHECK: tile.copy %{{.*}} -> %{{.*}} : tensor<64x32x!tt.ptr<f16>>, !tile.buf<[64, 32], f16, l1>
  tile.copy %ptrs -> %b : tensor<64x32x!tt.ptr<f16>>, !tile.buf<[64, 32], f16, l1>
  // CHECK: tile.copy %{{.*}} -> %{{.*}} : !tile.buf<[64, 32], f16, l1>, tensor<64x32x!tt.ptr<f16>>
  tile.copy %b -> %ptrs : !tile.buf<[64, 32], f16, l1>, tensor<64x32x!tt.ptr<f16>>
  // CHECK: tile.copy %{{.*}} -> %{{.*}} {comment = "c", dst_nz_layout = #tile.nz<16x16>, engine = #tile.engine<mte1>, src_layout = #tile.layout<nd>, transpose} : !tile.buf<[64, 32], f16, l1>, !tile.buf<[32, 64], f16, l0a>
  tile.copy %b -> %t {engine = #tile.engine<mte1>, src_layout = #tile.layout<nd>, dst_nz_layout = #tile.nz<16x16>, transpose, comment = "c"} : !tile.buf<[64, 32], f16, l1>, !tile.buf<[32, 64], f16, l0a>
  // CHECK: tile.copy %{{.*}} -> %{{.*}} : !tile.tensor<[64, 32], f16, local>, !tt.ptr<f16>
  tile.copy %v -> %ptr : !tile.tensor<[64, 32], f16, local>, !tt.ptr<f16>
  tt.return
}

// CHECK-LABEL: @global_memory
tt.func @global_memory(%ptr: !tt.ptr<f32>, %i: index, %s: i32, %b: !tile.buf<[16], f32, ub>) {
  // CHECK: %[[P:.*]] = tile.gm_offset %{{.*}}[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] : !tt.ptr<f32>, (index, i32), (i32, index)
  %p = tile.gm_offset %ptr[%i, %s] strides [%s, %i] : !tt.ptr<f32>, (index, i32), (i32, index)
  // CHECK: tile.gm_offset %[[P]][] strides[] : !tt.ptr<f32>{{$}}
  %q = tile.gm_offset %p[] strides [] : !tt.ptr<f32>
  // CHECK: %[[T:.*]] = tile.load %[[P]] {dst_space = #tile.space<ub>, engine = #tile.engine<mte2>} : !tt.ptr<f32> -> !tile.tensor<[16], f32, ub>
  %t = tile.load %p {engine = #tile.engine<mte2>, dst_space = #tile.space<ub>} : !tt.ptr<f32> -> !tile.tensor<[16], f32, ub>
  // CHECK: tile.store %[[T]] -> %[[P]] {dst_layout = #tile.layout<nd>, engine = #tile.engine<mte3>, src_layout = #tile.layout<nz>} : !tile.tensor<[16], f32, ub>, !tt.ptr<f32>
  tile.store %t -> %p {engine = #tile.engine<mte3>, src_layout = #tile.layout<nz>, dst_layout = #tile.layout<nd>} : !tile.tensor<[16], f32, ub>, !tt.ptr<f32>
  // CHECK: tile.store %{{.*}} -> %[[P]] : !tile.buf<[16], f32, ub>, !tt.ptr<f32>
  tile.store %b -> %p : !tile.buf<[16], f32, ub>, !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @matrix_unit
tt.func @matrix_unit(%a: !tile.buf<[16, 32], f16, l1>, %b: !tile.buf<[8, 32], f16, l1>, %acc: !tile.buf<[16, 8], f32, l0c>, %sa: !tile.buf<[16, 32], f16, l0a>, %sb: !tile.buf<[8, 32], f16, l0b>, %dst: !tt.ptr<f32>) {
  // CHECK: tile.cube_launch %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} -> %{{.*}} {comment = "c", init, mma = "m16n8k32", transpose_b} : !tile.buf<[16, 32], f16, l1>, !tile.buf<[8, 32], f16, l1>, !tile.buf<[16, 8], f32, l0c>, !tile.buf<[16, 32], f16, l0a>, !tile.buf<[8, 32], f16, l0b>, !tt.ptr<f32>
  tile.cube_launch %a, %b, %acc, %sa, %sb -> %dst {transpose_b, init, mma = "m16n8k32", comment = "c"} : !tile.buf<[16, 32], f16, l1>, !tile.buf<[8, 32], f16, l1>, !tile.buf<[16, 8], f32, l0c>, !tile.buf<[16, 32], f16, l0a>, !tile.buf<[8, 32], f16, l0b>, !tt.ptr<f32>
  // CHECK: tile.cube_wait
  tile.cube_wait
  tt.return
}

// CHECK-LABEL: @values
tt.func @values(%x: !tile.tensor<[16, 8], f32, local>) -> !tile.tensor<[16, 8], f16, local> {
  // CHECK: %[[R:.*]] = tile.reduce %{{.*}} {axis = 1 : i64, op = "sum", scope = "warp"} : !tile.tensor<[16, 8], f32, local> -> !tile.tensor<[16, 1], f32, local>
  %r = tile.reduce %x {axis = 1, op = "sum", scope = "warp"} : !tile.tensor<[16, 8], f32, local> -> !tile.tensor<[16, 1], f32, local>
  // CHECK: %[[B:.*]] = tile.broadcast %[[R]] {axis = 1 : i64, shape = [16, 8]} : !tile.tensor<[16, 1], f32, local> -> !tile.tensor<[16, 8], f32, local>
  %b = tile.broadcast %r {axis = 1, shape = [16, 8]} : !tile.tensor<[16, 1], f32, local> -> !tile.tensor<[16, 8], f32, local>
  // CHECK: %[[E:.*]] = tile.elemwise "sub" %{{.*}}, %[[B]] : (!tile.tensor<[16, 8], f32, local>, !tile.tensor<[16, 8], f32, local>) -> !tile.tensor<[16, 8], f32, local>
  %e = tile.elemwise "sub" %x, %b : (!tile.tensor<[16, 8], f32, local>, !tile.tensor<[16, 8], f32, local>) -> !tile.tensor<[16, 8], f32, local>
  // CHECK: tile.elemwise "exp" %[[E]] :
  %f = tile.elemwise "exp" %e : (!tile.tensor<[16, 8], f32, local>) -> !tile.tensor<[16, 8], f32, local>
  // CHECK: tile.cast %{{.*}} : !tile.tensor<[16, 8], f32, local> -> !tile.tensor<[16, 8], f16, local>
  %c = tile.cast %f : !tile.tensor<[16, 8], f32, local> -> !tile.tensor<[16, 8], f16, local>
  tt.return %c : !tile.tensor<[16, 8], f16, local>
}

// CHECK-LABEL: @synchronization
tt.func @synchronization() {
  // CHECK: tile.set_flag <PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>
  tile.set_flag <PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>
  // CHECK: tile.wait_flag <PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>
  tile.wait_flag <PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>
  // CHECK: tile.set_flag <PIPE_M>, <PIPE_FIX>, <EVENT_ID5>
  tile.set_flag <PIPE_M>, <PIPE_FIX>, <EVENT_ID5>
  // CHECK: tile.pipe_barrier <PIPE_MTE3>
  tile.pipe_barrier <PIPE_MTE3>
  // CHECK: tile.pipe_barrier <PIPE_S>
  tile.pipe_barrier <PIPE_S>
  tt.return
}

// CHECK-LABEL: @spaces
// CHECK-SAME: !tile.buf<[1], i1, gm>, %{{.*}}: !tile.buf<[1], i8, l1>, %{{.*}}: !tile.buf<[1], f8E5M2, l0a>, %{{.*}}: !tile.buf<[1], bf16, l0b>, %{{.*}}: !tile.buf<[1], f32, l0c>, %{{.*}}: !tile.buf<[3, 5], i64, ub>, %{{.*}}: !tile.tensor<[1], f64, global>
tt.func private @spaces(%a: !tile.buf<[1], i1, gm>, %b: !tile.buf<[1], i8, l1>, %c: !tile.buf<[1], f8E5M2, l0a>, %d: !tile.buf<[1], bf16, l0b>, %e: !tile.buf<[1], f32, l0c>, %f: !tile.buf<[3, 5], i64, ub>, %g: !tile.tensor<[1], f64, global>) {
  tt.return
}
