// RUN: tle-opt %s -split-input-file -verify-diagnostics --tle-check-shared-memory="total=70000 limit=65536"
// RUN: tle-opt %s -split-input-file --tle-check-shared-memory="total=65536 limit=65536"

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// expected-error @+1 {{[A26] the kernel needs 70000 bytes of shared memory, but a block on sm_90 has at most 65536: its buffers hold 66048 bytes, and 3952 are for alignment and for Triton's own use}}
tt.func public @kernel() {
  // expected-note @+1 {{512 bytes, 2x8x16xf16}}
  %a = "ttg.local_alloc"() : () -> !ttg.memdesc<2x8x16xf16, #shared, #smem, mutable>
  // expected-note @+1 {{65536 bytes, 128x128xf32}}
  %b = "ttg.local_alloc"() : () -> !ttg.memdesc<128x128xf32, #shared, #smem, mutable>
  tt.return
}

// -----

// expected-error @+1 {{[A26] the kernel needs 70000 bytes of shared memory}}
tt.func public @no_buffers() {
  tt.return
}
