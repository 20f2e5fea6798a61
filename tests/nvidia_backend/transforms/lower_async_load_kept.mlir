// RUN: tle-opt %s --tle-lower-async-load | FileCheck %s

// Loads that the hardware cannot copy, or that somebody else makes asynchronous, stay plain.
// CHECK-NOT: tt.load.async
// CHECK-NOT: ttg.async_copy_global_to_local

// CHECK: tt.func public @scalar
// CHECK: "tt.load"
tt.func public @scalar(%ptr: !tt.ptr<f32>) {
  %v = "tt.load"(%ptr) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> {tt.load.async = true} : (!tt.ptr<f32>) -> f32
  tt.return
}

// CHECK: tt.func public @block_pointer
// CHECK: "tt.load"
tt.func public @block_pointer(%ptr: !tt.ptr<tensor<128xf32>>) {
  %v = "tt.load"(%ptr) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> {tt.load.async = true} : (!tt.ptr<tensor<128xf32>>) -> tensor<128xf32>
  tt.return
}

// CHECK: tt.func public @unknown_half_words
// CHECK: "tt.load"
tt.func public @unknown_half_words(%ptrs: tensor<1024x!tt.ptr<f16>>) {
  %v = "tt.load"(%ptrs) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> {tt.load.async = true} : (tensor<1024x!tt.ptr<f16>>) -> tensor<1024xf16>
  tt.return
}

// CHECK: tt.func public @misaligned
// CHECK: "tt.load"
tt.func public @misaligned(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %range = "tt.make_range"() <{start = 1 : i32, end = 1025 : i32}> : () -> tensor<1024xi32>
  %bases = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<1024x!tt.ptr<f16>>
  %ptrs = "tt.addptr"(%bases, %range) : (tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>) -> tensor<1024x!tt.ptr<f16>>
  %v = "tt.load"(%ptrs) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> {tt.load.async = true} : (tensor<1024x!tt.ptr<f16>>) -> tensor<1024xf16>
  tt.return
}

// The mask may end inside a pair.
// CHECK: tt.func public @mask
// CHECK: "tt.load"
tt.func public @mask(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %range = "tt.make_range"() <{start = 0 : i32, end = 1024 : i32}> : () -> tensor<1024xi32>
  %bases = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<1024x!tt.ptr<f16>>
  %ptrs = "tt.addptr"(%bases, %range) : (tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>) -> tensor<1024x!tt.ptr<f16>>
  %ends = "tt.splat"(%n) : (i32) -> tensor<1024xi32>
  %mask = arith.cmpi slt, %range, %ends : tensor<1024xi32>
  %v = "tt.load"(%ptrs, %mask) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0>}> {tt.load.async = true} : (tensor<1024x!tt.ptr<f16>>, tensor<1024xi1>) -> tensor<1024xf16>
  tt.return
}

// A thread has one half word.
// CHECK: tt.func public @small
// CHECK: "tt.load"
tt.func public @small(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %range = "tt.make_range"() <{start = 0 : i32, end = 128 : i32}> : () -> tensor<128xi32>
  %bases = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<128x!tt.ptr<f16>>
  %ptrs = "tt.addptr"(%bases, %range) : (tensor<128x!tt.ptr<f16>>, tensor<128xi32>) -> tensor<128x!tt.ptr<f16>>
  %v = "tt.load"(%ptrs) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> {tt.load.async = true} : (tensor<128x!tt.ptr<f16>>) -> tensor<128xf16>
  tt.return
}

// Triton's pipeliner takes this loop.
// CHECK: tt.func public @pipelined
// CHECK: "tt.load"
tt.func public @pipelined(%ptrs: tensor<128x!tt.ptr<f32>>, %n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    %v = "tt.load"(%ptrs) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> {tt.load.async = true} : (tensor<128x!tt.ptr<f32>>) -> tensor<128xf32>
  } {tt.num_stages = 3 : i32}
  tt.return
}
