// RUN: tle-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{expected valid keyword}}
// expected-error @+1 {{expected a parameter name in struct}}
"test.op"() {a = #ttg.blocked<{}>} : () -> ()

// -----

// expected-error @+1 {{the lists of a blocked layout must have one length}}
"test.op"() {a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>} : () -> ()

// -----

// expected-error @+1 {{order = [0, 0] of a layout does not name each dimension once}}
"test.op"() {a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [0, 0]}>} : () -> ()

// -----

// expected-error @+1 {{a layout counts in powers of two; got 3}}
"test.op"() {a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [3], order = [0]}>} : () -> ()

// -----

// expected-error @+1 {{order = [1] of a layout does not name each dimension once}}
"test.op"() {a = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1]}>} : () -> ()

// -----

// expected-error @+1 {{a layout has at least one dimension}}
"test.op"() {a = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = []}>} : () -> ()

// -----

// expected-error @+1 {{a layout counts in powers of two; got 0}}
"test.op"() {a = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 0, order = [0]}>} : () -> ()

// -----

// expected-error @+1 {{swizzlingByteWidth must be 0, 32, 64 or 128; got 16}}
"test.op"() {a = #ttg.nvmma_shared<{swizzlingByteWidth = 16, transposed = false, elementBitWidth = 16}>} : () -> ()

// -----

// expected-error @+1 {{elementBitWidth must be 8, 16, 32 or 64; got 0}}
"test.op"() {a = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 0}>} : () -> ()

// -----

// expected-error @+1 {{a layout has at least one dimension}}
"test.op"() {a = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, rank = 0}>} : () -> ()

// -----

// expected-error @+1 {{expected the bases of register, lane, warp and block in '#ttg.linear'}}
"test.op"() {a = #ttg.linear<{register = [], lane = []}>} : () -> ()

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @+1 {{attribute '#ttg.later' is kept word for word and cannot hold another attribute}}
"test.op"() {a = #ttg.later<{parent = #b}>} : () -> ()

// -----

#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @+1 {{dimensions of a memdesc must be positive, and all but the first powers of two; got [2, 3]}}
"test.op"() : () -> !ttg.memdesc<2x3xf32, #sw, #ttg.shared_memory>

// -----

#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @+1 {{the allocation [4] does not cover the shape [8]}}
"test.op"() : () -> !ttg.memdesc<8xf32, #sw, #ttg.shared_memory, mutable, 4>

// -----

#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @+1 {{the rank of the layout must be the rank of the memdesc or one less; got 1 and 3}}
"test.op"() : () -> !ttg.memdesc<8x8x8xf32, #sw, #ttg.shared_memory>

// -----

#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @+1 {{a memdesc with a shared layout lies in #ttg.shared_memory, not in #ttng.tensor_memory}}
"test.op"() : () -> !ttg.memdesc<8xf32, #sw, #ttng.tensor_memory>

// -----

// expected-error @+1 {{expected ','}}
"test.op"() : () -> !ttg.memdesc<8xf32>

// -----

// expected-error @+1 {{unknown  type `nothing` in dialect `tt`}}
"test.op"() : () -> !tt.nothing

// -----

tt.func @returns() -> i32 {
  %0 = arith.constant 1.0 : f32
  // expected-error @+1 {{'tt.return' op returns ('f32'), but the function's results are ('i32')}}
  tt.return %0 : f32
}

// -----

tt.func @calls() {
  // expected-error @+1 {{'tt.call' op refers to @nowhere, which is not a function of this module}}
  tt.call @nowhere() : () -> ()
  tt.return
}

// -----

tt.func private @callee(i32)
tt.func @calls(%x: f32) {
  // expected-error @+1 {{'tt.call' op has type '(f32) -> ()', but @callee has type '(i32) -> ()'}}
  tt.call @callee(%x) : (f32) -> ()
  tt.return
}

// -----

tt.func @warps(%x: i32) {
  // expected-error @+1 {{'ttg.warp_specialize' op has 1 partitions, but 2 numbers of warps}}
  "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 1, 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @captures(%x: i32) {
  // expected-error @+1 {{'ttg.warp_specialize' op partition 0 does not take the captured types}}
  "ttg.warp_specialize"(%x) <{partitionNumWarps = array<i32: 1>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (i32) -> ()
  tt.return
}

// -----

tt.func @isolated(%x: i32) {
  "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 1>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    // expected-note @+1 {{required by region isolation constraints}}
    "ttg.warp_specialize.partitions"() ({
      // expected-error @+1 {{'test.use' op using value defined outside the region}}
      "test.use"(%x) : (i32) -> ()
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @yields(%x: i32) {
  %0 = "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({
    // expected-error @+1 {{'ttg.warp_yield' op yields ('i32'), but the results are ('i64')}}
    "ttg.warp_yield"(%x) : (i32) -> ()
  }, {
    "ttg.warp_specialize.partitions"() : () -> ()
  }) : () -> i64
  tt.return
}
