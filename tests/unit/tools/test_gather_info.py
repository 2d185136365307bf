"""condor_gather_info: what it gathers about a machine and a job, and what it leaves out."""

from __future__ import annotations

import os
import tarfile
import time
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli.gather_info import without_secrets

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
