"""Several Python threads may run the core at once, and none waits for another."""
from __future__ import annotations

import concurrent.futures
import threading
import time

from flagtree import _core


def kernel(i: int, size: int = 50) -> str:
    body = "\n".join(f"  %{k} = arith.addi %x{i}, %x{i} : i32" for k in range(size))
    return f"tt.func public @kernel{i}(%x{i}: i32) {{\n{body}\n  tt.return\n}}\n"


def test_results_and_errors_do_not_mix() -> None:
    expected = {i: _core.run(kernel(i), "builtin.module(cse)") for i in range(0, 64, 2)}

    def work(i: int) -> None:
        for _ in range(10):
            if i % 2:
                try:
                    _core.run(f"tt.func private @tle.nothing{i}.0()", "builtin.module(raise-intrinsics)")
                except _core.CoreError as error:
                    assert f"tle.nothing{i}.0" in error.message
                else:
                    raise AssertionError("expected an error")
            else:
                assert _core.run(kernel(i), "builtin.module(cse)") == expected[i]

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(64)))


def test_other_threads_run_meanwhile() -> None:
    """While one thread is in the core, another one gets on with Python."""
    running, ticks = threading.Event(), []

    def tick() -> None:
        running.wait()
        while running.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    text = kernel(0, size=50_000)
    running.set()
    begin = time.perf_counter()
    _core.run(text, "")
    end = time.perf_counter()
    running.clear()
    thread.join()
    inside = [moment for moment in ticks if begin + 0.1 * (end - begin) < moment < end - 0.1 * (end - begin)]
    assert len(inside) >= 3
