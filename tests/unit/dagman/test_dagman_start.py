"""What condor_dagman does before its DAG runs: limits, the lock, rescue files, where the nodes log lies; and the tags
of the jobstate log.
"""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from condor_py.client.pool import Pool
from condor_py.core.dag.actions import JobEvent
from condor_py.daemons.dagman import dagman
from condor_py.daemons.dagman.fulldisk import Patience, may_pass
from condor_py.daemons.dagman.jobstate import JobstateLog, JobTags
from condor_py.daemons.dagman.limits import recovered, with_options
from condor_py.daemons.dagman.managerjob import ManagerJob
from condor_py.daemons.dagman.nodeslog import Read
from condor_py.daemons.dagman.opening import check_submit_version, rehearse
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.daemons.dagman.quitting import Quit
from condor_py.daemons.dagman.reports import Reports
from condor_py.daemons.dagman.start import Lock, Start, next_rescue, nodes_log_path, read_dag, save
from condor_py.lang.classad import ClassAd
from condor_py.lang.dag.options import DagmanOptions
from condor_py.model.errors import NoSpace, StoreError
from condor_py.model.settings.dagman import DagmanSettings, LanguageSettings, ThrottleSettings
from condor_py.model.version import CONDOR_VERSION

sys.path.insert(0, str(Path(__file__).resolve().parent))

from dag_world import World

_NO_CAPS = ThrottleSettings(0, 0, 0, 0, 0, 0)


def _no_sub_dags(words: list[str]) -> int:
    raise AssertionError(f"condor_submit_dag {words}")


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """t.dag in the current directory."""
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path / "local"))
    monkeypatch.setenv("_CONDOR_DAGMAN_AVOID_SLASH_TMP", "false")
    monkeypatch.chdir(tmp_path)
    options = DagmanOptions(True, "")
    options.dag_files.append("t.dag")
    log = OutLog(str(tmp_path / "out"), 3)
    settings = DagmanSettings().changed(default_node_log="@(DAG_DIR)/@(DAG_FILE).@(CLUSTER).@(OWNER).log")
    patience = Patience(log, None)  # type: ignore[arg-type]
    return Start(Pool("DAGMAN"), settings, _NO_CAPS, options, log, patience, _no_sub_dags)


def said(start: Start) -> str:
    """What is in the log by now."""
    start.log.flush()
    path = Path(start.log.path)
    return path.read_text() if path.exists() else ""


# ---- limits -------------------------------------------------------------------------------------------------------


def limits(idle: int, caps: ThrottleSettings = _NO_CAPS, strict: int = 1, **more: int) -> tuple[DagmanSettings, str]:
    """The settings with -maxidle, and what is said."""
    options, lines = DagmanOptions(True, ""), []
    options.numbers["MaxIdle"] = idle
    settings = DagmanSettings().changed(throttles=ThrottleSettings(**more), language=LanguageSettings(strict=strict))
    made = with_options(settings, options, caps, lambda text: lines.append(text))
    return made, "\n".join(lines)


@pytest.mark.parametrize(("idle", "submits", "scan"), [(1000, 100, 5), (45, 4, 4), (3, 1, 1), (5000, 100, 5)])
def test_a_limit_of_idle_jobs_limits_what_is_submitted_at_a_time(idle: int, submits: int, scan: int) -> None:
    made, told = limits(idle)
    assert (made.throttles.max_submits_per_interval, made.user_log_scan_interval) == (submits, scan)
    assert ("has been changed from the default setting" in told) == (idle != 1000)
    assert (f"has been changed to {submits} because" in told) == (submits != 100)


def test_what_the_user_has_set_is_left_alone_but_warned_of() -> None:
    made, told = limits(20, max_submits_per_interval=50)
    assert made.throttles.max_submits_per_interval == 50
    assert "Warning: your DAGMAN_MAX_SUBMITS_PER_INTERVAL setting of 50 may interfere" in told
    with pytest.raises(Quit):
        limits(20, strict=2, max_submits_per_interval=50)


def test_the_administrator_has_the_last_word() -> None:
    made, _ = limits(1000, _NO_CAPS.changed(max_idle=7, max_jobs=3), max_jobs=9)
    assert (made.throttles.max_idle, made.throttles.max_jobs, made.throttles.max_pre) == (7, 3, 20)


def test_limits_of_users_outlive_a_restart(start: Start) -> None:
    job = ManagerJob(start.pool, start.log, "")
    assert recovered(ThrottleSettings(max_jobs=9), job, _NO_CAPS) == ThrottleSettings(max_jobs=9)
    job.ad = ClassAd.from_text_items([("DAGMan_MaxJobs", "3"), ("DAGMan_MaxIdle", "0"), ("DAGMan_MaxPreScripts", "50")])
    found = recovered(ThrottleSettings(max_jobs=9), job, _NO_CAPS.changed(max_pre=40))
    assert (found.max_jobs, found.max_idle, found.max_pre, found.max_post) == (3, 0, 40, 20)


# ---- the lock -----------------------------------------------------------------------------------------------------


