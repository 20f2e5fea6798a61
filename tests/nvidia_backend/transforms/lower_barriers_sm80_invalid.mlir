// RUN: tle-opt %s --tle-lower-barriers=capability=80 -verify-diagnostics

#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

tt.func public @old() {
  // expected-error @+1 {{[B36] barriers need compute capability 9.0 or newer, but the target is sm_80}}
  %b = tle.alloc_barriers {arrive_count = 1 : i32, ready = false} : !ttg.memdesc<1x1xi64, #bar, #smem, mutable>
  tt.return
}
