"""python -m flagtree: exit codes, reports and replay."""
from __future__ import annotations

import json
import subprocess
import sys

import pytest

SCRIPT = '''
import sys
import torch
import triton
import triton.experimental.tle.language as tle
import triton.language as tl


@triton.jit
def tell(bar):
    tle.gpu.barrier_arrive(bar, phaseIdx=0)


@triton.jit
def listen(bar):
    tle.gpu.barrier_wait(bar, phaseIdx=0)


@triton.jit
def kernel(COUNT: tl.constexpr):
    done = tle.gpu.alloc_barrier(arrive_count=COUNT)
    tle.gpu.warp_specialize([(tell, (done, )), (listen, (done, ))], [4], [168])


if __name__ == "__main__":
    if sys.argv[1] == "fail":
        raise RuntimeError("no such luck")
    kernel[(1, )](int(sys.argv[1]))
'''


def flagtree(folder, *arguments):
    return subprocess.run([sys.executable, "-m", "flagtree", *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path


def test_nothing_found(folder):
    run = flagtree(folder, "check", "--schedules", "3", "script.py", "1")
    assert (run.returncode, run.stdout) == (0, "3 schedule(s) run, nothing found\nall 1 interleaving(s) that differ were run\n"), run.stderr


def test_nothing_was_checked(folder):
    (folder / "empty.py").write_text("print(1)\n")
    run = flagtree(folder, "check", "--schedules", "2", "empty.py")
    assert run.returncode == 2 and "nothing was checked: no kernel was launched" in run.stdout, run.stderr


def test_deadlock(folder):
    run = flagtree(folder, "check", "script.py", "2")
    assert run.returncode == 1
    assert "schedule seed=0: 1 finding(s)" in run.stdout and "[D2] deadlock: listen (partition 1) waits at done[0]" in run.stdout
    assert "script.py:16 in listen\n        tle.gpu.barrier_wait(bar, phaseIdx=0)" in run.stdout


def test_json_and_replay(folder):
    run = flagtree(folder, "check", "--json", "--seed", "6", "--schedules", "1", "script.py", "2")
    report = json.loads(run.stdout)
    assert run.returncode == 1 and report["seed"] == 6 and report["schedules"] == 1
    [finding] = report["findings"]
    assert finding["rule"] == "D2" and finding["kind"] == "deadlock" and finding["waits"][0]["barrier"] == "done"
    assert json.loads(flagtree(folder, "check", "--json", "--seed", "6", "--schedules", "1", "script.py", "2").stdout) == report


RARE = '''
import triton
import triton.experimental.tle.language as tle
import triton.language as tl


@triton.jit
def take(counter, done, WANTED: tl.constexpr):
    got = 0
    for _ in range(4):
        got += 1 << tl.atomic_add(tle.gpu.local_ptr(counter, (0, )), 1)
    if got == WANTED:
        tle.gpu.barrier_arrive(done, phaseIdx=0)


@triton.jit
def kernel():
    counter = tle.gpu.alloc([1], tl.int32, init_value=tl.zeros([1], tl.int32))
    done = tle.gpu.alloc_barrier(arrive_count=2)
    tle.gpu.warp_specialize([(take, (counter, done, 0b01101001)), (take, (counter, done, 0))], [4], [168])


kernel[(1, )]()
'''


def test_replay_of_an_interleaving_that_no_seed_shows(tmp_path):
    (tmp_path / "rare.py").write_text(RARE)
    run = flagtree(tmp_path, "check", "--json", "--schedules", "200", "rare.py")
    report = json.loads(run.stdout)
    assert run.returncode == 1 and report["seed"].startswith("order:0=") and report["schedules"] > 8
    [finding] = report["findings"]
    assert finding["rule"] == "U4" and finding["seed"] == report["seed"]
    assert flagtree(tmp_path, "check", "--schedules", "8", "rare.py").returncode == 0
    again = flagtree(tmp_path, "check", "--json", "--seed", report["seed"], "rare.py")
    replayed = json.loads(again.stdout)
    assert again.returncode == 1 and replayed["findings"] == report["findings"] and replayed["schedules"] == 1
    assert f"schedule seed={report['seed']}: 1 finding(s)" in flagtree(tmp_path, "check", "--seed", report["seed"], "rare.py").stdout


@pytest.mark.parametrize("seed", ["order", "order:0", "order:0=1", "order:0=1.2,", "order:0=1.2/", "-1", "x"])
def test_no_such_seed(folder, seed):
    run = flagtree(folder, "check", f"--seed={seed}", "script.py", "1")
    assert run.returncode == 2 and f"argument --seed: [U14] '{seed}' is no schedule: a seed is an integer of 0 or more" in run.stderr


def test_no_such_folder(folder):
    run = flagtree(folder, "trace", "--out=no/such/trace.html", "script.py", "1")
    assert run.returncode == 2 and "argument --out: [U15] page of flagtree.trace must be the path of a file to write" in run.stderr


def test_schedule_of_another_kernel(folder):
    run = flagtree(folder, "check", "--seed", "order:0=0.7", "script.py", "1")
    assert run.returncode == 2 and "[U14] '0.7' is no schedule of this kernel with these arguments, where choice 0 is between 2" in run.stdout


def test_script_fails(folder):
    run = flagtree(folder, "check", "script.py", "fail")
    assert run.returncode == 2 and "the run raised RuntimeError: no such luck" in run.stdout


def test_no_such_file(folder):
    run = flagtree(folder, "check", "nothing.py")
    assert run.returncode == 2 and "there is no file nothing.py" in run.stderr


@pytest.mark.parametrize("number", ["0", "-3", "x", "1.5"])
def test_no_schedules(folder, number):
    run = flagtree(folder, "check", f"--schedules={number}", "script.py", "1")
    assert run.returncode == 2 and f"--schedules: must be 1 or more, but got {number}" in run.stderr and "Traceback" not in run.stderr


def test_version(folder):
    assert flagtree(folder, "--version").stdout.startswith("flagtree 0.1.0+commonir.")


def test_trace(folder):
    run = flagtree(folder, "trace", "--out", "page.html", "script.py", "1")
    assert run.returncode == 0, run.stderr
    assert (folder / "page.html").is_file() and json.loads((folder / "page.json").read_text())["traceEvents"]
