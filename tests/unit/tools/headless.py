"""A real browser without a screen: a page is opened, and what it asks for, says and looks like is told.

It speaks the DevTools protocol over two pipes, so that no port is opened and nothing else is needed.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def browser() -> str:
    """The program of a browser; the test is skipped where there is none."""
    found = os.environ.get("CONDOR_PY_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("no Chromium here (apt-get install chromium, or CONDOR_PY_CHROMIUM names one)")
    return found


class Browser:
    """One browser with one page. ``requests`` are the addresses it asked for, ``complaints`` what its console shows."""

    def __init__(self, profile: Path) -> None:
        self._start(profile)
        try:
            targets = self.ask("Target.getTargets")
        except BrokenPipeError:  # It can die at its start, where memory is short for a moment.
            self.__exit__()
            self._start(profile)
            targets = self.ask("Target.getTargets")
        page = next(one for one in targets["targetInfos"] if one["type"] == "page")
        self._session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{domain}.enable")

    def _start(self, profile: Path) -> None:
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def hand_over() -> None:
            taken, given = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser))
            os.dup2(taken, 3)
            os.dup2(given, 4)

        words = [
            browser(), "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}", "--disable-gpu",
            "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage",
            "--hide-scrollbars", *(["--no-sandbox"] if os.geteuid() == 0 else []), "about:blank",
        ]  # fmt: skip
        self._said = profile.with_suffix(".log")
        with self._said.open("ab") as said:
            self._process = subprocess.Popen(
                words, env={**os.environ, "TMPDIR": str(profile.parent)},
                preexec_fn=hand_over, close_fds=False, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=said, start_new_session=True,
            )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self._session = ""
        self._loaded = False
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command and its answer; what happens meanwhile is noted."""
        self._number += 1
        told: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            told["sessionId"] = self._session
        os.write(self._out, json.dumps(told).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                found: dict[str, Any] = answer["result"]
                return found

    def _next(self, patience: float = 60.0) -> dict[str, Any]:
        deadline = time.monotonic() + patience
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._in, 1 << 20)
            if not data:
                raise BrokenPipeError(f"the browser has ended: {self._said.read_text(errors='replace')[-2000:]}")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(line)
        self._note(told.get("method", ""), told.get("params", {}))
        return told

    def _note(self, method: str, told: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Log.entryAdded":
            self.complaints.append(told["entry"]["text"])
        elif method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            self.complaints.append(json.dumps(told)[:500])
        elif method == "Page.loadEventFired":
            self._loaded = True

    def open(self, path: Path, width: int, height: int, dark: bool = False) -> None:
        """Shows a file in a window of that size."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 600)  # fmt: skip
        scheme = "dark" if dark else "light"
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._loaded = False
        self.ask("Page.navigate", url=path.as_uri())
        while not self._loaded:
            self._next()

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is, on the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self, path: Path) -> None:
        """The whole page as PNG."""
        told = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(told["data"]))

    def pages(self) -> bytes:
        """The page printed, as PDF."""
        return base64.b64decode(self.ask("Page.printToPDF")["data"])
