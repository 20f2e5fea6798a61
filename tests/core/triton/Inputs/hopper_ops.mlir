#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared2 = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>
#shared3 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}, alignment = 16>
#shared4 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared5 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#shared6 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory
"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{}, {}, {tt.divisibility = 16 : i32}, {tt.nv_tma_desc = 1 : i32}, {}], function_type = (!tt.tensordesc<tensor<64x64xf16, #shared>>, !tt.tensordesc<tensor<1x64xf16, #shared>>, !tt.ptr<f16>, !tt.ptr<i8, 0>, i32) -> (), sym_name = "k", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.tensordesc<tensor<64x64xf16, #shared>>, %arg1: !tt.tensordesc<tensor<1x64xf16, #shared>>, %arg2: !tt.ptr<f16>, %arg3: !tt.ptr<i8, 0>, %arg4: i32):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 64 : i64}> : () -> i64
    %4 = "arith.constant"() <{value = true}> : () -> i1
    %5 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64x64xf32, #mma>}> : () -> tensor<64x64xf32, #mma>
    %6 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64x64xf16, #blocked>}> : () -> tensor<64x64xf16, #blocked>
    %7 = "arith.constant"() <{value = dense<0> : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>}> : () -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %8 = "ttg.local_alloc"() : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %9 = "ttg.local_alloc"(%6) : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %10 = "ttg.local_alloc"() <{alignment = 128 : i32}> : () -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    %11 = "ttg.local_alloc"() : () -> !ttg.memdesc<64x64xf16, #shared2, #smem, mutable>
    %12 = "ttg.local_alloc"() : () -> !ttg.memdesc<8x8xf16, #shared3, #smem, mutable>
    %13 = "ttg.local_alloc"() : () -> !ttg.memdesc<2xi64, #shared4, #smem, mutable>
    %14 = "ttg.local_alloc"() : () -> !ttg.memdesc<2x1xi64, #shared4, #smem, mutable>
    %15 = "ttg.memdesc_index"(%14, %0) : (!ttg.memdesc<2x1xi64, #shared4, #smem, mutable>, i32) -> !ttg.memdesc<1xi64, #shared4, #smem, mutable>
    "ttng.init_barrier"(%15) <{count = 1 : i32}> : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>) -> ()
    %16 = "ttg.memdesc_index"(%8, %0) : (!ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>, i32) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %17 = "ttg.memdesc_subslice"(%10) <{offsets = array<i32: 0, 32>}> : (!ttg.memdesc<64x64xf16, #shared1, #smem, mutable>) -> !ttg.memdesc<64x32xf16, #shared1, #smem, mutable, 64x64>
    %18 = "ttg.memdesc_subslice"(%16) <{offsets = array<i32: 32, 0>}> : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable, 64x64>
    %19 = "ttg.memdesc_trans"(%16) <{order = array<i32: 1, 0>}> : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> !ttg.memdesc<64x64xf16, #shared5, #smem, mutable>
    %20 = "ttg.memdesc_reinterpret"(%8) : (!ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>) -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %21 = "ttg.memdesc_reshape"(%16) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> !ttg.memdesc<1x64x64xf16, #shared6, #smem, mutable>
    %22 = "ttg.local_load"(%16) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> tensor<64x64xf16, #blocked>
    %23 = "ttg.local_load"(%16) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    "ttg.local_store"(%22, %16) : (tensor<64x64xf16, #blocked>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    %24 = "ttg.convert_layout"(%22) : (tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #mma>
    %25 = "tt.splat"(%arg2) : (!tt.ptr<f16>) -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %26 = "arith.constant"() <{value = dense<true> : tensor<64x64xi1, #blocked>}> : () -> tensor<64x64xi1, #blocked>
    %27 = "ttg.async_copy_global_to_local"(%25, %10) <{cache = 1 : i32, contiguity = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f16>, #blocked>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>) -> !ttg.async.token
    %28 = "ttg.async_copy_global_to_local"(%25, %10, %26, %6) <{cache = 3 : i32, contiguity = 8 : i32, evict = 2 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (tensor<64x64x!tt.ptr<f16>, #blocked>, !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, tensor<64x64xi1, #blocked>, tensor<64x64xf16, #blocked>) -> !ttg.async.token
    %29 = "ttg.async_commit_group"(%27, %28) : (!ttg.async.token, !ttg.async.token) -> !ttg.async.token
    %30 = "ttg.async_commit_group"() : () -> !ttg.async.token
    %31 = "ttg.async_wait"(%29) <{num = 0 : i32}> : (!ttg.async.token) -> !ttg.async.token
    %32 = "ttg.async_wait"() <{num = 0 : i32}> : () -> !ttg.async.token
    "ttng.async_copy_mbarrier_arrive"(%15) : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>) -> ()
    "ttng.async_copy_mbarrier_arrive"(%15) <{noIncrement}> : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>) -> ()
    %33 = "ttg.local_load"(%10, %31) : (!ttg.memdesc<64x64xf16, #shared1, #smem, mutable>, !ttg.async.token) -> tensor<64x64xf16, #blocked>
    "ttng.barrier_expect"(%15, %4) <{size = 8192 : i32}> : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>, i1) -> ()
    "ttng.async_tma_copy_global_to_local"(%arg0, %0, %2, %15, %16, %4) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false}> : (!tt.tensordesc<tensor<64x64xf16, #shared>>, i32, i32, !ttg.memdesc<1xi64, #shared4, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, i1) -> ()
    "ttng.async_tma_copy_global_to_local"(%arg0, %0, %2, %15, %16, %4) <{cache = 3 : i32, evict = 3 : i32, isVolatile = true}> : (!tt.tensordesc<tensor<64x64xf16, #shared>>, i32, i32, !ttg.memdesc<1xi64, #shared4, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, i1) -> ()
    "ttng.wait_barrier"(%15, %0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>, i32) -> ()
    "ttng.wait_barrier"(%15, %0, %4) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>, i32, i1) -> ()
    "ttng.wait_barrier"(%15, %0, %4, %16) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>, i32, i1, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    "ttng.arrive_barrier"(%15) <{count = 1 : i32}> : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>) -> ()
    "ttng.arrive_barrier"(%15, %4) <{count = 2 : i32}> : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>, i1) -> ()
    "ttng.fence_async_shared"() <{bCluster = false}> : () -> ()
    %34 = "ttng.warp_group_dot"(%16, %19, %5) <{inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 0 : i32}> : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared5, #smem, mutable>, tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma>
    %35 = "ttng.warp_group_dot"(%23, %16, %34, %4) <{inputPrecision = 2 : i32, isAsync = false, maxNumImpreciseAcc = 1073741824 : i32}> : (tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64xf32, #mma>, i1) -> tensor<64x64xf32, #mma>
    %36 = "ttng.warp_group_dot_wait"(%35) <{pendings = 0 : i32}> : (tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma>
    %37:2 = "ttng.warp_group_dot_wait"(%36, %16) <{pendings = 0 : i32}> : (tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> (tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>)
    "ttng.async_tma_copy_local_to_global"(%arg0, %0, %0, %16) : (!tt.tensordesc<tensor<64x64xf16, #shared>>, i32, i32, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    "ttng.async_tma_reduce"(%arg0, %0, %0, %16) <{kind = 1 : i32}> : (!tt.tensordesc<tensor<64x64xf16, #shared>>, i32, i32, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> ()
    "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
    %38 = "ttg.local_alloc"() : () -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
    "ttng.async_tma_gather"(%arg1, %7, %0, %15, %38, %4) : (!tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>, i32, !ttg.memdesc<1xi64, #shared4, #smem, mutable>, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, i1) -> ()
    "ttng.async_tma_scatter"(%arg1, %7, %0, %38) : (!tt.tensordesc<tensor<1x64xf16, #shared>>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>, i32, !ttg.memdesc<32x64xf16, #shared, #smem, mutable>) -> ()
    %39 = "ttng.reinterpret_tensor_descriptor"(%arg3) : (!tt.ptr<i8, 0>) -> !tt.tensordesc<tensor<64x64xf16, #shared>>
    %40 = "ttg.global_scratch_alloc"() <{alignment = 128 : i32, nbytes = 128 : i32}> : () -> !tt.ptr<i8>
    "ttng.tensormap_create"(%40, %arg2, %2, %2, %arg4, %arg4, %3, %1, %1) <{elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 2, 1, 2>, swizzle_mode = 3 : i32}> : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    "ttng.tensormap_fenceproxy_acquire"(%40) : (!tt.ptr<i8>) -> ()
    "ttng.cluster_arrive"() <{relaxed = false}> : () -> ()
    "ttng.cluster_wait"() : () -> ()
    "ttg.local_barrier"() : () -> ()
    "gpu.barrier"() : () -> ()
    %41 = "tti.experimental_memdesc_to_i64"(%16) : (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>) -> i64
    "ttng.inval_barrier"(%15) : (!ttg.memdesc<1xi64, #shared4, #smem, mutable>) -> ()
    "ttg.local_dealloc"(%14) : (!ttg.memdesc<2x1xi64, #shared4, #smem, mutable>) -> ()
    %42 = "ttg.warp_specialize"(%8, %14, %arg0) <{partitionNumWarps = array<i32: 1, 4>, requestedRegisters = array<i32: 24, 152>}> ({
      %44 = "arith.addi"(%arg4, %1) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "ttg.warp_yield"(%44) : (i32) -> ()
    }, {
      "ttg.warp_specialize.partitions"() ({
      ^bb0(%arg8: !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>, %arg9: !ttg.memdesc<2x1xi64, #shared4, #smem, mutable>, %arg10: !tt.tensordesc<tensor<64x64xf16, #shared>>):
        %43 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<64x64xf16, #blocked2>}> : () -> tensor<64x64xf16, #blocked2>
        "ttg.warp_return"() : () -> ()
      }, {
      ^bb0(%arg5: !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>, %arg6: !ttg.memdesc<2x1xi64, #shared4, #smem, mutable>, %arg7: !tt.tensordesc<tensor<64x64xf16, #shared>>):
        "ttg.warp_return"() : () -> ()
      }) : () -> ()
    }) : (!ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<2x1xi64, #shared4, #smem, mutable>, !tt.tensordesc<tensor<64x64xf16, #shared>>) -> i32
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
}) {ttg.maxnreg = 168 : i32, "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} : () -> ()

