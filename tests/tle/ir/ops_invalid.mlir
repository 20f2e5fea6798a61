// RUN: tle-opt %s -split-input-file -verify-diagnostics

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @alloc_immutable() {
  // expected-error @+1 {{[A20] the result must be a mutable descriptor in #ttg.shared_memory}}
  %b = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @alloc_init(%v: tensor<64x64xf32>) {
  // expected-error @+1 {{[A21] an initial value of shape [64, 64] and element type 'f32' does not fit a buffer of shape [64, 64] and element type 'f16'}}
  %b = tle.alloc %v : (tensor<64x64xf32>) -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @alloc_alignment() {
  // expected-error @+1 {{[A22] an alignment of 48 bytes is not a power of two}}
  %b = tle.alloc {alignment = 48 : i32} : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#plain1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @slot_type(%b: !ttg.memdesc<4x64xf16, #plain, #smem, mutable>, %i: i32) {
  // expected-error @+1 {{[A23] the slot of a buffer of rank 2 or more}}
  %s = tle.slot %b[%i] : !ttg.memdesc<4x64xf16, #plain, #smem, mutable> -> !ttg.memdesc<32xf16, #plain1, #smem, mutable>
  tt.return
}

// -----

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#plain1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @slot_index(%b: !ttg.memdesc<4x64xf16, #plain, #smem, mutable>) {
  %i = arith.constant 4 : i32
  // expected-error @+1 {{[A24] slot 4 of a buffer with 4 slots does not exist}}
  %s = tle.slot %b[%i] : !ttg.memdesc<4x64xf16, #plain, #smem, mutable> -> !ttg.memdesc<64xf16, #plain1, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @load_shape(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[L20] a tensor of shape [64, 32] and element type 'f16' is not the contents of a buffer of shape [64, 64]}}
  %t = tle.local_load %b : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x32xf16>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @store_immutable(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %v: tensor<64x64xf16>) {
  // expected-error @+1 {{[L24] the buffer is read-only}}
  tle.local_store %v, %b : tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @ptr_count(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %i: i32) {
  // expected-error @+1 {{[L21] 1 indices given for a buffer of rank 2}}
  %p = tle.local_ptr %b[%i] : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, i32) -> !tt.ptr<f16>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @ptr_mixed(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %i: i32, %v: tensor<32xi32>) {
  // expected-error @+1 {{[L22] indices must be all scalars, or all tensors of one shape}}
  %p = tle.local_ptr %b[%i, %v] : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, i32, tensor<32xi32>) -> tensor<32x!tt.ptr<f16>>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @ptr_space(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[L23] the result must be pointers of shape [64, 64] to 'f16' in address space 1}}
  %p = tle.local_ptr %b[] : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64x!tt.ptr<f16, 3>>
  tt.return
}

// -----

tt.func public @space(%v: tensor<64xf16>) {
  // expected-error @+1 {{[M20] memory space "tmem" is not supported}}
  %r = tle.memory_space %v {space = "tmem"} : tensor<64xf16> -> tensor<64xf16>
  tt.return
}

// -----

tt.func public @space_type(%v: tensor<64xi1>) {
  // expected-error @+1 {{[M21] input and result must be of one type}}
  %r = tle.memory_space %v {space = "smem"} : tensor<64xi1> -> tensor<64xi1>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @copy_shape(%p: tensor<64x32x!tt.ptr<f16>>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[C20] pointers of shape [64, 32] do not match the buffer's shape [64, 64]}}
  tle.copy %p, %b : tensor<64x32x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @copy_type(%p: tensor<64x64x!tt.ptr<f32>>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[C21] pointers to 'f32' do not match a buffer of 'f16'}}
  tle.copy_out %b, %p : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @copy_space(%p: tensor<64x64x!tt.ptr<f16, 3>>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[C22] pointers of address space 3 are not global}}
  tle.copy %p, %b : tensor<64x64x!tt.ptr<f16, 3>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @copy_mask(%p: tensor<64x64x!tt.ptr<f16>>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %m: tensor<64xi1>) {
  // expected-error @+1 {{[C23] a mask of shape [64] does not match the buffer's shape [64, 64]}}
  tle.copy %p, %b mask %m : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64xi1>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @tma_shape(%d: !tt.tensordesc<tensor<2x64x64xf16>>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %i: i32) {
  // expected-error @+1 {{[C24] a descriptor with block shape [2, 64, 64] does not match a buffer of shape [64, 64]}}
  tle.tma_load %d[%i, %i, %i], %b : !tt.tensordesc<tensor<2x64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @tma_type(%d: !tt.tensordesc<tensor<64x64xbf16>>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %i: i32) {
  // expected-error @+1 {{[C25] a descriptor of 'bf16' does not match a buffer of 'f16'}}
  tle.tma_load %d[%i, %i], %b : !tt.tensordesc<tensor<64x64xbf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @tma_coords(%d: !tt.tensordesc<tensor<64x64xf16>>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %i: i32) {
  // expected-error @+1 {{[C26] 1 coordinates given for a descriptor of rank 2}}
  tle.tma_store %b, %d[%i] : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !tt.tensordesc<tensor<64x64xf16>>
  tt.return
}

// -----

#nvmma64 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

tt.func public @tma_layout(%d: !tt.tensordesc<tensor<64x64xf16>>, %b: !ttg.memdesc<64x64xf16, #nvmma64, #smem, mutable>, %i: i32) {
  // expected-error @+1 {{[C27] a TMA copy needs the buffer in the layout of the descriptor, an nvmma layout that is not transposed and has a swizzle of 128 bytes}}
  tle.tma_load %d[%i, %i], %b : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma64, #smem, mutable>
  tt.return
}
