"""The closing line of .ci/run counts what Bazel reports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PASSED = '<testcase name="a"/>'
FAILED = '<testcase name="b"><failure message="no"/></testcase>'
ERROR = '<testcase name="c"><error message="no"/></testcase>'
SKIPPED = '<testcase name="d.mlir"><skipped message="no such file"/></testcase>'


class Results:
    """What Bazel leaves behind the run of a configuration."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.events: list[dict] = []

    def test(self, label: str, status: str, cases: str | None) -> None:
        outputs = []
        if cases is not None:
            report = self.folder / f"{len(self.events)} report.xml"  # of the same name in every run
            report.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
            outputs = [{"name": "test.log", "uri": "file:///nowhere"}, {"name": "test.xml", "uri": report.as_uri()}]
        self.events.append({"id": {"testResult": {"label": label}}, "testResult": {"status": status, "testActionOutput": outputs}})

    def broken(self, label: str) -> None:
        self.events.append({"id": {"targetCompleted": {"label": label}}, "completed": {"failureDetail": {"message": "no"}}})

    def count(self, name: str, code: int) -> list[str]:
        (self.folder / f"{name}.json").write_text("".join(json.dumps(event) + "\n" for event in self.events))
        self.events.clear()
        return summary("count", self.folder, name, str(code)).stdout.splitlines()

    def summarize(self, code: int) -> tuple[int, list[str]]:
        lines = self.count("off", code)
        done = summary("close", self.folder)
        return done.returncode, lines + done.stdout.splitlines()


def summary(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, ".ci/summary.py", *arguments], capture_output=True, text=True)


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path)


def test_cases_are_counted_one_by_one(results):
    results.test("//a:a", "PASSED", PASSED * 3 + SKIPPED)
    results.test("//a:b", "PASSED", PASSED)
    code, lines = results.summarize(0)
    assert (code, lines[-1]) == (0, "4 passed, 0 failed, 1 skipped")
    assert any("//a:a: d.mlir: no such file" in line for line in lines)


def test_failures_and_errors_fail(results):
    results.test("//a:a", "FAILED", PASSED + FAILED + ERROR)
    code, lines = results.summarize(3)
    assert (code, lines[-1]) == (1, "1 passed, 2 failed, 0 skipped")


@pytest.mark.parametrize("status", ["FAILED", "TIMEOUT", "NO_STATUS", "INCOMPLETE"])
@pytest.mark.parametrize("cases", [None, "", PASSED])
def test_a_failed_target_without_a_failed_case_is_one_failure(results, status, cases):
    results.test("//a:a", status, cases)
    code, lines = results.summarize(3)
    assert (code, lines[-1]) == (1, f"{1 if cases else 0} passed, 1 failed, 0 skipped")


def test_a_target_that_does_not_build_is_one_failure(results):
    results.test("//a:a", "PASSED", PASSED)
    results.broken("//a:b")
    assert results.summarize(1) == (1, ["FAILED TO BUILD //a:b", "commonir off: 1 cases passed, 1 failed, 0 skipped, Bazel's status 1", "1 passed, 1 failed, 0 skipped"])


def test_a_target_that_cannot_be_analysed_is_one_failure(results):
    results.test("//a:a", "PASSED", PASSED)
    for identity in ["targetConfigured", "targetCompleted"]:
        results.events.append({"id": {identity: {"label": "//a:b"}}, "aborted": {"reason": "ANALYSIS_FAILURE"}})
    code, lines = results.summarize(1)
    assert (code, lines[0], lines[-1]) == (1, "FAILED TO BUILD //a:b", "1 passed, 1 failed, 0 skipped")


def test_a_build_setting_on_the_command_line_is_no_target(results):
    results.test("//a:a", "PASSED", PASSED)
    results.events.append({"id": {"targetConfigured": {"label": "//bazel:FLAG"}}, "aborted": {}, "lastMessage": True})
    code, lines = results.summarize(0)
    assert (code, lines[-1]) == (0, "1 passed, 0 failed, 0 skipped")


def test_a_target_of_another_configuration_is_named(results):
    results.test("//a:a", "PASSED", PASSED)
    results.events.append({"id": {"targetCompleted": {"label": "//a:b"}}, "aborted": {"reason": "SKIPPED", "description": "Target //a:b build was skipped."}})
    code, lines = results.summarize(0)
    assert (code, lines[0], lines[-1]) == (0, "not with commonir off: //a:b", "1 passed, 0 failed, 0 skipped")


def test_bazel_s_own_failure_is_never_a_success(results):
    results.test("//a:a", "PASSED", PASSED)
    code, lines = results.summarize(37)
    assert (code, lines[-1]) == (1, "1 passed, 1 failed, 0 skipped")


@pytest.mark.parametrize("first, second", [(PASSED, FAILED), (FAILED, PASSED)])
def test_reports_of_one_run_over_those_of_the_other(results, first, second):
    """Both configurations have the same output folder."""
    counts = []
    for name, case in (("off", first), ("on", second)):
        results.test("//a:a", "PASSED" if case == PASSED else "FAILED", PASSED + case)
        counts.append(results.count(name, 0 if case == PASSED else 3)[-1])
    assert [f"{2 if case == PASSED else 1} cases passed" in line for case, line in zip((first, second), counts, strict=True)] == [True, True]
    done = summary("close", results.folder)
    assert (done.returncode, done.stdout) == (1, "3 passed, 1 failed, 0 skipped\n")


def test_no_test_at_all_is_a_failure(results):
    assert results.summarize(0) == (1, ["commonir off: 0 cases passed, 0 failed, 0 skipped, Bazel's status 0", "0 passed, 0 failed, 0 skipped"])
