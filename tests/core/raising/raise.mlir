// RUN: tle-opt %s -raise-intrinsics -mlir-print-op-generic -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nv3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory

// The declarations and the mark of the front end go away; other module attributes stay.
module attributes {tle.used = 1 : i32, other.attribute = 1 : i32} {
  tt.func private @tle.alloc.0() -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable> attributes {noinline = true}
  tt.func private @tle.alloc.1() -> !ttg.memdesc<2x64x64xf16, #nv3, #smem, mutable>
  tt.func private @tle.slot.0(!ttg.memdesc<2x64x64xf16, #nv3, #smem, mutable>, i32) -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
  tt.func private @tle.local_load.12(!ttg.memdesc<64x64xf16, #nv, #smem, mutable>) -> tensor<64x64xf16>
  tt.func private @tle.local_store.0(tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nv, #smem, mutable>)
  tt.func private @tle.memory_space.0(tensor<64x64xf16>) -> tensor<64x64xf16>
  // A function of a user's module that happens to be called `tle`.
  // CHECK-NOT: sym_name = "tle.
  // CHECK: sym_name = "tle.helper__i32__"
  // CHECK-NOT: sym_name = "tle.
  tt.func private @tle.helper__i32__(%x: i32) -> i32 attributes {noinline = true} {
    tt.return %x : i32
  }

  // CHECK: sym_name = "kernel"
  tt.func public @kernel(%i: i32) {
    // CHECK: %[[B:.+]] = "tle.alloc"() <{alignment = 128 : i32}> : () -> !ttg.memdesc<64x64xf16, {{.*}}mutable> loc("kernel.py":3:5)
    %b = tt.call @tle.alloc.0() {tle.alignment = 128 : i32} : () -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable> loc("kernel.py":3:5)
    // CHECK: %[[BS:.+]] = "tle.alloc"() : () -> !ttg.memdesc<2x64x64xf16
    %bs = tt.call @tle.alloc.1() : () -> !ttg.memdesc<2x64x64xf16, #nv3, #smem, mutable>
    // CHECK: "scf.for"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %k = %c0 to %i step %c1 : i32 {
      // CHECK: %[[S:.+]] = "tle.slot"(%[[BS]], %{{.+}})
      %s = tt.call @tle.slot.0(%bs, %k) : (!ttg.memdesc<2x64x64xf16, #nv3, #smem, mutable>, i32) -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
      // Attributes without the prefix are hints and stay discardable.
      // CHECK: %[[T:.+]] = "tle.local_load"(%[[S]]) {tt.contiguity = dense<16> : tensor<1xi32>}
      %t = tt.call @tle.local_load.12(%s) {tt.contiguity = dense<16> : tensor<1xi32>} : (!ttg.memdesc<64x64xf16, #nv, #smem, mutable>) -> tensor<64x64xf16>
      // CHECK: %[[M:.+]] = "tle.memory_space"(%[[T]]) <{space = "smem"}>
      %m = tt.call @tle.memory_space.0(%t) {tle.space = "smem"} : (tensor<64x64xf16>) -> tensor<64x64xf16>
      // CHECK: "tle.local_store"(%[[M]], %[[B]])
      tt.call @tle.local_store.0(%m, %b) : (tensor<64x64xf16>, !ttg.memdesc<64x64xf16, #nv, #smem, mutable>) -> ()
    }
    // CHECK: "tt.call"(%{{.+}}) <{callee = @tle.helper__i32__}>
    %h = tt.call @tle.helper__i32__(%i) : (i32) -> i32
    tt.return
  }
}
// CHECK: }) {other.attribute = 1 : i32} : () -> ()
