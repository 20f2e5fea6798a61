"""Repository rule over the ordinary `npm` client, for the one tool the Python package index does not have."""

load("//bazel:pins.bzl", "NPM_PINS")

_BUILD = """
load("@flagtree//bazel:python.bzl", "pinned_package")
package(default_visibility = ["//visibility:public"])
pinned_package(name = "package", stamp = "stamp")
"""

def _npm_repository_impl(rctx):
    pin = NPM_PINS[rctx.attr.package]
    npm = rctx.which("npm")
    if npm == None:
        fail("\n\nnpm is needed to fetch %s. On Debian: apt-get install npm" % rctx.attr.package)
    packed = rctx.execute([npm, "pack", "--silent", "%s@%s" % (rctx.attr.package, pin.version)], timeout = 600)
    if packed.return_code != 0:
        fail("\n\nFetching %s failed:\n%s" % (rctx.attr.package, packed.stderr))
    archive = packed.stdout.strip()
    found = rctx.execute(["sha256sum", archive]).stdout.split(" ")[0]
    if found != pin.sha256:
        fail("\n\n%s has sha256 %s, bazel/pins.bzl says %s" % (archive, found, pin.sha256))
    rctx.extract(archive, output = "site", stripPrefix = "package")
    rctx.delete(archive)
    rctx.file("stamp", "%s %s %s\n" % (rctx.attr.package, pin.version, pin.sha256))
    rctx.file("WORKSPACE")
    rctx.file("BUILD.bazel", _BUILD)

npm_repository = repository_rule(
    implementation = _npm_repository_impl,
    doc = "A package of NPM_PINS, unpacked into `site`.",
    attrs = {"package": attr.string(mandatory = True)},
)

def npm_repositories():
    """One repository per pin; fetched only when a target of it is built."""
    npm_repository(
        name = "npm_buildifier",
        package = "@bazel/buildifier",
    )
