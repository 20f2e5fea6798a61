"""bench/tutorials.py runs the kernels of the pages rightly, at small sizes in the simulator; the figures in the pages are those it measured."""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when a kernel is decorated

import pytest  # noqa: E402
import torch  # noqa: E402

TREE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TREE / "bench"), str(TREE / "docs")]

import tutorial_figures  # noqa: E402
import tutorials  # noqa: E402

SMALL = tutorials.Sizes(copied=200, added=200, blocks=3, scores=(100, 150), attention=(150, 300))


@pytest.fixture(params=range(len(tutorials.MAKERS)))
def case(request, tmp_path):
    torch.manual_seed(0)
    return tutorials.MAKERS[request.param](SMALL, "cpu", tmp_path)


def test_results_are_right(case):
    errors, refused = tutorials.check(case)
    assert tutorials.OURS in errors and len(errors) >= 2
    assert set(refused) <= {"cuDNN"}, "there is no cuDNN on the CPU; all else runs"
    assert set(errors) == set(case.functions)
    if tutorials.OURS in errors and case.tolerance:
        assert errors[tutorials.OURS] > 0


def test_a_wrong_result_ends_the_measurement(tmp_path):
    case = tutorials.copy_case(SMALL, "cpu", tmp_path)
    case.functions["torch clone"] = lambda: torch.zeros(200, 64).half()
    with pytest.raises(SystemExit, match=r"wrong results \(1_copy\): \{'torch clone': 1.0\}"):
        tutorials.check(case)


def test_every_page_is_measured(tmp_path):
    names = [make(SMALL, "cpu", tmp_path).page for make in tutorials.MAKERS]
    assert names == sorted(path.stem for path in tutorials.PAGES.glob("[0-9]*.md"))


def pages() -> dict[str, str]:
    return {path.stem: path.read_text() for path in tutorial_figures.PAGES.glob("*.md")}


def record() -> dict:
    results = [{"page": name, "title": f"work of {name}", "unit": "GB/s", "speed": {"this page": 10.0 + i, "torch": 20.4}, "peer": "torch",
                "of_peer": {"this page": 0.5, "torch": 1.0}} for i, name in enumerate(sorted(set(pages()) - {"README"}))]
    return {"machine": {"gpu": "Some GPU"}, "results": results}


def test_figures_get_into_the_pages():
    fresh = tutorial_figures.renewed(pages(), record())
    assert "| this page | 12 | 0.50 |\n| torch | 20 | 1.00 |\n" in fresh["3_wgmma"] and "one Some GPU (work of 3_wgmma)" in fresh["3_wgmma"]
    assert "| 5 | work of 5_pingpong | 14 GB/s | 0.50 of torch (20 GB/s) |\n" in fresh["README"]
    assert tutorial_figures.renewed(fresh, record()) == fresh


@pytest.mark.parametrize("change, message", [
    (lambda texts, measured: measured["results"].pop(), "do not agree about 5_pingpong"),
    (lambda texts, measured: texts.pop("1_copy"), "do not agree about 1_copy"),
    (lambda texts, measured: texts.update({"2_tma": "nothing"}), "2_tma has 0 places"),
])
def test_figures_without_a_page(change, message):
    texts, measured = pages(), record()
    change(texts, measured)
    with pytest.raises(ValueError, match=message):
        tutorial_figures.renewed(texts, measured)


def test_pages_show_what_was_measured():
    """The pages have the figures of bench/results, all of them; none as long as nothing was measured."""
    if tutorial_figures.RESULTS.exists():
        assert tutorial_figures.renewed(pages(), json.loads(tutorial_figures.RESULTS.read_text())) == pages()
    else:
        assert all("<!-- figures -->\n<!-- figures: end -->\n" in page for page in pages().values())
