"""Nobody of ours writes into the spool that the running schedd of another HTCondor has at work."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from condor_py.model.errors import StoreError
from condor_py.model.version import CONDOR_VERSION
from condor_py.store.accountant_log import AccountantLog
from condor_py.store.job_queue import JobQueue

Listening = Callable[[], AbstractContextManager[str]]
_THEIRS = "$CondorVersion: 25.14.0 2026-11-22 PRE-RELEASE-UWCS $"


@contextmanager
def shared_port() -> Iterator[str]:
    """The address of a schedd behind a shared port; it listens as long as this lasts."""
    name = f"schedd_{os.getpid()}_{time.monotonic_ns():x}"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(f"\0c7ae6ab922a0/{name}")
        sock.listen()
        yield f"<127.0.0.1:9?addrs=127.0.0.1-9&alias=vm&noUDP&sock={name}>"


@contextmanager
def own_port() -> Iterator[str]:
    """The address of a schedd with a port of its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"<127.0.0.1:{server.getsockname()[1]}?noUDP>"


def left_by(spool: Path, sinful: str, version: str) -> None:
    """The address file, as a schedd leaves it."""
    (spool / ".schedd_address").write_text(f"{sinful}\n{version}\n$CondorPlatform: X86_64-Debian_12 $\n")


@pytest.mark.parametrize("listening", [shared_port, own_port])
def test_a_running_schedd_of_another_htcondor_keeps_writers_out(tmp_path: Path, listening: Listening) -> None:
    log = tmp_path / "job_queue.log"
    queue = JobQueue(str(log))
    with queue.transaction() as edit:
        edit.set("1.0", "A", "1")
    before = log.read_bytes()
    with listening() as sinful:
        left_by(tmp_path, sinful, _THEIRS)
        for table in (queue, JobQueue(str(log)), AccountantLog(str(tmp_path / "Accountantnew.log"))):
            with pytest.raises(StoreError, match=r"condor_schedd of HTCondor 25\.14\.0: "), table.transaction():
                pass
            with pytest.raises(StoreError, match="running condor_schedd"):
                table.compact(1)
        assert JobQueue(str(log), readonly=True).sequence == queue.sequence, "reading is fine"
        assert log.read_bytes() == before
        assert not (tmp_path / "Accountantnew.log").exists()
    with queue.transaction() as edit:  # it has gone, and left its file
        edit.set("1.0", "A", "2")
    assert log.read_bytes() != before


def test_our_own_schedd_and_odd_files_keep_nobody_out(tmp_path: Path) -> None:
    queue = JobQueue(str(tmp_path / "job_queue.log"))
    with own_port() as sinful:
        for sinful_line, version in (
            (sinful, CONDOR_VERSION), ("<nonsense>", _THEIRS), ("<127.0.0.1:999999>", _THEIRS), (sinful, "nonsense"),
            ("", ""), ("<127.0.0.1:9?sock=nobody_is_here>", _THEIRS),
        ):  # fmt: skip
            left_by(tmp_path, sinful_line, version)
            with queue.transaction() as edit:
                edit.set("1.0", "A", "1")
