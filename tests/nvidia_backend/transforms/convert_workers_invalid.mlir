// RUN: tle-opt %s -split-input-file -verify-diagnostics --tle-outline-workers

tt.func private @helper() {
  tt.return
}
tt.func public @call_in_worker() {
  "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 4>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
      // expected-error @+1 {{[S20] function @helper is called in a partition of warp_specialize, but was not inlined into it}}
      tt.call @helper() : () -> ()
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func private @helper() {
  tt.return
}
tt.func public @call_in_default() {
  "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 4>}> ({
    // expected-error @+1 {{[S20] function @helper}}
    tt.call @helper() : () -> ()
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() ({
      "ttg.warp_return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  tt.return
}
