"""Recomputes every figure of bench/abba.py from its samples, and refuses a file that says otherwise.

    python bench/abba_report.py bench/results/abba.json

The choice: three rounds of base, candidate, candidate, base give 12 samples, two neighbours make a pair, and the pair whose
midpoints in time are closest is shown (the first of equals). Neither times nor their closeness have a say. Needs Python alone.
The exit code is 1 for a file that does not agree with itself, and for a comparison that fails.
"""
from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SCHEMA = 1
SIDES = ("base", "candidate")
ROUND = ("base", "candidate", "candidate", "base")
ROUNDS = 3
CALLS = 20
"""Calls in a graph."""
REPLAYS = 30
"""Timed replays of the graph in a sample."""
MAX_CHANGE = 0.05
MAX_MICROSECONDS = 0.5
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """QUANTILES of `values`, which are interpolated linearly."""
    ordered = sorted(values)

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (ordered[high] - ordered[low]) * (place - low)

    return {f"{share:g}": at(share) for share in QUANTILES}


def sample(index: int, start: float, end: float, replays: Sequence[float]) -> dict[str, Any]:
    """Sample `index` of an operator: monotonic seconds `start` and `end`, and microseconds of one call in each replay."""
    return {
        "index": index,
        "pair": index // 2,
        "side": ROUND[index % len(ROUND)],
        "start": start,
        "end": end,
        "replays_us": list(replays),
        "median_us": statistics.median(replays),
        "quantiles_us": quantiles(replays),
    }


def choose(samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The pair shown: neighbours 2i and 2i + 1 whose midpoints are closest, the first of equals."""

    def distance(pair: int) -> float:
        first, second = (0.5 * (samples[i]["start"] + samples[i]["end"]) for i in (2 * pair, 2 * pair + 1))
        return abs(second - first)

    pair = min(range(len(samples) // 2), key=lambda index: (distance(index), index))
    of = {samples[i]["side"]: samples[i] for i in (2 * pair, 2 * pair + 1)}
    base, candidate = (of[side]["median_us"] for side in SIDES)
    return {
        "pair": pair,
        "base_sample": of["base"]["index"],
        "candidate_sample": of["candidate"]["index"],
        "distance_s": distance(pair),
        "base_us": base,
        "candidate_us": candidate,
        "change": candidate / base - 1,
    }


def regressed(base: float, candidate: float) -> bool:
    """Whether `candidate` microseconds are slower than `base` by more than MAX_CHANGE and by more than MAX_MICROSECONDS."""
    return candidate - base > MAX_CHANGE * base and candidate - base > MAX_MICROSECONDS


def outcome(entry: Mapping[str, Any]) -> str:
    """"pass", "regression", "wrong" (the candidate failed) or "unpaired" (the base did): of an operator with its samples."""
    if "candidate" in entry["errors"]:
        return "wrong"
    if "base" in entry["errors"]:
        return "unpaired"
    shown = choose(entry["samples"])
    return "regression" if regressed(shown["base_us"], shown["candidate_us"]) else "pass"


def check_entry(entry: Mapping[str, Any]) -> list[str]:
    """What an operator's record says that its samples do not."""
    name = entry["name"]
    problems = []
    if not entry["errors"]:
        samples = entry["samples"]
        if len(samples) != ROUNDS * len(ROUND):
            return [f"{name}: {len(samples)} samples, not {ROUNDS * len(ROUND)}"]
        for index, stored in enumerate(samples):
            if len(stored["replays_us"]) != REPLAYS:
                problems.append(f"{name}: sample {index} has {len(stored['replays_us'])} replays, not {REPLAYS}")
            elif stored != sample(index, stored["start"], stored["end"], stored["replays_us"]):
                problems.append(f"{name}: sample {index} does not follow from its replays and its place")
            if not stored["start"] <= stored["end"] or (index and stored["start"] < samples[index - 1]["end"]):
                problems.append(f"{name}: sample {index} is not after the one before it")
        if not problems and entry["shown"] != choose(samples):
            problems.append(f"{name}: pair {entry['shown']['pair']} is stored, and the samples choose {choose(samples)}")
    elif entry["samples"] or entry["shown"]:
        problems.append(f"{name}: has samples and an error")
    if not problems and entry["outcome"] != outcome(entry):
        problems.append(f"{name}: outcome {entry['outcome']} is stored, and it is {outcome(entry)}")
    return problems


def check(record: Mapping[str, Any]) -> list[str]:
    """All that is wrong with a record; it is empty for one that agrees with itself."""
    if record.get("schema") != SCHEMA:
        return [f"schema {record.get('schema')}, not {SCHEMA}"]
    try:
        problems = [] if record["protocol"] == protocol() else [f"protocol {record['protocol']}, not {protocol()}"]
        if not record["entries"]:
            problems.append("nothing was compared")
        for entry in record["entries"]:
            problems += check_entry(entry)
        return problems
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
        return [f"not a record of bench/abba.py: {type(error).__name__} {error}"]


def protocol() -> dict[str, Any]:
    """How the samples are taken, as stored in the record."""
    return {"round": list(ROUND), "rounds": ROUNDS, "calls": CALLS, "replays": REPLAYS, "max_change": MAX_CHANGE,
            "max_microseconds": MAX_MICROSECONDS}


def passed(record: Mapping[str, Any]) -> bool:
    """Whether all was compared, is right, and is not slower."""
    return all(entry["outcome"] == "pass" for entry in record["entries"])


def table(record: Mapping[str, Any]) -> str:
    """The record as Markdown."""
    lines = ["# Two wheels in turn", ""]
    for side in SIDES:
        wheel, worker = record["wheels"][side], record["workers"][side]
        lines.append(f"- {side}: `{wheel['name']}`, {wheel['bytes']} bytes, sha256 `{wheel['sha256']}`; "
                     f"CommonIR {'on' if worker['common_ir'] else 'off'}, triton {worker['triton']}, torch {worker['torch']}, {worker['device']}")
    lines += ["", "| operator | base µs | candidate µs | change | pair | midpoints apart | code | outcome |", "|---|---|---|---|---|---|---|---|"]
    for entry in record["entries"]:
        shown, code = entry["shown"], entry["code"]
        if shown:
            figures = (f"{shown['base_us']:.3f} | {shown['candidate_us']:.3f} | {shown['change']:+.2%} | "
                       f"{shown['pair']} ({shown['base_sample']}/{shown['candidate_sample']}) | {shown['distance_s'] * 1e3:.2f} ms")
        else:
            figures = " | ".join("—" * 5)
        same = "none" if not any(code.values()) else "equal PTX" if code["base"] == code["candidate"] else "PTX differs"
        lines.append(f"| {entry['name']} | {figures} | {same} | {entry['outcome']} |")
    for entry in record["entries"]:
        lines += [f"\n{entry['name']}, {side}: `{error.splitlines()[-1]}`" for side, error in entry["errors"].items()]
        if any(state and state["utilisation_percent"] for state in entry["gpu"][:1]):
            lines.append(f"\n{entry['name']}: the GPU was {entry['gpu'][0]['utilisation_percent']} % busy before it began")
    return "\n".join([*lines, "", f"The gate: slower by more than {MAX_CHANGE:.0%} and by more than {MAX_MICROSECONDS} µs.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=Path, nargs="+")
    options = parser.parse_args()
    good = True
    for path in options.record:
        record = json.loads(path.read_text(encoding="utf-8"))
        if problems := check(record):
            sys.exit("\n".join(f"{path}: {problem}" for problem in problems))
        print(table(record))
        good = good and passed(record)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
