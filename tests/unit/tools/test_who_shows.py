"""condor_who: the tables of jobs, directories and programs, their widths, and startds found by their open files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import who
from condor_py.client.pool import Pool
from condor_py.client.wire import WireError
from condor_py.lang.classad import ClassAd
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.machine import Extras
from condor_py.store.ad_store import AdStore

ME = os.getpid()
SLOTS = [
    {"MyType": "Machine", "Machine": "lab", "Name": "slot1_1@lab", "SlotID": 1, "DSlotId": 1, "State": "Claimed",
     "RemoteOwner": "ann@example.net", "ClientMachine": "lab", "JobId": "1.0", "JobPid": ME, "TotalJobRunTime": 90061},
    {"MyType": "Machine", "Machine": "lab", "Name": "slot2@lab", "SlotID": 2, "State": "Claimed", "JobId": "2.0",
     "RemoteOwner": "bea@example.net", "ClientMachine": "lab"},
    {"MyType": "StartD", "Machine": "lab", "Name": "lab", "MyAddress": "<10.1.2.3:9618>"},
]  # fmt: skip


@pytest.fixture
def lab(spool: Spool) -> Spool:
    """Two slots with jobs, one of which is in the queue."""
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd(slot) for slot in SLOTS])
    spool.add(1, 1, "ann", MemoryUsage="100", Cmd='"/bin/sleep"')
    return spool


def lines(spool: Spool, *words: str) -> list[str]:
    done = spool.run("condor_who", *words)
    assert (done.err, done.code) == ("", 0)
    return done.out.splitlines()


def test_jobs_with_what_they_use(lab: Spool) -> None:
    pid = str(ME)
    shown = lines(lab, "-jobs")
    assert shown[1] == lines(lab)[1] == "--Startd : lab has 2 job(s) running:"
    assert shown[2].split() == ["SLOT", "USER", "PID", "MEM_USE", "PROGRAM"]
    assert shown[3].split() == ["slot1_1", "ann@example.net", pid, "100.0", "MB", "/bin/sleep"]
    assert shown[4].split() == ["slot2"]


def test_directories_of_jobs(lab: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = lines(lab)
    assert shown[2].split() == ["OWNER", "CLIENT", "SLOT", "JOB", "RUNTIME", "PID", "JOB_DIR"]
    assert shown[3].split() == ["ann@example.net", "lab", "1_1", "1.0", "1+01:01:01", str(ME), os.getcwd()]
    assert shown[4].split() == ["bea@example.net", "lab", "2", "2.0"]
    with subprocess.Popen(["sleep", "60"], env={"_CONDOR_SCRATCH_DIR": "/scratch/x", "A": "b"}) as program:
        slot = ClassAd({"JobPid": program.pid})
        while not Path(f"/proc/{program.pid}/environ").read_bytes():  # the kernel is still filling it
            assert program.poll() is None
        assert who._scratch(None, slot) == "/scratch/x"
        program.kill()
    assert who._scratch(None, ClassAd({"JobPid": ME})) == os.environ.get("_CONDOR_SCRATCH_DIR")
    assert who._scratch(None, ClassAd({"JobPid": 4194999})) is None
    assert who._directory(None, ClassAd({"JobPid": 4194999})) is None


@pytest.mark.parametrize(("word", "width"), [("-wide", 0), ("-wide:20", 19), ("-wide:0", 0), ("-wide:x", 0)])
def test_rows_are_cut_where_that_is_asked_for(lab: Spool, word: str, width: int) -> None:
    rows = [line for line in lines(lab, word)[3:] if line]
    assert max(map(len, rows)) == (width or max(map(len, rows)))
    assert (max(map(len, rows)) < 40) == bool(width)


def test_columns_of_ones_own(lab: Spool) -> None:
    assert lines(lab, "-af", "JobId", "SlotID") == ["1.0 1", "2.0 2"]
    assert lines(lab, "-format", "%s;", "JobId", "-format", "%d\n", "SlotID") == ["1.0;1", "2.0;2"]
    appended = lines(lab, "-jobs", "-aaf", "SlotID")
    assert appended[2].split()[-1] in ("SlotID", "PROGRAM")
    Path("format").write_text("SELECT\nJobId AS JOB\nSlotID AS S PRINTAS SLOT_ID\nJobPid AS P PRINTAS JOB_PID OR -\n")
    shown = lines(lab, "-print-format", "format")
    assert lines(lab, "-print-format:x", "format") == shown
    assert lab.run("condor_who", "-print-format").err == "Error: -print-format requires a filename argument\n"
    assert [line.split() for line in shown if line][-2:] == [["1.0", "1_1", str(ME)], ["2.0", "2", "-"]]
    Path("format").write_text("SELECT\nJobId AS JOB\nJobPid AS DIR PRINTAS JOB_DIRCMD OR -\nWHERE SlotID > 0\n")
    command = [["1.0", os.getcwd()], ["2.0", "-"]]
    assert [line.split() for line in lines(lab, "-print-format", "format") if line][-2:] == command
    bad = (("-af", "("), ("-format", "%s", "("), ("-aaf", "("), ("-af", "(", "JobId"), ("-aaf", "(", "JobId"))
    for words in bad:
        done = lab.run("condor_who", *words)
        assert (done.err, done.code) == ("Error:  Parse error of: (\n", 1)


def test_the_program_of_a_job(lab: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("format").write_text("SELECT\nJobPid AS PROGRAM PRINTAS JOB_PROGRAM OR -\n")
    with subprocess.Popen(["sleep", "60"]) as program:
        while not Path(f"/proc/{program.pid}/cmdline").read_bytes():  # Popen may return before they are to be seen
            time.sleep(0.01)
        shown = {"MyType": "Machine", "Machine": "lab", "Name": "slot1@lab", "JobId": "1.0", "SlotID": 1}
        AdStore(f"{lab.path.parent}/ads").publish("STARTD", [ClassAd({**shown, "JobPid": program.pid})])
        shown_rows = [line.rstrip() for line in lines(lab, "-print-format", "format")[2:4]]
        assert shown_rows == ["PROGRAM", "sleep 60"]
        monkeypatch.setattr(who, "_directory", lambda value, ad: None)
        Path("format").write_text("SELECT\nJobPid AS D PRINTAS JOB_DIRCMD OR -\n")
        assert lines(lab, "-print-format", "format")[3].rstrip() == "sleep 60"
        program.kill()
    assert lines(lab, "-print-format", "format")[3].rstrip() == "-"


def test_all_conditions_count(lab: Spool) -> None:
    one, two = ("-constraint", "SlotID == 1"), ("-constraint", "JobPid =!= undefined || SlotID == 2")
    assert lines(lab, *one, *two, "-af", "JobId") == ["1.0"]
    assert lines(lab, *two, *one, "-af", "JobId") == ["1.0"]
    assert lines(lab, *two, "-af", "JobId") == ["1.0", "2.0"]
    Path("format").write_text('SELECT\nJobId AS JOB\nWHERE SlotID == 2\nAND JobId is "2.0"\n')
    assert [line.split() for line in lines(lab, "-print-format", "format") if line][2:] == [["2.0"]]
    assert lines(lab, *one, "-print-format", "format") == []
    Path("format").write_text("SELECT\nJobId AS JOB\nWHERE (\n")
    done = lab.run("condor_who", "-print-format", "format")
    assert (done.out, done.err, done.code) == ("", "Error: could not parse constraint (\n", 1)


def test_a_snapshot_has_what_programs_and_jobs_add(lab: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Answer:
        ads = (("chirp", (("A", "1 + 1"), ("B", '"x"'))), ("cron", ()))

    answers: list[Any] = [Answer(), Refused("no"), WireError("gone")]

    def ask(pool: Pool, daemon: str, request: object, timeout: float = 0.0) -> Any:
        if not isinstance(request, Extras):
            raise WireError("it is busy")
        assert (daemon, timeout) == ("startd", 10.0)
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(Pool, "ask", ask)
    done = lab.run("condor_who", "-snapshot", "-long")
    assert (done.err, done.code) == ("", 0)
    whole = done.out
    assert 'MyType = "Machine.Extra"' in whole
    assert "A = 1 + 1\n" in whole
    assert 'Name = "cron"\n' in whole
    for _ in range(2):
        assert "Machine.Extra" not in lab.run("condor_who", "-snapshot", "-long").out
    assert "Machine.Extra" not in lab.run("condor_who", "-snapshot", "-long", "-constraint", "true").out
    assert answers == []


def test_startds_are_found_by_their_open_files(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    (log / ".startd.lock").touch()
    code = "import sys; file = open(sys.argv[1]); print(flush=True); sys.stdin.read()"
    for names, found in (
        (("condor_startd",), str(log)),
        (("STARTD", "x/daemons/main.py"), str(log)),
        (("STARTD",), None),
    ):
        argv = [sys.executable, "-c", code, str(log / ".startd.lock"), *names]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            assert program.stdout is not None
            program.stdout.readline()
            assert who._startd_log(str(program.pid)) == found
            program.communicate()
    assert who._startd_log(str(ME)) is None
    assert who._startd_log("4194999") is None


def test_pools_by_their_log(lab: Spool, tmp_path: Path) -> None:
    pool = Pool()
    os.makedirs(pool.paths.log, exist_ok=True)
    assert who.of_log_directory(pool, pool.paths.log) == who.configured(pool)
    assert who.of_log_directory(pool, str(tmp_path / "other" / "log")) is None
    (tmp_path / "other" / "spool" / "ads").mkdir(parents=True)
    found = who.of_log_directory(pool, str(tmp_path / "other" / "log"))
    assert found is not None
    assert (found.ads, bool(found.pid)) == (f"{tmp_path}/other/spool/ads", False)
    assert lab.run("condor_who", "-logdir", str(tmp_path / "none" / "log")) == ("", "", 0)
    assert lab.run("condor_who", "-pid", "4194999") == ("", "", 0)
    done = lab.run("condor_who", "-address", "<1.2.3.4:5>")
    assert done.err == "Error: communication error\nCEDAR:6001:Failed to connect to <1.2.3.4:5>\n"