def test_a_lock_tells_of_a_run_only_when_that_has_begun(start: Start) -> None:
    first = Lock(start, 7)
    assert not first.was_there
    os.close(first._handle)
    second = Lock(start, 7)
    assert not second.was_there, "whoever left it had begun nothing"
    second.mark()
    assert Path("t.dag.lock").read_text() == "7\n"
    os.close(second._handle)
    third = Lock(start, 1234)
    assert third.was_there
    third.mark()
    assert Path("t.dag.lock").read_text() == "1234\n"
    third.remove()
    assert not Path("t.dag.lock").exists()


def test_two_of_one_dag_do_not_run_at_a_time(start: Start) -> None:
    lock = Lock(start, 7)
    lock.mark()
    with pytest.raises(Quit) as ended:
        Lock(start, 8)
    assert ended.value.code == 1
    assert "another instance of DAGMan is currently running" in said(start)


def test_a_lock_that_the_last_dag_removes_at_this_moment_is_not_taken(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody would find it: killed, this DAG would begin again instead of recovering."""
    first, locked = Lock(start, 7), Lock._locked
    first.mark()

    def first_ends(self: Lock) -> bool:
        if first._handle != -1:
            first.remove()
            os.close(first._handle)
            first._handle = -1
        return locked(self)

    monkeypatch.setattr(Lock, "_locked", first_ends)
    second = Lock(start, 8)
    assert not second.was_there, "there is nothing to recover"
    second.mark()
    assert Path("t.dag.lock").read_text() == "8\n"
    second.remove()


def test_who_meets_a_lock_of_nobody_yet_comes_back(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier start of the same job may still wait for room to mark it: the job must not end for that."""
    monkeypatch.setattr("condor_py.daemons.dagman.start._PATIENCE", 0.0)
    lock = Lock(start, 7)
    with pytest.raises(Quit) as ended:
        Lock(start, 7)
    assert ended.value.code == 3
    lock.remove()


@pytest.mark.parametrize(
    ("error", "may"),
    [
        (NoSpace("x"), True),
        (OSError(errno.ENOSPC, "x"), True),
        (StoreError("x"), False),
        (OSError(errno.EACCES, "x"), False),
    ],
)
def test_only_a_full_disk_is_waited_for(error: Exception, may: bool) -> None:
    assert may_pass(error) is may


# ---- files --------------------------------------------------------------------------------------------------------


def test_the_newest_rescue_file_is_gone_on_from_and_gaps_are_told_of(start: Start) -> None:
    assert start.find_rescue() == ("", "")
    for number in (1, 3):
        Path(f"t.dag.rescue{number:03d}").touch()
    assert start.find_rescue() == ("t.dag.rescue003", "Found rescue DAG number 3")
    assert start.rescue_number == 3
    assert next_rescue(start) == "t.dag.rescue004"
    assert said(start).count("Warning: Found rescue DAG number 3, but not rescue DAG number 2") == 2


def test_what_cannot_be_written_is_said_in_one_line(start: Start) -> None:
    save(start, "nowhere/st", "text")
    assert "Could not open nowhere/st for writing: No such file or directory\n" in said(start)


def test_the_nodes_log_is_named_after_the_dag_and_its_job(start: Start) -> None:
    assert nodes_log_path(start, 7, "alice", "") == f"{os.getcwd()}/./t.dag.7.alice.log"
    start.settings = start.settings.changed(default_node_log="@(OTHER).log")
    with pytest.raises(Quit):
        nodes_log_path(start, 7, "alice", "")
    assert "contains a '@(' character sequence" in said(start)


# ---- tags ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ('+pegasus_site = "there"\n', "there"),
        ('+Pegasus_Site=here\n+job_tag_name = "+jt"\n+jt = "tagged"\n', "tagged"),
        ('+job_tag_name = "+jt"\n', "-"),
        ("executable = x\n", "-"),
        (None, "-"),
    ],
)
def test_a_node_has_the_tag_that_its_submit_file_gives_it(
    text: str | None, tag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    if text is not None:
        (tmp_path / "sub" / "x.sub").write_text(text)
    progress = World("JOB A x.sub DIR sub\n").run.progress
    assert JobTags(progress).of(progress.dag.numbers["A"]) == tag


# ---- what runs nothing --------------------------------------------------------------------------------------------


def test_recovery_of_a_run_with_a_rescue_file_repeats_no_line_of_the_jobstate_log(tmp_path: Path) -> None:
    path = tmp_path / "jobstate"
    path.write_text(
        "1 INTERNAL *** DAGMAN_STARTED 1.0 ***\n1 A SUBMIT 2.0 - - 1\n1 INTERNAL *** DAGMAN_FINISHED 1 ***\n"
    )
    seen = Read(JobEvent(0, 3, 0, 0, "A"), 9)

    def started(recovery: bool) -> None:
        log = JobstateLog(World("JOB A x\n").run.progress, str(path), "4.0")
        log.begin(recovery, rescue=True)
        log.event(0, seen)
        log.flush()

    started(recovery=False)
    started(recovery=True)
    started(recovery=True)
    assert [line for line in path.read_text().splitlines() if " A " in line] == [
        "1 A SUBMIT 2.0 - - 1", "9 A SUBMIT 3.0 - - 2",
    ]  # fmt: skip


def test_lines_of_the_jobstate_log_wait_for_room_and_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "jobstate"
    path.symlink_to("/dev/full")
    log = JobstateLog(World("JOB A x\n").run.progress, str(path), "4.0")
    log.begin(recovery=False, rescue=False)
    log.flush()
    path.unlink()
    log.event(0, Read(JobEvent(0, 3, 0, 0, "A"), 9))
    log.flush()
    log.flush()
    words = [line.split(" ", 1)[1] for line in path.read_text().splitlines()]
    assert words == ["INTERNAL *** DAGMAN_STARTED 4.0 ***", "A SUBMIT 3.0 - - 1"]


def test_a_jobstate_log_with_an_odd_number_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "jobstate"
    path.write_bytes(b"1 A SUBMIT 2.0 - - 7\n\xff \0\n1 A SUBMIT 2.0 - - " + b"9" * 5000 + b"\n")
    log = JobstateLog(World("JOB A x\n").run.progress, str(path), "4.0")
    log.begin(recovery=False, rescue=True)
    log.event(0, Read(JobEvent(0, 3, 0, 0, "A"), 9))
    log.flush()
    assert path.read_bytes().splitlines()[-1].startswith(b"9 A SUBMIT 3.0 - - ")


def test_a_dry_run_names_the_nodes_in_an_order_in_which_they_may_run(start: Start) -> None:
    Path("t.dag").write_text(
        "JOB C s\nJOB B s\nJOB A s DONE\nJOB X s\nFINAL F s\nPARENT A CHILD B\nPARENT B X CHILD C\n"
    )
    assert rehearse(start, read_dag(start)) == 0
    named = [line.rpartition(" ")[2] for line in said(start).splitlines() if "Processing node" in line]
    assert named == ["X", "B", "C", "F"]
    assert "-DryRun" in said(start).splitlines()[-1]


def test_a_dry_run_fails_where_nodes_are_never_reached(start: Start) -> None:
    start = replace(start, settings=start.settings.changed(startup_cycle_detect=False))
    Path("t.dag").write_text("JOB A s\nJOB B s\nJOB C s\nPARENT A CHILD B\nPARENT B CHILD C\nPARENT C CHILD B\n")
    assert rehearse(start, read_dag(start)) == 1
    assert "2 nodes are never reached" in said(start)


@pytest.mark.parametrize(
    ("version", "allowed", "quits", "words"),
    [
        ("", False, False, ""),
        (CONDOR_VERSION, False, False, ""),
        ("$CondorVersion: 24.0.1 2024-10-31 BuildID: 1 $", False, False, "but the difference is permissible"),
        ("$CondorVersion: 99.0.1 2024-10-31 BuildID: 1 $", False, False, "is newer than condor_dagman version"),
        ("$CondorVersion: 7.0.5 Sep 20 2008 $", False, True, "Error: "),
        ("$CondorVersion: 7.0.5 Sep 20 2008 $", True, False, "older than oldest permissible version (7.1.2); contin"),
        ("mine", False, True, "is invalid!"),
        ("mine", True, False, "is invalid; continuing because of -AllowVersionMismatch flag"),
    ],
)
def test_the_version_of_the_submit_file_is_compared(
    start: Start, version: str, allowed: bool, quits: bool, words: str
) -> None:
    start.options.texts["CsdVersion"] = version
    if allowed:
        start.options.take("-allowversionmismatch", [])
    if quits:
        with pytest.raises(Quit):
            check_submit_version(start)
    else:
        check_submit_version(start)
    assert words in said(start)
    assert bool(words) == bool(said(start))


def test_without_a_log_no_dag_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_CONDOR_DAGMAN_LOG", "no such directory/t.dag.dagman.out")
    assert dagman(["-Dag", "t.dag"], _no_sub_dags) == 44
    error = f"{tmp_path}/no such directory/t.dag.dagman.out: No such file or directory"
    assert capfd.readouterr().err == f"Can't open the log of condor_dagman: {error}\n"


# ---- the job ad ---------------------------------------------------------------------------------------------------


class Unreachable(ManagerJob):
    """The job of a condor_dagman whose schedd does not answer as long as ``is_away``."""

    def __init__(self, start: Start) -> None:
        super().__init__(start.pool, start.log, "")
        self.is_away = True
        self.written: dict[str, str] = {}

    def write(self, values: dict[str, str]) -> bool:
        if not self.is_away:
            self.written |= values
        return not self.is_away


def test_what_the_schedd_did_not_take_into_the_job_ad_is_written_again(start: Start) -> None:
    job = Unreachable(start)
    reports = Reports(start, job, World("JOB A x\nJOB B x\n").run.progress)
    reports.publish()
    job.is_away = False
    reports.publish()
    assert job.written["DAG_NodesTotal"] == "2"
    job.written.clear()
    reports.publish()
    assert job.written == {}, "nothing has changed"
