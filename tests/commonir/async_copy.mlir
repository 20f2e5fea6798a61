// Where the hardware has an instruction for a copy, and where it has none.
// RUN: tle-opt %s --convert-common-ir-to-ttgir=enable-async-copy=true | FileCheck %s
// RUN: tle-opt %s --convert-common-ir-to-ttgir | FileCheck %s --check-prefix=SYNC
// RUN: tle-opt %s --convert-common-ir-to-ttgir="enable-async-copy=true capability=75" | FileCheck %s --check-prefix=SYNC

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#transposed = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#scattered = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>

// SYNC-NOT: ttg.async

// Words of 4 bytes may lie anywhere.
// CHECK-LABEL: @words
// CHECK: %[[B:.*]] = "ttg.local_alloc"
// CHECK-NEXT: %[[P:.*]] = "tt.broadcast"(%{{.*}}) : (tensor<256x!tt.ptr<f32>>) -> tensor<256x!tt.ptr<f32>, #{{.*}}>
// CHECK-NEXT: %[[T:.*]] = "ttg.async_copy_global_to_local"(%[[P]], %[[B]]) <{cache = 1 : i32, contiguity = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
// CHECK-NEXT: %[[C:.*]] = "ttg.async_commit_group"(%[[T]])
// CHECK-NEXT: "ttg.async_wait"(%[[C]]) <{num = 0 : i32}>
tt.func public @words(%p: tensor<256x!tt.ptr<f32>>) {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[256], f32, shared>
  tile.copy %p -> %b : tensor<256x!tt.ptr<f32>>, !tile.buf<[256], f32, shared>
  tt.return
}

