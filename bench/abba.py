"""Two wheels of flagtree, base and candidate, on one GPU, operator by operator in turn.

    python bench/abba.py --base OFF.whl --candidate ON.whl [--entries matmul attention copy] [--out bench/results]

Each wheel is laid out in a folder of its own, over links to the machine's Triton, and one resident process works with it. Before a
sample is taken both have compiled, warmed up and checked the operator. A sample is the median of 30 replays of a CUDA graph of 20
calls, by call. Which samples are shown, and when the comparison fails, is in abba_report.py. An entry is the name of a group in
operators.py, or FILE_OR_MODULE:FUNCTION as abba_worker.py says.

Writes abba.json (all samples), abba.md, and the PTX and TTGIR of both sides. The exit code is 1 when an operator is slower by more than
5 % and 0.5 µs, is wrong, or could not be compared.
"""
from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import abba_report  # noqa: E402
import wheel_report  # noqa: E402

GROUPS = {
    "matmul": ["matmul_4096", "matmul_512"],
    "attention": ["attention", "attention_1_stage"],
    "copy": ["copy"],
}
"""Names for --entries: functions in operators.py."""

IDLE_SECONDS = 5
"""How long to wait for a GPU that is busy before an operator's first sample."""

GPU_FIELDS = {"name": "name", "sm_mhz": "clocks.sm", "memory_mhz": "clocks.mem", "celsius": "temperature.gpu", "utilisation_percent": "utilization.gpu"}


