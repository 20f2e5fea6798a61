"""Makes the tests use the installed package, and holds the fixture of those that compile.

`python -m pytest` puts the working directory first in sys.path; there flagtree/ of the source tree, which has no
compiled core, would hide it.
"""
from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != ROOT]


@pytest.fixture
def fresh_cache(tmp_path: Path) -> Iterator[None]:
    """The test compiles from nothing and leaves Triton's knobs as they were."""
    from triton import knobs  # not above: what a test says of TRITON_INTERPRET has to come before the first import of Triton

    with knobs.cache.scope(), knobs.runtime.scope():
        knobs.cache.dir = str(tmp_path / "cache")
        yield
