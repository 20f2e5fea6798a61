"""The timeline as a browser shows it. Needs Chromium: `bazel test //tests/simulator:timeline_in_browser_test` where it is installed."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile

import flagtree

from tests.simulator import samples


def test_in_a_browser(tmp_path):
    """Bars for every span, the table of stalls, and a picture that is not empty."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "install Chromium"
    page = flagtree.trace(samples.run_attention, tmp_path / "attention.html")
    picture = tmp_path / "page.png"
    with tempfile.TemporaryDirectory(dir="/tmp") as profile:  # Chromium makes sockets there, whose paths must be short
        options = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1400,700", f"--user-data-dir={profile}"]
        settings = {"check": True, "capture_output": True, "text": True, "timeout": 120, "env": {**os.environ, "TMPDIR": profile}}
        dom = subprocess.run([*options, "--dump-dom", page.as_uri()], **settings).stdout
        subprocess.run([*options, f"--screenshot={picture}", page.as_uri()], **settings)
    [program] = json.loads(re.search(r"const DATA = (\[.*\]);\n", page.read_text())[1])
    assert dom.count("<rect") == len(program["spans"])
    assert "<td>attend_load (partition 0)</td><td>k_empty</td>" in dom
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size > 20_000
