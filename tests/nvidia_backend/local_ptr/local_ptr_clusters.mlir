// RUN: tle-opt %s --verify-diagnostics --tle-lower-local-ptr="num-ctas=2"

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @clusters(%buffer: !ttg.memdesc<16xf16, #shared, #smem, mutable>, %i: i32, %value: f16) {
  // expected-error @+1 {{[L35] tle.gpu.local_ptr was used in a kernel with num_ctas = 2: every CTA has shared memory of its own, but tensors are spread over all CTAs. Launch with num_ctas = 1.}}
  %ptr = tle.local_ptr %buffer[%i] : (!ttg.memdesc<16xf16, #shared, #smem, mutable>, i32) -> !tt.ptr<f16>
  "tt.store"(%ptr, %value) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f16>, f16) -> ()
  tt.return
}
