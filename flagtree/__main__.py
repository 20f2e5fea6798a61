"""The command line: `python -m flagtree check file.py`, `python -m flagtree trace file.py`."""
from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flagtree import TLEError, __version__

BROKEN, FAILED = 1, 2
"""Exit codes: something is wrong with a kernel; the script itself failed."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code: 0, or BROKEN, or FAILED."""
    parser = argparse.ArgumentParser(prog="python -m flagtree", description="Triton Language Extensions: run kernels on the CPU.")
    parser.add_argument("--version", action="version", version=f"flagtree {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="run a script's kernels in the simulator under several schedules and report mistakes",
                                description="Exit code 0: nothing found; 1: a deadlock, race or misuse; 2: the script failed otherwise, or launched no kernel.")
    check.add_argument("--schedules", type=_positive, default=8, metavar="N", help="schedules to try at most (8)")
    check.add_argument("--seed", type=_seed, default=0, metavar="S",
                       help="the first schedule (0); one that a report names, with --schedules 1 if it is a number, is replayed")
    check.add_argument("--json", action="store_true", help="print the report as JSON")
    trace = commands.add_parser("trace", help="run a script's kernels in the simulator and write their timeline as a web page")
    trace.add_argument("--out", type=_page, default="trace.html", metavar="PAGE", help="the page (trace.html); the Perfetto JSON goes beside it")
    for command in (check, trace):
        command.add_argument("file", help="Python script, run as `python file arguments...`")
        command.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    if not Path(options.file).is_file():
        parser.error(f"there is no file {options.file}")
    return _check(options) if options.command == "check" else _trace(options)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, but got {text}")
    return int(text)


def _script(options: argparse.Namespace) -> None:
    """Run the script as its own program; leaving with exit code 0 is not an error."""
    sys.argv = [options.file, *options.arguments]
    sys.path.insert(0, str(Path(options.file).resolve().parent))
    try:
        runpy.run_path(options.file, run_name="__main__")
    except SystemExit as leave:
        if leave.code not in (None, 0):
            raise RuntimeError(f"{options.file} ended with exit code {leave.code}") from leave
    finally:
        del sys.path[0]


def _seed(text: str) -> int | str:
    """A seed, or a schedule as a report writes it."""
    from flagtree.simulator.order import check_seed
    return _checked(int(text) if text.isdecimal() else text, check_seed)


def _page(text: str) -> str:
    from flagtree.simulator.trace import check_page
    return _checked(text, check_page)


def _checked(value: Any, check: Callable[[Any], None]) -> Any:
    try:
        check(value)
    except TLEError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return value


def _check(options: argparse.Namespace) -> int:
    from flagtree import check
    report = check(lambda: _script(options), schedules=options.schedules, first_seed=options.seed, progress=False if options.json else None)
    print(report.to_json() if options.json else f"{report}\n{report.coverage}" if report.ok and report.programs else report)
    if report.findings:
        return BROKEN
    return FAILED if report.error or not report.programs else 0


def _trace(options: argparse.Namespace) -> int:
    from flagtree import trace
    page = trace(lambda: _script(options), options.out)
    print(f"wrote {page} and {page.with_suffix('.json')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
