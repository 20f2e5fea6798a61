"""The timeline: what it says, that page and trace events are complete, and what a browser shows of it."""
from __future__ import annotations

import json
import re

import flagtree
import pytest

from tests.simulator import samples
from tests.simulator.test_findings import never_arrived


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return flagtree.trace(samples.run_attention, tmp_path_factory.mktemp("trace") / "attention.html")


def data(page):
    return json.loads(re.search(r"const DATA = (\[.*\]);\n", page.read_text())[1])


def test_lanes_and_spans(page):
    [program] = data(page)
    assert program["title"] == "attention, program (0, 0, 0)"
    lanes = {span["lane"] for span in program["spans"]}
    assert {"attend_load (partition 0)", "attend (partition 1)", "attend (partition 2)", "TMA k_full", "TMA v_full", "TMA q_full",
            "WGMMA of attend (partition 1)", "WGMMA of attend (partition 2)"} == lanes
    kinds = [span["kind"] for span in program["spans"]]
    assert kinds.count("tma") == 2 + 5 + 5 and kinds.count("wgmma") == 2 * 2 * 5
    for lane in lanes - {lane for lane in lanes if lane.startswith("TMA")}:
        spans = sorted((span["begin"], span["end"]) for span in program["spans"] if span["lane"] == lane)
        assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:], strict=False)), lane
    tensor = sorted((span["begin"], span["end"]) for span in program["spans"] if span["kind"] == "wgmma")
    assert all(end <= begin for (_, end), (begin, _) in zip(tensor, tensor[1:], strict=False)), "the partitions share one tensor core"


def test_waits_end_when_what_they_wait_for_has_happened(page):
    [program] = data(page)
    waits = [span for span in program["spans"] if span["kind"] == "wait" and span["on"] == "q_full[0]"]
    copies = [span for span in program["spans"] if span["kind"] == "tma" and span["on"] == "q_full[0]"]
    assert [span["end"] for span in waits] == [span["end"] for span in copies]
    assert all(arrow["begin"] <= arrow["end"] for arrow in program["arrows"])
    assert {arrow["barrier"] for arrow in program["arrows"]} > {"q_full[0]", "q_full[1]", "k_full[0]"}


def test_needs_nothing_else(page):
    assert not re.search(r"(src|href)\s*=|@import|url\(|://", page.read_text())


def test_trace_events(page):
    events = json.loads(page.with_suffix(".json").read_text())["traceEvents"]
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert "attend_load (partition 0)" in names and "TMA k_full" in names
    assert all({"ts", "dur", "pid", "tid"} <= set(event) for event in events if event["ph"] == "X")
    begins, ends = ([event["id"] for event in events if event["ph"] == phase] for phase in "sf")
    assert begins and begins == ends


def test_written_for_a_deadlock_too(tmp_path):
    path = tmp_path / "stuck.html"
    with pytest.raises(Exception, match=r"\[D1\]"):
        flagtree.trace(never_arrived, path)[(1, )](0)
    assert data(path)[0]["title"] == "never_arrived, program (0, 0, 0)"


def test_text_of_the_program_cannot_leave_the_script():
    from flagtree.simulator.timeline import Timeline
    timeline = Timeline()
    timeline.begin("</script><b>")
    assert "</script><b>" not in timeline.page()
