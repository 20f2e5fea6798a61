"""What partitions and engines did when, as a web page of its own and as trace events (Chrome's format, which Perfetto reads)."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

_PAGE = Path(__file__).with_name("timeline.html")


class Span(NamedTuple):
    """Something that takes time. `kind`: compute, wait, tma or wgmma. `on`: the barrier waited for or completed on."""

    lane: str
    name: str
    begin: float
    end: float
    kind: str
    on: str
    place: str


class Arrow(NamedTuple):
    """An arrive, at `begin` in lane `source`, that let a wait in lane `target` go on at `end`."""

    source: str
    begin: float
    target: str
    end: float
    barrier: str


class Timeline:
    """Spans and arrows of the programs of a launch, program after program."""

    def __init__(self) -> None:
        self.programs: list[dict[str, Any]] = []

    def begin(self, title: str) -> None:
        """A new program."""
        self.programs.append({"title": title, "spans": [], "arrows": []})

    def span(self, lane: str, name: str, begin: float, end: float, kind: str, on: str = "", place: str = "") -> None:
        """Add a span to the current program; one without length is left out."""
        if end > begin:
            self.programs[-1]["spans"].append(Span(lane, name, begin, end, kind, on, place))

    def arrow(self, source: str, begin: float, target: str, end: float, barrier: str) -> None:
        """Add an arrow to the current program."""
        self.programs[-1]["arrows"].append(Arrow(source, begin, target, end, barrier))

    def page(self) -> str:
        """The web page; it needs nothing else."""
        data = [{"title": program["title"], "spans": [span._asdict() for span in program["spans"]],
                 "arrows": [arrow._asdict() for arrow in program["arrows"]]} for program in self.programs]
        text = json.dumps(data).replace("</", "<\\/")
        return _PAGE.read_text(encoding="utf-8").replace("/*DATA*/[]", text)

    def events(self) -> str:
        """Trace events: a process for each program, a thread for each lane, a flow for each arrow. Microseconds stand for cycles."""
        events: list[dict[str, Any]] = []
        for process, program in enumerate(self.programs):
            lanes = {lane: index for index, lane in enumerate(dict.fromkeys(span.lane for span in program["spans"]))}
            events.append({"ph": "M", "name": "process_name", "pid": process, "args": {"name": program["title"]}})
            events += [{"ph": "M", "name": "thread_name", "pid": process, "tid": index, "args": {"name": lane}} for lane, index in lanes.items()]
            events += [{"ph": "X", "name": span.name, "cat": span.kind, "pid": process, "tid": lanes[span.lane], "ts": span.begin,
                        "dur": span.end - span.begin, "args": {"on": span.on, "place": span.place}} for span in program["spans"]]
            for number, arrow in enumerate(program["arrows"]):
                common = {"cat": "barrier", "name": arrow.barrier, "pid": process, "id": f"{process}.{number}"}
                if arrow.source in lanes and arrow.target in lanes:
                    events.append(common | {"ph": "s", "tid": lanes[arrow.source], "ts": arrow.begin})
                    events.append(common | {"ph": "f", "bp": "e", "tid": lanes[arrow.target], "ts": arrow.end})
        return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})

    def write(self, page: str | Path) -> Path:
        """Write the page, and the trace events beside it with the suffix .json; the page's path."""
        path = Path(page)
        path.write_text(self.page(), encoding="utf-8")
        path.with_suffix(".json").write_text(self.events(), encoding="utf-8")
        return path
