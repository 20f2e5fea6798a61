"""The wheel and the site tree it is made of."""

load("//bazel:pins.bzl", "FLIR_REVISION", "MLIR_VERSION", "PINS", "PYTHONS", "TRITON_VERSION")
load("//bazel:version.bzl", "FLAGTREE_VERSION", "MANYLINUX")

InstalledFilesInfo = provider(doc = "Files and where they go in site-packages.", fields = {"files": "list of (path, file)"})

def _installed_files_impl(ctx):
    files = []
    for source in ctx.files.srcs:
        relative = source.short_path[len(ctx.label.package):].lstrip("/") if ctx.label.package else source.short_path
        if ctx.attr.flat:
            relative = source.basename
        files.append((ctx.attr.to + "/" + relative, source))
    return [InstalledFilesInfo(files = files), DefaultInfo(files = depset(ctx.files.srcs))]

installed_files = rule(
    implementation = _installed_files_impl,
    doc = """Files of this package that the wheel installs under `to`, keeping their path below the package.

    A source `_core.so` becomes the extension module's full name for the Python of the build.""",
    attrs = {
        "srcs": attr.label_list(allow_files = True, mandatory = True),
        "to": attr.string(mandatory = True, doc = "Folder in site-packages, e.g. flagtree/language."),
        "flat": attr.bool(doc = "Drop the folders of the sources."),
    },
)

def _wheel_impl(ctx):
    version = "%s+commonir.%s" % (FLAGTREE_VERSION, "on" if ctx.attr.common_ir else "off")
    tag = ctx.attr.python
    name = "flagtree-%s-%s-%s-%s.whl" % (version, tag, tag, MANYLINUX)
    wheel = ctx.actions.declare_file(name)
    site = ctx.actions.declare_directory(ctx.label.name + ".site")
    files = [item for target in ctx.attr.files for item in target[InstalledFilesInfo].files]
    extension = "_core.cpython-%s-x86_64-linux-gnu.so" % tag[len("cp"):]
    linked = [
        "LLVM and MLIR %s (Apache-2.0 WITH LLVM-exception): %s" % (MLIR_VERSION, ", ".join(["%s %s" % (PINS[name].package, PINS[name].version) for name in ["xtc-llvm-dev", "xtc-mlir-dev"]])),
        "pybind11 %s (BSD-3-Clause)" % PINS["pybind11"].version,
    ]
    manifest = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(manifest, struct(
        common_ir = ctx.attr.common_ir,
        files = {path.replace("/_core.so", "/" + extension): file.path for path, file in files},
        licences = [file.path for file in ctx.files.licences],
        linked = linked,
        flir = FLIR_REVISION if ctx.attr.common_ir else "",
        platform = MANYLINUX,
        greenlet = PINS["greenlet"].version,
        python = tag,
        python_version = PYTHONS[tag],
        readme = ctx.file.readme.path,
        triton = TRITON_VERSION,
        version = version,
    ).to_json())
    ctx.actions.run(
        mnemonic = "Wheel",
        executable = ctx.file._python,
        arguments = ["-I", ctx.file._make_wheel.path, manifest.path, site.path, wheel.path],
        inputs = [manifest, ctx.file._make_wheel, ctx.file.readme] + ctx.files.licences + [file for _, file in files],
        outputs = [site, wheel],
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([wheel])), OutputGroupInfo(site = depset([site]))]

_flagtree_wheel = rule(
    implementation = _wheel_impl,
    doc = "The wheel; output group `site` is the same as a tree, ready to lie in site-packages.",
    attrs = {
        "files": attr.label_list(providers = [InstalledFilesInfo], mandatory = True),
        "common_ir": attr.bool(mandatory = True),
        "python": attr.string(mandatory = True),
        "licences": attr.label_list(allow_files = True),
        "readme": attr.label(allow_single_file = True, mandatory = True),
        "_make_wheel": attr.label(default = "//bazel:make_wheel.py", allow_single_file = True),
        "_python": attr.label(default = "@python_cp311//:interpreter", allow_single_file = True),
    },
)

def flagtree_wheel(name, variant, core, module = "//core/python:files"):
    """The wheel `name` with FLAGTREE_COMMON_IR as `variant` ("on" or "off") says, around the installed_files `core` and `module`."""
    _flagtree_wheel(
        name = name,
        common_ir = variant == "on",
        files = [
            core,
            module,
            "//flagtree:files",
            "//nvidia_backend:files",
            "//simulator:files",
            "//tle/import_path:files",
            "//tle/language:files",
        ],
        licences = ["//:LICENSE", "//third_party/licences"],
        python = select({"//bazel:" + tag: tag for tag in PYTHONS}),
        readme = "//:README.md",
    )
