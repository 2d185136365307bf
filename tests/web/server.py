"""The pages of a pool for tests: a server, and answers as JSON for a person who is logged in."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from typing import Any

from pool import MAIN, PersonalPool, runs, wait_for

_ADDRESS = re.compile(r"(http://\S+?)/login/\S+")
_TICKS = os.sysconf("SC_CLK_TCK")


class LoggedIn:
    """A person who came in by an address of condor_web -login."""

    def __init__(self, address: str) -> None:
        found = _ADDRESS.match(address)
        assert found, address
        self._place = found[1]
        self._browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self._browser.open(address, timeout=20).read()

    def json(self, path: str) -> Any:
        """The answer of a page as JSON."""
        request = urllib.request.Request(self._place + path, headers={"Accept": "application/json"})
        with self._browser.open(request, timeout=60) as answer:
            return json.load(answer)


class Server:
    """condor_web of a pool, as a person starts it."""

    def __init__(self, pool: PersonalPool) -> None:
        self._pool = pool
        self.errors = pool.directory / "condor_web.err"
        with self.errors.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(MAIN), "condor_web", "-port", "0"],
                env=pool.environment,
                cwd=pool.work,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self._process.stdout is not None
        first = self._process.stdout.readline().strip()
        found = _ADDRESS.match(first)
        assert found, first + self.errors.read_text()
        #: The address that lets its caller in, once.
        self.entry = first
        self.place = found[1]
        self._visitor: LoggedIn | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    def login(self) -> str:
        """Another address that lets its caller in."""
        return self._pool.tool("condor_web", "-login").stdout.strip()

    def json(self, path: str) -> Any:
        """The answer of a page as JSON."""
        if self._visitor is None:
            self._visitor = LoggedIn(self.login())
        return self._visitor.json(path)

    def cpu(self) -> float:
        """Seconds of CPU that the server has used."""
        with open(f"/proc/{self.pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self) -> float:
        """MB that the server has in memory."""
        with open(f"/proc/{self.pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)

    def complaints(self) -> str:
        """What the server wrote besides how to get in."""
        lines = self.errors.read_text().splitlines()
        return "\n".join(line for line in lines if not line.startswith("Open it within"))

    def stop(self) -> None:
        """Stop it as ^C does."""
        assert self._process.stdout is not None
        self._process.stdout.close()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        wait_for(lambda: not runs(self.pid), "the server ended")
