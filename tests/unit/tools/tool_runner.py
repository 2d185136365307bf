"""Tools that run inside the test process, and a queue for them."""

from __future__ import annotations

import contextlib
import io
import os
import pwd
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from condor_py.cli import entry
from condor_py.store.job_queue import JobQueue


class Done(NamedTuple):
    """What a tool printed and returned."""

    out: str
    err: str
    code: int


class Spool:
    """A spool that the tools find through their environment."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "local" / "spool" / "job_queue.log"
        self.path.parent.mkdir(parents=True)
        self.me = pwd.getpwuid(os.geteuid()).pw_name

    def add(self, cluster: int, procs: int = 1, owner: str | None = None, **attributes: str) -> None:
        """Queues ``procs`` jobs; attributes are ClassAd text and go to the cluster ad."""
        user = owner or self.me
        common = {
            "ClusterId": str(cluster), "Owner": f'"{user}"', "User": f'"{user}@example.net"', "JobUniverse": "5",
            "Cmd": '"/bin/sleep"', "Arguments": '"60"', "QDate": "1795212563", "JobPrio": "0", "ImageSize": "40",
            "RemoteUserCpu": "0.0", "TotalSubmitProcs": str(procs), "JobStatus": "1",
        } | attributes  # fmt: skip
        queue = JobQueue(str(self.path), uid_domain="example.net")
        with queue.transaction() as transaction:
            key = f"0{cluster}.-1"
            transaction.new_ad(key, "Job", "Machine")
            for name, text in common.items():
                transaction.set(key, name, text)
            for proc in range(procs):
                transaction.new_ad(f"{cluster}.{proc}", "Job", "Machine")
                transaction.set(f"{cluster}.{proc}", "ProcId", str(proc))
        queue.close()

    def set(self, job: str, name: str, text: str) -> None:
        """Sets an attribute of one job."""
        queue = JobQueue(str(self.path), uid_domain="example.net")
        with queue.transaction() as transaction:
            transaction.set(job, name, text)
        queue.close()

    def values(self, name: str) -> dict[str, str | None]:
        """An attribute of every job, as text, by job id."""
        queue = JobQueue(str(self.path), readonly=True)
        return {str(job): ad.text(name) for job, ad in queue.jobs()}

    def run(self, program: str, *argv: str) -> Done:
        """Runs a tool."""
        return run(program, *argv)


def run(program: str, *argv: str) -> Done:
    """Runs a tool in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = entry.main(program, list(argv))
    return Done(out.getvalue(), err.getvalue(), code)


def empty_spool(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Spool]:
    """Yield the empty queue of a personal pool that no schedd serves; what it needs of the environment ends with it."""
    for name in [name for name in os.environ if name.upper().startswith("_CONDOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(directory / "local"))
    monkeypatch.setenv("_CONDOR_UID_DOMAIN", "example.net")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(directory)
    time.tzset()
    yield Spool(directory)
    monkeypatch.delenv("TZ")
    time.tzset()
