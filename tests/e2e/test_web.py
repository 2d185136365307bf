"""condor_web served by the master of a pool that several accounts share: logins, live changes, and restarts."""

from __future__ import annotations

import http.client
import json
import os
import signal
from collections.abc import Iterator
from functools import partial
from urllib.parse import urlsplit

import pytest
from pool import wait_for
from shared_pool import STRANGER, SharedPool

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("jinja2")


class Browser:
    """One session: ``address`` is what condor_web -login printed."""

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        self._where = (place.hostname or "", place.port or 0)
        status, headers, _ = self.ask(place.path)
        assert status == 200
        self._cookie = headers["set-cookie"].partition(";")[0]

    def ask(self, path: str) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of an answer."""
        connection = http.client.HTTPConnection(*self._where, timeout=20)
        connection.request("GET", path, headers=self._headers)
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        text = answer.read().decode()
        connection.close()
        return answer.status, headers, text

    def data(self, path: str) -> dict[str, object]:
        """The JSON of a page."""
        found: dict[str, object] = json.loads(self.ask(f"{path}?format=json")[2])
        return found

    def events(self) -> Iterator[str]:
        """Names of subjects, as they change from now on."""
        connection = http.client.HTTPConnection(*self._where, timeout=20)
        connection.request("GET", "/events", headers=self._headers)
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.readline().startswith(b"retry: "), "the stream has begun"
        return (line[6:].decode().strip() for line in answer if line.startswith(b"data: "))

    @property
    def _headers(self) -> dict[str, str]:
        cookie = getattr(self, "_cookie", "")
        return {"Cookie": cookie} if cookie else {}


def _memory(browser: Browser, job: str) -> object:
    """The use of memory over time on the page of a job."""
    return browser.data(f"/queue/{job}")["life"]["memory"]  # type: ignore[index]


@pytest.mark.promise("S51")
def test_pages_of_a_shared_pool(stopped_shared: SharedPool) -> None:
    pool = stopped_shared
    pool.knob("DAEMON_LIST", "MASTER SCHEDD NEGOTIATOR STARTD WEB")
    pool.knob("WEB_PORT", "0")
    pool.knob("JOB_USAGE_RECORD_INTERVAL", "1")
    pool.start()
    log = pool.log / "WebLog"
    wait_for(lambda: "Serving the pages at http://127.0.0.1:" in log.read_text(), "the pages are served")
    theirs = Browser(pool.as_stranger("condor_web", "-login").stdout.strip())
    boss = Browser(pool.tool("condor_web", "-login").stdout.strip())
    changes = theirs.events()
    pool.submit_as_stranger("executable = /bin/sleep\narguments = 600\noutput = out\nlog = log\nqueue\n")
    assert next(one for one in changes if "queue" in one)
    wait_for(lambda: theirs.data("/queue/1.0")["state"] == "running", "the job runs")
    assert theirs.data("/queue/1.0")["command"] == "sleep 600"
    assert [file["name"] for file in theirs.data("/queue/1.0")["files"]] == ["output", "log"]  # type: ignore[attr-defined]
    pool.tool("condor_submit", "-", stdin="executable = /bin/sleep\narguments = 601\nqueue\n")
    wait_for(lambda: theirs.data("/queue")["total"] == 2, "another job comes")
    other = theirs.data("/queue/2.0")
    assert (other["command"], other["ad"], other["mine"]) == ("sleep", None, False)
    assert boss.data("/queue/1.0")["mine"]
    for browser, job in ((theirs, "1.0"), (boss, "1.0"), (boss, "2.0")):
        use = partial(_memory, browser, job)
        wait_for(use, f"the use of {job} so far is known")
    assert _memory(theirs, "2.0") is None

    pid = int(pool.tool("condor_who", "-daemons").stdout.partition("Schedd")[2].split()[1])
    os.kill(pid, signal.SIGKILL)
    assert theirs.data("/queue/1.0")["owner"] == STRANGER
    wait_for(lambda: pool.tool("condor_q", "-totals", check=False).returncode == 0, "the schedd is back")
    pool.tool("condor_rm", "1.0", "2.0")
    wait_for(lambda: theirs.data("/queue")["total"] == 0, "the jobs are gone")
    assert theirs.data("/queue/1.0")["from_history"]

    pool.tool("condor_off", "-web")
    wait_for(lambda: "SIGTERM: Exiting." in log.read_text(), "it stops")
    gone = pool.tool("condor_web", "-login", check=False)
    assert (gone.returncode, "no pages are served" in gone.stderr) == (1, True)
