"""The promises of SECURITY.md: each has a number there, and each number the test that is marked with it.

Most of these tests are beside the code that they are about; those that need two accounts and a pool of root are here.
``pytest -m promise`` runs them all.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS / "attack"), str(_TESTS / "e2e")]

from colluders import ACCOUNTS, EVE, MALLORY, SECRET, VICTIM, AttackedPool, attacked_pool, interpreter, why_not
from collusion import PATHS, PRETENCES
from collusion_judge import Judge
from pool import wait_for

pytestmark = pytest.mark.xdist_group("promises")  # they have one pool
_PROGRAMS = _TESTS / "attack" / "collusion_programs.py"
_SMALL = "request_memory = 1\nrequest_disk = 1\n"


def marked() -> Counter[str]:
    """The numbers that tests are marked with."""
    found: Counter[str] = Counter()
    for path in _TESTS.rglob("test_*.py"):
        text = path.read_bytes()  # a test of bytes may have any
        if b"mark.promise" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.promise":
                    found[str(ast.literal_eval(mark.args[0]))] += 1
    return found


def test_each_promise_has_a_test_and_each_test_a_promise() -> None:
    text = (_TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
    promises = re.findall(r"\((S\d+)\)", text)
    assert promises == [f"S{number}" for number in range(1, len(promises) + 1)]
    assert marked() == Counter(promises)


def own_use() -> dict[str, str]:
    """The lines of SECURITY.md that refuse use in the name of others."""
    text = (_TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^    SUBMIT_REQUIREMENT_NAMES.*?(?=\n\n)", text, re.M | re.S)
    knobs = {}
    for line in re.sub(r"\\\n\s*", "", lines).split("\n"):
        name, _, value = line.strip().partition(" = ")
        knobs[name] = value.replace(f"$({name}) ", "")  # in the environment a knob cannot name itself
    return knobs


@pytest.fixture(scope="module")
def attacked() -> Iterator[AttackedPool]:
    """One pool for all of them; eve is one of its super users."""
    if reason := why_not() or ("" if interpreter() else "no Python 3.11 here that all accounts may run"):
        pytest.skip(reason)
    knobs = {"QUEUE_SUPER_USERS": "root, condor, eve", "MAX_NEXT_JOB_START_DELAY": "3"}
    with attacked_pool(**knobs, **own_use()) as pool:
        pool.is_quick = True
        yield pool


@pytest.fixture
def judge(attacked: AttackedPool) -> Iterator[Judge]:
    """Looks for what must not have happened, in the end."""
    made = Judge(attacked)
    yield made
    attacked.tool("condor_rm", MALLORY, check=False)
    wait_for(lambda: not attacked.tool("condor_q", MALLORY, "-af", "JobStatus").stdout, "their jobs leave")
    assert made.check("") == []
    attacked.tool("condor_rm", VICTIM)


def submitted(pool: AttackedPool, text: str) -> str:
    """Submit as mallory; the cluster."""
    done = pool.submit_as(MALLORY, text)
    found = re.search(r"cluster (\d+)", done.stdout)
    assert found, done.stderr
    return found[1]


def ended(pool: AttackedPool, log: str, count: int) -> None:
    """Wait until so many jobs of mallory's log have ended or are held."""
    path = pool.home_of(MALLORY) / log

    def shown() -> str:
        return path.read_text(errors="replace") if path.exists() else "no log"

    wait_for(lambda: len(re.findall(r"^(?:005|012) ", shown(), re.M)) >= count, shown)


@pytest.mark.promise("S1")
def test_jobs_run_as_their_owners_in_all_universes(attacked: AttackedPool, judge: Judge) -> None:
    kinds = ("vanilla", "local", "scheduler", "parallel")
    for kind in kinds:
        nodes = "machine_count = 1\n" if kind == "parallel" else ""
        submitted(
            attacked,
            f"universe = {kind}\nexecutable = /usr/bin/id\ntransfer_executable = false\n{nodes}{_SMALL}"
            f"output = id.{kind}\nlog = id.log\nqueue\n",
        )
    ended(attacked, "id.log", len(kinds))
    for kind in kinds:
        told = (attacked.home_of(MALLORY) / f"id.{kind}").read_text()
        assert told.startswith(f"uid={ACCOUNTS[MALLORY]}({MALLORY}) gid={ACCOUNTS[MALLORY]}({MALLORY}) groups="), kind
        assert " " not in told.partition("groups=")[2].strip()
        assert "," not in told.partition("groups=")[2], "no group of root is left"


