"""Python rules, all of them ours: tests run in a virtual environment laid out as a user's would be.

No rules_python: a test is a shell line that lays a site-packages out of the pinned wheels with `//:site` (the wheel's own
files) over it and runs pytest there, so `import triton.experimental.tle.language as tle` is the user's import.
"""

load("//bazel:pins.bzl", "PINS", "PYTHONS", "pinned_label", "with_needs")

PinnedPackageInfo = provider(doc = "Packages of bazel/pins.bzl.", fields = {"stamp": "file beside their `site` folder"})

def _pinned_package_impl(ctx):
    return [PinnedPackageInfo(stamp = ctx.file.stamp), DefaultInfo(files = depset([ctx.file.stamp]))]

pinned_package = rule(
    implementation = _pinned_package_impl,
    doc = "Target of a pip_repository.",
    attrs = {"stamp": attr.label(allow_single_file = True, mandatory = True)},
)

def _pinned_program_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    stamp = ctx.attr.package[PinnedPackageInfo].stamp
    ctx.actions.write(script, """#!/bin/bash
set -eu
stamp=$(readlink -f "${RUNFILES_DIR:-$0.runfiles}/%s")
cd "${BUILD_WORKING_DIRECTORY:-.}"
exec "${stamp%%/*}/site/%s" "$@"
""" % (runfiles_path(ctx, stamp), ctx.attr.program), is_executable = True)
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles(files = [stamp]))]

pinned_program = rule(
    implementation = _pinned_program_impl,
    executable = True,
    doc = "`bazel run` of a program that a pinned package brings.",
    attrs = {
        "package": attr.label(providers = [PinnedPackageInfo], mandatory = True),
        "program": attr.string(mandatory = True, doc = "Path below the package's `site`."),
    },
)

def runfiles_path(ctx, file):
    """Path of `file` inside the runfiles folder."""
    return file.short_path[len("../"):] if file.short_path.startswith("../") else ctx.workspace_name + "/" + file.short_path

def site_launcher(ctx, command, files, extra_env = {}):
    """Writes the test's shell script: lays the environment, then runs `command` in its Python.

    Args:
      ctx: of a rule with the attributes SITE_ATTRS.
      command: list of words for the Python; "$RUNFILES/" begins a path in the runfiles.
      files: further runfiles.
      extra_env: environment of the command.

    Returns:
      The providers of the test rule.
    """
    stamps = [package[PinnedPackageInfo].stamp for package in ctx.attr.packages]
    site = ctx.files.site
    lines = ["#!/bin/bash", "set -eu", "RUNFILES=${RUNFILES_DIR:-${TEST_SRCDIR:-$0.runfiles}}"]
    lines += ["export %s=\"%s\"" % item for item in extra_env.items()]
    lines += ["exec \"$RUNFILES/%s\" -I \"$RUNFILES/%s\" \\" % (runfiles_path(ctx, ctx.file.interpreter), runfiles_path(ctx, ctx.file._lay_site))]
    lines += ["  --stamp=\"$RUNFILES/%s\" \\" % runfiles_path(ctx, stamp) for stamp in stamps]
    lines += ["  --overlay=\"$RUNFILES/%s\" \\" % runfiles_path(ctx, tree) for tree in site]
    lines += ["  --path=\"$RUNFILES/%s\" -- \\" % ctx.workspace_name]
    lines += ["  " + " ".join(["\"%s\"" % word for word in command]) + " \"$@\""]
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "\n".join(lines) + "\n", is_executable = True)
    runfiles = ctx.runfiles(files = [ctx.file.interpreter, ctx.file._lay_site] + stamps + site + files)
    for target in ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles).merge(ctx.runfiles(transitive_files = target[DefaultInfo].files))
    return [DefaultInfo(executable = script, runfiles = runfiles)]

SITE_ATTRS = {
    "data": attr.label_list(allow_files = True),
    "packages": attr.label_list(providers = [PinnedPackageInfo]),
    "site": attr.label(),
    "interpreter": attr.label(allow_single_file = True),
    "_lay_site": attr.label(default = "//bazel:lay_site.py", allow_single_file = True),
}

def _py_test_impl(ctx):
    sources = ["$RUNFILES/" + runfiles_path(ctx, source) for source in ctx.files.srcs]
    locations = {key: ctx.expand_location(value, ctx.attr.data) for key, value in ctx.attr.env.items()}
    return site_launcher(ctx, ["$RUNFILES/" + runfiles_path(ctx, ctx.file._runner)] + sources, ctx.files.srcs + [ctx.file._runner], locations)

_py_test = rule(
    implementation = _py_test_impl,
    test = True,
    attrs = dict(
        SITE_ATTRS,
        srcs = attr.label_list(allow_files = [".py"], mandatory = True),
        env = attr.string_dict(),
        _runner = attr.label(default = "//bazel:run_pytest.py", allow_single_file = True),
    ),
)

_PYTEST = ["pytest"]

def packages_select(packages):
    """Labels of the pinned packages and of what they need, for the Python of the build."""
    names = with_needs(packages)
    return select({
        "//bazel:" + tag: [pinned_label(name, tag) for name in names if "any" in PINS[name].sha256 or tag in PINS[name].sha256]
        for tag in PYTHONS
    })

def py_test(name, srcs, packages = [], site = True, tags = [], **kwargs):
    """Runs pytest on `srcs`.

    Working folder: the root of the runfiles, which mirrors the tree, so data is found as `tests/x/y.txt`. HOME and TRITON_CACHE_DIR lie in
    the test's own folder, there is no network. `tests...` packages can be imported when they are in `data`.

    Args:
      name: target name.
      srcs: test files.
      packages: names in bazel/pins.bzl; what they need comes along. pytest is always there.
      site: lay `//:site` (True), or the target given, and triton out, too.
      tags: "gpu" keeps a test out of `bazel test` unless asked for.
      **kwargs: data, env ($(rootpath) is expanded), and the attributes of every test: size, timeout, shard_count, args.
    """
    _py_test(
        name = name,
        srcs = srcs,
        packages = packages_select(_PYTEST + (["triton"] if site else []) + packages),
        site = "//:site" if site == True else site or None,
        interpreter = "//bazel:python_interpreter",
        tags = tags + ["python"],
        **kwargs
    )

def _py_program_impl(ctx):
    return site_launcher(ctx, ["$RUNFILES/" + runfiles_path(ctx, ctx.file.src)], [ctx.file.src])

_py_program = rule(
    implementation = _py_program_impl,
    executable = True,
    attrs = dict(SITE_ATTRS, src = attr.label(allow_single_file = [".py"], mandatory = True)),
)

def py_program(name, src, packages = [], **kwargs):
    """`bazel run` of `src` where `//:site`, triton and `packages` are installed, as a user of the wheel would run it.

    Args:
      name: target name.
      src: the program.
      packages: names in bazel/pins.bzl; what they need comes along.
      **kwargs: data and attributes of every rule.
    """
    _py_program(
        name = name,
        src = src,
        packages = packages_select(["triton"] + packages),
        site = "//:site",
        interpreter = "//bazel:python_interpreter",
        tags = ["python"],
        **kwargs
    )
