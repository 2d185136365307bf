"""condor_gather_info: what it gathers about a machine and a job, and what it leaves out."""

from __future__ import annotations

import os
import resource
import tarfile
import time
from pathlib import Path

import pytest
from tool_runner import Done, Spool

from condor_py.cli.gather_info import without_secrets
from condor_py.lang.events import JobAdInformation, JobHeld
from condor_py.store.event_log import Form, format_event

EVENTS = (
    "000 (007.000.000) 2026-01-02 03:04:05 Job submitted from host: <127.0.0.1:9618>\n...\n"
    "000 (007.001.000) 2026-01-02 03:04:05 Job submitted from host: <127.0.0.1:9618>\n...\n"
    "012 (007.000.000) 2026-01-02 03:04:06 Job was held.\n\thttp://me:hunter2@host/x?sig=hunter2\n...\n"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("FOO_PASSWORD = hunter2", "FOO_PASSWORD = (left out)"),
        ("schedd.api_token=hunter2 and more", "schedd.api_token= (left out)"),
        ("SEC_PASSWORD = x\n # at: a.config, line 1\n # expanded: hunter2\n # default: h", "SEC_PASSWORD = (left out)\n"
         " # at: a.config, line 1\n # expanded: (left out)\n # default: (left out)"),
        ("ENCRYPT_SECRETS = true\n # expanded: true\nA = 1\n # expanded: 1", None),
        ('Environment = "A=hunter2"\nEnv = "B"', "Environment = (left out)\nEnv = (left out)"),
        ('EnvDelim = ";"\nArgs = "-p x"', None),
        ("at http://me:hunter2@host/x and http://me@host/", "at http://me:...@host/x and http://me@host/"),
        ("http://h/a,s3://me:hunter2@h2/b?c", "http://h/a,s3://me:...@h2/b?..."),
        ("'https://h/p?X-Amz-Signature=hunter2' end", "'https://h/p?...' end"),
        ("\udcff\r\n", None),
    ],
)  # fmt: skip
def test_secrets_are_left_out_and_nothing_else(text: str, shown: str | None) -> None:
    assert without_secrets(text) == (text if shown is None else shown)


@pytest.mark.parametrize(
    "text", ["a." * 200_000, "secret" * 100_000, "http://" * 100_000, "token \t" * 100_000, "?" * 10]
)
def test_no_text_of_a_user_makes_it_slow(text: str) -> None:
    begun = time.process_time()
    without_secrets(text)
    assert time.process_time() - begun < 5


