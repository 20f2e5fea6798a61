// RUN: tle-opt %s --split-input-file --tle-lower-wgmma | FileCheck %s

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The loop of a matrix product: the accumulator is carried in its registers, pending or not; zeros are a constant.
// CHECK-DAG: #[[$DEFAULT:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
// CHECK-DAG: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
// CHECK-DAG: #[[$T:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: tt.func public @gemm
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #[[$MMA]]>
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (tensor<64x128xf32, #[[$MMA]]>)
// CHECK: %[[A:.*]] = tle.slot
// CHECK: %[[B:.*]] = tle.slot
// CHECK-NEXT: %[[BT:.*]] = "ttg.memdesc_trans"(%[[B]]) <{order = array<i32: 1, 0>}> : {{.*}} -> !ttg.memdesc<64x128xf16, #[[$T]], #smem, mutable>
// CHECK-NEXT: %[[D:.*]] = "ttng.warp_group_dot"(%[[A]], %[[BT]], %[[ACC]]) <{inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 0 : i32}> {tle.group = 0 : i32} : {{.*}} -> tensor<64x128xf32, #[[$MMA]]>
// CHECK-NEXT: %[[W:.*]] = "ttng.warp_group_dot_wait"(%[[D]]) <{pendings = 1 : i32}> : (tensor<64x128xf32, #[[$MMA]]>) -> tensor<64x128xf32, #[[$MMA]]>
// CHECK-NEXT: scf.yield %[[W]]
// CHECK-NEXT: } {tt.num_stages = 0 : i32}
// CHECK: %[[F:.*]] = "ttng.warp_group_dot_wait"(%[[R]]) <{pendings = 0 : i32}>
// CHECK-NEXT: %[[C:.*]] = "ttg.convert_layout"(%[[F]]) : {{.*}} -> tensor<64x128xf32, #[[$DEFAULT]]>
// CHECK-NEXT: %[[E:.*]] = "tt.fp_to_fp"(%[[C]]) : {{.*}} -> tensor<64x128xf32>
// CHECK-NEXT: "tt.store"(%{{.*}}, %[[E]])
tt.func public @gemm(%out: tensor<64x128x!tt.ptr<f32>>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %ring_a = tle.alloc : () -> !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable>
  %ring_b = tle.alloc : () -> !ttg.memdesc<2x128x64xf16, #nvmma, #smem, mutable>
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %a = tle.slot %ring_a[%i] : !ttg.memdesc<2x64x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
    %b = tle.slot %ring_b[%i] : !ttg.memdesc<2x128x64xf16, #nvmma, #smem, mutable> -> !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>
    %d = tle.wgmma %a, %b, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<128x64xf16, #nvmma, #smem, mutable>, tensor<64x128xf32>) -> tensor<64x128xf32>
    %w = tle.wgmma_wait %d {pendings = 1 : i32} : tensor<64x128xf32> -> tensor<64x128xf32>
    scf.yield %w : tensor<64x128xf32>
  }
  %f = tle.wgmma_wait %r {pendings = 0 : i32} : tensor<64x128xf32> -> tensor<64x128xf32>
  "tt.store"(%out, %f) : (tensor<64x128x!tt.ptr<f32>>, tensor<64x128xf32>) -> ()
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Attention: scores without a bridge in, complete at wait(1) because one group is newer; operand A from registers; the
// output is scaled between its waits and products, and carried.
// CHECK-DAG: #[[$S:.*]] = #ttg.nvidia_mma<{{.*}} warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[$O:.*]] = #ttg.nvidia_mma<{{.*}} warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
// CHECK-LABEL: tt.func public @attention
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (tensor<64x128xf32, #[[$O]]>, tensor<64x64xf16>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[$S]]>
// CHECK-NEXT: %[[QK:.*]] = "ttng.warp_group_dot"(%{{.*}}, %{{.*}}, %[[ZERO]])
// CHECK: %[[REG:.*]] = "ttg.convert_layout"(%{{.*}}) : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$O]], kWidth = 2}>>
// CHECK-NEXT: %[[PV:.*]] = "ttng.warp_group_dot"(%[[REG]], %{{.*}}, %[[ACC]])
// CHECK-NEXT: %[[SW:.*]] = "ttng.warp_group_dot_wait"(%[[QK]]) <{pendings = 1 : i32}>
// CHECK-NEXT: %[[SC:.*]] = "ttg.convert_layout"(%[[SW]])
// CHECK-NEXT: %[[SE:.*]] = "tt.fp_to_fp"(%[[SC]])
// CHECK-NEXT: %[[EX:.*]] = math.exp2 %[[SE]]
// CHECK: %[[OW:.*]] = "ttng.warp_group_dot_wait"(%[[PV]]) <{pendings = 0 : i32}>
// CHECK-NEXT: %[[OC:.*]] = "ttg.convert_layout"(%[[OW]])
// CHECK-NEXT: %[[OE:.*]] = "tt.fp_to_fp"(%[[OC]])
// CHECK-NEXT: %[[MUL:.*]] = arith.mulf %[[OE]]
// CHECK-NEXT: %[[MB:.*]] = "tt.fp_to_fp"(%[[MUL]])
// CHECK-NEXT: %[[MC:.*]] = "ttg.convert_layout"(%[[MB]]) : {{.*}} -> tensor<64x128xf32, #[[$O]]>
// CHECK-NEXT: scf.yield %[[MC]], %{{.*}} : tensor<64x128xf32, #[[$O]]>, tensor<64x64xf16>
tt.func public @attention(%alpha: tensor<64x128xf32>, %p0: tensor<64x64xf16>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %q = tle.alloc : () -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %k = tle.alloc : () -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %v = tle.alloc : () -> !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>
  %r:2 = scf.for %i = %n to %n step %n iter_args(%acc = %zero, %p = %p0) -> (tensor<64x128xf32>, tensor<64x64xf16>) : i32 {
    %s = tle.wgmma %q, %k {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
    %o = tle.wgmma %p, %v, %acc {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (tensor<64x64xf16>, !ttg.memdesc<64x128xf16, #nvmma, #smem, mutable>, tensor<64x128xf32>) -> tensor<64x128xf32>
    %sw = tle.wgmma_wait %s {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    %e = math.exp2 %sw : tensor<64x64xf32>
    %next = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %ow = tle.wgmma_wait %o {pendings = 0 : i32} : tensor<64x128xf32> -> tensor<64x128xf32>
    %scaled = arith.mulf %ow, %alpha : tensor<64x128xf32>
    scf.yield %scaled, %next : tensor<64x128xf32>, tensor<64x64xf16>
  }
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// A pending value through two loops, a branch and a while loop, with nothing but products and waits on its way.
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma
// CHECK-LABEL: tt.func public @carried
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (tensor<64x64xf32, #[[$MMA]]>)
// CHECK-NOT: fp_to_fp
// CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32, #[[$MMA]]>) {
// CHECK: scf.yield %{{.*}} : tensor<64x64xf32, #[[$MMA]]>
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[X]] : tensor<64x64xf32, #[[$MMA]]>
// CHECK-NOT: fp_to_fp
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[IF]]) -> (tensor<64x64xf32, #[[$MMA]]>)
// CHECK-NOT: fp_to_fp
// CHECK: scf.while {{.*}} : (tensor<64x64xf32, #[[$MMA]]>) -> tensor<64x64xf32, #[[$MMA]]>
// CHECK-NOT: fp_to_fp
// CHECK: %[[W:.*]] = "ttng.warp_group_dot_wait"
// CHECK-NEXT: "ttg.convert_layout"(%[[W]])
tt.func public @carried(%n: i32, %c: i1) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %r = scf.for %i = %n to %n step %n iter_args(%x = %zero) -> (tensor<64x64xf32>) : i32 {
    %branch = scf.if %c -> tensor<64x64xf32> {
      %s = tle.wgmma %a, %a, %x {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    } else {
      scf.yield %x : tensor<64x64xf32>
    }
    %inner = scf.for %j = %n to %n step %n iter_args(%y = %branch) -> (tensor<64x64xf32>) : i32 {
      %s = tle.wgmma %a, %a, %y {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = true, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = tle.wgmma_wait %s {pendings = 2 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
      scf.yield %w : tensor<64x64xf32>
    }
    scf.yield %inner : tensor<64x64xf32>
  }
  %while = scf.while (%y = %r) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    scf.condition(%c) %y : tensor<64x64xf32>
  } do {
  ^bb0(%y: tensor<64x64xf32>):
    %s = tle.wgmma %a, %a, %y {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %while {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  %u = arith.addf %w, %w : tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Several accumulators in flight. Each of them is complete behind its wait, in the order of the queue, and the two
// products of the same operands stay two groups.
// CHECK-LABEL: tt.func public @several
// CHECK: %[[X:.*]] = "ttng.warp_group_dot"{{.*}} {tle.group = 0 : i32}
// CHECK: %[[Y:.*]] = "ttng.warp_group_dot"{{.*}} {tle.group = 1 : i32}
// CHECK: %[[Z:.*]] = "ttng.warp_group_dot"{{.*}} {tle.group = 2 : i32}
// CHECK: "ttng.warp_group_dot_wait"(%[[X]]) <{pendings = 2 : i32}>
// CHECK: arith.addf
// CHECK: "ttng.warp_group_dot_wait"(%[[Y]]) <{pendings = 1 : i32}>
// CHECK: arith.addf
// CHECK: "ttng.warp_group_dot_wait"(%[[Z]]) <{pendings = 0 : i32}>
// CHECK: arith.addf
tt.func public @several() {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %x = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  %y = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  %z = tle.wgmma %a, %a {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>) -> tensor<64x64xf32>
  %xw = tle.wgmma_wait %x {pendings = 2 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  %xu = arith.addf %xw, %xw : tensor<64x64xf32>
  %yw = tle.wgmma_wait %y {pendings = 1 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  %yu = arith.addf %yw, %xw : tensor<64x64xf32>
  %zw = tle.wgmma_wait %z {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  %zu = arith.addf %zw, %yw : tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// The wait is at the head of the next iteration: for zeros in the first one.
// CHECK-LABEL: tt.func public @wait_first
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<64x64xf32, #{{.*}}>)
// CHECK-NEXT: %[[W:.*]] = "ttng.warp_group_dot_wait"(%[[ACC]])
// CHECK: arith.addf
// CHECK: %[[D:.*]] = "ttng.warp_group_dot"
// CHECK-NEXT: scf.yield %[[D]]
tt.func public @wait_first(%n: i32, %init: tensor<64x64xf32>) {
  %a = tle.alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %init) -> (tensor<64x64xf32>) : i32 {
    %w = tle.wgmma_wait %acc {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
    %u = arith.addf %w, %w : tensor<64x64xf32>
    %s = tle.wgmma %a, %a, %u {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %w = tle.wgmma_wait %r {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#nvmma32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory

// The other types. Halves, and float8 with sums outside of the tensor cores, wait for themselves.
// CHECK-DAG: #[[$K32:.*]] = #ttg.nvidia_mma<{{.*}} instrShape = [16, 64, 32]}>
// CHECK-DAG: #[[$K16:.*]] = #ttg.nvidia_mma<{{.*}} instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[$K8:.*]] = #ttg.nvidia_mma<{{.*}} instrShape = [16, 64, 8]}>
// CHECK-LABEL: tt.func public @types
// CHECK: "ttng.warp_group_dot"{{.*}} <{inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 0 : i32}>{{.*}} -> tensor<64x64xf32, #[[$K8]]>
// CHECK: "ttng.warp_group_dot"{{.*}} <{inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 0 : i32}>{{.*}} -> tensor<64x64xi32, #[[$K32]]>
// CHECK: "ttng.warp_group_dot"{{.*}} <{inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32}>{{.*}} -> tensor<64x64xf32, #[[$K32]]>
// CHECK: "ttng.warp_group_dot"{{.*}} <{inputPrecision = 0 : i32, isAsync = false, maxNumImpreciseAcc = 32 : i32}>{{.*}} -> tensor<64x64xf32, #[[$K32]]>
// CHECK: "ttng.warp_group_dot"{{.*}} <{inputPrecision = 0 : i32, isAsync = false, maxNumImpreciseAcc = 0 : i32}>{{.*}} -> tensor<64x64xf16, #[[$K16]]>
tt.func public @types(%i8: !ttg.memdesc<64x64xi8, #nvmma8, #smem>, %f8: !ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem>, %e4: !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem>, %f16: !ttg.memdesc<64x64xf16, #nvmma, #smem>, %f32: !ttg.memdesc<64x32xf32, #nvmma32, #smem>) {
  %0 = tle.wgmma %f32, %f32 {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x32xf32, #nvmma32, #smem>, !ttg.memdesc<64x32xf32, #nvmma32, #smem>) -> tensor<64x64xf32>
  %w0 = tle.wgmma_wait %0 {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = tle.wgmma %i8, %i8 {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xi8, #nvmma8, #smem>, !ttg.memdesc<64x64xi8, #nvmma8, #smem>) -> tensor<64x64xi32>
  %w1 = tle.wgmma_wait %1 {pendings = 0 : i32} : tensor<64x64xi32> -> tensor<64x64xi32>
  %2 = tle.wgmma %f8, %e4 {input_precision = 0 : i32, max_num_imprecise_acc = 1073741824 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem>, !ttg.memdesc<64x64xf8E4M3FN, #nvmma8, #smem>) -> tensor<64x64xf32>
  %w2 = tle.wgmma_wait %2 {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  %3 = tle.wgmma %f8, %f8 {input_precision = 0 : i32, max_num_imprecise_acc = 32 : i32, trans_a = false, trans_b = true} : (!ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem>, !ttg.memdesc<64x64xf8E5M2, #nvmma8, #smem>) -> tensor<64x64xf32>
  %w3 = tle.wgmma_wait %3 {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  %4 = tle.wgmma %f16, %f16 {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = true, trans_b = true} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf16>
  %w4 = tle.wgmma_wait %4 {pendings = 0 : i32} : tensor<64x64xf16> -> tensor<64x64xf16>
  tt.return
}

// -----

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Workers have warps of their own: 8 of them over 128 rows, and over 64 rows and two halves of the columns. What leaves
// has the default layout of as many warps.
// CHECK-DAG: #[[$DEFAULT8:.*]] = #ttg.blocked<{{.*}} warpsPerCTA = [4, 2]
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.nvidia_mma<{{.*}} warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
// CHECK-DAG: #[[$BOTH:.*]] = #ttg.nvidia_mma<{{.*}} warpsPerCTA = [4, 2], instrShape = [16, 32, 16]}>
// CHECK-LABEL: tt.func public @workers
// CHECK: "ttng.warp_group_dot"{{.*}} -> tensor<128x64xf32, #[[$ROWS]]>
// CHECK: %[[W:.*]] = "ttng.warp_group_dot_wait"
// CHECK: "ttg.convert_layout"(%[[W]]) : {{.*}} -> tensor<128x64xf32, #[[$DEFAULT8]]>
// CHECK: "ttng.warp_group_dot"{{.*}} -> tensor<64x64xf32, #[[$BOTH]]>
tt.func public @workers(%a: !ttg.memdesc<128x64xf16, #nvmma, #smem>, %b: !ttg.memdesc<64x64xf16, #nvmma, #smem>) {
  "ttg.warp_specialize"(%a, %b) <{partitionNumWarps = array<i32: 8>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%c: !ttg.memdesc<128x64xf16, #nvmma, #smem>, %d: !ttg.memdesc<64x64xf16, #nvmma, #smem>):
      %s = tle.wgmma %c, %d {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<128x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<128x64xf32>
      %w = tle.wgmma_wait %s {pendings = 0 : i32} : tensor<128x64xf32> -> tensor<128x64xf32>
      %u = arith.addf %w, %w : tensor<128x64xf32>
      %t = tle.wgmma %d, %d {input_precision = 0 : i32, max_num_imprecise_acc = 0 : i32, trans_a = false, trans_b = false} : (!ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> tensor<64x64xf32>
      %x = tle.wgmma_wait %t {pendings = 0 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!ttg.memdesc<128x64xf16, #nvmma, #smem>, !ttg.memdesc<64x64xf16, #nvmma, #smem>) -> ()
  tt.return
}
