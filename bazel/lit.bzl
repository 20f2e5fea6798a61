"""lit_tests: one Bazel test per .mlir file, run by lit with tle-opt, FileCheck, not, count and split-file on PATH."""

load("//bazel:python.bzl", "SITE_ATTRS", "packages_select", "runfiles_path", "site_launcher")

def _lit_test_impl(ctx):
    tools = ctx.files.tools
    env = {
        "FLAGTREE_LIT_PATH": ":".join({"$RUNFILES/" + runfiles_path(ctx, tool).rpartition("/")[0]: None for tool in tools}.keys()),
        "FILECHECK_OPTS": "--enable-var-scope",
    }
    files = ctx.files.srcs + tools + [ctx.file._config, ctx.file._runner]
    return site_launcher(ctx, ["$RUNFILES/" + runfiles_path(ctx, ctx.file._runner)] + ["$RUNFILES/" + runfiles_path(ctx, source) for source in ctx.files.srcs], files, env)

_lit_test = rule(
    implementation = _lit_test_impl,
    test = True,
    attrs = dict(
        SITE_ATTRS,
        srcs = attr.label_list(allow_files = True, mandatory = True),
        tools = attr.label_list(allow_files = True),
        _config = attr.label(default = "//tests:lit.cfg.py", allow_single_file = True),
        _runner = attr.label(default = "//bazel:run_lit.py", allow_single_file = True),
    ),
)

def lit_tests(name, srcs, tools = [], data = [], tags = [], size = "small", **kwargs):
    """One test `<file>.test` per file, and the suite `name` of them all.

    Args:
      name: of the suite.
      srcs: .mlir files, e.g. glob(["*.mlir"]).
      tools: further programs for the RUN lines.
      data: files the tests read.
      tags: as everywhere.
      size: of each test.
      **kwargs: further attributes of every test.
    """
    tests = []
    for source in srcs:
        tests.append(source + ".test")
        _lit_test(
            name = source + ".test",
            srcs = [source],
            tools = ["//core/tools:tle-opt", "@mlir//:lit_tools", "@mlir//:symbolizer"] + tools,
            data = data,
            packages = packages_select(["lit"]),
            interpreter = "//bazel:python_interpreter",
            size = size,
            tags = tags,
            **kwargs
        )
    native.test_suite(name = name, tests = tests)