def test_the_profile_tells_of_the_machine_and_its_configuration(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_MY_API_KEY", "hunter2")
    monkeypatch.setenv("_CONDOR_MY_PLACE", "ftp://me:hunter2@host/")
    done = spool.run("condor_gather_info")
    assert (done.out, done.code) == (
        "Gathering Condor and machine information...\nInformation is in condor-profile.txt\n", 0,
    )  # fmt: skip
    profile = tmp_path / "condor-profile.txt"
    text = profile.read_text(errors="surrogateescape")
    assert "hunter2" not in text
    for wanted in ("\n# uname -a #\n", "MY_API_KEY = (left out)", "MY_PLACE = ftp://me:...@host/", "$CondorVersion: "):
        assert wanted in text, wanted
    assert profile.stat().st_mode & 0o777 == 0o600


def test_all_about_a_job_is_in_one_file(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(EVENTS)
    spool.add(7, 2, UserLog='"job.log"', Iwd=f'"{tmp_path}"', Environment='"PASS=hunter2"', JobStatus="5")
    log = tmp_path / "local" / "log"
    log.mkdir(exist_ok=True)
    (log / "SchedLog").write_text("the schedd\n")
    (log / "StarterLog.slot1_3").write_text("the starter\n")
    spool.set("7.0", "LastRemoteHost", '"slot1_3@vm"')
    (tmp_path / "scratch").mkdir()
    done = spool.run("condor_gather_info", "--jobid=7.0", "--scratch", "scratch")
    assert (done.err, done.code) == ("", 0)
    name = done.out.split()[-1]
    assert name.startswith(f"cgi-{spool.me}-jid7.0-")
    assert os.listdir("scratch") == []
    assert Path(name).stat().st_mode & 0o777 == 0o600
    with tarfile.open(name) as archive:
        members = [(each.name.partition("/")[2], archive.extractfile(each)) for each in archive]
        found = {name: file.read().decode() for name, file in members if file is not None}
    mine = EVENTS[: EVENTS.index("000 (007.001")] + EVENTS[EVENTS.index("012") :]
    shown = mine.replace("me:hunter2@host/x?sig=hunter2", "me:...@host/x?...")
    assert found["7.0/job_userlog_lines"] == shown
    assert 'LastRemoteHost = "slot1_3@vm"' in found["7.0/job_ad"]
    assert "Environment = (left out)" in found["7.0/job_ad"]
    assert (found["SchedLog"], found["StarterLog.slot1_3"]) == ("the schedd\n", "the starter\n")
    assert {"condor-profile.txt", "MasterLog", "7.0/job_q", "7.0/job_ad_analysis"} <= found.keys()
    assert not any("hunter2" in text for text in found.values())


@pytest.mark.parametrize("form", [Form.XML, Form.JSON])
def test_events_of_a_log_in_another_form(spool: Spool, tmp_path: Path, form: Form) -> None:
    url = "http://me:hunter2@host/x?sig=hunter2"
    held = [JobHeld(cluster=7, proc=proc, subproc=0, time=1e9, reason=url) for proc in (0, 1)]
    items = (("Environment", '"PASS=hunter2"'), ("A", "1"))
    told = JobAdInformation(cluster=7, proc=0, subproc=0, time=1e9, items=items)
    (tmp_path / "job.log").write_text("".join(format_event(event, form) for event in (*held, told)))
    spool.add(7, 1, UserLog='"job.log"', Iwd=f'"{tmp_path}"')
    done = spool.run("condor_gather_info", "--jobid", "7.0")
    assert (done.err, done.code) == ("", 0)
    with tarfile.open(done.out.split()[-1]) as archive:
        (file,) = (archive.extractfile(each) for each in archive if each.name.endswith("/job_userlog_lines"))
        assert file is not None
        shown = file.read().decode()
    assert shown.count('HoldReason = "http://me:...@host/x?..."\n') == 1
    assert "\nEnvironment = (left out)\n" in shown
    assert "\nA = 1\n" in shown
    assert "hunter2" not in shown
    assert "Proc = 1" not in shown


def test_a_job_that_is_not_there_is_said(spool: Spool) -> None:
    done = spool.run("condor_gather_info", "--jobid", "99.0")
    assert "Job 99.0 does not appear in condor_history either.\n" in done.out
    assert done.code == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--jobid 7", "condor_gather_info: 7 is no job: give CLUSTER.PROC"),
        ("--jobid 7.0/../x", "condor_gather_info: 7.0/../x is no job: give CLUSTER.PROC"),
        ("--jobid 7.0 --scratch nowhere", "condor_gather_info: cannot write "),
        ("--schedd elsewhere", "condor_gather_info: unknown schedd elsewhere"),
        ("more", "Error: unrecognized argument more"),
    ],
)
def test_what_is_wrong_is_named(spool: Spool, words: str, text: str) -> None:
    done = spool.run("condor_gather_info", *words.split())
    assert done.err.startswith(text)
    assert done.code == 1
    assert not list(Path().glob("*.tar.gz"))


