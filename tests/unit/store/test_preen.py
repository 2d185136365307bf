"""condor_preen: what is left over, what is not, and that nothing else is ever touched."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from condor_py.model.ids import JobId
from condor_py.model.settings.preen import PreenSettings
from condor_py.store.job_queue import JobQueue
from condor_py.store.preen import Entry, expired_leases, look, remove
from condor_py.store.records import NewProc, submit_records

ROOT = Path(__file__).resolve().parents[3]
NOW = time.time()
OLD = NOW - 3600


@pytest.fixture
def place(tmp_path: Path) -> PreenSettings:
    """Empty directories of a pool."""
    for name in ("spool", "execute", "log"):
        (tmp_path / name).mkdir()
    return PreenSettings(
        str(tmp_path / "spool"), (str(tmp_path / "execute"),), str(tmp_path / "log"),
        valid_spool=("mine.*",), histories=("history", "epoch_history"), invalid_log=("bad.log",), cores_kept=2,
    )  # fmt: skip


def put(directory: str, *names: str, age: float = 3600) -> None:
    """Files (directories when the name ends in a slash) of an age in seconds."""
    made: list[Path] = []
    for name in names:
        path = Path(directory) / name
        if name.endswith("/"):
            path.mkdir(parents=True)
            (path / "inside").write_text("x")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
        made.append(path)
    for path in made:
        os.utime(path, (NOW - age, NOW - age))


def bad(settings: PreenSettings, *jobs: JobId) -> list[str]:
    """Names of what is left over, from the directory of the pool on."""
    top = os.path.dirname(settings.spool)
    return [entry.path[len(top) + 1 :] for entry in look(settings, lambda: set(jobs), NOW) if entry.bad]


def test_what_belongs_into_a_spool_stays(place: PreenSettings) -> None:
    put(
        place.spool, "job_queue.log", "job_queue.log.3", "job_queue.log.lock", "Accountantnew.log.tmp", "history",
        "history.20261121T071500", "epoch_history", "spool_version", ".schedd_address", "mine.db", "ads/",
        "lost+found/", "local_univ_execute/",
    )  # fmt: skip
    assert bad(place) == []


def test_what_does_not_is_left_over_once_it_is_old(place: PreenSettings) -> None:
    put(place.spool, "junk", "folder/", "12345/", "77/stranger")
    put(place.spool, "fresh", "77/fresh", age=10)
    assert bad(place) == ["spool/12345", "spool/77/stranger", "spool/folder", "spool/junk"]


def test_files_of_jobs_stay_with_their_jobs(place: PreenSettings) -> None:
    names = [
        "7/3/cluster7.proc3.subproc0/", "7/3/cluster10007.proc3.subproc0/", "8/0/cluster8.proc0.subproc0.checkpoint/",
        "9/0/cluster9.proc0.subproc0.tmp/", "7/condor_submit.7.digest", "9/condor_submit.9.items",
        "9/cluster9.ickpt.subproc0",
    ]  # fmt: skip
    put(place.spool, *names)
    assert bad(place, JobId(7, 3), JobId(8, 0)) == [
        "spool/7/3/cluster10007.proc3.subproc0", "spool/9/0/cluster9.proc0.subproc0.tmp",
        "spool/9/cluster9.ickpt.subproc0", "spool/9/condor_submit.9.items",
    ]  # fmt: skip
    assert bad(place, JobId(9, -1), JobId(7, 4)) == [
        "spool/7/3/cluster10007.proc3.subproc0", "spool/7/3/cluster7.proc3.subproc0",
        "spool/8/0/cluster8.proc0.subproc0.checkpoint", "spool/9/0/cluster9.proc0.subproc0.tmp",
    ]  # fmt: skip


def test_the_queue_is_not_read_for_nothing(place: PreenSettings) -> None:
    put(place.spool, "junk")

    def nobody() -> set[JobId]:
        raise AssertionError("the queue was read")

    assert sum(entry.bad for entry in look(place, nobody, NOW)) == 1


def test_directories_of_living_starters_stay(place: PreenSettings) -> None:
    execute = place.execute[0]
    gone = "dir_4194399"
    put(execute, f"{gone}/", "other/")
    assert bad(place) == [f"execute/{gone}", "execute/other"]
    put(execute, f"dir_{os.getpid()}/")
    assert bad(place) == [f"execute/{gone}"]


def test_core_files_that_are_old_large_or_many(place: PreenSettings) -> None:
    put(place.log, "SchedLog", "bad.log")
    put(place.log, "core.1", age=100 * 86400)
    for number, age in ((2, 50), (3, 40), (4, 30)):
        put(place.log, f"core.{number}", age=age)
    os.truncate(f"{place.log}/core.3", 60_000_000)
    assert sorted(bad(place)) == ["log/bad.log", "log/core.1", "log/core.3"]
    put(place.log, "core.5", age=1)
    assert sorted(bad(place)) == ["log/bad.log", "log/core.1", "log/core.2", "log/core.3"]


def test_a_link_is_removed_and_not_what_it_points_to(place: PreenSettings, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    os.symlink(precious, f"{place.spool}/link")
    os.utime(f"{place.spool}/link", (OLD, OLD), follow_symlinks=False)
    (entry,) = [entry for entry in look(place, set, NOW) if entry.bad]
    assert remove(entry)
    assert (precious / "file").exists()
    assert not os.path.lexists(entry.path)
    assert remove(Entry(f"{place.spool}/was/never", True))


def test_the_program(place: PreenSettings, tmp_path: Path) -> None:
    queue = JobQueue(f"{place.spool}/job_queue.log")
    with queue.transaction() as transaction:
        cluster = transaction.alloc_cluster()
        transaction.extend(submit_records(cluster, [("ClusterId", str(cluster))], [NewProc(0, [], 1, "a#1.0#1")]))
    put(place.spool, "junk", "1/0/cluster1.proc0.subproc0/", "1/1/cluster1.proc1.subproc0/")
    put(place.spool, "grid/", "startd_drain", "tokens/alice/", "samples/", "Answers/")  # of which each is in use
    used = {
        "_CONDOR_SEC_CREDENTIAL_DIRECTORY_OAUTH": "$(SPOOL)/tokens", "_CONDOR_POOL_HISTORY_DIR": "$(SPOOL)//samples",
        "_CONDOR_KEPT_BY_MY_PROGRAM": "$(SPOOL)/Answers/of/today", "_CONDOR_ENDLESS": "$(ENDLESS2)",
        "_CONDOR_ENDLESS2": "$(ENDLESS)", "_CONDOR_MANY": "$(SPOOL)/*",
    }  # fmt: skip
    mailer = tmp_path / "mailer"
    mailer.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/mailed\ncat >>{tmp_path}/mailed\n')
    mailer.chmod(0o755)

    def run(*words: str, status: int = 0, **knobs: str) -> str:
        environment = {
            "PATH": "/usr/bin:/bin", "CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": str(tmp_path),
            "_CONDOR_SPOOL": place.spool, "_CONDOR_EXECUTE": place.execute[0], "_CONDOR_LOG": place.log,
            "_CONDOR_MAIL": str(mailer), "_CONDOR_SENDMAIL": "/nonexistent", "_CONDOR_PREEN_ADMIN": "me@vm", **used,
            **knobs,
        }  # fmt: skip
        command = [sys.executable, "-I", str(ROOT / "condor_py" / "__main__.py"), "condor_preen", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == status, done.stderr
        return done.stdout

    stale = f"{place.spool}/1/1/cluster1.proc1.subproc0"
    assert run() == f"  {place.spool}/junk - Not Removed\n  {stale} - Not Removed\n"
    assert f"{place.spool}/job_queue.log - OK\n" in run("-verbose")
    run("-mail", status=2, _CONDOR_MAIL="/nonexistent")
    assert run("-mail", "-remove") == ""
    assert "2 old files found me@vm\n" in (tmp_path / "mailed").read_text()
    assert f"  {stale} - Removed\n" in (tmp_path / "mailed").read_text()
    assert not os.path.exists(stale)
    assert os.path.exists(f"{place.spool}/1/0/cluster1.proc0.subproc0/inside")
    assert run() == ""
    assert sorted(os.listdir(place.spool)) == sorted(
        ["1", "Answers", "grid", "job_queue.log", "job_queue.log.lock", "samples", "startd_drain", "tokens"]
    )
    assert run("-bogus", status=1) == ""


def test_leases_of_common_files_expire_after_five_minutes(place: PreenSettings, tmp_path: Path) -> None:
    place = place.changed(lock=str(tmp_path / "lock"))
    assert expired_leases(place, NOW) == []
    folder = tmp_path / "lock" / "syndicate"
    folder.mkdir(parents=True)
    put(str(folder), "old", "old.message", ".old.77", age=301)
    put(str(folder), "new", "new.rm_1", age=299)
    assert sorted(expired_leases(place, NOW)) == [str(folder / name) for name in (".old.77", "old", "old.message")]