// Nothing is known of these pointers to 2 bytes.
// CHECK-LABEL: @unknown_halves
// CHECK: "tt.load"
// CHECK: "ttg.local_store"
tt.func public @unknown_halves(%p: tensor<64x64x!tt.ptr<f16>>) {
  %b = tile.alloc {tle.gpu_layout = #shared} : !tile.buf<[64, 64], f16, shared>
  tile.copy %p -> %b : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
  tt.return
}

// Rows of a matrix with aligned strides, advanced in a loop.
// CHECK-LABEL: @rows
// CHECK: scf.for
// CHECK: "ttg.async_copy_global_to_local"
tt.func public @rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64x64xi32>
  %b = tile.alloc {tle.gpu_layout = #shared} : !tile.buf<[64, 64], f16, shared>
  %range = "tt.make_range"() <{start = 0 : i32, end = 64 : i32}> : () -> tensor<64xi32>
  %r = "tt.expand_dims"(%range) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
  %s = "tt.splat"(%stride) : (i32) -> tensor<64x1xi32>
  %rs = arith.muli %r, %s : tensor<64x1xi32>
  %rows = "tt.broadcast"(%rs) : (tensor<64x1xi32>) -> tensor<64x64xi32>
  %c = "tt.expand_dims"(%range) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
  %columns = "tt.broadcast"(%c) : (tensor<1x64xi32>) -> tensor<64x64xi32>
  %offsets = arith.addi %rows, %columns : tensor<64x64xi32>
  %splat = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<64x64x!tt.ptr<f16>>
  %p = "tt.addptr"(%splat, %offsets) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
  %end = scf.for %i = %zero to %n step %one iter_args(%q = %p) -> (tensor<64x64x!tt.ptr<f16>>) : i32 {
    tile.copy %q -> %b : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
    %next = "tt.addptr"(%q, %step) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
    scf.yield %next : tensor<64x64x!tt.ptr<f16>>
  }
  tt.return
}

// The same with a stride, a base or a step that nobody promised to be even.
// CHECK-LABEL: @odd_rows
// CHECK-NOT: "ttg.async_copy_global_to_local"
// CHECK: tt.return
tt.func public @odd_rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %other: !tt.ptr<f16>, %stride: i32, %even: i32 {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant dense<1> : tensor<64x64xi32>
  %b = tile.alloc {tle.gpu_layout = #shared} : !tile.buf<[64, 64], f16, shared>
  %range = "tt.make_range"() <{start = 0 : i32, end = 64 : i32}> : () -> tensor<64xi32>
  %r = "tt.expand_dims"(%range) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
  %c = "tt.expand_dims"(%range) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
  %columns = "tt.broadcast"(%c) : (tensor<1x64xi32>) -> tensor<64x64xi32>
  %splat = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<64x64x!tt.ptr<f16>>

  %s = "tt.splat"(%stride) : (i32) -> tensor<64x1xi32>
  %rs = arith.muli %r, %s : tensor<64x1xi32>
  %rows = "tt.broadcast"(%rs) : (tensor<64x1xi32>) -> tensor<64x64xi32>
  %offsets = arith.addi %rows, %columns : tensor<64x64xi32>
  %p = "tt.addptr"(%splat, %offsets) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
  tile.copy %p -> %b : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>

  %se = "tt.splat"(%even) : (i32) -> tensor<64x1xi32>
  %rse = arith.muli %r, %se : tensor<64x1xi32>
  %even_rows = "tt.broadcast"(%rse) : (tensor<64x1xi32>) -> tensor<64x64xi32>
  %even_offsets = arith.addi %even_rows, %columns : tensor<64x64xi32>
  %odd_splat = "tt.splat"(%other) : (!tt.ptr<f16>) -> tensor<64x64x!tt.ptr<f16>>
  %q = "tt.addptr"(%odd_splat, %even_offsets) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
  tile.copy %q -> %b : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>

  %even_p = "tt.addptr"(%splat, %even_offsets) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
  %end = scf.for %i = %zero to %n step %one iter_args(%t = %even_p) -> (tensor<64x64x!tt.ptr<f16>>) : i32 {
    tile.copy %t -> %b : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
    %next = "tt.addptr"(%t, %step) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
    scf.yield %next : tensor<64x64x!tt.ptr<f16>>
  }
  tt.return
}

// What lies together in global memory must lie together in the buffer.
// CHECK-LABEL: @other_order
// CHECK-NOT: "ttg.async_copy_global_to_local"
// CHECK: tt.return
tt.func public @other_order(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %a = tile.alloc {tle.gpu_layout = #transposed} : !tile.buf<[64, 64], f16, shared>
  %b = tile.alloc {tle.gpu_layout = #scattered} : !tile.buf<[64, 64], f16, shared>
  %range = "tt.make_range"() <{start = 0 : i32, end = 64 : i32}> : () -> tensor<64xi32>
  %r = "tt.expand_dims"(%range) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
  %s = arith.constant dense<64> : tensor<64x1xi32>
  %rs = arith.muli %r, %s : tensor<64x1xi32>
  %rows = "tt.broadcast"(%rs) : (tensor<64x1xi32>) -> tensor<64x64xi32>
  %c = "tt.expand_dims"(%range) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
  %columns = "tt.broadcast"(%c) : (tensor<1x64xi32>) -> tensor<64x64xi32>
  %offsets = arith.addi %rows, %columns : tensor<64x64xi32>
  %splat = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<64x64x!tt.ptr<f16>>
  %p = "tt.addptr"(%splat, %offsets) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
  tile.copy %p -> %a : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
  tile.copy %p -> %b : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
  tt.return
}

// Columns go into a transposed buffer; 128 elements are one for each thread, 2 bytes.
// CHECK-LABEL: @columns_and_few
// CHECK-COUNT-1: "ttg.async_copy_global_to_local"
// CHECK-NOT: "ttg.async_copy_global_to_local"
// CHECK: tt.return
tt.func public @columns_and_few(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %a = tile.alloc {tle.gpu_layout = #transposed} : !tile.buf<[64, 64], f16, shared>
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[128], f16, shared>
  %range = "tt.make_range"() <{start = 0 : i32, end = 64 : i32}> : () -> tensor<64xi32>
  %r = "tt.expand_dims"(%range) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
  %s = arith.constant dense<64> : tensor<1x64xi32>
  %rs = arith.muli %r, %s : tensor<1x64xi32>
  %rows = "tt.broadcast"(%rs) : (tensor<1x64xi32>) -> tensor<64x64xi32>
  %c = "tt.expand_dims"(%range) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
  %columns = "tt.broadcast"(%c) : (tensor<64x1xi32>) -> tensor<64x64xi32>
  %offsets = arith.addi %rows, %columns : tensor<64x64xi32>
  %splat = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<64x64x!tt.ptr<f16>>
  %p = "tt.addptr"(%splat, %offsets) : (tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f16>>
  tile.copy %p -> %a : tensor<64x64x!tt.ptr<f16>>, !tile.buf<[64, 64], f16, shared>
  %few = "tt.make_range"() <{start = 0 : i32, end = 128 : i32}> : () -> tensor<128xi32>
  %few_splat = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<128x!tt.ptr<f16>>
  %q = "tt.addptr"(%few_splat, %few) : (tensor<128x!tt.ptr<f16>>, tensor<128xi32>) -> tensor<128x!tt.ptr<f16>>
  tile.copy %q -> %b : tensor<128x!tt.ptr<f16>>, !tile.buf<[128], f16, shared>
  tt.return
}

// What the analysis of pointers knows: wrapped rows, steps of a loop, promises of the author.
// CHECK-LABEL: @proven
// CHECK-COUNT-4: "ttg.async_copy_global_to_local"
// CHECK: tt.return
tt.func public @proven(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %size: i32 {tt.divisibility = 16 : i32}, %any: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 512 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[512], f16, shared>
  %range = "tt.make_range"() <{start = 0 : i32, end = 512 : i32}> : () -> tensor<512xi32>
  %splat = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<512x!tt.ptr<f16>>

  // Elements modulo a size that is a multiple of 16.
  %s = "tt.splat"(%size) : (i32) -> tensor<512xi32>
  %wrapped = arith.remsi %range, %s : tensor<512xi32>
  %p0 = "tt.addptr"(%splat, %wrapped) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
  tile.copy %p0 -> %b : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>

  // The induction variable is a multiple of 512.
  scf.for %i = %zero to %n step %step : i32 {
    %is = "tt.splat"(%i) : (i32) -> tensor<512xi32>
    %at = arith.addi %is, %range : tensor<512xi32>
    %p1 = "tt.addptr"(%splat, %at) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
    tile.copy %p1 -> %b : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
  }

  // A promised multiple of 8, and a difference of multiples.
  %promised = arith.muli %any, %any {tt.divisibility = dense<8> : tensor<1xi32>} : i32
  %ps = "tt.splat"(%promised) : (i32) -> tensor<512xi32>
  %at2 = arith.addi %ps, %range : tensor<512xi32>
  %p2 = "tt.addptr"(%splat, %at2) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
  tile.copy %p2 -> %b : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
  %at3 = arith.subi %at2, %s : tensor<512xi32>
  %p3 = "tt.addptr"(%splat, %at3) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
  tile.copy %p3 -> %b : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
  tt.return
}

// The same without the facts.
// CHECK-LABEL: @not_proven
// CHECK-NOT: "ttg.async_copy_global_to_local"
// CHECK: tt.return
tt.func public @not_proven(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %size: i32, %n: i32) {
  %one = arith.constant 1 : i32
  %step = arith.constant 512 : i32
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[512], f16, shared>
  %range = "tt.make_range"() <{start = 0 : i32, end = 512 : i32}> : () -> tensor<512xi32>
  %odd = "tt.make_range"() <{start = 1 : i32, end = 513 : i32}> : () -> tensor<512xi32>
  %splat = "tt.splat"(%base) : (!tt.ptr<f16>) -> tensor<512x!tt.ptr<f16>>
  %s = "tt.splat"(%size) : (i32) -> tensor<512xi32>
  %wrapped = arith.remsi %range, %s : tensor<512xi32>
  %p0 = "tt.addptr"(%splat, %wrapped) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
  tile.copy %p0 -> %b : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
  scf.for %i = %one to %n step %step : i32 {
    %is = "tt.splat"(%i) : (i32) -> tensor<512xi32>
    %at = arith.addi %is, %range : tensor<512xi32>
    %p1 = "tt.addptr"(%splat, %at) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
    tile.copy %p1 -> %b : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
  }
  %p2 = "tt.addptr"(%splat, %odd) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
  tile.copy %p2 -> %b : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
  %doubled = arith.addi %range, %range : tensor<512xi32>
  %p3 = "tt.addptr"(%splat, %doubled) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
  tile.copy %p3 -> %b : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
  tt.return
}

// A partition knows of its captures what was known before.
// CHECK-LABEL: @captured
// CHECK: ttg.warp_specialize.partitions
// CHECK: "ttg.async_copy_global_to_local"
// CHECK: ttg.warp_return
// CHECK-NOT: "ttg.async_copy_global_to_local"
// CHECK: tt.return
tt.func public @captured(%even: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %any: !tt.ptr<f16>) {
  %b = tile.alloc {tle.gpu_layout = #flat} : !tile.buf<[512], f16, shared>
  "ttg.warp_specialize"(%b, %even, %any) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%c: !tile.buf<[512], f16, shared>, %p: !tt.ptr<f16>, %q: !tt.ptr<f16>):
      %range = "tt.make_range"() <{start = 0 : i32, end = 512 : i32}> : () -> tensor<512xi32>
      %ps = "tt.splat"(%p) : (!tt.ptr<f16>) -> tensor<512x!tt.ptr<f16>>
      %pp = "tt.addptr"(%ps, %range) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
      tile.copy %pp -> %c : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!tile.buf<[512], f16, shared>, !tt.ptr<f16>, !tt.ptr<f16>) -> ()
  "ttg.warp_specialize"(%b, %even, %any) <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
    ^bb0(%c: !tile.buf<[512], f16, shared>, %p: !tt.ptr<f16>, %q: !tt.ptr<f16>):
      %range = "tt.make_range"() <{start = 0 : i32, end = 512 : i32}> : () -> tensor<512xi32>
      %qs = "tt.splat"(%q) : (!tt.ptr<f16>) -> tensor<512x!tt.ptr<f16>>
      %qq = "tt.addptr"(%qs, %range) : (tensor<512x!tt.ptr<f16>>, tensor<512xi32>) -> tensor<512x!tt.ptr<f16>>
      tile.copy %qq -> %c : tensor<512x!tt.ptr<f16>>, !tile.buf<[512], f16, shared>
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : (!tile.buf<[512], f16, shared>, !tt.ptr<f16>, !tt.ptr<f16>) -> ()
  tt.return
}
