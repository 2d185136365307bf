"""Pages of condor_web: of a queue of 100,000 jobs, after a change, and what they cost while nothing is asked."""

from __future__ import annotations

import http.client
import re
import statistics
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from table import Row

from rows.common import SharedPool, memory_mb, own_cpu, pool_of, seconds, submit, tool, wait_for

_PAGES = ("pool", "queue", "queue/1", "queue/1.7")
_VIEWS = 5
_STARTED = re.compile(r'/condor_web", pid and pgroup = (\d+)')


class Visitor:
    """A browser that is logged in."""

    def __init__(self, pool: SharedPool) -> None:
        place = urlsplit(pool.tool("condor_web", "-login").stdout.strip())
        self._where = (place.hostname or "", place.port or 0)
        self._headers: dict[str, str] = {}
        self._headers = {"Cookie": self.get(place.path).partition(";")[0]}

    def get(self, path: str) -> str:
        """Fetch a page; the cookie that comes with it, if any."""
        connection = http.client.HTTPConnection(*self._where, timeout=120)
        connection.request("GET", path, headers=self._headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        assert answer.status == 200, (path, answer.status)
        return answer.getheader("set-cookie") or ""


def rows(quick: bool) -> Iterator[Row]:
    jobs = 1_000 if quick else 100_000
    with pool_of(DAEMON_LIST="MASTER SCHEDD NEGOTIATOR STARTD WEB", WEB_PORT="0") as pool:
        wait_for(lambda: "Serving the pages" in (pool.log / "WebLog").read_text(), "the pages are served")
        visitor = Visitor(pool)
        visitor.get("/pool")
        pid = int(_STARTED.findall((pool.log / "MasterLog").read_text())[-1])
        yield Row("memory of condor_web, no jobs", memory_mb(pid), "MB", 60)
        submit(pool, jobs, 1, "requirements = false")
        first = seconds(lambda: visitor.get("/queue"))
        yield Row(f"first page of {jobs:,} jobs", first * 1000, "ms", 300)
        for page in _PAGES:
            tool(pool, "condor_prio", "-p", "1", "1.5")()
            seen = [seconds(lambda page=page: visitor.get(f"/{page}")) for _ in range(_VIEWS)]
            yield Row(f"page {page} of {jobs:,} jobs", statistics.median(seen) * 1000, "ms", 300)
        yield Row(f"memory of condor_web, {jobs:,} jobs", memory_mb(pid), "MB", 120)
        before = own_cpu(pid)
        time.sleep(10)
        yield Row("CPU of condor_web while nobody looks", (own_cpu(pid) - before) * 10, "%", 0.5)
