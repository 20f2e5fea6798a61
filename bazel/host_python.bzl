"""Repository rule: a Python of the host, its interpreter and its C headers."""

_BUILD = """
package(default_visibility = ["//visibility:public"])
exports_files(["interpreter"])
cc_library(name = "headers", hdrs = glob(["include/**/*.h"]), includes = ["include"])
"""

_PROBE = "import sys, sysconfig; print(sys.executable); print('%d.%d' % sys.version_info[:2]); print(sysconfig.get_path('include'))"

def _host_python_impl(rctx):
    version = rctx.attr.version
    variable = "FLAGTREE_PYTHON" + version.replace(".", "")
    candidates = [rctx.os.environ.get(variable), rctx.which("python" + version)]
    pyenv = rctx.path(rctx.os.environ.get("PYENV_ROOT", rctx.os.environ.get("HOME", "/") + "/.pyenv")).get_child("versions")
    if pyenv.exists:
        candidates += [path.get_child("bin").get_child("python3") for path in pyenv.readdir() if path.basename.startswith(version + ".")]
    for candidate in candidates + ["/usr/bin/python" + version]:
        if not candidate:
            continue
        probe = rctx.execute([candidate, "-c", _PROBE])
        if probe.return_code != 0:
            continue
        executable, found, include = probe.stdout.strip().split("\n")
        if found == version and rctx.path(include).get_child("Python.h").exists:
            rctx.symlink(executable, "interpreter")
            rctx.symlink(include, "include")
            rctx.file("BUILD.bazel", _BUILD)
            return
    fail("\n\nPython %s with its C headers (Python.h) was not found. On Debian: apt-get install python%s-dev. " % (version, version if version != "3.11" else "3") +
         "Another one can be named in %s=/path/to/python%s." % (variable, version))

host_python = repository_rule(
    implementation = _host_python_impl,
    doc = "@name//:interpreter and @name//:headers of the host's Python `version`.",
    attrs = {"version": attr.string(mandatory = True)},
    environ = ["PATH", "PYENV_ROOT", "FLAGTREE_PYTHON311", "FLAGTREE_PYTHON312"],
    local = True,
)
