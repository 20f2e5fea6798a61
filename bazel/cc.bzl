"""C++ rules: warnings are errors, symbols are hidden, no exceptions and no RTTI (as the pinned MLIR is built)."""

# NDEBUG stays unset, as in the pinned libraries: headers then mean the same on both sides.
_COPTS = [
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",  # MLIR's generated code, and its interfaces' overrides
    "-Werror",
    "-UNDEBUG",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-ffunction-sections",
    "-fdata-sections",
]
_NO_RUNTIME = ["-fno-rtti", "-fno-exceptions"]

_GC = ["-Wl,--gc-sections"]

# gold leaves the unique symbols of inline functions visible, whatever the version script says. It is also the only linker with --start-lib.
_LINKER = ["-fuse-ld=bfd"]
_LINKER_FEATURES = ["-supports_start_end_lib"]

def flagtree_cc_library(name, deps = [], copts = [], mlir = True, **kwargs):
    """A C++ library. MLIR's headers and libraries come with it unless mlir = False."""
    native.cc_library(
        name = name,
        copts = _COPTS + _NO_RUNTIME + copts,
        deps = deps + (["@mlir//:mlir"] if mlir else []),
        linkstatic = True,
        **kwargs
    )

def flagtree_cc_binary(name, deps = [], copts = [], linkopts = [], mlir = True, **kwargs):
    """A C++ program."""
    native.cc_binary(
        name = name,
        copts = _COPTS + _NO_RUNTIME + copts,
        linkopts = _GC + linkopts,
        deps = deps + (["@mlir//:mlir"] if mlir else []),
        **kwargs
    )

def flagtree_cc_test(name, deps = [], copts = [], linkopts = [], mlir = True, **kwargs):
    """A C++ test: a program that returns zero when everything holds. Also run by --config=asan."""
    native.cc_test(
        name = name,
        copts = _COPTS + _NO_RUNTIME + copts,
        linkopts = _GC + linkopts,
        deps = deps + (["@mlir//:mlir"] if mlir else []),
        linkstatic = True,
        **kwargs
    )

def flagtree_shared_library(name, deps, exported, linkopts = [], **kwargs):
    """`name` (.../lib*.so) over `deps`, with no symbol visible but those of the version script `exported`."""
    native.cc_binary(
        name = name,
        copts = _COPTS + _NO_RUNTIME,
        linkshared = True,
        features = _LINKER_FEATURES,
        linkopts = _GC + _LINKER + linkopts + [
            "-Wl,--version-script=$(location %s)" % exported,
            "-Wl,-soname=" + name.rpartition("/")[2],
            "-Wl,-O1",
            "-Wl,--strip-all",
            "-Wl,--no-undefined",
        ],
        additional_linker_inputs = [exported],
        deps = deps,
        **kwargs
    )

def flagtree_pybind_extension(name, srcs, shared_library, exported, deps = [], linkopts = [], **kwargs):
    """`name`.so: a pybind11 module for the Python of the build, over a shared library that is installed beside it.

    No symbol is visible but those of the version script `exported`. Exceptions and RTTI are on, as pybind11 needs them.
    """
    native.cc_binary(
        name = name + ".so",
        srcs = srcs,
        copts = _COPTS,
        linkshared = True,
        features = _LINKER_FEATURES,
        linkopts = _GC + _LINKER + linkopts + [
            "$(location %s)" % shared_library,
            "-Wl,--version-script=$(location %s)" % exported,
            "-Wl,-rpath,$$ORIGIN",
            "-Wl,--exclude-libs,ALL",
            "-Wl,--strip-all",
        ],
        additional_linker_inputs = [
            exported,
            shared_library,
        ],
        deps = deps + ["@pybind11//:pybind11", "//bazel:python_headers"],
        **kwargs
    )
