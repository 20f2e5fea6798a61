// One wait for copies that follow one another, and what keeps waits apart.
// RUN: tle-opt %s --convert-common-ir-to-ttgir=enable-async-copy=true | FileCheck %s

#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#ring = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

// CHECK-LABEL: @merged
// CHECK: %[[T0:.*]] = "ttg.async_copy_global_to_local"
// CHECK-NOT: ttg.async_commit_group
// CHECK: %[[T1:.*]] = "ttg.async_copy_global_to_local"
// CHECK-NOT: ttg.async_commit_group
// CHECK: %[[T2:.*]] = "ttg.async_copy_global_to_local"
// CHECK-NEXT: %[[C:.*]] = "ttg.async_commit_group"(%[[T0]], %[[T1]], %[[T2]])
// CHECK-NEXT: "ttg.async_wait"(%[[C]]) <{num = 0 : i32}>
// CHECK-NEXT: "ttg.local_load"
// CHECK-NOT: ttg.async_wait
// CHECK: tt.return
tt.func public @merged(%p: tensor<256x!tt.ptr<f32>>, %o: tensor<256xi32>) -> tensor<256xf32> {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %r = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[2, 256], f32, shared>
  %zero = arith.constant 0 : i32
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  %two = arith.constant dense<2> : tensor<256xi32>
  %o2 = arith.muli %o, %two : tensor<256xi32>
  %q = "tt.addptr"(%p, %o2) : (tensor<256x!tt.ptr<f32>>, tensor<256xi32>) -> tensor<256x!tt.ptr<f32>>
  tile.copy %q -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  %s = tile.subview %r[%zero, %zero] [[256]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[2, 256], f32, shared>, i32, i32) -> !tile.buf<[256], f32, shared>
  tile.copy %q -> %s : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  %x = tile.to_tensor %a : !tile.buf<[256], f32, shared> -> tensor<256xf32>
  tt.return %x : tensor<256xf32>
}

