// RUN: tle-opt %s -split-input-file --tle-encode-descriptors | FileCheck %s

// The first worker leaves %d alone, the second %e: every descriptor type of the module has the default layout, in arguments of
// functions and partitions, in loops and in branches. Integers have signs.
// CHECK: #[[X:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK: #[[Y:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8, rank = 5}>
// CHECK: #[[Z:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32, rank = 1}>
// CHECK: tt.func public @some
// CHECK-SAME: %{{.*}}: !tt.tensordesc<tensor<64x64xf16, #[[X]]>>
// CHECK-SAME: %{{.*}}: !tt.tensordesc<tensor<1x1x1x64x32xsi8, #[[Y]]>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @some(%d: !tt.tensordesc<tensor<64x64xf16>>, %e: !tt.tensordesc<tensor<1x1x1x64x32xsi8>>, %p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %wide = arith.constant 1 : i64
    // CHECK: "tt.make_tensor_descriptor"
    // CHECK-SAME: -> !tt.tensordesc<tensor<64xf32, #[[Z]]>>
    %f = "tt.make_tensor_descriptor"(%p, %n, %wide) <{operandSegmentSizes = array<i32: 1, 1, 1>, padding = 1 : i32}> : (!tt.ptr<f32>, i32, i64) -> !tt.tensordesc<tensor<64xf32>>
    // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (!tt.tensordesc<tensor<64x64xf16, #[[X]]>>)
    %carried = scf.for %i = %c0 to %n step %c1 iter_args(%x = %d) -> (!tt.tensordesc<tensor<64x64xf16>>) : i32 {
      %even = arith.cmpi eq, %i, %c0 : i32
      // CHECK: scf.if %{{.*}} -> (!tt.tensordesc<tensor<64x64xf16, #[[X]]>>)
      %chosen = scf.if %even -> (!tt.tensordesc<tensor<64x64xf16>>) {
        scf.yield %d : !tt.tensordesc<tensor<64x64xf16>>
      } else {
        scf.yield %x : !tt.tensordesc<tensor<64x64xf16>>
      }
      scf.yield %chosen : !tt.tensordesc<tensor<64x64xf16>>
    }
    "ttg.warp_specialize"(%carried, %e, %f) <{partitionNumWarps = array<i32: 4, 1>}> ({
      // CHECK: "tt.descriptor_load"
      // CHECK-SAME: (!tt.tensordesc<tensor<64xf32, #[[Z]]>>, i32) -> tensor<64xf32>
      %tile = "tt.descriptor_load"(%f, %c0) <{cache = 1 : i32, evict = 1 : i32}> : (!tt.tensordesc<tensor<64xf32>>, i32) -> tensor<64xf32>
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"() ({
      // CHECK: ^bb0(%{{.*}}: !tt.tensordesc<tensor<64x64xf16, #[[X]]>>, %[[E:.*]]: !tt.tensordesc<tensor<1x1x1x64x32xsi8, #[[Y]]>>, %{{.*}}: !tt.tensordesc<tensor<64xf32, #[[Z]]>>):
      // CHECK: "tt.descriptor_load"(%[[E]]
      ^bb0(%a: !tt.tensordesc<tensor<64x64xf16>>, %b: !tt.tensordesc<tensor<1x1x1x64x32xsi8>>, %c: !tt.tensordesc<tensor<64xf32>>):
        %zero = arith.constant 0 : i32
        %tile = "tt.descriptor_load"(%b, %zero, %zero, %zero, %zero, %zero) <{cache = 1 : i32, evict = 1 : i32}> : (!tt.tensordesc<tensor<1x1x1x64x32xsi8>>, i32, i32, i32, i32, i32) -> tensor<64x32xi8>
        "ttg.warp_return"() : () -> ()
      }, {
      // CHECK: ^bb0(%[[D:.*]]: !tt.tensordesc<tensor<64x64xf16, #[[X]]>>, %{{.*}}: !tt.tensordesc<tensor<1x1x1x64x32xsi8, #[[Y]]>>, %{{.*}}: !tt.tensordesc<tensor<64xf32, #[[Z]]>>):
      // CHECK: "tt.descriptor_store"(%[[D]]
      ^bb0(%a: !tt.tensordesc<tensor<64x64xf16>>, %b: !tt.tensordesc<tensor<1x1x1x64x32xsi8>>, %c: !tt.tensordesc<tensor<64xf32>>):
        %zero = arith.constant 0 : i32
        %tile = arith.constant dense<0.0> : tensor<64x64xf16>
        "tt.descriptor_store"(%a, %tile, %zero, %zero) : (!tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>, i32, i32) -> ()
        "ttg.warp_return"() : () -> ()
      }) : () -> ()
    // CHECK: (!tt.tensordesc<tensor<64x64xf16, #[[X]]>>, !tt.tensordesc<tensor<1x1x1x64x32xsi8, #[[Y]]>>, !tt.tensordesc<tensor<64xf32, #[[Z]]>>) -> ()
    }) : (!tt.tensordesc<tensor<64x64xf16>>, !tt.tensordesc<tensor<1x1x1x64x32xsi8>>, !tt.tensordesc<tensor<64xf32>>) -> ()
    tt.return
  }
}

// -----

// All workers use what they take: nothing changes.
// CHECK-NOT: nvmma_shared
// CHECK: tt.func public @all(%{{.*}}: !tt.tensordesc<tensor<64x64xf16>>, %{{.*}}: i32)
// CHECK-NOT: nvmma_shared
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @all(%d: !tt.tensordesc<tensor<64x64xf16>>, %n: i32) {
    "ttg.warp_specialize"(%d, %n) <{partitionNumWarps = array<i32: 4>}> ({
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"() ({
      ^bb0(%a: !tt.tensordesc<tensor<64x64xf16>>, %m: i32):
        %zero = arith.constant 0 : i32
        %tile = "tt.descriptor_load"(%a, %zero, %zero) <{cache = 1 : i32, evict = 1 : i32}> : (!tt.tensordesc<tensor<64x64xf16>>, i32, i32) -> tensor<64x64xf16>
        "ttg.warp_return"() : () -> ()
      }) : () -> ()
    }) : (!tt.tensordesc<tensor<64x64xf16>>, i32) -> ()
    tt.return
  }
}

// -----

// A layout that is there stays.
// CHECK: #[[GIVEN:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK: tt.func public @given(%{{.*}}: !tt.tensordesc<tensor<64x64xf16, #[[GIVEN]]>>)
#given = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @given(%d: !tt.tensordesc<tensor<64x64xf16, #given>>) {
    "ttg.warp_specialize"(%d) <{partitionNumWarps = array<i32: 4>}> ({
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"() ({
      ^bb0(%a: !tt.tensordesc<tensor<64x64xf16, #given>>):
        "ttg.warp_return"() : () -> ()
      }) : () -> ()
    }) : (!tt.tensordesc<tensor<64x64xf16, #given>>) -> ()
    tt.return
  }
}
