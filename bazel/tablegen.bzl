"""mlir-tblgen as Bazel rules: td_library names .td files with what they include, gentbl makes C++ or docs of one."""

TdInfo = provider(doc = "TableGen sources.", fields = {"transitive": "depset of .td files, includes and all"})

def _td_library_impl(ctx):
    files = depset(ctx.files.srcs, transitive = [dep[TdInfo].transitive for dep in ctx.attr.deps])
    return [TdInfo(transitive = files), DefaultInfo(files = depset(ctx.files.srcs))]

td_library = rule(
    implementation = _td_library_impl,
    doc = "A group of .td files; they include one another by their path from the root of the tree.",
    attrs = {
        "srcs": attr.label_list(allow_files = [".td"], mandatory = True),
        "deps": attr.label_list(providers = [TdInfo]),
    },
)

def _gentbl_impl(ctx):
    mlir_td = ctx.attr._mlir_td[DefaultInfo].files
    include = ctx.file._anchor.path.split("/site/")[0] + "/site/mlir/include"
    sources = depset([ctx.file.td_file], transitive = [mlir_td] + [dep[TdInfo].transitive for dep in ctx.attr.deps])
    args = ctx.actions.args()
    args.add_all(ctx.attr.opts)
    args.add("-I", ".")
    args.add("-I", include)
    args.add(ctx.file.td_file)
    args.add("-o", ctx.outputs.out)
    ctx.actions.run(
        mnemonic = "TableGen",
        executable = ctx.file._tblgen,
        arguments = [args],
        inputs = sources,
        outputs = [ctx.outputs.out],
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

gentbl = rule(
    implementation = _gentbl_impl,
    doc = "Runs mlir-tblgen with `opts` on `td_file`, writing `out`.",
    attrs = {
        "td_file": attr.label(allow_single_file = [".td"], mandatory = True),
        "opts": attr.string_list(mandatory = True),
        "out": attr.output(mandatory = True),
        "deps": attr.label_list(providers = [TdInfo]),
        "_tblgen": attr.label(default = "@mlir//:tblgen", allow_single_file = True),
        "_mlir_td": attr.label(default = "@mlir//:td_files"),
        "_anchor": attr.label(default = "@mlir//:tblgen", allow_single_file = True),
    },
)

def gentbl_cc(name, td_file, outs, deps = [], visibility = ["//visibility:public"]):
    """A header-only cc_library `name` of generated files.

    Args:
      name: the library.
      td_file: the source.
      outs: dictionary from output file to mlir-tblgen options, e.g. {"FooOps.h.inc": ["-gen-op-decls"]}.
      deps: td_library targets that td_file includes.
      visibility: of the library.
    """
    for out, opts in outs.items():
        gentbl(
            name = out + "_gen",
            td_file = td_file,
            opts = opts,
            out = out,
            deps = deps,
        )
    native.cc_library(
        name = name,
        textual_hdrs = outs.keys(),
        visibility = visibility,
    )
