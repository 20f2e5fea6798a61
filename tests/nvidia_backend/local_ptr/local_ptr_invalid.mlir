// RUN: tle-opt %s --split-input-file --verify-diagnostics --tle-lower-local-ptr

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @offset(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %i: i32) {
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, i32) -> !tt.ptr<f32>
  // expected-error @+1 {{[L30] a pointer made by tle.gpu.local_ptr was used in 'tt.addptr'. It may only be the pointer argument of tl.load, tl.store and the tl.atomic_* functions. To reach other elements, call local_ptr again with other indices; to hand a buffer on, pass the buffer itself.}}
  %next = "tt.addptr"(%ptr, %i) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @number(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %i: i32) {
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, i32) -> !tt.ptr<f32>
  %ptrs = "tt.splat"(%ptr) : (!tt.ptr<f32>) -> tensor<8x!tt.ptr<f32>>
  // expected-error @+1 {{[L30] a pointer made by tle.gpu.local_ptr was used in 'tt.ptr_to_int'}}
  %int = "tt.ptr_to_int"(%ptrs) : (tensor<8x!tt.ptr<f32>>) -> tensor<8xi64>
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @stored(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %i: i32, %table: !tt.ptr<!tt.ptr<f32>>) {
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, i32) -> !tt.ptr<f32>
  // expected-error @+1 {{[L30] a pointer made by tle.gpu.local_ptr was used in 'tt.store'}}
  "tt.store"(%table, %ptr) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<!tt.ptr<f32>>, !tt.ptr<f32>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @carried(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %i: i32, %n: i32, %other: !tt.ptr<f32>) {
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, i32) -> !tt.ptr<f32>
  // expected-error @+1 {{[L30] a pointer made by tle.gpu.local_ptr was used in 'scf.for'}}
  %last = scf.for %k = %i to %n step %n iter_args(%p = %ptr) -> (!tt.ptr<f32>) : i32 {
    scf.yield %other : !tt.ptr<f32>
  }
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func private @callee(%ptr: !tt.ptr<f32>) {
  tt.return
}

tt.func public @argument(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %i: i32) {
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, i32) -> !tt.ptr<f32>
  // expected-error @+1 {{[L30] a pointer made by tle.gpu.local_ptr was used in 'tt.call'}}
  tt.call @callee(%ptr) : (!tt.ptr<f32>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @constant_index(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %value: f32) {
  %i = arith.constant 16 : i32
  // expected-error @+1 {{[L8] index 16 of tle.gpu.local_ptr lies outside dimension 0 of the buffer, which has 16 elements. Use indices from 0 to 15, or a mask that is false in all other lanes.}}
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, i32) -> !tt.ptr<f32>
  "tt.store"(%ptr, %value) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f32>, f32) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @range(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %value: tensor<32xf32>, %mask: tensor<32xi1>) {
  %i = "tt.make_range"() <{start = 0 : i32, end = 32 : i32}> : () -> tensor<32xi32>
  // A mask may keep the lanes in the buffer, so these are fine.
  %masked = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, tensor<32xi32>) -> tensor<32x!tt.ptr<f32>>
  "tt.store"(%masked, %value, %mask) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> ()
  // expected-error @+1 {{[L8] index 31 of tle.gpu.local_ptr lies outside dimension 0 of the buffer, which has 16 elements}}
  %ptrs = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, tensor<32xi32>) -> tensor<32x!tt.ptr<f32>>
  "tt.store"(%ptrs, %value) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @atomic_type(%buffer: !ttg.memdesc<16xi8, #shared, #smem, mutable>, %i: i32, %value: i8, %mask: i1) {
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xi8, #shared, #smem, mutable>, i32) -> !tt.ptr<i8>
  // expected-error @+1 {{[L34] there is no shared memory atomic of this kind for elements of type 'i8'. Supported are add on 32 and 64 bit integers, float16, bfloat16, float32 and float64; and, or, xor, min, max, xchg on 32 and 64 bit elements; and cas on 16, 32 and 64 bit elements.}}
  %old = "tt.atomic_rmw"(%ptr, %value, %mask) <{atomic_rmw_op = 4 : i32, scope = 1 : i32, sem = 1 : i32}> : (!tt.ptr<i8>, i8, i1) -> i8
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @pointers(%buffer: !ttg.memdesc<16xi64, #shared, #smem, mutable>, %i: i32) {
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xi64, #shared, #smem, mutable>, i32) -> !tt.ptr<i64>
  %cast = "tt.bitcast"(%ptr) : (!tt.ptr<i64>) -> !tt.ptr<!tt.ptr<f32>>
  // expected-error @+1 {{[L32] an access through tle.gpu.local_ptr reads or writes elements of type '!tt.ptr<f32>'. Use integers or floats of 1 to 64 bits.}}
  %value = "tt.load"(%cast) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<!tt.ptr<f32>>) -> !tt.ptr<f32>
  tt.return
}

// -----

#shared = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory

tt.func public @layout(%buffer: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %i: i32, %value: f16) {
  // expected-error @+1 {{[L36] tle.gpu.local_ptr cannot address a buffer of type '!ttg.memdesc<64x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>, #ttg.shared_memory, mutable>': its layout is not one of those local_ptr knows. Use a buffer}}
  %ptr = tle.local_ptr %buffer[%i, %i] : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, i32, i32) -> !tt.ptr<f16>
  "tt.store"(%ptr, %value) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f16>, f16) -> ()
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @small(%buffer: !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, %i: i32, %value: f16) {
  // expected-error @+1 {{its shape is smaller than its swizzle}}
  %ptr = tle.local_ptr %buffer[%i, %i] : (!ttg.memdesc<64x32xf16, #shared, #smem, mutable>, i32, i32) -> !tt.ptr<f16>
  "tt.store"(%ptr, %value) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f16>, f16) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @part(%buffer: !ttg.memdesc<16xf16, #shared, #smem, mutable, 32>, %i: i32, %value: f16) {
  // expected-error @+1 {{it is a part of a larger buffer}}
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf16, #shared, #smem, mutable, 32>, i32) -> !tt.ptr<f16>
  "tt.store"(%ptr, %value) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f16>, f16) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory

tt.func public @split(%buffer: !ttg.memdesc<16xf16, #shared, #smem, mutable>, %i: i32, %value: f16) {
  // expected-error @+1 {{it is split over the CTAs of a cluster}}
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf16, #shared, #smem, mutable>, i32) -> !tt.ptr<f16>
  "tt.store"(%ptr, %value) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f16>, f16) -> ()
  tt.return
}
