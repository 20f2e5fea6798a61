// RUN: tle-opt %s --split-input-file --tle-lower-wgmma | FileCheck %s

// The kernel orders its products itself: stock pipelining is left out for all its loops.
// CHECK: module attributes {tle.wgmma_pipeline_mode = "user_promise"}
// CHECK-LABEL: tt.func public @user_promise
// CHECK: scf.for
// CHECK: scf.for
// CHECK: "tt.dot"
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK-NEXT: } {tt.num_stages = 0 : i32}
// CHECK: scf.for
// CHECK: } {tt.num_stages = 0 : i32}
module attributes {tle.wgmma_pipeline_mode = "user_promise"} {
  tt.func public @user_promise(%n: i32, %a: tensor<64x64xf16>, %zero: tensor<64x64xf32>) {
    scf.for %i = %n to %n step %n : i32 {
      %r = scf.for %j = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %d = "tt.dot"(%a, %a, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      } {tt.num_stages = 3 : i32}
    } {tt.flatten, tt.warp_specialize}
    scf.for %i = %n to %n step %n : i32 {
    }
    tt.return
  }
}

// -----

// Otherwise loops are Triton's to pipeline.
// CHECK-LABEL: tt.func public @compiler_auto
// CHECK: scf.for
// CHECK: } {tt.num_stages = 3 : i32}
// CHECK: scf.for
// CHECK: }{{$}}
module attributes {tle.wgmma_pipeline_mode = "compiler_auto"} {
  tt.func public @compiler_auto(%n: i32, %a: tensor<64x64xf16>, %zero: tensor<64x64xf32>) {
    %r = scf.for %j = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %d = "tt.dot"(%a, %a, %acc) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } {tt.num_stages = 3 : i32}
    scf.for %i = %n to %n step %n : i32 {
    }
    tt.return
  }
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A loop with explicit products is executed as written in any mode: Triton's pipeliner would add waits and drop buffers.
// CHECK-LABEL: tt.func public @explicit
// CHECK: scf.for
// CHECK: scf.for
// CHECK: } {tt.num_stages = 0 : i32}
// CHECK-NEXT: } {tt.num_stages = 0 : i32}
// CHECK: scf.for
// CHECK: } {tt.num_stages = 2 : i32}
tt.func public @explicit(%n: i32, %a: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  scf.for %i = %n to %n step %n : i32 {
    scf.for %j = %n to %n step %n : i32 {
      %s = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
      %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    } {tt.num_stages = 3 : i32}
  } {tt.flatten}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.num_stages = 2 : i32}
  tt.return
}
