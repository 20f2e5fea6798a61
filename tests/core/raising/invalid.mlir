// RUN: tle-opt %s -split-input-file -verify-diagnostics -raise-intrinsics

// expected-error-re @+1 {{[I1] @"tle.teleport.0" is declared, but is no intrinsic: expected <dialect>.<op>.<number> with one of {{.*}}tle.alloc, {{.*}}tle.copy, }}
tt.func private @tle.teleport.0(i32)
tt.func public @kernel(%x: i32) {
  tt.call @tle.teleport.0(%x) : (i32) -> ()
  tt.return
}

// -----

// A malformed name is an error even when nobody calls it.
// expected-error @+1 {{[I1] @"tle.alloc" is declared, but is no intrinsic}}
tt.func private @tle.alloc() -> i32

// -----

// expected-error @+1 {{[I1] @"tle.alloc.x1" is declared, but is no intrinsic}}
tt.func private @tle.alloc.x1() -> i32

// -----

// expected-error @+1 {{[I1] @"tle..0" is declared, but is no intrinsic}}
tt.func private @tle..0() -> i32

// -----

tt.func private @tle.memory_space.0(tensor<8xf32>) -> tensor<8xf32>
tt.func public @kernel(%x: tensor<8xf32>) {
  // expected-error @+1 {{[I2] tle.memory_space has no attribute 'spice'; its attributes are: space}}
  %0 = tt.call @tle.memory_space.0(%x) {tle.space = "smem", tle.spice = "hot"} : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

// expected-error @+1 {{[I3] function @"tle.local_load.0" has a body, but names of the form <dialect>.<op>.<number> belong to intrinsics; rename the function}}
tt.func private @tle.local_load.0(%x: i32) -> i32 {
  tt.return %x : i32
}

// -----

// An attribute value of the wrong type is not dropped.
tt.func private @tle.memory_space.0(tensor<8xf32>) -> tensor<8xf32>
tt.func public @kernel(%x: tensor<8xf32>) {
  // expected-error @+1 {{[I4] attribute 'space' failed to satisfy constraint: string attribute}}
  %0 = tt.call @tle.memory_space.0(%x) {tle.space = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func private @tle.memory_space.0(tensor<8xf32>) -> tensor<8xf32>
tt.func public @kernel(%x: tensor<8xf32>) {
  // expected-error @+1 {{[I4] 'tle.memory_space' op requires attribute 'space'}}
  %0 = tt.call @tle.memory_space.0(%x) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func private @tle.local_load.0(i32) -> tensor<8xf32>
tt.func public @kernel(%x: i32) {
  // expected-error @+1 {{[I4] 'tle.local_load' op operand #0 must be memory descriptor, but got 'i32'}}
  %0 = tt.call @tle.local_load.0(%x) : (i32) -> tensor<8xf32>
  tt.return
}

// -----

// Too few results, too many operands.
tt.func private @tle.memory_space.0(tensor<8xf32>)
tt.func private @tle.memory_space.1(tensor<8xf32>, i32) -> tensor<8xf32>
tt.func public @kernel(%x: tensor<8xf32>, %i: i32) {
  // expected-error @+1 {{[I4] 'tle.memory_space' op requires one result}}
  tt.call @tle.memory_space.0(%x) {tle.space = "smem"} : (tensor<8xf32>) -> ()
  // expected-error @+1 {{[I4] 'tle.memory_space' op requires a single operand}}
  %0 = tt.call @tle.memory_space.1(%x, %i) {tle.space = "smem"} : (tensor<8xf32>, i32) -> tensor<8xf32>
  tt.return
}

// -----

// A verifier's own rule keeps its number.
tt.func private @tle.memory_space.0(tensor<8xf32>) -> tensor<8xf32>
tt.func public @kernel(%x: tensor<8xf32>) {
  // expected-error @+1 {{[M20]}}
  %0 = tt.call @tle.memory_space.0(%x) {tle.space = "gmem"} : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func private @tle.memory_space.0(tensor<8xf32>) -> tensor<8xf32>
tt.func public @kernel() {
  // expected-error @+1 {{[I5] @tle.memory_space.0 is an intrinsic and can only be called, but 'test.take_address' refers to it}}
  "test.take_address"() <{of = [@tle.memory_space.0]}> : () -> ()
  tt.return
}

// -----

tt.func private @tle.memory_space.0(tensor<8xf32>) -> tensor<8xf32>
tt.func public @kernel() {
  // expected-error @+1 {{[I5] @tle.memory_space.0 is an intrinsic}}
  "test.region"() ({
    "test.end"() : () -> ()
  }) {of = @tle.memory_space.0} : () -> ()
  tt.return
}

// -----

tt.func private @tle.memory_space.0(tensor<8xf32>) -> tensor<8xf32>
tt.func private @helper(%x: tensor<8xf32>) attributes {noinline = true} {
  // expected-error @+1 {{[I6] tle.memory_space is used in function @helper, which was not inlined into a kernel; TLE operations need the kernel's launch configuration: remove noinline=True}}
  %0 = tt.call @tle.memory_space.0(%x) {tle.space = "smem"} : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}