// The second copy may overwrite what the first one brings: two slots of one allocation.
// CHECK-LABEL: @same_allocation
// CHECK-COUNT-2: "ttg.async_wait"
tt.func public @same_allocation(%p: tensor<256x!tt.ptr<f32>>, %i: i32, %j: i32) {
  %r = tile.alloc {tle.gpu_layout = #ring} : !tile.buf<[2, 256], f32, shared>
  %zero = arith.constant 0 : i32
  %s = tile.subview %r[%i, %zero] [[256]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[2, 256], f32, shared>, i32, i32) -> !tile.buf<[256], f32, shared>
  %t = tile.subview %r[%j, %zero] [[256]] [[1]] {tle.gpu_layout = #flat} : (!tile.buf<[2, 256], f32, shared>, i32, i32) -> !tile.buf<[256], f32, shared>
  tile.copy %p -> %s : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tile.copy %p -> %t : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}

// A third copy into the first buffer starts a new group.
// CHECK-LABEL: @again
// CHECK: %[[T0:.*]] = "ttg.async_copy_global_to_local"
// CHECK: %[[T1:.*]] = "ttg.async_copy_global_to_local"
// CHECK: "ttg.async_commit_group"(%[[T0]], %[[T1]])
// CHECK: "ttg.async_wait"
// CHECK: %[[T2:.*]] = "ttg.async_copy_global_to_local"
// CHECK: "ttg.async_commit_group"(%[[T2]])
// CHECK: "ttg.async_wait"
tt.func public @again(%p: tensor<256x!tt.ptr<f32>>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}

// Nobody knows what an argument's allocation is.
// CHECK-LABEL: tt.func private @unknown_callee
// CHECK-COUNT-2: "ttg.async_wait"
tt.func private @unknown_callee(%a: !tile.buf<[256], f32, shared>, %b: !tile.buf<[256], f32, shared>, %p: tensor<256x!tt.ptr<f32>>) {
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}

// CHECK-LABEL: @unknown_caller
tt.func public @unknown_caller(%p: tensor<256x!tt.ptr<f32>>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tt.call @unknown_callee(%a, %a, %p) : (!tile.buf<[256], f32, shared>, !tile.buf<[256], f32, shared>, tensor<256x!tt.ptr<f32>>) -> ()
  tt.return
}

// One known and one unknown buffer are not merged either.
// CHECK-LABEL: @half_known
// CHECK: scf.for
// CHECK: "ttg.async_copy_global_to_local"
// CHECK: "ttg.async_wait"
// CHECK: "ttg.async_copy_global_to_local"
// CHECK: "ttg.async_wait"
tt.func public @half_known(%p: tensor<256x!tt.ptr<f32>>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> (!tile.buf<[256], f32, shared>) : i32 {
    tile.copy %p -> %x : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
    tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
    scf.yield %x : !tile.buf<[256], f32, shared>
  }
  tt.return
}

// A read of memory between the copies.
// CHECK-LABEL: @read_between
// CHECK: "ttg.async_wait"
// CHECK: "tt.load"
// CHECK: "ttg.async_wait"
tt.func public @read_between(%p: tensor<256x!tt.ptr<f32>>, %q: tensor<256x!tt.ptr<i32>>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  %o = "tt.load"(%q) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<256x!tt.ptr<i32>>) -> tensor<256xi32>
  %r = "tt.addptr"(%p, %o) : (tensor<256x!tt.ptr<f32>>, tensor<256xi32>) -> tensor<256x!tt.ptr<f32>>
  tile.copy %r -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}

// CHECK-LABEL: @write_between
// CHECK: "ttg.async_wait"
// CHECK: "ttg.local_store"
// CHECK: "ttg.async_wait"
tt.func public @write_between(%p: tensor<256x!tt.ptr<f32>>, %x: tensor<256xf32>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %c = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tile.store_tensor %x, %c : tensor<256xf32>, !tile.buf<[256], f32, shared>
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}

// CHECK-LABEL: @region_between
// CHECK: "ttg.async_wait"
// CHECK: scf.if
// CHECK: "ttg.async_wait"
tt.func public @region_between(%p: tensor<256x!tt.ptr<f32>>, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  %n = scf.if %c -> (i32) {
    scf.yield %zero : i32
  } else {
    scf.yield %one : i32
  }
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  "test.use"(%n) : (i32) -> ()
  tt.return
}

// CHECK-LABEL: @call_between
// CHECK: "ttg.async_wait"
// CHECK: tt.call
// CHECK: "ttg.async_wait"
tt.func public @call_between(%p: tensor<256x!tt.ptr<f32>>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.call @nothing() : () -> ()
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}
tt.func private @nothing() {
  tt.return
}

// An operation nobody knows, and one that may be anything inside.
// CHECK-LABEL: @unknown_between
// CHECK: "ttg.async_wait"
// CHECK: "test.unknown"
// CHECK: "ttg.async_wait"
// CHECK: "tt.elementwise_inline_asm"
// CHECK: "ttg.async_wait"
tt.func public @unknown_between(%p: tensor<256x!tt.ptr<f32>>, %x: tensor<256xi32>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %c = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  "test.unknown"() : () -> ()
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  %y = "tt.elementwise_inline_asm"(%x) <{asm_string = "mov.b32 $0, $1;", constraints = "=r,r", packed_element = 1 : i32, pure = false}> : (tensor<256xi32>) -> tensor<256xi32>
  tile.copy %p -> %c : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}

// Copies of two blocks.
// CHECK-LABEL: @two_blocks
// CHECK: "ttg.async_wait"
// CHECK: cf.br
// CHECK: "ttg.async_wait"
tt.func public @two_blocks(%p: tensor<256x!tt.ptr<f32>>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  cf.br ^bb1
^bb1:
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}

// A wait of the program's own is not ours to merge.
// CHECK-LABEL: @foreign_wait
// CHECK-COUNT-3: "ttg.async_wait"
tt.func public @foreign_wait(%p: tensor<256x!tt.ptr<f32>>) {
  %a = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %a : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  %w = "ttg.async_wait"() <{num = 0 : i32}> : () -> !ttg.async.token
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}
