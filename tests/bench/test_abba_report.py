"""Which pair is shown, when a comparison fails, and that a record which says otherwise is refused."""
from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from pathlib import Path

import abba_report
import pytest

SAMPLES = abba_report.ROUNDS * len(abba_report.ROUND)


def samples(gaps: list[float], base: float = 10.0, candidate: float = 10.0, seed: int = 0) -> list[dict]:
    """Samples of one second, gaps[i] after the one before; replays are near to their side's microseconds, the median is exact."""
    generator = random.Random(seed)
    result, now = [], 100.0
    for index, gap in enumerate(gaps):
        start = now + gap
        now = start + 1.0
        middle = base if abba_report.ROUND[index % 4] == "base" else candidate
        noise = [generator.uniform(0, 1) for _ in range(abba_report.REPLAYS // 2)]
        result.append(abba_report.sample(index, start, now, [middle * (1 + sign * x) for x in noise for sign in (-1, 1)]))
    return result


def record(*operators: list[dict]) -> dict:
    """A record of operators with these samples."""
    wheel = {"name": "w.whl", "bytes": 1, "sha256": "0" * 64, "groups": {}}
    worker = {"common_ir": False, "triton": "3.6.0", "torch": "2", "device": "CPU"}
    result = {"schema": abba_report.SCHEMA, "protocol": abba_report.protocol(), "entries": [],
              "wheels": {side: wheel for side in abba_report.SIDES}, "workers": {side: worker for side in abba_report.SIDES}}
    for index, taken in enumerate(operators):
        entry = {"name": f"operator {index}", "entry": "m:f", "errors": {}, "checks": {}, "samples": taken, "gpu": [None],
                 "code": {"base": {"k": "1"}, "candidate": {"k": "1"}}, "shown": abba_report.choose(taken)}
        entry["outcome"] = abba_report.outcome(entry)
        result["entries"].append(entry)
    return result


EVEN = [1.0] * SAMPLES


def test_sides_go_base_candidate_candidate_base():
    taken = samples(EVEN)
    assert "".join(s["side"][0] for s in taken) == "bccb" * 3
    assert [s["pair"] for s in taken] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


@pytest.mark.parametrize("pair, base, candidate", [(0, 0, 1), (1, 3, 2), (2, 4, 5), (3, 7, 6), (4, 8, 9), (5, 11, 10)])
def test_closest_midpoints_are_shown(pair, base, candidate):
    gaps = list(EVEN)
    gaps[2 * pair + 1] = 0.5
    shown = abba_report.choose(samples(gaps))
    assert (shown["pair"], shown["base_sample"], shown["candidate_sample"]) == (pair, base, candidate)
    assert shown["distance_s"] == pytest.approx(1.5)


def test_first_of_equals_is_shown():
    assert abba_report.choose(samples([0.0] * SAMPLES))["pair"] == 0
    gaps = list(EVEN)
    gaps[5] = gaps[9] = 0.5
    assert abba_report.choose(samples(gaps))["pair"] == 2


def test_neighbours_of_two_pairs_are_no_pair():
    gaps = list(EVEN)
    gaps[2] = gaps[4] = 0.0  # samples 1 and 2, 3 and 4 are closest of all
    gaps[7] = 0.5
    assert abba_report.choose(samples(gaps))["pair"] == 3


def test_length_of_a_sample_moves_its_midpoint():
    taken = samples(EVEN)
    taken[9] = {**taken[9], "end": taken[9]["start"] + 0.2}
    assert abba_report.choose(taken)["pair"] == 4


def test_times_have_no_say():
    gaps = list(EVEN)
    gaps[7] = 0.5
    taken = samples(gaps, 10.0, 20.0)
    taken[0]["median_us"] = taken[1]["median_us"] = 15.0
    shown = abba_report.choose(taken)
    assert (shown["pair"], shown["change"]) == (3, pytest.approx(1.0))


@pytest.mark.parametrize("base, candidate, slower", [
    (100.0, 105.0, False),
    (100.0, 105.1, True),
    (100.0, 90.0, False),
    (4.0, 4.4, False),  # 10 %, but 0.4 us
    (4.0, 4.5, False),
    (4.0, 4.51, True),
    (20.0, 20.9, False),  # 0.9 us, but 4.5 %
    (1.0, 1.5, False),
    (1.0, 1.6, True),
])
def test_gate(base, candidate, slower):
    assert abba_report.regressed(base, candidate) is slower


def test_quantiles():
    assert abba_report.quantiles([3.0, 1.0, 2.0, 5.0, 4.0]) == {
        "0": 1.0, "0.1": pytest.approx(1.4), "0.25": 2.0, "0.5": 3.0, "0.75": 4.0, "0.9": pytest.approx(4.6), "1": 5.0}


@pytest.mark.parametrize("errors, expected", [({"base": "x"}, "unpaired"), ({"candidate": "x"}, "wrong"), ({"base": "x", "candidate": "x"}, "wrong")])
def test_what_cannot_be_compared_does_not_pass(errors, expected):
    made = record(samples(EVEN))
    made["entries"][0] |= {"errors": errors, "samples": [], "shown": None, "outcome": expected}
    assert abba_report.outcome(made["entries"][0]) == expected
    assert abba_report.check(made) == []
    assert not abba_report.passed(made)


def test_record_survives_json():
    made = record(samples(EVEN, 7.3, 7.1, 1), samples(EVEN, 0.1, 0.3, 2))
    again = json.loads(json.dumps(made))
    assert again == made
    assert abba_report.check(again) == []
    assert abba_report.table(again) == abba_report.table(made)


def tampered(change) -> dict:
    made = copy.deepcopy(record(samples(EVEN, 10.0, 12.0)))
    change(made, made["entries"][0])
    return made


TAMPERED = {
    "another pair": lambda r, e: e["shown"].update(pair=1, base_sample=3, candidate_sample=2),
    "another figure": lambda r, e: e["shown"].update(candidate_us=10.0, change=0.0),
    "another outcome": lambda r, e: e.update(outcome="pass"),
    "no pair": lambda r, e: e.update(shown=None),
    "a replay": lambda r, e: e["samples"][4]["replays_us"].__setitem__(1, 1.0),  # from above the median to below
    "a median": lambda r, e: e["samples"][4].update(median_us=9.0),
    "a quantile": lambda r, e: e["samples"][4]["quantiles_us"].update({"0.9": 9.0}),
    "a time": lambda r, e: e["samples"][3].update(start=e["samples"][3]["start"] - 0.9, end=e["samples"][3]["end"] - 0.9),
    "a sample before the last": lambda r, e: e["samples"][3].update(start=0.0),
    "a side": lambda r, e: e["samples"][4].update(side="candidate"),
    "a pair index": lambda r, e: e["samples"][4].update(pair=3),
    "samples exchanged": lambda r, e: e["samples"].reverse(),
    "a sample fewer": lambda r, e: e["samples"].pop(),
    "replays fewer": lambda r, e: e["samples"][0].update(abba_report.sample(0, 101.0, 102.0, [1.0])),
    "a wider gate": lambda r, e: r["protocol"].update(max_change=0.5),
    "another schema": lambda r, e: r.update(schema=0),
    "no operator": lambda r, e: r.update(entries=[]),
    "a field fewer": lambda r, e: e["samples"][0].pop("start"),
    "text for a number": lambda r, e: e["samples"][0].update(start="soon"),
    "an error with samples": lambda r, e: e["errors"].update(base="x"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampered_record_is_refused(name, tmp_path):
    made = tampered(TAMPERED[name])
    assert abba_report.check(made)
    path = tmp_path / "abba.json"
    path.write_text(json.dumps(made))
    result = subprocess.run([sys.executable, abba_report.__file__, path], capture_output=True, text=True)
    assert result.returncode == 1 and str(path) in result.stderr and "|" not in result.stdout


@pytest.mark.parametrize("candidate, code", [(10.0, 0), (10.4, 0), (11.0, 1)])
def test_program(candidate, code, tmp_path):
    path = tmp_path / "abba.json"
    path.write_text(json.dumps(record(samples(EVEN, 10.0, candidate))))
    result = subprocess.run([sys.executable, abba_report.__file__, path], capture_output=True, text=True)
    assert result.returncode == code, result.stderr
    assert f"| operator 0 | 10.000 | {candidate:.3f} | {candidate / 10 - 1:+.2%} | 0 (0/1) | 2000.00 ms | equal PTX |" in result.stdout


def test_program_needs_no_package():
    result = subprocess.run([sys.executable, "-S", "-I", abba_report.__file__, "--help"], capture_output=True, text=True, cwd=Path("/"))
    assert result.returncode == 0, result.stderr
