"""Submits of one directory: what condor_submit prints, writes and queues, as tests/golden/session has it.

After a wanted change CONDOR_PY_RECORD=1 writes it again, and the difference is to be read.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
import time
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.client.pool import Pool

SESSION = Path(__file__).resolve().parents[2] / "golden" / "session" / "submit.txt"
NOW = 1795888800  # 2026-11-28 18:00 UTC
FILES = {
    "one.sub": "executable = prog\narguments = hello\nrequest_memory = 100\nlog = l\nqueue\n",
    "many.sub": "executable = prog\narguments = $(item) $(Process)\noutput = o.$(Process)\nqueue item in (a, b c)\n",
    "two.sub": 'executable = prog\npriority = 3\nqueue 2\nexecutable = other\n+Own = "x"\nqueue 1\n',
    "held.sub": "executable = prog\nhold = true\nqueue 2\n",
    "factory.sub": "executable = prog\narguments = $(x)\nmax_materialize = 2\nqueue x from (\n1\n2\n3\n)\n",
    "unused.sub": "executable = prog\nzork = 5\nqueue\n",
    "none.sub": "executable = prog\n",
    "zero.sub": "executable = prog\nqueue 0\n",
    "bad.sub": "executable = prog\nrequest_cpus = (\nqueue\n",
    "broken.sub": "executable = prog\nif x\nqueue\n",
    "missing.sub": "executable = /none/echo\nqueue\n",
    "variables.sub": "executable = prog\narguments = $(a) $(b)\n",
    "table.csv": "a,b\n1,x\n2,y\n",
    "warned.sub": "executable = prog\ntransfer_executable = false\nshould_transfer_files = no\n"
    "transfer_input_files = one.sub\nqueue\n",
}
COMMANDS = """\
condor_submit one.sub
condor_submit -terse many.sub
condor_submit many.sub
condor_submit two.sub
condor_submit held.sub
condor_submit unused.sub
condor_submit -unused unused.sub
condor_submit bad.sub
condor_submit broken.sub
condor_submit missing.sub
condor_submit warned.sub
condor_submit nowhere.sub
condor_submit variables.sub -queue a,b from table.csv
condor_submit variables.sub -table table.csv
condor_submit variables.sub a=5 b=6 -queue 2
condor_submit -append priority=7 -append '+Own=1' one.sub
condor_submit -batch-name night -batch-id 7.1 one.sub
condor_submit -maxjobs 2 many.sub
condor_submit -dry-run /none/out one.sub
condor_submit -dump /none/out one.sub
condor_submit factory.sub
condor_submit -digest d factory.sub
condor_submit -digest /none/d factory.sub
condor_submit -factory many.sub
condor_submit -spool factory.sub
condor_submit -capabilities\
""".splitlines()


@pytest.fixture
def directory(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    for name, text in FILES.items():
        Path(name).write_text(text)
    for name in ("prog", "other"):
        Path(name).write_text("#!/bin/sh\n")
        Path(name).chmod(0o755)
    monkeypatch.setattr(Pool, "now", lambda self: NOW)
    monkeypatch.setattr(time, "time", lambda: float(NOW))
    return spool


def queued(spool: Spool) -> str:
    """The new jobs with what differs among submits."""
    names = (
        "Cmd",
        "Args",
        "Arguments",
        "JobStatus",
        "JobPrio",
        "JobBatchName",
        "JobBatchId",
        "Out",
        "Own",
        "RequestMemory",
    )
    if not spool.path.exists():
        return ""
    values = {name: spool.values(name) for name in names}
    jobs = list(values["Cmd"])
    shown = [f"{job}: " + ", ".join(f"{name}={values[name][job]}" for name in names if values[name][job] is not None)
             for job in jobs]  # fmt: skip
    return "".join(f"Q| {line}\n" for line in shown)


def normal(text: str, spool: Spool) -> str:
    """A text without what differs from machine to machine."""
    text = re.sub(r"/[^ \"'<=]*/test_a_submit_[^/ \"'<]*(?=[/\"\s])", "/HERE", text)
    user = pwd.getpwuid(os.getuid()).pw_name
    text = re.sub(rf'"{re.escape(user)}(?=["@])', '"USER', text).replace(os.uname().nodename, "HOST")
    text = re.sub(r"^(CondorPlatform ?= ?).*", r"\1PLATFORM", text, flags=re.MULTILINE)
    text = re.sub(r'TARGET.Arch == "[^"]*"', 'TARGET.Arch == "ARCH"', text)
    text = re.sub(r"CondorPlatform=.*?\\n", r"CondorPlatform=PLATFORM\\n", text)
    return re.sub(r"condor_py-\S+( GitSHA: \w+)? \$", "VERSION $", text)


def of_session(command: str) -> str:
    text = SESSION.read_text()
    begin = text.index(f"$ {command}\n")
    end = text.find("\n$ condor_submit ", begin)
    return text[begin : end + 1 if end >= 0 else len(text)]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_submit(directory: Spool, command: str) -> None:
    program, *words = shlex.split(command)
    done = directory.run(program, *words)
    errors = "".join(f"E| {line}\n" for line in done.err.splitlines())
    files = "".join(
        f"F| {name}: {Path(name).read_text()!r}\n" for name in ("out", "d", "d.items") if Path(name).exists()
    )
    told = normal(f"$ {command}\n{done.out}{errors}[{done.code}]\n{queued(directory)}{files}", directory)
    if os.environ.get("CONDOR_PY_RECORD"):
        before = SESSION.read_text() if command != COMMANDS[0] else ""
        SESSION.write_text(before + told)
    assert told == of_session(command)


def parts(spool: Spool, *words: str) -> tuple[list[str], list[list[str]], str]:
    """Return the first line that is printed and the last two, the ads between them, and the errors."""
    done = spool.run("condor_submit", *words)
    assert done.code == 0, done.err
    first, _, rest = done.out.partition("\n")
    ads = [block.split("\n") for block in rest.strip("\n").split("\n\n")]
    return [first, *ads[-1][-1:]], ads, done.err


CLUSTER = ["ClusterId=1", 'Args="hello"', "RequestMemory=100", 'JobSubmitFile="one.sub"', "JobUniverse=5",
           "RequestDisk=MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024", "ProcId=0", "JobStatus=1"]  # fmt: skip


def test_a_dry_run_shows_the_ads_and_queues_nothing(directory: Spool) -> None:
    (first, last), ads, error = parts(directory, "-dry-run", "-", "one.sub")
    assert (first, last, error) == ("Dry-Run job(s)", "1 job(s) dry-run to cluster 1.", "")
    assert set(CLUSTER) <= set(ads[0])
    assert f'Cmd="{os.getcwd()}/prog"' in ads[0]
    assert queued(directory) == ""
    (_, last), ads, _ = parts(directory, "-dry-run:cluster=7", "-", "one.sub")
    assert (ads[0][0], last) == ("ClusterId=7", "1 job(s) dry-run to cluster 7.")


def test_a_dry_run_into_a_file(directory: Spool) -> None:
    """Jobs after the first are what differs from it."""
    assert directory.run("condor_submit", "-dry-run", "out", "many.sub")[:2] == (
        "Dry-Run job(s)...\n3 job(s) dry-run to cluster 1.\n", "",
    )  # fmt: skip
    first, *others = [block.split("\n") for block in Path("out").read_text().strip("\n").split("\n\n")]
    assert {'Args="a 0"', 'Out="o.0"', "ProcId=0"} <= set(first)
    assert others == [["ProcId=1", "JobStatus=1", 'Out="o.1"', 'Args="b 1"'],
                      ["ProcId=2", "JobStatus=1", 'Out="o.2"', 'Args="c 2"']]  # fmt: skip


def test_whole_ads(directory: Spool) -> None:
    """Each is sorted and has everything, as -verbose shows it of the jobs that it queues."""
    _, ads, _ = parts(directory, "-dry-run:full", "-", "two.sub")
    found = [dict(line.split(" = ", 1) for line in ad if " = " in line) for ad in ads]
    assert [(ad["ProcId"], ad["JobPrio"], ad.get("Own"), os.path.basename(ad["Cmd"])) for ad in found if ad] == [
        ("0", "3", None, 'prog"'), ("1", "3", None, 'prog"'), ("2", "3", '"x"', 'other"'),
    ]  # fmt: skip
    assert all(list(ad) == sorted(ad, key=str.lower) and len(ad) > 60 for ad in found if ad)
    done = directory.run("condor_submit", "-verbose", "one.sub")
    head, title, *lines = done.out.strip("\n").split("\n")
    assert (head, title) == ("Submitting job(s)", "** Proc 1.0:")
    assert {'Args = "hello"', "RequestMemory = 100", f'UserLog = "{os.getcwd()}/l"'} <= set(lines)
    assert [line.split(" = ")[0] for line in lines] == sorted((line.split(" = ")[0] for line in lines), key=str.lower)
    assert directory.values("Args") == {"1.0": '"hello"'}


def test_a_dump_is_in_place_of_a_submit(directory: Spool) -> None:
    done = directory.run("condor_submit", "-dump", "out", "one.sub")
    assert done.out == "Storing job ClassAd(s).\n1 job(s) submitted to cluster 1.\n"
    assert set(CLUSTER) <= set(Path("out").read_text().split("\n"))
    assert queued(directory) == ""


def test_what_a_dry_run_tells_besides(directory: Spool) -> None:
    told = directory.run("condor_submit", "-dry-run:hash", "-", "many.sub").out.split("\n")
    assert told[:7] == [
        "Dry-Run job(s)", "----- Queue arguments -----", "Specified: queue item in (a, b c)",
        "Expanded : queue item in (a, b c)", "----- submit hash at queue begin -----",
        "  arguments = $(item) $(Process)", "  executable = prog",
    ]  # fmt: skip
    told = directory.run("condor_submit", "-dry-run:digest", "-", "factory.sub").out.split("\n")
    assert told[:3] == ["Dry-Run job(s)", "", "----- submit digest -----"]
    assert told[4:6] == ["FACTORY.Requirements=MY.Requirements", f"FACTORY.Iwd={os.getcwd()}"]
    assert (told[-2], queued(directory)) == ("3 job(s) dry-run to cluster 1.", "")


@pytest.mark.parametrize("limit", ["", "max_idle = 1\n"])
def test_a_dry_run_shows_the_set_of_the_jobs(directory: Spool, limit: str) -> None:
    Path("set.sub").write_text(f"executable = prog\njobset = mine\n{limit}queue 2\n")
    done = directory.run("condor_submit", "-dry-run:jobset", "out", "set.sub")
    assert '\n----- jobset -----\nJobSetName = "mine"\n-----\n' in done.out


def test_a_dry_run_of_jobs_that_are_made_later(directory: Spool) -> None:
    assert directory.run("condor_submit", "-digest", "d", "-dry-run", "out", "factory.sub").code == 0
    assert Path("d.items").read_text() == "1\n2\n3\n"
    ad = Path("out").read_text().split("\n")
    assert {'Args="1"', "ClusterId=1"} <= set(ad)
    assert not any(line.startswith("ProcId") for line in ad)


def test_an_unknown_option_shows_the_usage(directory: Spool) -> None:
    done = directory.run("condor_submit", "-zork", "one.sub")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("Usage: condor_submit [options] [attribute=value ...] [submit-file | -]\n")
    assert queued(directory) == ""
