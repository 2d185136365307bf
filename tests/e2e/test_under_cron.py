"""Maintenance under cron: no terminal, next to no environment, locks with time-outs, exit codes that mean something."""

from __future__ import annotations

import email
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import ROOT, Done, PersonalPool, preloaded, wait_for
from preloaded import PreloadedTools, may_be_preloaded

from condor_py.cli.application import specs

#: One worker runs all tests: the pool of most is made once.
pytestmark = pytest.mark.xdist_group("under cron")

_CRON = ROOT / "etc" / "cron"


class CronPool(PersonalPool):
    """A pool configured by a file, which is all that cron's environment names."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, cpus=2, MAXJOBRETIREMENTTIME="3600")
        self.config = directory / "condor_config"
        knobs = [item for item in self.environment.items() if item[0].startswith("_CONDOR_")]
        self.config.write_text("".join(f"{name[len('_CONDOR_') :]} = {text}\n" for name, text in knobs))
        self.environment = {"CONDOR_CONFIG": str(self.config), "CONDOR_PY_PYTHON": sys.executable}

    def bare(self, *command: str) -> Done:
        """Runs a command as cron does."""
        return subprocess.run(
            command,
            env=self.environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            start_new_session=True,
        )

    def cron(self, script: str, *words: str) -> Done:
        """Runs a script of etc/cron; it must succeed and complain of nothing."""
        done = self.bare(str(_CRON / script), *words)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        return done

    def report(self, pattern: str) -> str:
        """The one report that matches."""
        (path,) = self.log.glob(pattern)
        return path.read_text()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[CronPool]:
    """A pool without a history."""
    made = CronPool(tmp_path / "pool")
    with made.running():
        yield made


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CronPool]:
    """A pool for all tests that leave no jobs."""
    made = CronPool(tmp_path_factory.mktemp("cron") / "pool")
    with made.running():
        yield made


def test_reports_and_snapshots(fresh: CronPool) -> None:
    pool = fresh
    text = "executable = /bin/sh\narguments = \"-c 'exit $(Process)'\"\nlog = run.log\nqueue 2\n"
    pool.submit(text)
    pool.submit("executable = /bin/true\nhold = true\nqueue 3\n")
    pool.wait("run.log")
    wait_for(lambda: len(pool.queue("ClusterId")) == 3, "both are in the history, and no longer in the queue")
    assert pool.cron("queue-report").stdout == ""
    queue = pool.report("queue-*.txt")
    assert "Total for all users: 3 jobs; 0 completed, 0 removed, 0 idle, 0 running, 3 held, 0 suspended" in queue
    assert "submitted on hold at user's request" in queue
    pool.cron("history-report")
    heading, row = pool.report("history-*.txt").splitlines()
    assert heading.split() == ["OWNER", "JOBS", "FAILED", "HOURS"]
    assert row.split()[1:3] == ["2", "1"]
    pool.cron("userprio-snapshot")
    (ads,) = pool.log.glob("userprio-*.ads")
    assert "NumSubmittors = " in ads.read_text()
    assert "Number of users" in pool.report("userprio-*.txt")
    shown = pool.bare(str(ROOT / "bin" / "condor_userprio"), "-inputfile", str(ads), "-allusers")
    assert "Number of users" in shown.stdout
    sendmail, mail = pool.directory / "sendmail", pool.directory / "mail"
    sendmail.write_text(f"#!/bin/sh\ncat >{mail}\n")
    sendmail.chmod(0o755)
    with pool.config.open("a") as config:
        config.write(f"SENDMAIL = {sendmail}\n")
    pool.cron("weekly-report", "1h", "ann@example.net, bob@example.net")
    message = email.message_from_string(mail.read_text())
    assert message["To"] == "ann@example.net, bob@example.net"
    words, attached = message.get_payload()
    assert "open it in any browser" in words.get_payload()
    page = attached.get_payload(decode=True).decode()
    assert page == pool.report("report-*.html")
    assert f'<th scope="row">{row.split()[0]}</th><td>2</td>' in page, "two jobs had started"


def test_old_held_jobs_go_and_others_stay(pool: CronPool) -> None:
    cluster = pool.submit("executable = /bin/true\nhold = true\nqueue 2\n")
    assert pool.cron("clear-old-held-jobs").stdout == ""
    pool.tool("condor_qedit", f"{cluster}.1", "EnteredCurrentStatus", str(int(time.time()) - 40 * 86400))
    said = pool.cron("clear-old-held-jobs").stdout
    assert said.startswith(f"{cluster}.1 ")
    assert "have been marked for removal" in said
    wait_for(lambda: pool.queue("ProcId") == [["0"]], "the old one is gone")
    pool.tool("condor_rm", str(cluster))


def test_a_maintenance_window(pool: CronPool) -> None:
    gate = pool.work / "gate"
    script = pool.work / "run.sh"
    script.write_text(f"#!/bin/sh\nuntil [ -e {gate} ]; do sleep 0.05; done\n")
    script.chmod(0o755)
    cluster = pool.submit(f"executable = {script}\nlog = run.log\nqueue\n")
    wait_for(lambda: pool.status_of(str(cluster)) == 2, "the job runs")
    done = pool.bare(str(_CRON / "drain-for-maintenance"), "0")
    assert (done.returncode, done.stderr) == (1, "drain-for-maintenance: jobs are still running\n")
    gate.touch()
    pool.wait("run.log")
    pool.submit("executable = /bin/true\nlog = next.log\nqueue\n")
    pool.cron("back-in-service")
    pool.wait("next.log")
    pool.cron("drain-for-maintenance", "20")
    assert pool.tool("condor_status", "-af", "State").stdout.split() == ["Drained"]
    pool.cron("back-in-service")


def test_preen_cleans_and_a_second_run_waits_for_the_first(pool: CronPool, monkeypatch: pytest.MonkeyPatch) -> None:
    left = pool.execute / "dir_999999"
    left.mkdir()
    (pool.spool / "left.over").write_text("x")
    old = time.time() - 7200
    for path in (left, pool.spool / "left.over"):
        os.utime(path, (old, old))
    pool.cron("nightly-preen")
    assert not left.exists()
    assert not (pool.spool / "left.over").exists()
    with monkeypatch.context() as patch, open(pool.log / ".back-in-service.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        script = pool.directory / "back-in-service"
        script.write_text((_CRON / "back-in-service").read_text().replace("one_at_a_time 10", "one_at_a_time 1"))
        script.chmod(0o755)
        shutil.copy(_CRON / "common.sh", pool.directory)
        patch.setitem(pool.environment, "CONDOR_BIN", str(ROOT / "bin"))
        done = pool.bare(str(script))
    assert (done.returncode, done.stderr) == (75, "back-in-service: the run before this one has not ended after 1 s\n")


def test_every_tool_works_with_next_to_no_environment_and_no_terminal(pool: CronPool) -> None:
    scripts = {(ROOT / "bin" / spec.name).read_text().replace(f"={spec.name}\n", "=\n") for spec in specs()}
    assert len(scripts) == 1
    wrong = {}
    tools = PreloadedTools(pool.environment)
    for spec in specs():
        words = (spec.name, "-version" if spec.name == "condor_version" else "-help")
        if may_be_preloaded(words, pool.environment):
            done = preloaded(words, pool.environment, Path("/"), tools=tools)
        else:
            done = pool.bare(str(ROOT / "bin" / spec.name), *words[1:])
        text = done.stdout + done.stderr
        if "Traceback" in text or "internal error" in text or not text or "\033[" in text:
            wrong[spec.name] = text
    tools.end()
    assert wrong == {}
    for words in (
        ("condor_q", "-allusers"),
        ("condor_status",),
        ("condor_history",),
        ("condor_userprio", "-allusers"),
        ("condor_config_val", "SPOOL"),
        ("condor_reschedule",),
        ("condor_reconfig",),
        ("condor_store_check",),
    ):
        done = pool.bare(str(ROOT / "bin" / words[0]), *words[1:])
        assert (done.returncode, done.stderr) == (0, ""), words


@pytest.mark.parametrize("unit", ["condor.service", "condor-user.service"])
def test_systemd_finds_nothing_wrong_with_the_units(unit: str, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    text = (ROOT / "etc" / "systemd" / unit).read_text()
    for place in ("/opt/condor_py", "%h/condor_py"):
        text = text.replace(place, str(ROOT))
    (tmp_path / unit).write_text(text)
    mode = ["--user"] if "user" in unit else []
    environment = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        [analyze, "verify", "--man=no", *mode, str(tmp_path / unit)],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if unit in line]
    assert complaints == []
