"""Version of the project. flagtree/_version.py says the same; building the wheel fails when they differ."""

FLAGTREE_VERSION = "0.1.0"

# Oldest glibc the wheel runs on, as its symbols need it; building the wheel fails when the programs need a newer one.
MANYLINUX = "manylinux_2_34_x86_64"
