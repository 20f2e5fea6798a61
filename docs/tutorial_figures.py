"""The figures in docs/tutorials, as bench/tutorials.py measured them (bench/results/tutorials.json).

    python docs/tutorial_figures.py           # compares; exit status 1 if a page is out of date
    python docs/tutorial_figures.py --write   # rewrites the figures of the pages

They stand between the lines `<!-- figures -->` and `<!-- figures: end -->` of a page; README.md has the summary of all pages.
"""
from __future__ import annotations

import json
import re
import sys
from pathlib import Path

PAGES = Path(__file__).with_name("tutorials")
RESULTS = Path(__file__).resolve().parents[1] / "bench" / "results" / "tutorials.json"
BLOCK = re.compile(r"(?<=^<!-- figures -->\n).*?(?=^<!-- figures: end -->$)", re.DOTALL | re.MULTILINE)


def figures_of_page(result: dict, machine: dict) -> str:
    """Table of one page: its kernel, the libraries, and where there is one the example."""
    lines = [f"Measured on one {machine['gpu']} ({result['title']}):", "", f"| | {result['unit']} | of {result['peer']} |", "|---|---|---|"]
    lines += [f"| {name} | {speed:.0f} | {result['of_peer'][name]:.2f} |" for name, speed in sorted(result["speed"].items(), key=lambda item: item[1])]
    return "\n".join(lines)


def summary(results: list[dict], machine: dict) -> str:
    """Table of all pages."""
    lines = [f"Measured on one {machine['gpu']}, all in one run (`bench/tutorials.py`):", "", "| page | what | speed | beside |", "|---|---|---|---|"]
    for result in results:
        peer, unit, speed = result["peer"], result["unit"], result["speed"]
        lines.append(f"| {result['page'].partition('_')[0]} | {result['title']} | {speed['this page']:.0f} {unit} | "
                     f"{result['of_peer']['this page']:.2f} of {peer} ({speed[peer]:.0f} {unit}) |")
    return "\n".join(lines)


def renewed(pages: dict[str, str], record: dict) -> dict[str, str]:
    """The pages, by name without suffix, with the figures of `record`. ValueError if one has no place for them or was not measured."""
    results = {result["page"]: result for result in record["results"]}
    if wrong := {name for name in pages if name != "README"} ^ set(results):
        raise ValueError(f"pages and figures do not agree about {', '.join(sorted(wrong))}")
    fresh = {}
    for name, page in pages.items():
        if name == "README":
            text = summary(record["results"], record["machine"])
        else:
            text = figures_of_page(results[name], record["machine"])
        fresh[name], count = BLOCK.subn(lambda _, text=text: f"\n{text}\n\n", page)
        if count != 1:
            raise ValueError(f"{name} has {count} places for figures instead of one")
    return fresh


def main() -> None:
    pages = {path.stem: path.read_text() for path in sorted(PAGES.glob("*.md"))}
    fresh = renewed(pages, json.loads(RESULTS.read_text()))
    old = sorted(name for name in pages if pages[name] != fresh[name])
    if "--write" in sys.argv[1:]:
        for name in old:
            (PAGES / f"{name}.md").write_text(fresh[name])
    elif old:
        sys.exit(f"figures of {', '.join(old)} are out of date: python docs/tutorial_figures.py --write")


if __name__ == "__main__":
    main()
