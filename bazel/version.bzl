"""Version of the project. flagtree/_version.py says the same; building the wheel fails when they differ."""

FLAGTREE_VERSION = "0.1.0"

# What the wheel's programs need of the host's glibc and libstdc++; building the wheel fails when they need more.
MANYLINUX = "manylinux_2_35_x86_64"
