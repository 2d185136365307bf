"""A disk that fails, at every single call: one clear line, nothing left open or lying about, and nothing lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.events import Generic
from condor_py.model.cyclerecords import CycleRecord
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.settings.history import CycleHistorySettings, HistorySettings
from condor_py.store import adlog_file
from condor_py.store.ad_store import AdStore
from condor_py.store.address import Address, ensure_spool_version, write_ad_file, write_address
from condor_py.store.check import check_spool
from condor_py.store.cyclelog import CycleLog
from condor_py.store.cyclelog import records as cycles
from condor_py.store.daemon_history import append_daemon_ad
from condor_py.store.drain_file import DrainFile
from condor_py.store.epochs import EPOCH, EpochWriter, RunRecord
from condor_py.store.event_log import EventReader, append, event_text, last_states
from condor_py.store.fs import FileSystem, RealFs
from condor_py.store.global_log import GlobalLog
from condor_py.store.history import HistoryWriter, forwards, records_newest_first, tail_ids, write_per_job
from condor_py.store.job_queue import JobQueue
from condor_py.store.public_copy import PublicCopy
from condor_py.store.records import NewProc, submit_records
from condor_py.store.repair import mend_log
from condor_py.store.runtime_config import PersistentSettings

NOW = 1_795_245_119
SOUND = (("Owner", '"a"'), ("User", '"a@x"'), ("Cmd", '"/x"'), ("JobUniverse", "5"))
CALLS = (
    "open_read", "open_append", "create", "write", "write_at", "read_at", "fstat", "stat", "truncate", "sync", "rename",
    "link", "unlink", "sync_dir", "listdir", "close",
)  # fmt: skip
AD = ClassAd.from_text_items(
    [("ClusterId", "1"), ("ProcId", "0"), ("Owner", '"a"'), ("GlobalJobId", '"vm#1.0#17"'), ("JobStatus", "4")]
)
EVENT = event_text(Generic(cluster=1, proc=0, time=NOW, info="x"))


class FailingFs(RealFs):
    """Its call number ``fails`` is an error of the disk (-1: none); counts the calls. A file is closed all the same."""

    def __init__(self, fails: int = -1) -> None:
        self.fails = fails
        self.calls = 0

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in CALLS:
            return found

        def call(*arguments: Any) -> Any:
            self.calls += 1
            if self.calls - 1 == self.fails:
                if name == "close":
                    found(*arguments)
                raise OSError(errno.EIO, "Input/output error")
            return found(*arguments)

        return call


@dataclass(frozen=True)
class Deed:
    """Something that the store does in a directory, after ``before``, which nothing keeps from it."""

    do: Callable[[FileSystem, str], object]
    before: Callable[[FileSystem, str], object] = lambda fs, folder: None


def submit(fs: FileSystem, folder: str, number: int = 1) -> None:
    queue = JobQueue(f"{folder}/job_queue.log", fs)
    try:
        with queue.transaction() as transaction:
            cluster = transaction.alloc_cluster()
            job = NewProc(0, [], 1, f"vm#{cluster}.0#17")
            transaction.extend(submit_records(cluster, SOUND, [job] * (number > 0)))
    finally:
        queue.close()


def compact(fs: FileSystem, folder: str) -> None:
    queue = JobQueue(f"{folder}/job_queue.log", fs)
    try:
        queue.compact(1)
    finally:
        queue.close()


def compact_in_steps(fs: FileSystem, folder: str) -> None:
    queue = JobQueue(f"{folder}/job_queue.log", fs)
    try:
        work = queue.compaction(1)
        while work.step(1):
            pass
        work.finish()
    finally:
        queue.close()


def look(fs: FileSystem, folder: str) -> None:
    queue = JobQueue(f"{folder}/job_queue.log", fs, readonly=True)
    queue.refresh()
    queue.close()


def write_history(fs: FileSystem, folder: str) -> None:
    writer = HistoryWriter(f"{folder}/history", fs, max_size=300, rotations=1)
    try:
        writer.append([AD, AD, AD, AD], NOW)
    finally:
        writer.close()


def write_runs(fs: FileSystem, folder: str) -> None:
    settings = HistorySettings(epoch_path=f"{folder}/epochs", epoch_directory=folder, epoch_max_size=100)
    record = RunRecord(EPOCH, JobId(1, 0), 0, "a", [("Owner", '"a"')])
    for _ in range(3):
        EpochWriter(settings, fs).append([record], NOW)


def write_cycles(fs: FileSystem, folder: str) -> None:
    settings = CycleHistorySettings(path=f"{folder}/cycles", max_size=60, rotations=1)
    for _ in range(3):
        CycleLog(settings, fs).append(CycleRecord(NOW, NOW + 1, 1, 1, 2.0, 1.0, 0.0), NOW)


def write_events(fs: FileSystem, folder: str) -> None:
    append(f"{folder}/log", [EVENT], durable=True, fs=fs)


def write_global(fs: FileSystem, folder: str) -> None:
    log = GlobalLog(f"{folder}/all", "", max_size=400, rotations=2, durable=True, count_events=True, fs=fs)
    for _ in range(6):
        log.append([EVENT], NOW)


def damage(fs: FileSystem, folder: str) -> None:
    submit(fs, folder)
    with open(f"{folder}/job_queue.log", "ab") as log:
        log.write(b"what\n105 \n106 \n")


def publish(fs: FileSystem, folder: str) -> None:
    AdStore(f"{folder}/ads", fs).publish("startd", [AD])


def copy(fs: FileSystem, folder: str) -> None:
    queue = JobQueue(f"{folder}/job_queue.log", fs, readonly=True)
    public = PublicCopy(queue)
    try:
        os.close(public.descriptor(NOW))
    finally:
        public.forget()
        queue.close()


def settings_of(fs: FileSystem, folder: str) -> None:
    settings = PersistentSettings(f"{folder}/.config", fs)
    settings.set("A", "A = 1\n")
    settings.set("B", "B = 1\n")
    settings.unset("A")
    settings.unset("B")


DEEDS = {
    "submit": Deed(submit),
    "submit again": Deed(submit, submit),
    "compact": Deed(compact, submit),
    "compact in steps": Deed(compact_in_steps, submit),
    "look at the queue": Deed(look, submit),
    "copy of the queue": Deed(copy, submit),
    "mend": Deed(lambda fs, folder: mend_log(f"{folder}/job_queue.log", fs), damage),
    "check": Deed(lambda fs, folder: check_spool(folder, fs), lambda fs, at: (submit(fs, at), write_history(fs, at))),
    "write the history": Deed(write_history),
    "read the history": Deed(lambda fs, at: list(records_newest_first(f"{at}/history", fs)), write_history),
    "read a history": Deed(lambda fs, at: list(forwards(f"{at}/history", fs, rest=True)), write_history),
    "ids of the history": Deed(lambda fs, at: tail_ids(f"{at}/history", fs=fs), write_history),
    "history of a job": Deed(lambda fs, at: write_per_job(at, AD, fs)),
    "records of runs": Deed(write_runs),
    "records of cycles": Deed(write_cycles),
    "read cycles": Deed(lambda fs, at: list(cycles(f"{at}/cycles", 0, fs)), write_cycles),
    "events": Deed(write_events),
    "more events": Deed(write_events, write_events),
    "read events": Deed(lambda fs, at: EventReader(f"{at}/log", fs).all(), write_events),
    "last states": Deed(lambda fs, at: last_states(f"{at}/log", {1}, fs), write_events),
    "global log": Deed(write_global),
    "ad of a daemon": Deed(
        lambda fs, at: append_daemon_ad(f"{at}/ads", "SCHEDD", AD, NOW, max_size=10, rotations=1, fs=fs),
        lambda fs, at: append_daemon_ad(f"{at}/ads", "SCHEDD", AD, NOW, max_size=10, rotations=1, fs=fs),
    ),
    "publish": Deed(publish),
    "read ads": Deed(lambda fs, at: AdStore(f"{at}/ads", fs).read("startd"), publish),
    "kinds of ads": Deed(lambda fs, at: AdStore(f"{at}/ads", fs).kinds(), publish),
    "remove ads": Deed(lambda fs, at: AdStore(f"{at}/ads", fs).remove("startd"), publish),
    "address": Deed(lambda fs, at: write_address(f"{at}/.address", Address("<a>", "v", "p"), fs)),
    "ad file": Deed(lambda fs, at: write_ad_file(f"{at}/.ad", AD, fs)),
    "version": Deed(lambda fs, at: ensure_spool_version(at, fs)),
    "draining": Deed(lambda fs, at: DrainFile(at, fs).write({"a": 1})),
    "settings": Deed(settings_of),
}
#: Deeds that say themselves what they leave to their caller, who says it in one line.
PLAIN = ("mend", "copy of the queue")


@pytest.fixture(autouse=True)
def _syncs_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rewrite in steps gets much onto the medium before its end; here everything is much."""
    monkeypatch.setattr(adlog_file, "_SYNC_BYTES", 1)