def lay_out(wheel: Path, site: Path) -> None:
    """Makes `site` a folder for PYTHONPATH where the wheel is installed with the machine's Triton.

    The wheel adds a package to Triton's own; what it brings is unpacked, and all else of Triton is links. Raises SystemExit when the
    wheel is for another Python or Triton is not installed.
    """
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    if f"-{tag}-" not in wheel.name:
        raise SystemExit(f"{wheel.name} is not for this Python, {tag}")
    found = importlib.util.find_spec("triton")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("Triton is not installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    _link(Path(found.submodule_search_locations[0]), site / "triton")


def _link(source: Path, target: Path) -> None:
    """Links what `source` has and `target` has not. A package `tle` belongs to the wheel: nothing is added to it."""
    for entry in source.iterdir():
        place = target / entry.name
        if not place.exists():
            if entry.name != "__pycache__":
                place.symlink_to(entry.resolve())
        elif entry.is_dir() and entry.name != "tle":
            _link(entry, place)


class Side:
    """A worker process with its wheel."""

    def __init__(self, wheel: Path, folder: Path, timer: str | None) -> None:
        site, self._cache = folder / "site", folder / "cache"
        self._seen: set[Path] = set()
        lay_out(wheel, site)
        environment = {
            **os.environ,
            "PYTHONPATH": str(site),
            "TRITON_CACHE_DIR": str(self._cache),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        environment.pop("PYTHONSAFEPATH", None)
        command = [sys.executable, str(HERE / "abba_worker.py"), *(["--timer", timer] if timer else [])]
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a request. A process that ended answers with an error, too."""
        try:
            self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"error": f"the worker ended with {self._process.wait()}"}

    def code(self) -> dict[str, dict[str, str]]:
        """PTX and TTGIR compiled since the last call: {kernel: {"ptx": text, "ttgir": text}}, numbered where kernels share a name."""
        kernels: dict[str, dict[str, str]] = {}
        for ptx in sorted(set(self._cache.rglob("*.ptx")) - self._seen, key=lambda path: path.stat().st_mtime_ns):
            self._seen.add(ptx)
            number = sum(name.partition(".")[0] == ptx.stem for name in kernels)
            kernels[f"{ptx.stem}.{number}" if number else ptx.stem] = {
                "ptx": ptx.read_text(encoding="utf-8"),
                "ttgir": ptx.with_suffix(".ttgir").read_text(encoding="utf-8"),
            }
        return kernels

    def close(self) -> None:
        """Ends the process: its requests end."""
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass  # It has ended by itself.
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def instructions(ptx: str) -> str:
    """PTX without comments and without what only a debugger reads, which has paths in it."""
    ptx = re.split(r"^\s*\.section\s+\.debug", ptx, maxsplit=1, flags=re.MULTILINE)[0]
    lines = (line.partition("//")[0].strip() for line in ptx.splitlines())
    return "\n".join(line for line in lines if line and not re.match(r"\.(loc|file)\b|\$L__(tmp|func_begin|func_end)\w*:", line))


def gpu_state(uuid: str | None) -> dict[str, Any] | None:
    """Name, clocks, temperature and utilisation of the GPU by nvidia-smi, and the monotonic time; None where it cannot be had."""
    if uuid is None or shutil.which("nvidia-smi") is None:
        return None
    command = ["nvidia-smi", "-i", uuid, "--format=csv,noheader,nounits", "--query-gpu=" + ",".join(GPU_FIELDS.values())]
    result = subprocess.run(command, capture_output=True, text=True)
    words = [word.strip() for word in result.stdout.strip().split(",")]
    if result.returncode or len(words) != len(GPU_FIELDS):
        return None
    state: dict[str, Any] = {key: int(word) if word.isdigit() else word for key, word in zip(GPU_FIELDS, words)}
    if not isinstance(state["utilisation_percent"], int):
        state["utilisation_percent"] = None  # e.g. "[N/A]" on a part of a GPU
    return {"time": time.monotonic(), **state}


def idle_state(uuid: str | None) -> dict[str, Any] | None:
    """The GPU's state once it is idle, or after IDLE_SECONDS."""
    until = time.monotonic() + IDLE_SECONDS
    while (state := gpu_state(uuid)) and state["utilisation_percent"] and time.monotonic() < until:
        time.sleep(0.2)
    return state


def compare(name: str, entry: str, sides: dict[str, Side], uuid: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Record of one operator, and its code by side."""
    result: dict[str, Any] = {"name": name, "entry": entry, "errors": {}, "checks": {}, "samples": [], "shown": None, "gpu": [idle_state(uuid)]}

    def ask(side: str, do: str, **arguments: Any) -> dict[str, Any] | None:
        answer = sides[side].ask(do, **arguments)
        if "error" in answer:
            result["errors"][side] = answer["error"].strip()
            return None
        return answer

    for side in abba_report.SIDES:
        if answer := ask(side, "prepare", entry=entry):
            result["checks"][side] = [answer["check"]]
    code = {side: sides[side].code() for side in abba_report.SIDES}
    while not result["errors"] and len(result["samples"]) < abba_report.ROUNDS * len(abba_report.ROUND):
        index = len(result["samples"])
        if index % len(abba_report.ROUND) == 0:
            result["gpu"].append(gpu_state(uuid))
        if answer := ask(abba_report.ROUND[index % len(abba_report.ROUND)], "sample"):
            result["samples"].append(abba_report.sample(index, answer["start"], answer["end"], answer["replays_us"]))
    result["gpu"].append(gpu_state(uuid))
    for side in abba_report.SIDES:
        if side in result["checks"] and (answer := ask(side, "finish")):
            result["checks"][side].append(answer["check"])
    if result["errors"]:
        result["samples"] = []
    else:
        result["shown"] = abba_report.choose(result["samples"])
    result["code"] = {side: {kernel: hashlib.sha256(instructions(stages["ptx"]).encode()).hexdigest() for kernel, stages in kernels.items()}
                      for side, kernels in code.items()}
    result["outcome"] = abba_report.outcome(result)
    return result, code


def save_code(folder: Path, code: dict[str, Any]) -> None:
    """Writes folder/side/kernel.stage."""
    for side, kernels in code.items():
        for kernel, stages in kernels.items():
            for stage, text in stages.items():
                path = folder / side / f"{kernel}.{stage}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")


def operators(words: list[str]) -> list[tuple[str, str]]:
    """(name, entry) of every operator that the words of --entries mean."""
    result = []
    for word in words:
        if ":" in word:
            result.append((word.rpartition(":")[2], word))
        elif word in GROUPS:
            result += [(name, f"{HERE / 'operators.py'}:{name}") for name in GROUPS[word]]
        else:
            raise SystemExit(f"--entries takes {', '.join(GROUPS)} and FILE_OR_MODULE:FUNCTION, got {word}")
    return result


def run(wheels: dict[str, Path], entries: list[tuple[str, str]], out: Path, timer: str | None) -> dict[str, Any]:
    """The record of all operators; their code is written to out/abba_code as they are measured."""
    record: dict[str, Any] = {"schema": abba_report.SCHEMA, "protocol": abba_report.protocol(), "entries": [],
                              "wheels": {side: wheel_report.describe(path) for side, path in wheels.items()}}
    sides: dict[str, Side] = {}
    with tempfile.TemporaryDirectory(prefix="abba-") as scratch:
        try:
            for side, wheel in wheels.items():
                folder = Path(scratch) / side
                folder.mkdir()
                sides[side] = Side(wheel, folder, timer)
            record["workers"] = {side: worker.ask("hello") for side, worker in sides.items()}
            for side, hello in record["workers"].items():
                if "error" in hello:
                    raise SystemExit(f"{side}: {hello['error']}")
                for package, file in hello["files"].items():
                    if not Path(file).is_relative_to(Path(scratch) / side / "site"):
                        raise SystemExit(f"{side}: {package} is {file}, not the wheel's")
            for name, entry in entries:
                print(f"{name} ...", file=sys.stderr, flush=True)
                result, code = compare(name, entry, sides, record["workers"]["base"]["uuid"])
                record["entries"].append(result)
                save_code(out / "abba_code" / name, code)
        finally:
            for worker in sides.values():
                worker.close()
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True, help="wheel")
    parser.add_argument("--candidate", type=Path, required=True, help="wheel")
    parser.add_argument("--entries", nargs="+", default=list(GROUPS), help="operators (default: %(default)s)")
    parser.add_argument("--timer", help="FILE_OR_MODULE:FUNCTION in place of CUDA graphs, as abba_worker.py says")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    record = run({"base": options.base, "candidate": options.candidate}, operators(options.entries), options.out, options.timer)
    (options.out / "abba.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    text = abba_report.table(record)
    wheels = "\n".join(wheel_report.table(record["wheels"][side]) for side in abba_report.SIDES)
    (options.out / "abba.md").write_text(f"{text}\n{wheels}", encoding="utf-8")
    print(text)
    if problems := abba_report.check(record):
        sys.exit("\n".join(problems))
    for entry in record["entries"]:
        for side, error in entry["errors"].items():
            print(f"{entry['name']}, {side}:\n{error}", file=sys.stderr)
    sys.exit(0 if abba_report.passed(record) else 1)


if __name__ == "__main__":
    main()
