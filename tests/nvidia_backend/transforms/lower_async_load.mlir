// RUN: tle-opt %s -split-input-file --tle-lower-async-load | FileCheck %s

// CHECK: tt.func public @words(%[[PTRS:.*]]: tensor<128x!tt.ptr<f32>>, %[[MASK:.*]]: tensor<128xi1>)
tt.func public @words(%ptrs: tensor<128x!tt.ptr<f32>>, %mask: tensor<128xi1>) {
  // CHECK: %[[OTHER:.*]] = arith.constant
  %other = arith.constant dense<2.0> : tensor<128xf32>
  // CHECK: %[[B:.*]] = "ttg.local_alloc"() : () -> !ttg.memdesc<128xf32, #{{.*}}, #smem, mutable>
  // CHECK: %[[P:.*]] = "tt.broadcast"(%[[PTRS]]) : (tensor<128x!tt.ptr<f32>>) -> tensor<128x!tt.ptr<f32>, #{{.*}}>
  // CHECK: %[[M:.*]] = "tt.broadcast"(%[[MASK]])
  // CHECK: %[[T0:.*]] = "ttg.async_copy_global_to_local"(%[[P]], %[[B]], %[[M]]) <{cache = 3 : i32, contiguity = 1 : i32, evict = 2 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
  // CHECK: %[[T1:.*]] = "ttg.async_commit_group"(%[[T0]])
  // CHECK: %[[T2:.*]] = "ttg.async_wait"(%[[T1]]) <{num = 0 : i32}>
  // CHECK: %[[L:.*]] = "ttg.local_load"(%[[B]], %[[T2]])
  // CHECK: %[[V:.*]] = "tt.fp_to_fp"(%[[L]])
  // CHECK: arith.select %[[MASK]], %[[V]], %[[OTHER]]
  %v = "tt.load"(%ptrs, %mask, %other) <{boundaryCheck = array<i32>, cache = 3 : i32, evict = 2 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> {tt.load.async = true} : (tensor<128x!tt.ptr<f32>>, tensor<128xi1>, tensor<128xf32>) -> tensor<128xf32>
  %u = arith.addf %v, %v : tensor<128xf32>
  tt.return
}

// -----

// The copy leaves +0.0 where the mask is false: -0.0 must still be chosen, +0.0 not.
// CHECK: tt.func public @zeros
tt.func public @zeros(%ptrs: tensor<128x!tt.ptr<f32>>, %mask: tensor<128xi1>) {
  // CHECK: %[[NEGATIVE:.*]] = arith.constant dense<-0.0
  %negative = arith.constant dense<-0.0> : tensor<128xf32>
  %positive = arith.constant dense<0.0> : tensor<128xf32>
  // CHECK: "ttg.async_copy_global_to_local"
  // CHECK: arith.select %{{.*}}, %{{.*}}, %[[NEGATIVE]]
  %v = "tt.load"(%ptrs, %mask, %negative) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> {tt.load.async = true} : (tensor<128x!tt.ptr<f32>>, tensor<128xi1>, tensor<128xf32>) -> tensor<128xf32>
  // CHECK: "ttg.async_copy_global_to_local"
  // CHECK-NOT: arith.select
  // CHECK: tt.return
  %w = "tt.load"(%ptrs, %mask, %positive) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> {tt.load.async = true} : (tensor<128x!tt.ptr<f32>>, tensor<128xi1>, tensor<128xf32>) -> tensor<128xf32>
  tt.return
}

// -----

// Half words: pairs are adjacent, aligned and masked together.
// CHECK: tt.func public @half_words
// CHECK: ttg.async_copy_global_to_local
// CHECK-NOT: tt.load
tt.func public @half_words(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %pid: i32) {
  %c1024 = arith.constant 1024 : i32
  %start = arith.muli %pid, %c1024 : i32
  %range = "tt.make_range"() <{start = 0 : i32, end = 1024 : i32}> : () -> tensor<1024xi32>
  %starts = "tt.splat"(%start) : (i32) -> tensor<1024xi32>
  %offsets = arith.addi %starts, %range : tensor<1024xi32>
  %ends = "tt.splat"(%n) : (i32) -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %ends : tensor<1024xi32>
  %bases = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<1024x!tt.ptr<f16>>
  %ptrs = "tt.addptr"(%bases, %offsets) : (tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>) -> tensor<1024x!tt.ptr<f16>>
  %v = "tt.load"(%ptrs, %mask) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0>}> {tt.load.async = true} : (tensor<1024x!tt.ptr<f16>>, tensor<1024xi1>) -> tensor<1024xf16>
  tt.return
}

// -----

// The pointers move by a step that keeps pairs aligned, in the second loop by one that does not.
// CHECK: tt.func public @loops
// CHECK: scf.for
// CHECK: ttg.async_copy_global_to_local
// CHECK: scf.for
// CHECK: "tt.load"
// CHECK-NOT: tt.load.async
// CHECK: tt.return
tt.func public @loops(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %even = arith.constant dense<1024> : tensor<1024xi32>
  %odd = arith.constant dense<1023> : tensor<1024xi32>
  %range = "tt.make_range"() <{start = 0 : i32, end = 1024 : i32}> : () -> tensor<1024xi32>
  %bases = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<1024x!tt.ptr<f16>>
  %ptrs = "tt.addptr"(%bases, %range) : (tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>) -> tensor<1024x!tt.ptr<f16>>
  %0 = scf.for %i = %n to %n step %n iter_args(%p = %ptrs) -> (tensor<1024x!tt.ptr<f16>>) : i32 {
    %v = "tt.load"(%p) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> {tt.load.async = true} : (tensor<1024x!tt.ptr<f16>>) -> tensor<1024xf16>
    %next = "tt.addptr"(%p, %even) : (tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>) -> tensor<1024x!tt.ptr<f16>>
    scf.yield %next : tensor<1024x!tt.ptr<f16>>
  }
  %1 = scf.for %i = %n to %n step %n iter_args(%p = %ptrs) -> (tensor<1024x!tt.ptr<f16>>) : i32 {
    %v = "tt.load"(%p) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> {tt.load.async = true} : (tensor<1024x!tt.ptr<f16>>) -> tensor<1024xf16>
    %next = "tt.addptr"(%p, %odd) : (tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>) -> tensor<1024x!tt.ptr<f16>>
    scf.yield %next : tensor<1024x!tt.ptr<f16>>
  }
  tt.return
}
