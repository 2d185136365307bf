"""Progress shows on a terminal, when work takes long, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import io
import time

import pytest

from condor_py.client import progress
from condor_py.client.progress import Meter, ticking


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_meter_shows_after_its_patience_and_clears_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    err = _Terminal()
    with contextlib.redirect_stderr(err):
        meter = Meter(100000, "jobs")
        clock[0] = 0.4
        meter.at(1000)
        assert err.getvalue() == ""
        clock[0] = 0.6
        meter.at(12000)
        clock[0] = 0.65
        meter.at(13000)
        assert err.getvalue() == "\r12,000 of 100,000 jobs"
        meter.done()
        assert err.getvalue().endswith("\r" + " " * 22 + "\r")
        counter = Meter(None, "records read")
        clock[0] = 2.0
        counter.at(7)
    assert err.getvalue().endswith("\r7 records read")


def test_a_ticker_shows_while_its_body_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    err = _Terminal()
    with contextlib.redirect_stderr(err), ticking("condor_rm: changing the queue"):
        deadline = time.monotonic() + 60
        while not err.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert err.getvalue().startswith("\rcondor_rm: changing the queue ... 0 s")
    assert err.getvalue().endswith(" \r")


def test_quick_work_and_pipes_show_nothing() -> None:
    for stream in (io.StringIO(), _Terminal()):
        with contextlib.redirect_stderr(stream):
            with ticking("x"):
                pass
            meter = Meter(10, "jobs")
            meter.at(5)
            meter.done()
        assert stream.getvalue() == ""
