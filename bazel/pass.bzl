"""One call per Passes.td: declarations, registration and the reference page of a group of passes."""

load("//bazel:tablegen.bzl", "gentbl", "gentbl_cc")

def flagtree_passes(group, td_file = "Passes.td", deps = [], visibility = ["//visibility:public"]):
    """Makes `pass_inc_gen` (Passes.h.inc) and `pass_doc` (Passes.md) of `td_file`.

    Args:
      group: name of the generated registration function, register<group>Passes().
      td_file: the pass definitions.
      deps: td_library targets that td_file includes.
      visibility: of the targets.
    """
    stem = td_file[:-len(".td")]
    gentbl_cc(
        name = "pass_inc_gen",
        td_file = td_file,
        outs = {stem + ".h.inc": ["-gen-pass-decls", "-name=" + group]},
        deps = deps,
        visibility = visibility,
    )
    gentbl(
        name = "pass_doc",
        td_file = td_file,
        opts = ["-gen-pass-doc"],
        out = stem + ".md",
        deps = deps,
        visibility = visibility,
    )
