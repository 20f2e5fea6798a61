// RUN: tle-opt %s -split-input-file -verify-diagnostics

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @array_type() {
  // expected-error @+1 {{[B20] the result must be an array of barriers such as}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, ready = false} : !ttg.memdesc<2xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @no_arrivals() {
  // expected-error @+1 {{[B21] an arrive_count of 0 is not possible; it counts from 1 to 1048575}}
  %b = tle.alloc_barriers {arrive_count = 0 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @negative_bytes() {
  // expected-error @+1 {{[B22] expect_bytes of -1 is not possible; one use of a barrier counts 1 to 1048575 bytes}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, expect_bytes = -1 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @bytes_and_arrivals() {
  // expected-error @+1 {{[B23] a barrier with expect_bytes has arrive_count 1, the arrival that its TMA copies make together, but got 2}}
  %b = tle.alloc_barriers {arrive_count = 2 : i32, expect_bytes = 8192 : i32, ready = false} : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @wait_for_array(%b: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, %p: i32) {
  // expected-error @+1 {{[B24] expects one slot of barriers}}
  tle.barrier_wait %b, %p : !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @wait_for_buffer(%b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[B24] expects one slot of barriers}}
  tle.named_barrier_wait %b : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @no_count(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error @+1 {{[B25] an arrival cannot count 0; it counts from 1 to 1048575}}
  tle.barrier_arrive %b {count = 0 : i32} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @tma_barrier(%d: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[B24] expects one slot of barriers}}
  tle.async_tma_load %d[%i, %i], %a, %a : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @tma_shape(%d: !tt.tensordesc<tensor<32x64xf16>>, %i: i32, %b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[C24] a descriptor with block shape [32, 64] does not match a buffer of shape [64, 64]}}
  tle.async_tma_load %d[%i, %i], %a, %b : !tt.tensordesc<tensor<32x64xf16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @product_shape(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %b: !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[W20] a product of [64, 64] and [128, 64] does not fit an accumulator of shape [64, 64]; [M, K] times [K, N] makes [M, N], after the transpositions}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @product_small(%a: !ttg.memdesc<32x64xf16, #nvmma, #smem, mutable>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[W21] WGMMA has no product with M = 32, N = 64, K = 64; M must be a multiple of 64, N one of 8, 16, 32, 64, 128 and 256, and K a multiple of 16 for}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<32x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<32x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @product_k(%a: !ttg.memdesc<64x16xf8E4M3FN, #nvmma8, #smem, mutable>, %b: !ttg.memdesc<64x16xf8E4M3FN, #nvmma8, #smem, mutable>) {
  // expected-error @+1 {{[W21] WGMMA has no product with M = 64, N = 64, K = 16}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 64 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x16xf8E4M3FN, #nvmma8, #smem, mutable>, !ttg.memdesc<64x16xf8E4M3FN, #nvmma8, #smem, mutable>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @product_types(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[W22] WGMMA has no product of 'f16' and 'f16' that adds to 'f64'}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf64>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @product_bf16(%a: !ttg.memdesc<64x64xbf16, #nvmma, #smem, mutable>, %b: !ttg.memdesc<64x64xbf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[W22] WGMMA has no product of 'bf16' and 'bf16' that adds to 'bf16'}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xbf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xbf16, #nvmma, #smem, mutable>) -> tensor<64x64xbf16>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @plain_layout(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %b: !ttg.memdesc<64x64xf16, #plain, #smem, mutable>) {
  // expected-error @+1 {{[W23] operand b has the layout #ttg.swizzled_shared}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #plain, #smem, mutable>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @transposed_tensor(%a: tensor<64x64xf16>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) {
  // expected-error @+1 {{[W24] a tensor as operand a cannot be transposed}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = true, trans_b = false} : (tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @float8_b(%a: !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>, %b: !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>) {
  // expected-error @+1 {{[W25] operand b of 'f8E4M3FN' would be read along M or N, which WGMMA can only do with elements of 16 bits; store it with K as the contiguous dimension and use trans_b=True}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 64 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>, !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @float8_a(%a: !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>, %b: !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>) {
  // expected-error @+1 {{[W25] operand a of 'f8E4M3FN' would be read along M or N}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 64 : i32, trans_a = true, trans_b = true} : (!ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>, !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @imprecise(%a: !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>, %b: !ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem, mutable>) {
  // expected-error @+1 {{[W26] max_num_imprecise_acc of 16 is too small for products of float8}}
  %r = tle.wgmma %a, %b {input_precision = 0 : i32, max_num_imprecise_acc = 16 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem, mutable>, !ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem, mutable>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @init_type(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, %c: tensor<64x64xf16>) {
  // expected-error @+1 {{[W27] an accumulator of type 'tensor<64x64xf16>' does not fit the result type 'tensor<64x64xf32>'}}
  %r = tle.wgmma %a, %b, %c {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf16>) -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @many_pending(%c: tensor<64x64xf32>) {
  // expected-error @+1 {{[W28] 8 products cannot be left pending; 0 to 7 can}}
  %r = tle.wgmma_wait %c {pendings = 8 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @wait_type(%c: tensor<64x64xf32>) {
  // expected-error @+1 {{[W29] the result must have the type of the accumulator, 'tensor<64x64xf32>', but it is 'tensor<64x64xf16>'}}
  %r = tle.wgmma_wait %c {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf16>
  tt.return
}