def test_the_sections_of_the_profile(spool: Spool, tmp_path: Path) -> None:
    """Each in a frame, with its heading; the limits of the process are those of the system."""
    assert spool.run("condor_gather_info").code == 0
    lines = (tmp_path / "condor-profile.txt").read_text(errors="surrogateescape").splitlines()
    framed = [lines[at + 1] for at, line in enumerate(lines[:-2]) if set(line) == {"#"} and lines[at + 2] == line]
    headings = [line.strip("# ") for line in framed]
    assert headings[:4] == ["User who made this report", "Command", "Machine", "Date"]
    wanted = [
        "uname -a", *(f"/etc/{name}" for name in ("os-release", "issue", "hosts", "nsswitch.conf")), "ulimit -a",
        "ip address", "ps -eo user,pid,ppid,stat,lstart,time,rss,comm --forest", "df -h", "iptables -L -n", "uptime",
        "free", "/proc/meminfo", "condor_version",
        "condor_version -compiled", "condor_config_val -config", "condor_config_val -verbose -dump",
        "condor_config_val -lint", "condor_who -daemons", "condor_status -any",
    ]  # fmt: skip
    assert [heading for heading in headings if heading in wanted] == wanted
    text = {heading: lines[lines.index(f"# {heading} #") + 2] for heading in headings}
    assert text["User who made this report"] == spool.me
    assert text["Command"] == "condor_gather_info"
    at = lines.index("# ulimit -a #")
    limits = {line.split()[0]: line.split()[1:] for line in lines[at + 2 : at + 20] if len(line.split()) == 3}
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert limits["nofile"] == [str(soft), str(hard)]
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    assert limits["core"] == ["unlimited" if number < 0 else str(number) for number in (soft, hard)]
    assert list(limits) == sorted(limits)


def test_bytes_of_the_configuration_stay_as_they_are(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_MY_PLACE", "/a\udcff")
    assert spool.run("condor_gather_info").code == 0
    assert b"MY_PLACE = /a\xff\n" in (tmp_path / "condor-profile.txt").read_bytes()


def files_of(done: Done) -> dict[str, bytes]:
    """Return the files of the archive that a run has made."""
    with tarfile.open(done.out.split()[-1]) as archive:
        members = [(each.name.partition("/")[2], archive.extractfile(each)) for each in archive]
        return {name: file.read() for name, file in members if file is not None}


def test_logs_keep_their_bytes(spool: Spool, tmp_path: Path) -> None:
    spool.add(7)
    (tmp_path / "local" / "log").mkdir(exist_ok=True)
    (tmp_path / "local" / "log" / "MasterLog").write_bytes(b"\xff odd\n")
    done = spool.run("condor_gather_info", "--jobid", "7.0")
    assert done.code == 0
    found = files_of(done)
    assert found["MasterLog"] == b"\xff odd\n"
    assert found["7.0/job_userlog_lines"] == b"No log file specified in job ad.\n"
    assert b" 7.0 " in found["7.0/job_q"]  # a line of its own, no batch
    assert "No remote host found in job ad -- perhaps job this never ran?\n" in done.out
    assert not any(name.startswith("StarterLog") for name in found)


@pytest.mark.parametrize(
    ("host", "log"), [("slot1_2@vm", "StarterLog.slot1_2"), ("../x@vm", None), ("vm", None), ("s@t@vm", None)]
)
def test_the_log_of_the_starter(spool: Spool, host: str, log: str | None) -> None:
    """That of the slot, if the name is that of a slot."""
    spool.add(7, RemoteHost=f'"{host}"')
    done = spool.run("condor_gather_info", "--jobid", "7.0")
    assert [name for name in files_of(done) if name.startswith("StarterLog")] == ([] if log is None else [log])
    assert ("No remote host found" in done.out) == (log is None)


def test_a_log_without_events_of_the_job(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(EVENTS)
    spool.add(70, UserLog='"job.log"', Iwd=f'"{tmp_path}"')
    found = files_of(spool.run("condor_gather_info", "--jobid", "70.0"))
    assert found["70.0/job_userlog_lines"] == b"No event of job 70.0 in job.log.\n"


def test_the_logs_of_the_daemons(spool: Spool, tmp_path: Path) -> None:
    """Under the names that they have in HTCondor."""
    spool.add(7)
    logs = tmp_path / "local" / "log"
    logs.mkdir(exist_ok=True)
    names = ["MasterLog", "MasterLog.old", "SchedLog", "SchedLog.old", "NegotiatorLog", "StartLog"]
    for name in names:
        (logs / name).write_text(f"this is {name}\n")
    found = files_of(spool.run("condor_gather_info", "--jobid", "7.0"))
    assert {name: found[name].decode() for name in names} == {name: f"this is {name}\n" for name in names}
    assert {"ShadowLog", "ShadowLog.old"} <= found.keys()
