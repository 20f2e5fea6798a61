"""examples/first_look.py, the README's first command, as a reader runs it: what its table says, and what it says of the broken kernel."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import first_look  # noqa: E402


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name not in ("TRITON_INTERPRET", "BUILD_WORKING_DIRECTORY")}
    return subprocess.run([sys.executable, EXAMPLES / "first_look.py", *arguments], cwd=folder, env=env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("first_look")


@pytest.fixture(scope="module")
def output(folder):
    done = run(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_table(output, folder):
    facts = dict(re.split(r"  +", line.strip(), maxsplit=1) for line in output.partition("\n\n")[0].splitlines()[1:])
    error, allowed = re.fullmatch(r"(\S+) \(allowed (\S+)\)", facts["relative error to torch in float64"]).groups()
    assert 0 < float(error) <= float(allowed)
    assert facts["deadlocks, races, misuse"] == f"{first_look.SCHEDULES} schedule(s) run, nothing found"
    assert facts["registers per thread"] == "32 in the producer, 232 and 240 in the consumers"
    assert facts["spilled bytes per thread"] == "0" and facts["complaints of ptxas"] == "none"
    assert int(facts["wgmma in PTX"]) > 0 and int(facts["TMA copies in PTX"]) > 0
    assert 0 < int(facts["shared bytes per block"]) <= 227 * 1024
    page = (folder / facts["timeline"]).read_text()
    assert "consumer (partition 0)" in page and "producer (partition 2)" in page


def test_the_missing_line_is_shown_and_explained(output, folder):
    removed, = re.findall(r"^-( .*)$", output, re.MULTILINE)
    assert re.fullmatch(r" +tle\.gpu\.barrier_arrive\(k_empty\[.*", removed)
    assert re.search(r"^\[D1\] deadlock: producer \(partition 2\) waits at k_empty\[\d\], where nothing ever arrived", output, re.MULTILINE)
    broken = folder / "first_look" / "attention_broken.py"
    lines = broken.read_text().splitlines()
    assert len(lines) == len(first_look.PROGRAM.read_text().splitlines())
    places = re.findall(rf"^ +(\w+) \(partition \d\) waits at (\w+)\[\d\]: {re.escape(str(broken))}:(\d+) in \w+\n +(.*)$", output, re.MULTILINE)
    assert {(who, barrier) for who, barrier, _, _ in places} == {("producer", "k_empty"), ("consumer", "k_full")}
    for _, barrier, line, text in places:
        assert lines[int(line) - 1].strip() == text and text.startswith(f"tle.gpu.barrier_wait({barrier}[")


@pytest.mark.parametrize("page", ["README.md", "README_cn.md"])
def test_the_readme_shows_this_output(page, output):
    """Line by line, apart from what is left out (...), folders, line numbers, and the last digits of the error."""

    def plain(text: str) -> str:
        return re.sub(r"\S*(first_look/attention_broken\.py):\d+|\d\.\de-0(\d) \(", r"\1\2", text)

    shown, = re.findall(r"^```text\n(attention\.py: .*?)^```$", (EXAMPLES.parent / page).read_text(), re.DOTALL | re.MULTILINE)
    lines = [line for line in shown.splitlines() if line.strip() not in ("", "...")]
    assert len(lines) > 10 and all(plain(line.removesuffix(" ...")) in plain(output) for line in lines)


def test_nothing_to_take_out():
    with pytest.raises(SystemExit, match="has no line that arrives at k_empty"):
        first_look.without_an_arrival("def consumer():\n    pass\n")


@pytest.mark.parametrize("change, message", [
    (first_look.without_an_arrival, r"the kernel is wrong|\[D1\] deadlock"),
    (lambda source: source.replace("torch.bfloat16: 1e-2", "torch.bfloat16: 1e-9"), r"the result is wrong: relative error \S+, allowed 1e-09"),
], ids=["deadlock", "tolerance"])
def test_a_bad_kernel_is_not_in_the_table(change, message, tmp_path):
    source = first_look.PROGRAM.read_text()
    (tmp_path / "attention.py").write_text(change(source))
    assert (tmp_path / "attention.py").read_text() != source
    program = tmp_path / "first_look.py"
    program.write_text((EXAMPLES / "first_look.py").read_text())
    done = subprocess.run([sys.executable, program, "--out", tmp_path], env=os.environ | {"TRITON_INTERPRET": "1"}, capture_output=True, text=True)
    assert done.returncode != 0 and re.search(message, done.stderr), done.stdout + done.stderr
    assert "deadlocks, races, misuse" not in done.stdout
