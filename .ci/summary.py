"""Counts test cases in what Bazel reports and prints the closing line of .ci/run.

    summary.py FOLDER

FOLDER holds, per configuration, NAME.json (Bazel's build events) and NAME.code (Bazel's exit status). A case is a `testcase` of a target's
test.xml: one per pytest case, per lit file, per C++ test program. A target that failed without a failed case in its report, or that could not be
built, counts as one failed case. Exit status 0 only if every Bazel run succeeded and no case failed.
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
    """Counts of one Bazel run; names what failed and what does not apply."""
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
                print(f"not applicable with commonir {events.stem}: {label}: {name}")
        elif "completed" in event and not event["completed"].get("success"):
            broken.add(identity["targetCompleted"]["label"])
        elif event.get("aborted", {}).get("reason"):  # a build setting on the command line is aborted without one
            broken |= {part["label"] for part in identity.values() if isinstance(part, dict) and "label" in part}
    for label in sorted(broken - seen):
        print(f"FAILED TO BUILD {label}")
        total["failed"] += 1
    return total


def main() -> int:
    folder = Path(sys.argv[1])
    total: Counter[str] = Counter()
    succeeded = True
    for events in sorted(folder.glob("*.json")):
        code = int((folder / f"{events.stem}.code").read_text())
        counts = count_run(events)
        print(f"commonir {events.stem}: {counts['passed']} cases passed, {counts['failed']} failed, "
              f"{counts['skipped']} not applicable, Bazel's status {code}")
        succeeded = succeeded and code == 0
        total += counts
    if not succeeded and not total["failed"]:
        total["failed"] = 1
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 0 if succeeded and total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
