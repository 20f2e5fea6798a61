// RUN: tle-opt %s | FileCheck %s
// RUN: tle-opt %s | tle-opt | FileCheck %s
// RUN: tle-opt %s -mlir-print-op-generic | tle-opt | FileCheck %s

// Layouts print as the stock wheel prints them; keys may come in any order, defaults are dropped.

// CHECK-DAG: #[[BLOCKED:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{order = [1, 0], sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1]}>
// CHECK-DAG: #[[BLOCKED2:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[\[}}0, 1]]}>
#b2 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
// CHECK-DAG: #[[LINEAR:.+]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}8, 0], [16, 0]], block = []}>
#l = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
// CHECK-DAG: #[[MMA:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[MMA2:.+]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = {{\[\[}}0, 1]], instrShape = [16, 64, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[0, 1]], instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[SWIZZLED:.+]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#sw = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: #[[NVMMA:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, fp4Padded = false, rank = 2}>
// CHECK-DAG: #[[NVMMA3:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true, rank = 3}>
#nv3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true, rank = 3}>
// CHECK-DAG: #[[NVMMA2:.+]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = {{\[\[}}0, 0]]}>
#nv2 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
// CHECK-DAG: #[[PADDED:.+]] = #ttg.padded_shared<[64:+4, 128:+8] {offset = {{\[\[}}0, 1], [0, 2]], block = []}>
#pad = #ttg.padded_shared<[64:+4, 128:+8] {offset = [[0, 1], [0, 2]], block = []}>
// CHECK-DAG: #[[SHARED_LINEAR:.+]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]]}, alignment = 16>
#sl = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}, alignment = 16>
// CHECK-DAG: #[[SMEM:.+]] = #ttg.shared_memory

// CHECK: tt.func @layouts
tt.func @layouts() {
  // CHECK-NEXT: "test.type"() {a = #[[BLOCKED]], b = #[[BLOCKED2]], c = #[[LINEAR]]}
  "test.type"() {a = #b, b = #b2, c = #l} : () -> ()
  // CHECK-NEXT: () -> tensor<64x64xf32, #[[MMA]]>
  %0 = "test.type"() : () -> tensor<64x64xf32, #mma>
  // CHECK-NEXT: () -> tensor<64x64xf32, #[[MMA2]]>
  %1 = "test.type"() : () -> tensor<64x64xf32, #mma2>
  // CHECK-NEXT: () -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[MMA]]}>>
  %2 = "test.type"() : () -> tensor<64xf32, #ttg.slice<{parent = #mma, dim = 1}>>
  // CHECK-NEXT: () -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 1, parent = #[[BLOCKED]]}>}>>
  %3 = "test.type"() : () -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 1, parent = #b}>}>>
  // CHECK-NEXT: () -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[MMA]], kWidth = 2}>>
  %4 = "test.type"() : () -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
  // CHECK-NEXT: () -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[BLOCKED]]}>>
  %5 = "test.type"() : () -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #b, kWidth = 0}>>
  // CHECK-NEXT: "test.type"() {a = #[[SWIZZLED]], b = #[[NVMMA]], c = #[[NVMMA3]], d = #[[NVMMA2]], e = #[[PADDED]], f = #[[SHARED_LINEAR]]}
  "test.type"() {a = #sw, b = #nv, c = #nv3, d = #nv2, e = #pad, f = #sl} : () -> ()
  // CHECK-NEXT: "test.type"() {a = #ttg.amd_mfma<{version = 3}>, b = #gluon.auto_encoding, c = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>}
  "test.type"() {a = #ttg.amd_mfma<{version = 3}>, b = #gluon.auto_encoding, c = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>} : () -> ()
  // CHECK-NEXT: () -> !ttg.memdesc<4xf32, #[[SHARED_LINEAR]], #[[SMEM]]>
  %6 = "test.type"() : () -> !ttg.memdesc<4xf32, #sl, #ttg.shared_memory>
  tt.return
}