@contextmanager
def deed(name: str, folder: Path, fails: int) -> Iterator[FailingFs]:
    """Does it in an empty directory."""
    folder.mkdir()
    DEEDS[name].before(RealFs(), str(folder))
    fs = FailingFs(fails)
    yield fs


@pytest.mark.parametrize("name", DEEDS)
def test_every_call_may_fail(tmp_path: Path, name: str) -> None:
    with deed(name, tmp_path / "sound", -1) as fs:
        DEEDS[name].do(fs, str(tmp_path / "sound"))
    assert fs.calls
    failed = 0
    for fails in range(fs.calls):
        folder = tmp_path / str(fails)
        with deed(name, folder, fails) as fs:
            try:
                DEEDS[name].do(fs, str(folder))
            except StoreError as error:
                text = str(error)
                assert "input/output error of the disk at " in text, fails
                assert str(folder) in text, fails
                assert "\n" not in text
                failed += 1
            except OSError:
                assert name in PLAIN, fails
                failed += 1
        left = [path.name for path in folder.rglob("*") if ".tmp" in path.name or ".rewrite" in path.name]
        assert not left or name == "mend", f"call {fails} left {left}"
        DEEDS[name].do(RealFs(), str(folder))  # and then the disk is well again
    assert failed


@pytest.mark.parametrize("name", ["submit", "submit again"])
def test_a_submit_that_failed_does_not_count(tmp_path: Path, name: str) -> None:
    """Nor does it keep the next from its number."""
    before = int(name == "submit again")
    with deed(name, tmp_path / "sound", -1) as fs:
        submit(fs, str(tmp_path / "sound"))
    for fails in range(fs.calls):
        folder = tmp_path / str(fails)
        with deed(name, folder, fails) as fs:
            told = True
            try:
                submit(fs, str(folder))
            except StoreError:
                told = False
        queue = JobQueue(f"{folder}/job_queue.log")
        assert queue.clusters() == [*range(1, before + 1 + told)], fails
        assert not check_spool(str(folder))
        queue.close()
        submit(RealFs(), str(folder))
        queue = JobQueue(f"{folder}/job_queue.log")
        assert queue.clusters() == [*range(1, before + 2 + told)], fails
        queue.close()
