"""Commands of users for a running condor_dagman: none of them ends it."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from condor_py.client.dagman_requests import Head, RequestListener
from condor_py.core.dag.run import Run
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.daemons.dagman.program import Commands
from condor_py.model.settings.dagman import NO_LIMITS, DagmanSettings

sys.path.insert(0, str(Path(__file__).resolve().parent))

from dag_world import dag_of


@pytest.fixture
def log(tmp_path: Path) -> OutLog:
    return OutLog(str(tmp_path / "out"), 3)


@pytest.fixture
def commands(log: OutLog) -> Commands:
    return Commands(Run(dag_of("JOB A x\n"), DagmanSettings()), log, NO_LIMITS, lambda: None)


def sent(listener: RequestListener, data: bytes) -> socket.socket:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(20.0)
    client.connect("\0" + listener.address.partition(":")[2])
    client.sendall(data + b"\n")
    return client


@pytest.mark.parametrize(
    "data",
    [b"[" * 30_000, b'{"a":' * 10_000, b"\xff", b"9" * 5000, b"none"],
    ids=["list", "ad", "byte", "digits", "text"],
)
def test_what_is_no_request_is_ignored_and_the_next_one_answered(commands: Commands, data: bytes) -> None:
    listener = RequestListener()
    asked: list[Head] = []

    def answer(request: Head) -> Head:
        asked.append(request)
        return commands.answer(request)

    with sent(listener, data) as bad, sent(listener, b'{"DagCommand": 2}') as good:
        listener.serve(answer)
        assert bad.recv(100) == b""
        assert good.recv(100) == b'{"Result": true}\n'
    assert asked == [{"DagCommand": 2}]


@pytest.mark.parametrize(
    ("reason", "shown"),
    [("a\ud800b", "a?b"), ("a\n12/01/26 b", "a 12/01/26 b"), ("\x1b[2J", "?[2J")],
    ids=["no character", "two lines", "control"],
)
def test_a_reason_is_one_line_of_the_log_whatever_it_holds(
    commands: Commands, log: OutLog, reason: str, shown: str
) -> None:
    assert commands.answer({"DagCommand": 1, "HaltReason": reason}) == {"Result": True}
    log.flush()
    assert Path(log.path).read_text().splitlines()[-1].endswith(f"Halt reason: {shown}")
