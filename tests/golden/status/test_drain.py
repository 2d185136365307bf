"""condor_drain: what it sends, and what it says. The startd's core answers."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from condor_py.cli.entry import main as run_program
from condor_py.client import pool as access
from condor_py.client.wire import WireError
from condor_py.core.slots import effects as fx
from condor_py.core.slots.core import Startd
from condor_py.lang.classad import ClassAd
from condor_py.model.facts import MachineFacts
from condor_py.model.messages.codec import Message, Refused, head_of
from condor_py.model.messages.machine import AdminRequest, CancelDrain, Drain, Draining
from condor_py.model.settings.startd import StartdSettings

ADDRESS = "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm>"
SENT = (
    f"Sent request to drain the startd {ADDRESS} with slot1@vm. This only affects the single startd; "
    "any other startds running on the same host will not be drained.\n"
)
FAILED = f"Attempt to send DRAIN_JOBS to startd {ADDRESS} failed\n"


@dataclasses.dataclass
class Settings:
    address: str = ADDRESS
    host: str = "vm"


class FakePool:
    """A pool whose startd is a core in this process."""

    def __init__(self) -> None:
        facts = MachineFacts(host="vm", cpus=4, memory_mb=4000, disk_kb=1_000_000)
        self.core = Startd(StartdSettings(), facts, 1000.0, address=ADDRESS, new_secret=lambda: "x")
        self.settings = Settings()
        self.requests: list[dict[str, Any]] = []
        self.there = True

    def ads(self, kind: str) -> list[ClassAd]:
        return self.core.ads(1000.0) if kind == "STARTD" and self.there else []

    def ask(self, daemon: str, request: AdminRequest[Any], timeout: float = 30.0) -> Message:
        assert daemon == "startd"
        self.requests.append(head_of(request))
        if not self.there:
            raise WireError("not there")
        assert isinstance(request, Drain | CancelDrain)
        reply = next(effect for effect in self.core.handle(request, 1000.0) if isinstance(effect, fx.DrainReply))
        return Draining(reply.request_id) if reply.ok else Refused(reply.text, reply.error_code)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> FakePool:
    fake = FakePool()
    monkeypatch.setattr(access, "open_pool", lambda: fake)
    return fake


def drain(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    code = run_program("condor_drain", list(argv))
    out, err = capsys.readouterr()
    return code, out, err


def test_drain_verbose_and_again(pool: FakePool, capsys: pytest.CaptureFixture[str]) -> None:
    assert drain(capsys, "-fast", "-verbose", "slot1@vm") == (0, f"{SENT}\tRequest id: 1\n", "")
    text = (
        "Received failure from slot1@vm in response to DRAIN_JOBS request: "
        "error code 10001: Draining already in progress.\n"
    )
    assert drain(capsys, "slot1@vm") == (1, "", FAILED + text)


def test_what_is_sent(pool: FakePool, capsys: pytest.CaptureFixture[str]) -> None:
    drain(capsys, "-quick", "-reas", "new disk", "-check", "true", "-start", "-1 > 0", "-resu", "vm")
    assert pool.requests == [
        {
            "op": "drain",
            "how": "quick",
            "reason": "new disk",
            "on_completion": "resume",
            "check": "true",
            "start": "-1 > 0",
        }
    ]


def test_cancel(pool: FakePool, capsys: pytest.CaptureFixture[str]) -> None:
    assert drain(capsys, "-cancel", "slot1@vm") == (0, "Sent request to cancel draining on slot1@vm\n", "")
    code, out, err = drain(capsys, "-cancel", "-request-id", "xx", "slot1@vm")
    assert (code, out) == (1, "")
    assert err == (
        f"Attempt to send CANCEL_DRAIN_JOBS to startd {ADDRESS} failed\nReceived failure from slot1@vm in response to "
        "CANCEL_DRAIN_JOBS request: error code 10002: No matching draining request id xx.\n"
    )


def test_without_a_name_it_is_this_machine(pool: FakePool, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = drain(capsys, "-fast")
    assert (code, err) == (0, "")
    assert out.startswith(f"Sent request to drain the startd {ADDRESS} with vm. ")
    assert pool.requests[-1]["how"] == "fast"


def test_check_refuses(pool: FakePool, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = drain(capsys, "-check", "false", "slot1@vm")
    assert code == 1
    assert err.endswith("error code 10003: Draining check expression is false on slot1@vm.\n")


def test_startd_that_does_not_answer(pool: FakePool, capsys: pytest.CaptureFixture[str]) -> None:
    found = pool.ads("STARTD")
    pool.there = False
    pool.ads = lambda kind: found  # type: ignore[method-assign]
    assert drain(capsys, "slot1@vm") == (1, "", FAILED + "Failed to start DRAIN_JOBS command to slot1@vm\n")


@pytest.mark.parametrize(
    ("argv", "code", "err"),
    [
        ("slot1@vm slot2@vm", 2, "ERROR: must specify one target machine\n"),
        ("slot1@vm -fast", 2, "ERROR: must specify one target machine\n"),
        ("-bogus slot1@vm", 2, "ERROR: unexpected argument: -bogus\n"),
        ("-cancel -reason x slot1@vm", 2, "ERROR: cannot use -reason with -cancel\n"),
        ("-cancel -check x slot1@vm", 2, "ERROR: -check may not be used with -cancel\n"),
        ("-cancel -resume slot1@vm", 2, "ERROR: cannot use an -on-completion option with -cancel\n"),
        ("-request-id x slot1@vm", 2, "ERROR: -request-id may only be used with -cancel\n"),
        ("slot9@vm", 1, "ERROR: Can't find address for startd slot9@vm\n"),
        ("nosuchhost", 1, "ERROR: unknown host nosuchhost\n"),
    ],
)
def test_errors(argv: str, code: int, err: str, pool: FakePool, capsys: pytest.CaptureFixture[str]) -> None:
    assert drain(capsys, *argv.split()) == (code, "", err)
    assert pool.requests == []


def test_conflicts_are_followed_by_the_usage(pool: FakePool, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = drain(capsys, "-resume-on-completion", "-exit-on-completion", "slot1@vm")
    assert code == 1
    first = "condor_drain: '-exit-on-completion' conflicts with previous use of '-resume-on-completion'\n"
    assert err.startswith(first)
    assert "[OPTIONS] machine" in err
