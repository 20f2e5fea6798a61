// RUN: tle-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{[T1] a fractal of 0 x 16 is empty; height and width must be positive}}
tt.func private @fractal() attributes {x = #tile.nz<0x16>}

// -----

// expected-error @+1 {{expected `<height x width>`}}
tt.func private @fractal_rank() attributes {x = #tile.nz<16>}

// -----

// expected-error @+1 {{[T2] a tile has one dimension or more, all of them positive; got [16, 0]}}
tt.func private @no_element(!tile.tensor<[16, 0], f32, local>)

// -----

// expected-error @+1 {{[T3] elements of a tile are integers or floats, not 'index'}}
tt.func private @element(!tile.buf<[16], index, shared>)

// -----

tt.func @alloc_shape() {
  // expected-error @+1 {{[T4] space, shape and dtype must repeat the result type, '!tile.buf<[16], f32, ub>'}}
  %b = tile.alloc {shape = [32]} : !tile.buf<[16], f32, ub>
  tt.return
}

// -----

tt.func @alloc_space() {
  // expected-error @+1 {{[T4] space, shape and dtype must repeat the result type}}
  %b = tile.alloc {space = #tile.space<l1>} : !tile.buf<[16], f32, ub>
  tt.return
}

// -----

tt.func @alloc_dtype() {
  // expected-error @+1 {{[T4] space, shape and dtype must repeat the result type}}
  %b = tile.alloc {dtype = f16} : !tile.buf<[16], f32, ub>
  tt.return
}

// -----

tt.func @offsets(%b: !tile.buf<[16, 16], f32, ub>, %i: i32) {
  // expected-error @+1 {{[T5] 1 offsets given for a buffer of rank 2; give one per dimension}}
  %v = tile.subview %b[%i] [[8, 8]] [[1, 1]] : (!tile.buf<[16, 16], f32, ub>, i32) -> !tile.buf<[8, 8], f32, ub>
  tt.return
}

// -----

tt.func @sizes(%b: !tile.buf<[16, 16], f32, ub>, %i: i32) {
  // expected-error @+1 {{[T6] sizes [4, 8] and strides [1, 1] do not describe a view of shape [8, 8]}}
  %v = tile.subview %b[%i, %i] [[4, 8]] [[1, 1]] : (!tile.buf<[16, 16], f32, ub>, i32, i32) -> !tile.buf<[8, 8], f32, ub>
  tt.return
}

// -----

tt.func @stride_count(%b: !tile.buf<[16, 16], f32, ub>, %i: i32) {
  // expected-error @+1 {{[T6] sizes [8, 8] and strides [1] do not describe a view of shape [8, 8]}}
  %v = tile.subview %b[%i, %i] [[8, 8]] [[1]] : (!tile.buf<[16, 16], f32, ub>, i32, i32) -> !tile.buf<[8, 8], f32, ub>
  tt.return
}

// -----

tt.func @strides(%b: !tile.buf<[16, 16], f32, ub>, %i: i32) {
  // expected-error @+1 {{[T7] strides [1, 0] must all be positive}}
  %v = tile.subview %b[%i, %i] [[8, 8]] [[1, 0]] : (!tile.buf<[16, 16], f32, ub>, i32, i32) -> !tile.buf<[8, 8], f32, ub>
  tt.return
}

// -----

tt.func @rank(%b: !tile.buf<[16], f32, ub>, %i: i32) {
  // expected-error @+1 {{[T8] a view of rank 2 of a buffer of rank 1 does not exist}}
  %v = tile.subview %b[%i] [[4, 4]] [[1, 1]] : (!tile.buf<[16], f32, ub>, i32) -> !tile.buf<[4, 4], f32, ub>
  tt.return
}

// -----

tt.func @view_element(%b: !tile.buf<[16], f32, ub>, %i: i32) {
  // expected-error @+1 {{[T9] the view '!tile.buf<[4], f16, ub>' must have the element type and the memory space}}
  %v = tile.subview %b[%i] [[4]] [[1]] : (!tile.buf<[16], f32, ub>, i32) -> !tile.buf<[4], f16, ub>
  tt.return
}

// -----

tt.func @view_space(%b: !tile.buf<[16], f32, ub>, %i: i32) {
  // expected-error @+1 {{[T9] the view '!tile.buf<[4], f32, l1>' must have the element type and the memory space}}
  %v = tile.subview %b[%i] [[4]] [[1]] : (!tile.buf<[16], f32, ub>, i32) -> !tile.buf<[4], f32, l1>
  tt.return
}

// -----

tt.func @outside(%b: !tile.buf<[16], f32, ub>) {
  %i = arith.constant 10 : i32
  // expected-error @+1 {{[T10] the view covers [10, 16] of dimension 0, which has size 16}}
  %v = tile.subview %b[%i] [[4]] [[2]] : (!tile.buf<[16], f32, ub>, i32) -> !tile.buf<[4], f32, ub>
  tt.return
}

// -----

tt.func @negative(%b: !tile.buf<[16], f32, ub>) {
  %i = arith.constant -1 : index
  // expected-error @+1 {{[T10] the view covers [-1, 2] of dimension 0, which has size 16}}
  %v = tile.subview %b[%i] [[4]] [[1]] : (!tile.buf<[16], f32, ub>, index) -> !tile.buf<[4], f32, ub>
  tt.return
}

// -----

tt.func @slot(%b: !tile.buf<[2, 16], f32, ub>) {
  %i = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  // expected-error @+1 {{[T10] the view covers [2, 2] of dimension 0, which has size 2}}
  %v = tile.subview %b[%i, %zero] [[16]] [[1]] : (!tile.buf<[2, 16], f32, ub>, i32, i32) -> !tile.buf<[16], f32, ub>
  tt.return
}

// -----

tt.func @copy_source(%b: !tile.buf<[16], f32, ub>, %x: tensor<16xf32>) {
  // expected-error @+1 {{[T11] the source must be a buffer, a tile tensor or pointers, not 'tensor<16xf32>'}}
  tile.copy %x -> %b : tensor<16xf32>, !tile.buf<[16], f32, ub>
  tt.return
}

// -----

tt.func @copy_dest(%b: !tile.buf<[16], f32, ub>, %x: !tile.tensor<[16], f32, ub>) {
  // expected-error @+1 {{[T12] a copy goes into a buffer, or from a buffer or tile tensor through pointers}}
  tile.copy %b -> %x : !tile.buf<[16], f32, ub>, !tile.tensor<[16], f32, ub>
  tt.return
}

// -----

tt.func @copy_global(%p: tensor<16x!tt.ptr<f32>>) {
  // expected-error @+1 {{[T12] a copy goes into a buffer, or from a buffer or tile tensor through pointers}}
  tile.copy %p -> %p : tensor<16x!tt.ptr<f32>>, tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @copy_shape(%p: tensor<16x8x!tt.ptr<f32>>, %b: !tile.buf<[8, 16], f32, ub>) {
  // expected-error @+1 {{[T13] a source of shape [16, 8] does not fit a destination of shape [8, 16]; a copy moves the whole tile}}
  tile.copy %p -> %b : tensor<16x8x!tt.ptr<f32>>, !tile.buf<[8, 16], f32, ub>
  tt.return
}

// -----

tt.func @copy_transposed(%p: tensor<16x8x!tt.ptr<f32>>, %b: !tile.buf<[16, 8], f32, ub>) {
  // expected-error @+1 {{[T13] a source of shape [16, 8] does not fit a destination of shape [16, 8] with its last two dimensions exchanged}}
  tile.copy %p -> %b {transpose} : tensor<16x8x!tt.ptr<f32>>, !tile.buf<[16, 8], f32, ub>
  tt.return
}

// -----

tt.func @copy_element(%p: tensor<16x!tt.ptr<f16>>, %b: !tile.buf<[16], f32, ub>) {
  // expected-error @+1 {{[T14] elements of type 'f16' cannot be copied to elements of type 'f32'; a copy does not convert}}
  tile.copy %p -> %b : tensor<16x!tt.ptr<f16>>, !tile.buf<[16], f32, ub>
  tt.return
}

// -----

tt.func @to_tensor(%b: !tile.buf<[16], f32, ub>) -> tensor<8xf32> {
  // expected-error @+1 {{[T15] a tensor of shape [8] and element type 'f32' is not the contents of a buffer of shape [16] and element type 'f32'}}
  %x = tile.to_tensor %b : !tile.buf<[16], f32, ub> -> tensor<8xf32>
  tt.return %x : tensor<8xf32>
}

// -----

tt.func @store_tensor(%b: !tile.buf<[16], f32, ub>, %x: tensor<16xf16>) {
  // expected-error @+1 {{[T15] a tensor of shape [16] and element type 'f16' is not the contents of a buffer of shape [16] and element type 'f32'}}
  tile.store_tensor %x, %b : tensor<16xf16>, !tile.buf<[16], f32, ub>
  tt.return
}

// -----

tt.func @fill(%b: !tile.buf<[16], f32, ub>, %x: f16) {
  // expected-error @+1 {{[T16] a scalar of type 'f16' cannot fill a buffer of 'f32'}}
  tile.vec_fill %b, %x : !tile.buf<[16], f32, ub>, f16
  tt.return
}

// -----

tt.func @gm_offset(%p: !tt.ptr<f32>, %i: index) {
  // expected-error @+1 {{[T17] 2 indices given with 1 strides; give one stride per index}}
  %q = tile.gm_offset %p[%i, %i] strides [%i] : !tt.ptr<f32>, (index, index), (index)
  tt.return
}

// -----

tt.func @load(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{[T18] a pointer of type '!tt.ptr<f32>' does not point to elements of '!tile.tensor<[16], f16, ub>'}}
  %x = tile.load %p : !tt.ptr<f32> -> !tile.tensor<[16], f16, ub>
  tt.return
}

// -----

tt.func @store(%p: !tt.ptr<f32>, %x: tensor<16xf32>) {
  // expected-error @+1 {{[T18] the value must be a buffer or tile tensor of the element type of '!tt.ptr<f32>', not 'tensor<16xf32>'}}
  tile.store %x -> %p : tensor<16xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func @load_space(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{[T19] dst_space is l1, but the tile is in memory space ub}}
  %x = tile.load %p {dst_space = #tile.space<l1>} : !tt.ptr<f32> -> !tile.tensor<[16], f32, ub>
  tt.return
}

// -----

tt.func @product(%a: !tile.buf<[16, 32], f16, l1>, %b: !tile.buf<[16, 8], f16, l1>, %c: !tile.buf<[16, 8], f32, l0c>, %p: !tt.ptr<f32>) {
  // expected-error @+1 {{[T20] a product of [16, 32] and [16, 8] does not fit an accumulator of shape [16, 8]}}
  tile.cube_launch %a, %b, %c, %a, %b -> %p : !tile.buf<[16, 32], f16, l1>, !tile.buf<[16, 8], f16, l1>, !tile.buf<[16, 8], f32, l0c>, !tile.buf<[16, 32], f16, l1>, !tile.buf<[16, 8], f16, l1>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func @stages(%a: !tile.buf<[16, 32], f16, l1>, %b: !tile.buf<[32, 8], f16, l1>, %c: !tile.buf<[16, 8], f32, l0c>, %p: !tt.ptr<f32>) {
  // expected-error @+1 {{[T21] the stages}}
  tile.cube_launch %a, %b, %c, %b, %a -> %p : !tile.buf<[16, 32], f16, l1>, !tile.buf<[32, 8], f16, l1>, !tile.buf<[16, 8], f32, l0c>, !tile.buf<[32, 8], f16, l1>, !tile.buf<[16, 32], f16, l1>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func @product_dest(%a: !tile.buf<[16, 32], f16, l1>, %b: !tile.buf<[32, 8], f16, l1>, %c: !tile.buf<[16, 8], f32, l0c>, %p: !tt.ptr<f16>) {
  // expected-error @+1 {{[T22] a product of 'f32' cannot be written through '!tt.ptr<f16>'}}
  tile.cube_launch %a, %b, %c, %a, %b -> %p : !tile.buf<[16, 32], f16, l1>, !tile.buf<[32, 8], f16, l1>, !tile.buf<[16, 8], f32, l0c>, !tile.buf<[16, 32], f16, l1>, !tile.buf<[32, 8], f16, l1>, !tt.ptr<f16>
  tt.return
}

// -----

tt.func @reduce_axis(%x: !tile.tensor<[16], f32, local>) {
  // expected-error @+1 {{[T23] axis 1 does not exist in a tile of rank 1}}
  %r = tile.reduce %x {axis = 1, op = "sum"} : !tile.tensor<[16], f32, local> -> !tile.tensor<[1], f32, local>
  tt.return
}

// -----

tt.func @broadcast_axis(%x: !tile.tensor<[1], f32, local>) {
  // expected-error @+1 {{[T23] axis -1 does not exist in a tile of rank 1}}
  %r = tile.broadcast %x {axis = -1, shape = [16]} : !tile.tensor<[1], f32, local> -> !tile.tensor<[16], f32, local>
  tt.return
}

// -----

tt.func @reduce_shape(%x: !tile.tensor<[16, 8], f32, local>) {
  // expected-error @+1 {{[T24] reducing '!tile.tensor<[16, 8], f32, local>' along axis 1 makes a tile of shape [16, 1] of the same type}}
  %r = tile.reduce %x {axis = 1, op = "sum"} : !tile.tensor<[16, 8], f32, local> -> !tile.tensor<[16], f32, local>
  tt.return
}

// -----

tt.func @reduce_op(%x: !tile.tensor<[16], f32, local>) {
  // expected-error @+1 {{[T25] "mean" is no reduction; use sum, prod, max or min}}
  %r = tile.reduce %x {axis = 0, op = "mean"} : !tile.tensor<[16], f32, local> -> !tile.tensor<[1], f32, local>
  tt.return
}

// -----

tt.func @function(%x: !tile.tensor<[16], f32, local>) {
  // expected-error @+1 {{[T26] "sin" with 1 operands is no function}}
  %r = tile.elemwise "sin" %x : (!tile.tensor<[16], f32, local>) -> !tile.tensor<[16], f32, local>
  tt.return
}

// -----

tt.func @arity(%x: !tile.tensor<[16], f32, local>) {
  // expected-error @+1 {{[T26] "add" with 1 operands is no function}}
  %r = tile.elemwise "add" %x : (!tile.tensor<[16], f32, local>) -> !tile.tensor<[16], f32, local>
  tt.return
}

// -----

tt.func @elemwise_type(%x: !tile.tensor<[16], f32, local>) {
  // expected-error @+1 {{[T27] operands must have the type of the result, '!tile.tensor<[16], f16, local>'}}
  %r = tile.elemwise "exp" %x : (!tile.tensor<[16], f32, local>) -> !tile.tensor<[16], f16, local>
  tt.return
}

// -----

tt.func @broadcast(%x: !tile.tensor<[16, 2], f32, local>) {
  // expected-error @+1 {{[T28] '!tile.tensor<[16, 2], f32, local>' cannot be broadcast along axis 1}}
  %r = tile.broadcast %x {axis = 1, shape = [16, 8]} : !tile.tensor<[16, 2], f32, local> -> !tile.tensor<[16, 8], f32, local>
  tt.return
}

// -----

tt.func @broadcast_shape(%x: !tile.tensor<[16, 1], f32, local>) {
  // expected-error @+1 {{[T28] '!tile.tensor<[16, 1], f32, local>' cannot be broadcast along axis 1}}
  %r = tile.broadcast %x {axis = 1, shape = [16, 4]} : !tile.tensor<[16, 1], f32, local> -> !tile.tensor<[16, 8], f32, local>
  tt.return
}

// -----

tt.func @cast(%x: !tile.tensor<[16], f32, local>) {
  // expected-error @+1 {{[T29] a cast converts elements only; shape and memory space must stay}}
  %r = tile.cast %x : !tile.tensor<[16], f32, local> -> !tile.tensor<[16], f16, ub>
  tt.return
}

// -----

tt.func @set_flag() {
  // expected-error @+1 {{[T30] an event orders two queues, but producer and consumer are both PIPE_V}}
  tile.set_flag <PIPE_V>, <PIPE_V>, <EVENT_ID0>
  tt.return
}

// -----

tt.func @wait_flag() {
  // expected-error @+1 {{[T30] an event orders two queues, but producer and consumer are both PIPE_M}}
  tile.wait_flag <PIPE_M>, <PIPE_M>, <EVENT_ID0>
  tt.return
}

// -----

tt.func @unknown() {
  // expected-error @+1 {{unregistered operation 'tile.rotate' found in dialect ('tile')}}
  "tile.rotate"() : () -> ()
  tt.return
}
