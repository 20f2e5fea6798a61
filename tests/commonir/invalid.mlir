// What the conversion refuses, rule by rule.
// RUN: tle-opt %s --convert-common-ir-to-ttgir --verify-diagnostics --split-input-file

tt.func public @space() {
  // expected-error @+1 {{[T31] a GPU has no memory "l1" to allocate in; only "shared" is supported}}
  %b = tile.alloc : !tile.buf<[16], f32, l1>
  tt.return
}

// -----

tt.func public @space_local() {
  // expected-error @+1 {{[T31] a GPU has no memory "local" to allocate in; only "shared" is supported}}
  %b = tile.alloc : !tile.buf<[16], f32, local>
  tt.return
}

// -----

tt.func public @no_layout() {
  // expected-error @+1 {{[T32] the buffer has no layout: the attribute tle.gpu_layout is missing}}
  %b = tile.alloc : !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func public @slot_without_layout(%i: i32) {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[2, 16], f32, shared>
  // expected-error @+1 {{[T32] the buffer has no layout: the attribute tle.gpu_layout is missing}}
  %s = tile.subview %b[%i, %zero] [[16]] [[1]] : (!tile.buf<[2, 16], f32, shared>, i32, i32) -> !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func public @register_layout() {
  // expected-error @+1 {{[T33] tle.gpu_layout must be a layout of shared memory, but it is #ttg.blocked}}
  %b = tile.alloc {tle.gpu_layout = #blocked} : !tile.buf<[16], f32, shared>
  tt.return
}

// -----

tt.func public @no_layout_at_all() {
  // expected-error @+1 {{[T33] tle.gpu_layout must be a layout of shared memory, but it is "nd"}}
  %b = tile.alloc {tle.gpu_layout = "nd"} : !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
tt.func public @layout_rank() {
  // expected-error @+1 {{[T33] the buffer does not fit its layout: the rank of the layout must be the rank of the memdesc or one less}}
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func public @power_of_two() {
  // expected-error @+1 {{[T33] the buffer does not fit its layout: dimensions of a memdesc must be positive, and all but the first powers of two}}
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16, 24], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @double_buffer() {
  // expected-error @+1 {{[T34] policy, layout and lifetime must be single_buffer, nd and default}}
  %b = tile.alloc {tle.gpu_layout = #flat, policy = #tile.policy<double_buffer>} : !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @fractal_buffer() {
  // expected-error @+1 {{[T34] policy, layout and lifetime must be single_buffer, nd and default}}
  %b = tile.alloc {tle.gpu_layout = #flat, layout = #tile.layout<nz>} : !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @loop_carried() {
  // expected-error @+1 {{[T34] policy, layout and lifetime must be single_buffer, nd and default}}
  %b = tile.alloc {tle.gpu_layout = #flat, lifetime = #tile.lifetime<loop_carried>} : !tile.buf<[16], f32, shared>
  tt.return
}

// -----

// expected-error @+1 {{[T35] nothing tells the layout of this buffer}}
tt.func public @argument(%b: !tile.buf<[16], f32, shared>) -> tensor<16xf32> {
  %x = tile.to_tensor %b : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tt.return %x : tensor<16xf32>
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @select(%c: i1) -> tensor<16xf32> {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  %ma = builtin.unrealized_conversion_cast %a : !tile.buf<[16], f32, shared> to !ttg.memdesc<16xf32, #flat, #smem, mutable>
  %mb = builtin.unrealized_conversion_cast %b : !tile.buf<[16], f32, shared> to !ttg.memdesc<16xf32, #flat, #smem, mutable>
  %m = arith.select %c, %ma, %mb : !ttg.memdesc<16xf32, #flat, #smem, mutable>
  // expected-error @+1 {{[T35] the buffer is chosen by arith.select, so that its allocation is not known}}
  %s = builtin.unrealized_conversion_cast %m : !ttg.memdesc<16xf32, #flat, #smem, mutable> to !tile.buf<[16], f32, shared>
  %x = tile.to_tensor %s : !tile.buf<[16], f32, shared> -> tensor<16xf32>
  tt.return %x : tensor<16xf32>
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#vec = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @two_layouts(%c: i1) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{[T36] one buffer has two descriptors}}
  %b = tile.alloc {tle.gpu_layout = #vec} : !tile.buf<[16], f32, shared>
  %r = scf.if %c -> (!tile.buf<[16], f32, shared>) {
    scf.yield %a : !tile.buf<[16], f32, shared>
  } else {
    scf.yield %b : !tile.buf<[16], f32, shared>
  }
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#vec = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @callee(%b: !tile.buf<[16], f32, shared>) {
  tt.return
}
tt.func public @two_callers() {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{[T36] one buffer has two descriptors}}
  %b = tile.alloc {tle.gpu_layout = #vec} : !tile.buf<[16], f32, shared>
  tt.call @callee(%a) : (!tile.buf<[16], f32, shared>) -> ()
  tt.call @callee(%b) : (!tile.buf<[16], f32, shared>) -> ()
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @part_for_whole(%c: i1) {
  %zero = arith.constant 0 : i32
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{[T36] one buffer has two descriptors}}
  %p = tile.subview %a[%zero] [[16]] [[1]] : (!tile.buf<[32], f32, shared>, i32) -> !tile.buf<[16], f32, shared>
  %r = scf.if %c -> (!tile.buf<[16], f32, shared>) {
    scf.yield %p : !tile.buf<[16], f32, shared>
  } else {
    scf.yield %b : !tile.buf<[16], f32, shared>
  }
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @returned() -> !tile.buf<[16], f32, shared> {
  // expected-error @+1 {{[T37] the buffer is used after the end of its scope}}
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-note @+1 {{it leaves its scope here}}
  tt.return %b : !tile.buf<[16], f32, shared>
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @yielded(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> (!tile.buf<[16], f32, shared>) : i32 {
    // expected-error @+1 {{[T37] the buffer is used after the end of its scope}}
    %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
    // expected-note @+1 {{it leaves its scope here}}
    scf.yield %b : !tile.buf<[16], f32, shared>
  }
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @yielded_view(%c: i1) {
  %zero = arith.constant 0 : i32
  %r = scf.if %c -> (!tile.buf<[16], f32, shared>) {
    // expected-error @+1 {{[T37] the buffer is used after the end of its scope}}
    %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32], f32, shared>
    %v = tile.subview %b[%zero] [[16]] [[1]] : (!tile.buf<[32], f32, shared>, i32) -> !tile.buf<[16], f32, shared>
    // expected-note @+1 {{it leaves its scope here}}
    scf.yield %v : !tile.buf<[16], f32, shared>
  } else {
    // expected-error @+1 {{[T37] the buffer is used after the end of its scope}}
    %d = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32], f32, shared>
    %w = tile.subview %d[%zero] [[16]] [[1]] : (!tile.buf<[32], f32, shared>, i32) -> !tile.buf<[16], f32, shared>
    // expected-note @+1 {{it leaves its scope here}}
    scf.yield %w : !tile.buf<[16], f32, shared>
  }
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @branch(%c: i1) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  cf.cond_br %c, ^bb1, ^bb2(%a : !tile.buf<[16], f32, shared>)
^bb1:
  // expected-error @+1 {{[T37] the buffer is used after the end of its scope}}
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-note @+1 {{it leaves its scope here}}
  cf.br ^bb2(%b : !tile.buf<[16], f32, shared>)
^bb2(%x: !tile.buf<[16], f32, shared>):
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @strides() {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32], f32, shared>
  // expected-error @+1 {{[T38] strides must be 1; strided views of shared memory are not supported}}
  %v = tile.subview %b[%zero] [[16]] [[2]] : (!tile.buf<[32], f32, shared>, i32) -> !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
tt.func public @two_dimensions() {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[2, 2, 16], f32, shared>
  // expected-error @+1 {{[T39] a view may drop the leading dimension alone, but this one drops 2}}
  %v = tile.subview %b[%zero, %zero, %zero] [[16]] [[1]] : (!tile.buf<[2, 2, 16], f32, shared>, i32, i32, i32) -> !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @trailing_shape(%i: i32) {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[2, 32], f32, shared>
  // expected-error @+1 {{[T40] a view by leading index keeps all other dimensions whole}}
  %v = tile.subview %b[%i, %zero] [[16]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[2, 32], f32, shared>, i32, i32) -> !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @trailing_offset(%i: i32) {
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[2, 32], f32, shared>
  // expected-error @+1 {{[T41] a view by leading index must have constant zero as every other offset}}
  %v = tile.subview %b[%i, %i] [[32]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[2, 32], f32, shared>, i32, i32) -> !tile.buf<[32], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @dynamic_offset(%i: i32) {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32], f32, shared>
  // expected-error @+1 {{[T42] offsets of a view of the buffer's rank must be constants}}
  %v = tile.subview %b[%i] [[16]] [[1]] : (!tile.buf<[32], f32, shared>, i32) -> !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @unaligned_offset() {
  %eight = arith.constant 8 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32], f32, shared>
  // expected-error @+1 {{[T43] offset 8 in dimension 0 is not a multiple of the size 16}}
  %v = tile.subview %b[%eight] [[16]] [[1]] : (!tile.buf<[32], f32, shared>, i32) -> !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @size() {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[32], f32, shared>
  // expected-error @+1 {{[T43] a part of a buffer needs sizes that are powers of two}}
  %v = tile.subview %b[%zero] [[24]] [[1]] : (!tile.buf<[32], f32, shared>, i32) -> !tile.buf<[24], f32, shared>
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
tt.func public @cut_nvmma() {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #shared} : !tile.buf<[64, 64], f16, shared>
  // expected-error @+1 {{[T43] a size of 4 in dimension 0 cuts the swizzle of the layout}}
  %v = tile.subview %b[%zero, %zero] [[4, 64]] [[1, 1]] : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[4, 64], f16, shared>
  tt.return
}

// -----

#swizzled = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>
tt.func public @cut_swizzled() {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #swizzled} : !tile.buf<[64, 64], f16, shared>
  // expected-error @+1 {{[T43] a size of 2 in dimension 0 cuts the swizzle of the layout}}
  %v = tile.subview %b[%zero, %zero] [[2, 64]] [[1, 1]] : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[2, 64], f16, shared>
  tt.return
}

// -----

#padded = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>
tt.func public @cut_padded() {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #padded} : !tile.buf<[64, 64], f16, shared>
  // expected-error @+1 {{[T43] a part of a buffer needs sizes that are powers of two and a swizzled or nvmma layout}}
  %v = tile.subview %b[%zero, %zero] [[32, 64]] [[1, 1]] : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[32, 64], f16, shared>
  tt.return
}

// -----

#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @slot_of_part(%i: i32) {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[4, 32], f32, shared>
  %p = tile.subview %b[%zero, %zero] [[2, 32]] [[1, 1]] : (!tile.buf<[4, 32], f32, shared>, i32, i32) -> !tile.buf<[2, 32], f32, shared>
  // expected-error @+1 {{[T44] a view by leading index needs a whole buffer, but its source is a part of one}}
  %v = tile.subview %p[%i, %zero] [[32]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[2, 32], f32, shared>, i32, i32) -> !tile.buf<[32], f32, shared>
  tt.return
}

// -----

#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @whole_and_slots(%i: i32) {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[4, 32], f32, shared>
  // expected-note @+1 {{the use by leading index}}
  %v = tile.subview %b[%i, %zero] [[32]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[4, 32], f32, shared>, i32, i32) -> !tile.buf<[32], f32, shared>
  // expected-error @+1 {{[T45] a buffer that is used by leading index is used that way only, but 'tile.to_tensor' uses it whole}}
  %x = tile.to_tensor %b : !tile.buf<[4, 32], f32, shared> -> tensor<4x32xf32>
  tt.return
}

// -----

#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @bridged_and_slots(%i: i32) {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[4, 32], f32, shared>
  // expected-note @+1 {{the use by leading index}}
  %v = tile.subview %b[%i, %zero] [[32]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[4, 32], f32, shared>, i32, i32) -> !tile.buf<[32], f32, shared>
  %m = builtin.unrealized_conversion_cast %b : !tile.buf<[4, 32], f32, shared> to !ttg.memdesc<4x32xf32, #ring, #smem, mutable>
  // expected-error @+1 {{[T45] a buffer that is used by leading index is used that way only, but 'test.use' uses it whole}}
  "test.use"(%m) : (!ttg.memdesc<4x32xf32, #ring, #smem, mutable>) -> ()
  tt.return
}

// -----

#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#vec = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @two_slot_layouts(%i: i32) {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[4, 32], f32, shared>
  %v = tile.subview %b[%i, %zero] [[32]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[4, 32], f32, shared>, i32, i32) -> !tile.buf<[32], f32, shared>
  // expected-error @+1 {{[T45] slots of one buffer need one layout, but another slot has}}
  %w = tile.subview %b[%i, %zero] [[32]] [[1]] {tle.gpu_layout = #vec} : (!tile.buf<[4, 32], f32, shared>, i32, i32) -> !tile.buf<[32], f32, shared>
  tt.return
}

// -----

tt.func public @engine(%p: tensor<16x!tt.ptr<f32>>, %b: !tile.buf<[16], f32, shared>) {
  // expected-error @+1 {{[T46] a GPU copies in plain order; engine, transpose and NZ layouts are not supported}}
  tile.copy %p -> %b {engine = #tile.engine<mte2>} : tensor<16x!tt.ptr<f32>>, !tile.buf<[16], f32, shared>
  tt.return
}

// -----

tt.func public @transpose(%p: tensor<16x16x!tt.ptr<f32>>, %b: !tile.buf<[16, 16], f32, shared>) {
  // expected-error @+1 {{[T46] a GPU copies in plain order; engine, transpose and NZ layouts are not supported}}
  tile.copy %p -> %b {transpose} : tensor<16x16x!tt.ptr<f32>>, !tile.buf<[16, 16], f32, shared>
  tt.return
}

// -----

tt.func public @fractal_dest(%p: tensor<16x!tt.ptr<f32>>, %b: !tile.buf<[16], f32, shared>) {
  // expected-error @+1 {{[T46] a GPU copies in plain order; engine, transpose and NZ layouts are not supported}}
  tile.copy %p -> %b {dst_nz_layout = #tile.nz<16x16>} : tensor<16x!tt.ptr<f32>>, !tile.buf<[16], f32, shared>
  tt.return
}

// -----

tt.func public @fractal_source(%p: tensor<16x!tt.ptr<f32>>, %b: !tile.buf<[16], f32, shared>) {
  // expected-error @+1 {{[T46] a GPU copies in plain order; engine, transpose and NZ layouts are not supported}}
  tile.copy %b -> %p {src_layout = #tile.layout<nz>} : !tile.buf<[16], f32, shared>, tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func public @buffer_to_buffer(%a: !tile.buf<[16], f32, shared>, %b: !tile.buf<[16], f32, shared>) {
  // expected-error @+1 {{[T47] a copy goes between a buffer and a tensor of pointers, one per element, but the other side is '!tile.buf<[16], f32, shared>'}}
  tile.copy %a -> %b : !tile.buf<[16], f32, shared>, !tile.buf<[16], f32, shared>
  tt.return
}

// -----

tt.func public @single_pointer(%p: !tt.ptr<f32>, %b: !tile.buf<[16], f32, shared>) {
  // expected-error @+1 {{[T47] a copy goes between a buffer and a tensor of pointers, one per element, but the other side is '!tt.ptr<f32>'}}
  tile.copy %b -> %p : !tile.buf<[16], f32, shared>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @value_to_pointers(%p: tensor<16x!tt.ptr<f32>>, %x: !tile.tensor<[16], f32, local>) {
  // expected-error @+1 {{[T47] one side of a copy must be a buffer}}
  tile.copy %x -> %p : !tile.tensor<[16], f32, local>, tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func public @shared_pointers(%p: tensor<16x!tt.ptr<f32, 3>>, %b: !tile.buf<[16], f32, shared>) {
  // expected-error @+1 {{[T48] the pointers of a copy must be global (address space 1), but they have address space 3}}
  tile.copy %p -> %b : tensor<16x!tt.ptr<f32, 3>>, !tile.buf<[16], f32, shared>
  tt.return
}

// -----

tt.func public @set_flag() {
  // expected-error @+1 {{[T49] engines and events are not supported on a GPU; use tle.gpu barriers to synchronize}}
  tile.set_flag <PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>
  tt.return
}

// -----

tt.func public @wait_flag() {
  // expected-error @+1 {{[T49] engines and events are not supported on a GPU; use tle.gpu barriers to synchronize}}
  tile.wait_flag <PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>
  tt.return
}

// -----

tt.func public @pipe_barrier() {
  // expected-error @+1 {{[T49] engines and events are not supported on a GPU; use tle.gpu barriers to synchronize}}
  tile.pipe_barrier <PIPE_V>
  tt.return
}

// -----

tt.func public @cube_wait() {
  // expected-error @+1 {{[T49] engines and events are not supported on a GPU; use tle.gpu barriers to synchronize}}
  tile.cube_wait
  tt.return
}

// -----

tt.func public @load(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{[T50] has no lowering to a GPU; supported are tile.alloc, subview, copy, to_tensor and store_tensor}}
  %x = tile.load %p : !tt.ptr<f32> -> !tile.tensor<[16], f32, ub>
  tt.return
}

// -----

tt.func public @fill(%b: !tile.buf<[16], f32, shared>, %x: f32) {
  // expected-error @+1 {{[T50] has no lowering to a GPU}}
  tile.vec_fill %b, %x : !tile.buf<[16], f32, shared>, f32
  tt.return
}

// -----

tt.func public @value_operations(%x: !tile.tensor<[16], f32, local>) {
  // expected-error @+1 {{'tile.elemwise' op [T50] has no lowering to a GPU}}
  %y = tile.elemwise "exp" %x : (!tile.tensor<[16], f32, local>) -> !tile.tensor<[16], f32, local>
  // expected-error @+1 {{'tile.cast' op [T50] has no lowering to a GPU}}
  %z = tile.cast %y : !tile.tensor<[16], f32, local> -> !tile.tensor<[16], f16, local>
  // expected-error @+1 {{'tile.reduce' op [T50] has no lowering to a GPU}}
  %w = tile.reduce %x {axis = 0, op = "sum"} : !tile.tensor<[16], f32, local> -> !tile.tensor<[1], f32, local>
  // expected-error @+1 {{'tile.broadcast' op [T50] has no lowering to a GPU}}
  %v = tile.broadcast %w {axis = 0, shape = [16]} : !tile.tensor<[1], f32, local> -> !tile.tensor<[16], f32, local>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#vec = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @bridge_layout() {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{[T51] the bridge's descriptor '!ttg.memdesc<16xf32, #ttg.swizzled_shared<{vec = 4}}
  %m = builtin.unrealized_conversion_cast %b : !tile.buf<[16], f32, shared> to !ttg.memdesc<16xf32, #vec, #smem, mutable>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @bridge_shape() {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{does not have the shape and element type of '!tile.buf<[16], f32, shared>'}}
  %m = builtin.unrealized_conversion_cast %b : !tile.buf<[16], f32, shared> to !ttg.memdesc<32xf32, #flat, #smem, mutable>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @bridge_to_integer() {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{[T51] a buffer can be bridged only to one !ttg.memdesc, or from one}}
  %m = builtin.unrealized_conversion_cast %b : !tile.buf<[16], f32, shared> to i64
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @other_user() {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{[T52] cannot take or make a TileIR buffer}}
  "test.use"(%b) : (!tile.buf<[16], f32, shared>) -> ()
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func public @select_buffers(%c: i1) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{[T52] cannot take or make a TileIR buffer}}
  %r = arith.select %c, %a, %b : !tile.buf<[16], f32, shared>
  tt.return
}

// -----

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func private @outside(!tile.buf<[16], f32, shared>)
tt.func public @external() {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[16], f32, shared>
  // expected-error @+1 {{[T53] buffers are passed to @outside, which has no body}}
  tt.call @outside(%b) : (!tile.buf<[16], f32, shared>) -> ()
  tt.return
}

// -----

tt.func public @foreign_cast(%x: i32) {
  // expected-error @+1 {{[T54] is left after the conversion of TileIR}}
  %y = builtin.unrealized_conversion_cast %x : i32 to f32
  tt.return
}

// -----

// expected-error @+1 {{[T54] is left after the conversion of TileIR}}
tt.func public @tile_value(%x: !tile.tensor<[16], f32, local>) {
  tt.return
}

// -----

// expected-error @+1 {{[T54] is left after the conversion of TileIR}}
tt.func private @declaration(!tile.buf<[16], f32, shared>)

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func public @part_layout() {
  %zero = arith.constant 0 : i32
  %b = tile.alloc {tle.gpu_layout = #shared} : !tile.buf<[64, 64], f16, shared>
  // expected-error @+1 {{[T55] a part of a buffer has the buffer's layout}}
  %v = tile.subview %b[%zero, %zero] [[32, 64]] [[1, 1]] {tle.gpu_layout = #flat} : (!tile.buf<[64, 64], f16, shared>, i32, i32) -> !tile.buf<[32, 64], f16, shared>
  tt.return
}
