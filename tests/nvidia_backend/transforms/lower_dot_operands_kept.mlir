// RUN: tle-opt %s -split-input-file --tle-lower-dot-operands | FileCheck %s
// RUN: tle-opt %s -split-input-file --tle-lower-dot-operands="capability=80" | FileCheck %s

// Dots that WGMMA cannot take from the buffer stay as they are.
// CHECK-NOT: ttng.warp_group_dot
// CHECK-COUNT-8: "tt.dot"

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

tt.func public @layout(%va: tensor<64x64xf16>, %b0: tensor<64x128xf16>, %acc: tensor<64x128xf32>) {
  %b = tle.alloc %b0 : (tensor<64x128xf16>) -> !ttg.memdesc<64x128xf16, #plain, #smem, mutable>
  %vb = tle.local_load %b : !ttg.memdesc<64x128xf16, #plain, #smem, mutable> -> tensor<64x128xf16>
  %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
  tt.return
}

// A cast of a scalar joins nothing.
tt.func public @scalar(%va: tensor<64x64xf8E5M2>, %x: f32, %acc: tensor<64x128xf32>) {
  %s = "tt.fp_to_fp"(%x) <{rounding = 1 : i32}> : (f32) -> f8E5M2
  %vb = "tt.splat"(%s) : (f8E5M2) -> tensor<64x128xf8E5M2>
  %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf8E5M2>, tensor<64x128xf8E5M2>, tensor<64x128xf32>) -> tensor<64x128xf32>
  tt.return
}

tt.func public @shape(%va: tensor<32x64xf16>, %b0: tensor<64x128xf16>, %acc: tensor<32x128xf32>) {
  %b = tle.alloc %b0 : (tensor<64x128xf16>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %vb = tle.local_load %b : !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable> -> tensor<64x128xf16>
  %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<32x64xf16>, tensor<64x128xf16>, tensor<32x128xf32>) -> tensor<32x128xf32>
  tt.return
}

tt.func public @written_between(%va: tensor<64x64xf16>, %b0: tensor<64x128xf16>, %acc: tensor<64x128xf32>) {
  %b = tle.alloc %b0 : (tensor<64x128xf16>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %vb = tle.local_load %b : !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable> -> tensor<64x128xf16>
  tle.local_store %b0, %b : tensor<64x128xf16>, !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
  tt.return
}

tt.func public @written_in_loop(%va: tensor<64x64xf16>, %b0: tensor<64x128xf16>, %zero: tensor<64x128xf32>, %n: i32) {
  %b = tle.alloc %b0 : (tensor<64x128xf16>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %vb = tle.local_load %b : !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable> -> tensor<64x128xf16>
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
    tle.local_store %b0, %b : tensor<64x128xf16>, !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.return
}

// Foreign code may write the buffer.
tt.func public @unknown_between(%va: tensor<64x64xf16>, %b0: tensor<64x128xf16>, %acc: tensor<64x128xf32>, %n: i32) {
  %b = tle.alloc %b0 : (tensor<64x128xf16>) -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %vb = tle.local_load %b : !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable> -> tensor<64x128xf16>
  %0 = "tt.elementwise_inline_asm"(%n) <{asm_string = "mov.u32 $0, $1;", constraints = "=r,r", packed_element = 1 : i32, pure = false}> : (i32) -> i32
  %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
  tt.return
}

// 32 bits with the precision of the type: tensor cores have only TF32.
tt.func public @ieee(%va: tensor<64x32xf32>, %b0: tensor<64x32xf32>, %acc: tensor<64x64xf32>) {
  %b = tle.alloc %b0 : (tensor<64x32xf32>) -> !ttg.memdesc<64x32xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable>
  %vb = tle.local_load %b : !ttg.memdesc<64x32xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable> -> tensor<64x32xf32>
  %vt = "tt.trans"(%vb) <{order = array<i32: 1, 0>}> : (tensor<64x32xf32>) -> tensor<32x64xf32>
  %d = "tt.dot"(%va, %vt, %acc) <{inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  tt.return
}

// TF32 with N innermost, which WGMMA reads for types of 16 bits only.
tt.func public @major(%va: tensor<64x32xf32>, %b0: tensor<32x64xf32>, %acc: tensor<64x64xf32>) {
  %b = tle.alloc %b0 : (tensor<32x64xf32>) -> !ttg.memdesc<32x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable>
  %vb = tle.local_load %b : !ttg.memdesc<32x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable> -> tensor<32x64xf32>
  %d = "tt.dot"(%va, %vb, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  tt.return
}
