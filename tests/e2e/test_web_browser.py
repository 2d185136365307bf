"""The pages in a real browser: no complaint of the console, the content security policy kept, nothing wider than a
phone, and reachable by keyboard. tests/web/run looks longer."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "web")]

for _name in ("playwright", "starlette", "uvicorn", "jinja2"):
    pytest.importorskip(_name)

from pool import PersonalPool
from server import Server
from visit import CHROMIUM, NARROW, WIDE, Visitor, chromium

if not os.access(CHROMIUM, os.X_OK):
    pytest.skip(f"there is no {CHROMIUM}: apt-get install chromium", allow_module_level=True)

_DAG = "JOB A node.sub\nJOB B node.sub\nJOB C node.sub\nPARENT A CHILD B C\n"


def test_pages_in_a_browser(pool: PersonalPool) -> None:
    (pool.work / "node.sub").write_text("executable = /bin/sleep\narguments = 3000\nrequest_memory = 10\nqueue\n")
    (pool.work / "flow.dag").write_text(_DAG)
    pool.knob("DAGMAN_AVOID_SLASH_TMP", "false")
    pool.tool("condor_submit_dag", "flow.dag")
    server = Server(pool)
    try:
        with chromium() as browser:
            visitor = Visitor(browser, server.place, server.entry)
            for number, path in enumerate(("/queue", "/machine", "/wall", "/dag")):
                visitor.look(path, (NARROW, WIDE)[number % 2], ("light", "dark")[number // 2])
            with visitor.page("/dag/1") as page:
                page.wait_for_function("() => document.querySelectorAll('.dag-node').length === 3")
                page.wait_for_function("() => document.querySelector('.dag-node.is-running')")
                page.wait_for_selector(".live.on")
                pool.tool("condor_hold", "2")
                page.wait_for_function("() => document.querySelector('.dag-node.is-held')")
            assert server.json("/queue/1")["dag"] == 1
            stops = visitor.walk("/dag/1")
            assert "A Skip to the content" in stops
            assert {"A A", "A 3 all"} <= set(stops)
            assert visitor.problems == []
    finally:
        server.stop()
    assert server.complaints() == ""
