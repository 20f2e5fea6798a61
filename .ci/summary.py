"""Counts test cases in what Bazel reports and prints the closing line of .ci/run.

    summary.py count FOLDER NAME STATUS     # behind the run of a configuration: FOLDER/NAME.json are its build events, STATUS is its exit status
    summary.py close FOLDER                 # behind all: the closing line

A case is a `testcase` of a target's test.xml: one per pytest case, per lit file, per C++ test program. A target that failed without a failed case
in its report, or that could not be built, counts as one failed case, and so does a run that failed without any. A target that is not for the
configuration is named and not counted. Exit status of `close`: 0 only if cases passed and none failed.
"""

from __future__ import annotations

import json
import sys
import urllib.parse
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path


def read_cases(report: Path) -> tuple[Counter[str], list[str]]:
    """Counts of passed, failed and skipped cases of one test.xml, and the names of the skipped."""
    counts: Counter[str] = Counter()
    skipped = []
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            counts["failed"] += 1
        elif case.find("skipped") is not None:
            counts["skipped"] += 1
            skipped.append(f"{case.get('name')}: {case.find('skipped').get('message')}")
        else:
            counts["passed"] += 1
    return counts, skipped


def count_target(result: dict) -> tuple[Counter[str], list[str]]:
    """Counts of one `testResult` event."""
    uris = {output["name"]: output.get("uri", "") for output in result.get("testActionOutput", [])}
    counts: Counter[str] = Counter()
    skipped: list[str] = []
    try:
        counts, skipped = read_cases(Path(urllib.parse.unquote(urllib.parse.urlparse(uris["test.xml"]).path)))
    except (KeyError, OSError, xml.etree.ElementTree.ParseError):
        pass
    if result["status"] == "PASSED":
        if not counts:
            counts["passed"] = 1
    elif not counts["failed"]:
        counts["failed"] += 1
    return counts, skipped


def count_run(events: Path) -> Counter[str]:
    """Counts of one Bazel run; names what failed, what was skipped, and what is not for it."""
    total: Counter[str] = Counter()
    seen = set()
    broken = set()
    for line in events.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        identity = event.get("id", {})
        if "testResult" in event:
            label = identity["testResult"]["label"]
            seen.add(label)
            counts, skipped = count_target(event["testResult"])
            total += counts
            if counts["failed"]:
                print(f"FAILED {label} ({counts['failed']} of {counts.total()})")
            for name in skipped:
                print(f"skipped with commonir {events.stem}: {label}: {name}")
        elif "completed" in event and not event["completed"].get("success"):
            broken.add(identity["targetCompleted"]["label"])
        elif event.get("aborted", {}).get("reason") == "SKIPPED":
            print(f"not with commonir {events.stem}: {identity['targetCompleted']['label']}")
        elif event.get("aborted", {}).get("reason"):  # a build setting on the command line is aborted without one
            broken |= {part["label"] for part in identity.values() if isinstance(part, dict) and "label" in part}
    for label in sorted(broken - seen):
        print(f"FAILED TO BUILD {label}")
        total["failed"] += 1
    return total


def count(folder: Path, name: str, status: int) -> None:
    """Print the counts of one configuration and keep them."""
    counts = count_run(folder / f"{name}.json")
    print(f"commonir {name}: {counts['passed']} cases passed, {counts['failed']} failed, {counts['skipped']} skipped, Bazel's status {status}")
    if status and not counts["failed"]:
        counts["failed"] = 1
    (folder / f"{name}.counts").write_text(json.dumps(counts))


def close(folder: Path) -> int:
    """Print the closing line; the exit status."""
    total: Counter[str] = Counter()
    for counts in folder.glob("*.counts"):
        total += Counter(json.loads(counts.read_text()))
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 0 if total["passed"] and not total["failed"] else 1


def main() -> int:
    step, folder, *run = sys.argv[1:]
    if step == "close":
        return close(Path(folder))
    name, status = run
    count(Path(folder), name, int(status))
    return 0


if __name__ == "__main__":
    sys.exit(main())