@pytest.mark.promise("S4")
def test_super_users_act_on_all_jobs(attacked: AttackedPool) -> None:
    cluster = submitted(attacked, "executable = /bin/sleep\narguments = 100\nhold = true\nqueue\n")
    refused = attacked.tool_as(VICTIM, "condor_rm", cluster)
    assert refused.returncode == 1
    assert attacked.status_of(f"{cluster}.0") == 5
    assert attacked.tool_as(EVE, "condor_rm", cluster).returncode == 0
    wait_for(lambda: not attacked.tool("condor_q", cluster, "-af", "JobStatus").stdout, "it is removed")


@pytest.mark.promise("S8")
def test_a_job_reaches_nothing_that_its_owner_does_not(attacked: AttackedPool, judge: Judge) -> None:
    """It signals, traces and reads what others run, and looks for files and ports that are open to it."""
    words = f"{_PROGRAMS} probe {attacked.execute} {attacked.log} {attacked.spool}"
    submitted(
        attacked,
        f"executable = {attacked.python}\ntransfer_executable = false\narguments = {words}\n{_SMALL}"
        "output = probe.out\nerror = probe.err\nlog = probe.log\nwant_io_proxy = true\nqueue\n",
    )
    ended(attacked, "probe.log", 1)
    told = (attacked.home_of(MALLORY) / "probe.out").read_text()
    assert "chirp" in told, (attacked.home_of(MALLORY) / "probe.err").read_text()
    marks = ("SIGNALLED", "TRACED", "READ", "WRITABLE", "SECRET FILE")
    assert [line for line in told.splitlines() if line.startswith(marks)] == []
    descriptors = re.findall(r"^descriptor (\d+) (.*)$", told, re.M)
    assert not [path for _, path in descriptors if str(attacked.spool) in path or str(attacked.log) in path]


@pytest.mark.promise("S9")
def test_no_message_makes_its_sender_another(attacked: AttackedPool, judge: Judge) -> None:
    """Every message to every daemon, with fields that name the victim, their job and root."""
    sockets, pretences = str(attacked.log / "daemon_sock"), json.dumps([list(pair) for pair in PRETENCES])
    words = [attacked.python, "-I", str(_PROGRAMS), "forge", sockets, "1", str(judge.job.cluster)]
    done = attacked.run_as(MALLORY, [*words, str(attacked.execute), pretences])
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert done.stdout.count("\n") > 100
    assert SECRET not in done.stdout


@pytest.mark.promise("S10")
def test_no_daemon_listens_on_a_network_port(attacked: AttackedPool) -> None:
    """Only starters do, for Chirp, on the loopback interface."""
    listening = {}
    for name in ("tcp", "tcp6"):
        for line in Path("/proc/net", name).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                listening[f"socket:[{words[9]}]"] = words[1].partition(":")[0]
    daemons = {attacked.pid(name) for name in ("master", "schedd", "startd", "negotiator", "credd")}
    assert daemons <= set(attacked.processes())
    for pid in attacked.processes():
        for name in _descriptors(pid):
            address = listening.get(name)
            assert address is None or (pid not in daemons and address == "0100007F"), f"{pid} listens on {address}"


def _descriptors(pid: int) -> list[str]:
    """What a process has open; nothing when it has ended meanwhile."""
    found: list[str] = []
    with contextlib.suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"/proc/{pid}/fd/{number}"))
    return found


