"""docs/architecture.md shows what the compiler prints."""
from __future__ import annotations

import difflib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))

import kernel_steps  # noqa: E402


@pytest.fixture(scope="module")
def steps() -> dict[str, str]:
    return kernel_steps.steps()


def test_page_is_up_to_date(steps):
    page = kernel_steps.PAGE.read_text()
    difference = difflib.unified_diff(page.splitlines(), kernel_steps.renewed(page, steps).splitlines(), lineterm="")
    assert not list(difference), "run python docs/kernel_steps.py --write"


def test_what_the_page_says_of_the_steps(steps):
    """The sentences around the blocks, so that --write cannot make the page false."""
    assert steps["intrinsics"].count("tt.call @tle.alloc") == 2 and "tle.copy" in steps["intrinsics"]
    assert "tt.call" not in steps["after-raise-intrinsics"] and steps["after-raise-intrinsics"].count(" tle.alloc ") == 2
    assert "tle." not in steps["lowered"] and "ttng.warp_group_dot" in steps["lowered"]
    assert "ttng.warp_group_dot" in steps["ttgir"] and "tt.fp_to_fp" not in steps["ttgir"]
    assert "wgmma.mma_async" in steps["ptx"] and "ld.shared" not in steps["ptx"]
