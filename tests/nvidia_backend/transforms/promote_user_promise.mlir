// RUN: tle-opt %s --tle-promote-pipelined-buffers="num-stages=3" | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A kernel that orders its asynchronous work itself keeps its buffers, even in a loop that asks for stages.
// CHECK: tt.func public @kept
// CHECK: tle.alloc
// CHECK: tle.copy
// CHECK: tle.local_load
// CHECK: } {tt.num_stages = 0 : i32}
module attributes {tle.wgmma_pipeline_mode = "user_promise"} {
  tt.func public @kept(%ptrs: tensor<64x64x!tt.ptr<f16>>, %n: i32) {
    %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    scf.for %i = %n to %n step %n : i32 {
      tle.copy %ptrs, %a : tensor<64x64x!tt.ptr<f16>>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
      %va = tle.local_load %a : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable> -> tensor<64x64xf16>
      %u = arith.addf %va, %va : tensor<64x64xf16>
    } {tt.num_stages = 3 : i32}
    tt.return
  }
}
