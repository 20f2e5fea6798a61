// RUN: tle-opt %s --verify-diagnostics --tle-lower-wgmma="capability=100"
// RUN: not tle-opt %s --tle-lower-wgmma="num-ctas=2" 2>&1 | FileCheck %s --check-prefix=CTAS
// RUN: not tle-opt %s --tle-lower-wgmma="num-warps=2" 2>&1 | FileCheck %s --check-prefix=WARPS

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// CTAS: [[#@LINE+4]]:8: error: {{.*}}[W36] works in one CTA, but the kernel is launched with num_ctas = 2
// WARPS: [[#@LINE+3]]:8: error: {{.*}}[W36] is executed by groups of 4 warps, but runs here in 2
tt.func public @target(%a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  // expected-error@+1 {{[W36] needs the instructions of compute capability 9.0, but the target is sm_100; use tl.dot}}
  %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
  %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}
