"""The timeline as a browser shows it: headless Chromium, pinned in bazel/pins.bzl, told what to do by its debugging protocol."""
from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import flagtree

from tests.simulator import samples

FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{site}/fonts</dir><cachedir>{cache}</cachedir></fontconfig>
"""


class Browser:
    """A browser that reads commands from a pipe and writes answers to another, each ended by a zero byte."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._rest = b""
        self._number = 0

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Carry out a command; its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters} | ({} if session is None else {"sessionId": session})
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            data = os.read(self._answers, 2**16)
            assert data, "the browser has ended"
            self._rest += data
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)


@contextlib.contextmanager
def chromium(site: Path) -> Iterator[Browser]:
    """Chromium of the package at `site`, with the libraries and fonts it brings."""
    to_browser, from_us = os.pipe()
    from_browser, to_us = os.pipe()
    with tempfile.TemporaryDirectory(dir="/tmp") as home:  # it makes sockets there, whose paths must be short
        fonts = Path(home) / "fonts.conf"
        fonts.write_text(FONTS.format(site=site, cache=home))
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home, "FONTCONFIG_FILE": str(fonts), "LD_LIBRARY_PATH": f"{site}/lib"}
        program = [site / "bin/chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={home}/profile", "--remote-debugging-pipe"]
        # The protocol wants its pipes at 3 and 4.
        shell = ["bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{to_us} {to_browser}<&- {to_us}>&-', "bash"]
        process = subprocess.Popen([*shell, *program], env=environment, pass_fds=(to_browser, to_us), stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(to_us)
        try:
            yield Browser(from_us, from_browser)
        finally:
            process.kill()
            process.wait()
            os.close(from_us)
            os.close(from_browser)


def test_in_a_browser(tmp_path):
    """Bars for every span, the table of stalls, the colours of waits, and a picture that is not empty."""
    page = flagtree.trace(samples.run_attention, tmp_path / "attention.html")
    site = Path(os.environ["CHROMIUM_STAMP"]).resolve().parent / "site"
    with chromium(site) as browser:
        target = browser.call("Target.createTarget", url="about:blank", width=1400, height=700)["targetId"]
        session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.call("Page.navigate", session, url=page.as_uri())
        browser.call("Runtime.evaluate", session, awaitPromise=True,
                     expression="new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', done))")
        dom = browser.call("Runtime.evaluate", session, returnByValue=True, expression="document.documentElement.outerHTML")["result"]["value"]
        picture = base64.b64decode(browser.call("Page.captureScreenshot", session)["data"])
    [program] = json.loads(re.search(r"const DATA = (\[.*\]);\n", page.read_text())[1])
    assert dom.count("<rect") == len(program["spans"])
    assert "<td>attend_load (partition 0)</td><td>k_empty</td>" in dom
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and len(picture) > 20_000
    size = int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")
    assert size == (1400, 700)
