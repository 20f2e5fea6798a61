// RUN: tle-opt %s --split-input-file --tle-lower-local-ptr | FileCheck %s
// The operations are raised, laid out and given to stock Triton in test_local_ptr.py.

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// Unmasked accesses to all elements are accesses to the buffer.
// CHECK-LABEL: tt.func public @whole(
// CHECK-SAME: %[[BUFFER:.*]]: !ttg.memdesc<16x32xf16
tt.func public @whole(%buffer: !ttg.memdesc<16x32xf16, #shared, #smem, mutable>) {
  %ptrs = tle.local_ptr %buffer[] : (!ttg.memdesc<16x32xf16, #shared, #smem, mutable>) -> tensor<16x32x!tt.ptr<f16>>
  // CHECK-NEXT: %[[TILE:.*]] = tle.local_load %[[BUFFER]] : {{.*}} -> tensor<16x32xf16>
  %tile = "tt.load"(%ptrs) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<16x32x!tt.ptr<f16>>) -> tensor<16x32xf16>
  // CHECK-NEXT: tle.local_store %[[TILE]], %[[BUFFER]]
  "tt.store"(%ptrs, %tile) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<16x32x!tt.ptr<f16>>, tensor<16x32xf16>) -> ()
  // CHECK-NEXT: tt.return
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// 128 bytes to a row, its eight 16-byte vectors permuted by the row's number in
// eight; columns from 64 on in the next 64 rows.
// CHECK-LABEL: tt.func public @scalar(
// CHECK-SAME: %[[BUFFER:.*]]: !ttg.memdesc<64x128xf16, {{.*}}>, %[[ROW:.*]]: i32, %[[COL:.*]]: i64, %[[VALUE:.*]]: f16)
tt.func public @scalar(%buffer: !ttg.memdesc<64x128xf16, #shared, #smem, mutable>, %row: i32, %col: i64, %value: f16) {
  // CHECK: %[[COL32:.*]] = arith.trunci %[[COL]] : i64 to i32
  // CHECK: %[[BASE64:.*]] = "tti.experimental_memdesc_to_i64"(%[[BUFFER]])
  // CHECK: %[[BASE:.*]] = arith.trunci %[[BASE64]] : i64 to i32
  // CHECK: %[[PHASE:.*]] = arith.andi %[[ROW]], %c7_i32
  // CHECK: %[[A:.*]] = arith.shli %[[PHASE]], %c4_i32
  // CHECK: %[[B:.*]] = arith.shli %[[ROW]], %c7_i32
  // CHECK: %[[AB:.*]] = arith.xori %[[A]], %[[B]]
  // CHECK: %[[INROW:.*]] = arith.andi %[[COL32]], %c63_i32
  // CHECK: %[[C:.*]] = arith.shli %[[INROW]], %c1_i32
  // CHECK: %[[ABC:.*]] = arith.xori %[[AB]], %[[C]]
  // CHECK: %[[CHUNK:.*]] = arith.andi %[[COL32]], %c64_i32
  // CHECK: %[[D:.*]] = arith.shli %[[CHUNK]], %c7_i32
  // CHECK: %[[OFFSET:.*]] = arith.xori %[[ABC]], %[[D]]
  // CHECK: %[[ADDRESS:.*]] = arith.addi %[[BASE]], %[[OFFSET]]
  %ptr = tle.local_ptr %buffer[%row, %col] : (!ttg.memdesc<64x128xf16, #shared, #smem, mutable>, i32, i64) -> !tt.ptr<f16>
  // CHECK: %[[BITS:.*]] = "tt.bitcast"(%[[VALUE]]) : (f16) -> i16
  // CHECK: "tt.elementwise_inline_asm"(%[[ADDRESS]], %[[BITS]])
  // CHECK-SAME: asm_string = "st.shared.b16 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,h", packed_element = 1 : i32, pure = false
  // CHECK-SAME: {tle.shared_access = "store"} : (i32, i16) -> i32
  "tt.store"(%ptr, %value) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f16>, f16) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// CHECK-LABEL: tt.func public @masks(
tt.func public @masks(%buffer: !ttg.memdesc<3x32xi8, #shared, #smem, mutable>, %i: tensor<64xi32>, %j: tensor<64xi16>, %mask: tensor<64xi1>, %other: tensor<64xi8>) {
  // Narrow indices are extended without their sign; three rows are a stride of 32.
  // CHECK: arith.extui %{{.*}} : tensor<64xi16> to tensor<64xi32>
  // CHECK: %[[ROWS:.*]] = arith.constant dense<32> : tensor<64xi32>
  // CHECK: arith.muli %{{.*}}, %[[ROWS]]
  %ptrs = tle.local_ptr %buffer[%i, %j] : (!ttg.memdesc<3x32xi8, #shared, #smem, mutable>, tensor<64xi32>, tensor<64xi16>) -> tensor<64x!tt.ptr<i8>>
  // CHECK: asm_string = "mov.b32 $0, 0; @$2 ld.shared.b8 $0, [$1];", constraints = "=&r,r,b"
  %a = "tt.load"(%ptrs, %mask) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<64x!tt.ptr<i8>>, tensor<64xi1>) -> tensor<64xi8>
  // CHECK: %[[OTHER:.*]] = arith.extui %{{.*}} : tensor<64xi8> to tensor<64xi32>
  // CHECK: "tt.elementwise_inline_asm"(%{{.*}}, %{{.*}}, %[[OTHER]])
  // CHECK-SAME: asm_string = "mov.b32 $0, $3; @$2 ld.volatile.shared.b8 $0, [$1];", constraints = "=&r,r,b,r"
  // CHECK-SAME: {tle.shared_access = "load"}
  // CHECK: arith.trunci %{{.*}} : tensor<64xi32> to tensor<64xi8>
  %b = "tt.load"(%ptrs, %mask, %other) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = true, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<64x!tt.ptr<i8>>, tensor<64xi1>, tensor<64xi8>) -> tensor<64xi8>
  // CHECK: asm_string = "@$3 st.shared.b8 [$1], $2; mov.b32 $0, 0;", constraints = "=r,r,r,b"
  "tt.store"(%ptrs, %a, %mask) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x!tt.ptr<i8>>, tensor<64xi8>, tensor<64xi1>) -> ()
  "tt.store"(%ptrs, %b, %mask) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x!tt.ptr<i8>>, tensor<64xi8>, tensor<64xi1>) -> ()
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Shapes of pointers are shapes of addresses. The loop is not for Triton's
// pipeliner.
// CHECK-LABEL: tt.func public @shapes(
tt.func public @shapes(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %i: i32, %n: i32, %mask: tensor<8x4xi1>) {
  %one = arith.constant 1 : i32
  scf.for %k = %i to %n step %one : i32 {
    %ptr = tle.local_ptr %buffer[%k] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, i32) -> !tt.ptr<f32>
    // CHECK: "tt.splat"(%{{.*}}) : (i32) -> tensor<8xi32>
    %row = "tt.splat"(%ptr) : (!tt.ptr<f32>) -> tensor<8x!tt.ptr<f32>>
    // CHECK: "tt.expand_dims"(%{{.*}}) <{axis = 1 : i32}> : (tensor<8xi32>) -> tensor<8x1xi32>
    %column = "tt.expand_dims"(%row) <{axis = 1 : i32}> : (tensor<8x!tt.ptr<f32>>) -> tensor<8x1x!tt.ptr<f32>>
    // CHECK: "tt.broadcast"(%{{.*}}) : (tensor<8x1xi32>) -> tensor<8x4xi32>
    %tile = "tt.broadcast"(%column) : (tensor<8x1x!tt.ptr<f32>>) -> tensor<8x4x!tt.ptr<f32>>
    // CHECK: asm_string = "mov.b32 $0, 0; @$2 ld.shared.b32 $0, [$1];"
    %value = "tt.load"(%tile, %mask) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x4x!tt.ptr<f32>>, tensor<8x4xi1>) -> tensor<8x4xf32>
    "test.use"(%value) : (tensor<8x4xf32>) -> ()
    // CHECK: } {tt.num_stages = 0 : i32}
  } {tt.num_stages = 3 : i32, tt.warp_specialize}
  tt.return
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// An atomic keeps its place and layout freedom; a pointer cast by tl.atomic_max of
// floats is the same address.
// CHECK: module attributes {tle.late = 1 : i32}
// CHECK-LABEL: tt.func public @atomics(
tt.func public @atomics(%buffer: !ttg.memdesc<16xf32, #shared, #smem, mutable>, %i: tensor<64xi32>, %value: tensor<64xi32>, %mask: tensor<64xi1>) {
  %ptrs = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf32, #shared, #smem, mutable>, tensor<64xi32>) -> tensor<64x!tt.ptr<f32>>
  %ints = "tt.bitcast"(%ptrs) : (tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<i32>>
  // CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : tensor<64xi32> to tensor<64xi64>
  // CHECK: %[[PTRS:.*]] = "tt.int_to_ptr"(%[[WIDE]]) : (tensor<64xi64>) -> tensor<64x!tt.ptr<i32>>
  // CHECK: "tt.atomic_rmw"(%[[PTRS]], %{{.*}}, %{{.*}}) <{atomic_rmw_op = 6 : i32, scope = 1 : i32, sem = 4 : i32}> {tle.shared_access = "atomic"}
  %old = "tt.atomic_rmw"(%ints, %value, %mask) <{atomic_rmw_op = 6 : i32, scope = 1 : i32, sem = 4 : i32}> : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  tt.return
}