@pytest.mark.promise("S19")
def test_values_that_root_would_act_on_are_bounded(attacked: AttackedPool) -> None:
    for line, why in (
        ("nice = -20\n+JobNice = -20", "JobNice"), ("+JobNice = 50", "JobNice"), ("kill_sig = SIGNONE", "SIGNONE"),
        ("remove_kill_sig = 4711", "4711"),
    ):  # fmt: skip
        done = attacked.submit_as(MALLORY, f"executable = /bin/true\n{line}\nhold = true\nqueue\n")
        assert done.returncode == 1, line
        assert why in done.stderr


@pytest.mark.promise("S22")
@pytest.mark.parametrize(("daemon", "body"), [("startd", 2 << 20), ("schedd", 65 << 20), ("schedd", 0)])
def test_a_message_that_is_too_long_is_refused_when_it_is_announced(
    attacked: AttackedPool, daemon: str, body: int
) -> None:
    program = (
        "import socket, struct, sys\nlink = socket.socket(socket.AF_UNIX)\nlink.settimeout(30)\n"
        f"link.connect(sys.argv[1] + '/{daemon}')\n"
        f"link.sendall(struct.pack('!II', {2 if body else 9 << 20}, {body}) + b'{{}}')\nprint(link.recv(1000))\n"
        "print(link.recv(1000))\n"
    )
    done = attacked.run_as(MALLORY, [attacked.python, "-I", "-c", program, str(attacked.log / "daemon_sock")])
    assert done.stdout.endswith("b''\n"), done.stdout + done.stderr
    assert attacked.tool_as(VICTIM, "condor_q").returncode == 0


@pytest.mark.promise("S32")
def test_a_delay_between_starts_is_short_and_its_submitters_alone(attacked: AttackedPool, judge: Judge) -> None:
    submitted(
        attacked,
        f"executable = /bin/true\ntransfer_executable = false\n{_SMALL}log = delay.log\n"
        "next_job_start_delay = 100000\nqueue 2\n",
    )
    begun = time.monotonic()
    assert judge.serves() == []
    ended(attacked, "delay.log", 2)
    assert time.monotonic() - begun < 60


@pytest.mark.promise("S57")
def test_paths_of_jobs_are_used_with_the_rights_of_their_owners(attacked: AttackedPool, judge: Judge) -> None:
    """Every path that a job names leads to what is closed to its owner."""
    home = attacked.home_of(MALLORY)
    link = home / "link"
    link.symlink_to(attacked.private / "inner" / "diary")
    script = attacked.file_of(MALLORY, "show.sh", f"#!/bin/sh\ncat; cat * {link}; ln -s {link} out\n")
    for goal in (str(attacked.private / "inner" / "diary"), str(attacked.crown / "inner"), str(link)):
        for text in PATHS.values():
            program = "" if "executable =" in text else f"executable = {script}\n"
            attacked.submit_as(MALLORY, f"{program}{_SMALL}output = o\n{text.replace('@', goal)}queue\n")

    def waits() -> list[str]:
        states = attacked.tool("condor_q", MALLORY, "-af", "JobStatus").stdout.split()
        return [state for state in states if state not in ("4", "5")]

    wait_for(lambda: not waits(), lambda: f"they end or are held: {waits()}", 120)
    link.unlink()


@pytest.mark.promise("S77")
def test_the_use_of_a_job_can_be_made_to_count_for_its_owner_alone(attacked: AttackedPool) -> None:
    head, tail = "executable = /bin/true\nhold = true\n", "queue\n"
    for refused in (
        "accounting_group_user = victim\n", "accounting_group = group_x\naccounting_group_user = victim\n",
        '+AccountingGroup = "victim@example.net"\n', '+AccountingGroup = "g.victim@example.net"\n',
        '+AccountingGroup = strcat("vic", "tim")\n',
    ):  # fmt: skip
        done = attacked.submit_as(MALLORY, head + refused + tail)
        assert (done.returncode, "counts for its owner" in done.stderr) == (1, True), refused + done.stderr
    for taken in ("", "accounting_group = group_x\n", "accounting_group_user = mallory\n"):
        cluster = submitted(attacked, head + taken + tail)
    done = attacked.tool_as(MALLORY, "condor_qedit", cluster, "AccountingGroup", '"victim@example.net"')
    assert done.returncode == 1
    attacked.tool("condor_rm", MALLORY)
