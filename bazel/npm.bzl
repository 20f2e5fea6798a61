"""Repository rule over the ordinary `npm` client, for what the Python package index does not have."""

load("//bazel:pins.bzl", "NPM_PINS")

_BUILD = """
load("@flagtree//bazel:python.bzl", "pinned_package")
package(default_visibility = ["//visibility:public"])
pinned_package(name = "package", stamp = "stamp")
"""

# npm brings Node.js along.
_DECOMPRESS = """
const [source, target] = process.argv.slice(1);
require("fs").writeFileSync(target, require("zlib").brotliDecompressSync(require("fs").readFileSync(source)));
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
    for name in rctx.attr.compressed:
        path = "site/" + name
        decompressed = rctx.execute(["node", "-e", _DECOMPRESS, path + ".br", path])
        if decompressed.return_code != 0:
            fail("\n\nDecompressing %s of %s failed:\n%s" % (name, rctx.attr.package, decompressed.stderr))
        rctx.delete(path + ".br")
        if name.endswith(".tar"):
            rctx.extract(path, output = "site")
            rctx.delete(path)
        else:
            rctx.execute(["chmod", "+x", path])
    rctx.file("stamp", "%s %s %s\n" % (rctx.attr.package, pin.version, pin.sha256))
    rctx.file("WORKSPACE")
    rctx.file("BUILD.bazel", _BUILD)

npm_repository = repository_rule(
    implementation = _npm_repository_impl,
    doc = "A package of NPM_PINS, unpacked into `site`.",
    attrs = {
        "compressed": attr.string_list(doc = "Programs and archives that the package has compressed by Brotli, without their suffix .br; archives are unpacked."),
        "package": attr.string(mandatory = True),
    },
)

def npm_repositories():
    """One repository per pin; fetched only when a target of it is built."""
    npm_repository(
        name = "npm_buildifier",
        package = "@bazel/buildifier",
    )
    npm_repository(
        name = "npm_chromium",
        compressed = [
            "bin/al2023.tar",
            "bin/chromium",
            "bin/fonts.tar",
        ],
        package = "@sparticuz/chromium",
    )
