"""A session of commands about one pool of many kinds of slots, users and jobs.

What is ours alone (-why, -forecast, -whatif, -efficiency, condor_top) and one table of each kind is kept as a whole in
tests/golden/session/session.txt: after a wanted change CONDOR_PY_RECORD=1 writes it again, and the difference is to be
read. Tables of HTCondor's tools with all their options are in tests/golden/tools, as HTCondor prints them.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from session_pool import NOW, SESSION, normal, of_session, spool
from tool_runner import Spool

__all__ = ["spool"]
COMMANDS = """condor_q -all
condor_q -all -nobatch
condor_q -all -hold
condor_q -all -hold-codes
condor_q -all -idle
condor_q -all -grid
condor_q -all -io
condor_q -all -autocluster
condor_q -all -group-by -attributes Owner,JobStatus
condor_q -all -limit 3
condor_q -submitter bea
condor_q -why -all
condor_q -why 1
condor_q -forecast -all
condor_q -better-analyze 8.0
condor_userprio -all -allusers
condor_userprio -whatif bea@example.net=500
condor_history -why
condor_history -efficiency
condor_top -once""".splitlines()
HOUR_AGO = NOW - 3600
DRAINED = ("machine lab is being drained (new kernel)", "condor_drain -cancel lab")
SHARED = (
    "physics.ann@example.net uses 4 of the 5 in use, and its share is 50%",
    "it has its share while others wait; condor_userprio -explain physics.ann@example.net says why",
)
TOO_LARGE = (
    "no slot is large enough: memory: wants 48.8 GB, there is 1000 MB on slot1@lab",
    "let it ask for less: condor_qedit 1.2 RequestMemory 1000",
)
NO_SLOT = (
    'no slot meets its Requirements: TARGET.OpSys == "CPM"',
    "condor_qedit 8.0 Requirements changes them; condor_q -better-analyze 8.0 counts the slots of each",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command(spool: Spool, command: str) -> None:
    told = f"$ {command}\n{printed(spool, command)}"
    if os.environ.get("CONDOR_PY_RECORD"):
        before = SESSION.read_text() if command != COMMANDS[0] else ""
        SESSION.write_text(before + told)
    assert told == of_session(command)


def printed(spool: Spool, command: str) -> str:
    """Return what a command prints, its errors and its exit status."""
    program, *words = shlex.split(command)
    done = spool.run(program, *words)
    errors = "".join(f"E| {line}\n" for line in done.err.splitlines())
    return normal(f"{done.out}{errors}[{done.code}]\n")


def rows(spool: Spool, command: str) -> list[str]:
    """Return the rows of a table of jobs or batches."""
    lines = printed(spool, command).splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith((" ID ", "OWNER ")))
    return [line for line in lines[begin + 1 :] if line.strip() and not line.startswith(("Total", "E|", "["))]


@pytest.mark.parametrize(
    ("command", "like"),
    [
        ("condor_q -all -dag", "condor_q -all"),
        ("condor_q -all -wide", "condor_q -all"),
        ("condor_q -all -wide -nobatch", "condor_q -all -nobatch"),
    ],
)
def test_tables_that_are_like_another(spool: Spool, command: str, like: str) -> None:
    assert printed(spool, command) == of_session(like).partition("\n")[2]


@pytest.mark.parametrize(
    ("command", "ids"),
    [
        ("condor_q -all -run", ["1.0", "4.0", "5.0", "6.1"]),
        ("condor_q -all -hold:12", ["3.0"]),
        ("condor_q -all -hold:34/28", ["3.1"]),
        ("condor_q -all -hold:12/29", []),
        ("condor_q -all -unmatchable", ["1.2", "8.0"]),
        ("condor_q -all -nobatch -constraint 'JobPrio > 0'", ["1.0", "1.1", "1.2"]),
        ("condor_q -nobatch 1.0 3", ["1.0", "3.0", "3.1"]),
        ("condor_q -nobatch ann", ["1.0", "1.1", "1.2", "2.0", "2.1"]),
        ("condor_q 77", []),
        ("condor_q -all -dry-run", []),
    ],
)
def test_the_jobs_of_a_question(spool: Spool, command: str, ids: list[str]) -> None:
    assert [row.split()[0] for row in rows(spool, command)] == ids


@pytest.mark.parametrize(
    ("words", "times"),
    [
        ("", {"1.0": "0+00:11:40", "4.0": "0+00:00:50", "5.0": "0+00:10:00"}),
        ("-cputime", {"1.0": "0+00:08:20"}),
        ("-cumulative-time", {"1.0": "1+01:11:40", "4.0": "0+00:00:50", "5.0": "0+00:10:00"}),
    ],
)
def test_times_of_jobs(spool: Spool, words: str, times: dict[str, str]) -> None:
    shown = {row.split()[0]: row.split()[4] for row in rows(spool, f"condor_q -all -nobatch {words}")}
    assert len(shown) == 15
    assert {job: time for job, time in shown.items() if time != "0+00:00:00"} == times


def test_small_changes_of_tables(spool: Spool) -> None:
    batches = rows(spool, "condor_q -all")
    assert [row.split() for row in rows(spool, "condor_q -all -batch:-")] == [
        ["-" if word == "_" else word for word in row.split()] for row in batches
    ]
    tree = rows(spool, "condor_q -all -dag -nobatch -verbose")
    assert [row.split()[1] for row in tree[9:11]] == ["|-B", "|-B"]
    whole, cut = (rows(spool, f"condor_q -all -nobatch {words}") for words in ("", "-wide:60"))
    assert [len(row) for row in cut] == [59] * 15
    assert all(row.startswith(part) for row, part in zip(whole, cut, strict=True))
    lines = printed(spool, "condor_q -all -dry-run").splitlines()
    assert lines[-4:] == ["E| ", "E| condor_q batch", "E| only my jobs: no", "[0]"]
    totals = of_session("condor_q -all").splitlines()[-4:]
    assert printed(spool, "condor_q -all -totals").splitlines()[-4:] == totals
    assert printed(spool, "condor_q -all -totals -af Owner") == "undefined\n\n[0]\n"


def test_where_jobs_run(spool: Spool) -> None:
    assert [row.split()[-1] for row in rows(spool, "condor_q -all -run")] == [
        "slot1_1@lab", "slot1_2@lab", "localhost", "0+00:00:00",
    ]  # fmt: skip


def answer(spool: Spool, command: str) -> Any:
    """Return the JSON that a command prints."""
    program, *words = shlex.split(command)
    done = spool.run(program, *words)
    assert (done.err, done.code) == ("", 0)
    return json.loads(done.out)


def test_reasons_for_programs(spool: Spool) -> None:
    found = answer(spool, "condor_q -why -all -json")
    shown = [
        (f"{one['owner']}|{one['batch']}|{one['cluster']}|{one['procs']}|{one['jobs']}|{one['state']}",
         [(why["text"], why["help"]) for why in one["reasons"]], one["starts"] and one["starts"]["at"] - NOW)
        for one in found
    ]  # fmt: skip
    assert shown == [
        ("ann|night|1|[[1, 1]]|1|idle", [DRAINED, SHARED], 700),
        ("ann|night|1|[[2, 2]]|1|idle", [DRAINED, TOO_LARGE], None),
        ("ann|night|2|[[0, 0]]|1|idle", [DRAINED, SHARED], 700),
        ("bea|ID: 3|3|[[0, 0]]|1|held",
         [("it is held: no disk", "make the files that it transfers available; then condor_release 3.0")], None),
        ("bea|ID: 3|3|[[1, 1]]|1|held",
         [("it is held: memory", "let it ask for more first, e.g. condor_qedit 3.1 RequestMemory 2048; then "
           "condor_release 3.1")], None),
        ("cyd|NODE: B|6|[[0, 0]]|1|idle", [DRAINED], 0),
        ("dan|ID: 8|8|[[0, 0]]|1|idle", [DRAINED, NO_SLOT], None),
        ("dan|ID: 9|9|[[0, 0]]|1|idle",
         [("it waits at batch slurm login.example.org (PENDING)", "the remote system starts it")], None),
        ("dan|ID: 11|11|[[0, 0]]|1|idle",
         [("it waits for its time: it starts at 18:10:00", "nothing needs to be done")], 600),
    ]  # fmt: skip
    assert {one["since"] for one in found} == {HOUR_AGO}
    assert [why["final"] for why in found[1]["reasons"]] == [False, True]
    (held,) = answer(spool, "condor_q -why 3.0 -json")
    assert held.pop("runs") == []
    assert held == found[3]


def test_ends_for_programs(spool: Spool) -> None:
    found = answer(spool, "condor_history -why -json")
    names = ("job", "owner", "run", "slot", "began", "ended", "kind", "code", "text")
    assert ["|".join(str(one[name]) for name in names) for one in found] == [
        f"21.1|ann|0||0|{NOW - 700}|removed|0|removed while it did not run: too long",
        f"21.1|ann|1|slot1_3@lab|{NOW - 1000}|{NOW - 700}|ended|0|ended; its record does not say how",
        f"21.0|ann|1|slot1_3@lab|{NOW - 1000}|{NOW - 800}|killed|11|killed by signal 11",
        f"20.0|ann|1|slot1_3@lab|{NOW - 1000}|{NOW - 900}|exited|0|exited with status 0",
    ]
    assert all(one["why"] == one["text"] and one["then"] == "" for one in found)
    assert printed(spool, "condor_history -why 21.0").splitlines()[1:] == [
        "21.0   1 11/28 17:43 11/28 17:46 0+00:03:20 slot1_3 killed by signal 11", "[0]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "last"),
    [
        ("1.1", ["This autocluster currently has 3 running and 1 completed jobs.", *("\n".join(
            f"Why it waits: {why}\nWhat helps: {help}" for why, help in (DRAINED, SHARED)).splitlines())]),
        ("3.0", ["003.000:  Job is held.", "Hold reason: no disk",
                 "This autocluster currently has 3 running and 1 completed jobs.",
                 "What helps: make the files that it transfers available; then condor_release 3.0"]),
        ("1.0", ["001.000:  Job is running.", "This autocluster currently has 3 running and 1 completed jobs."]),
        ("9.0", ["Why it waits: it waits at batch slurm login.example.org (PENDING)",
                 "What helps: the remote system starts it"]),
        ("11.0", ["This autocluster currently has 3 running and 1 completed jobs.",
                  "Why it waits: it waits for its time: it starts at 18:10:00",
                  "What helps: nothing needs to be done"]),
        ("-slotconstraint 'Cpus > 3' 1.1", ["[0]           0  TARGET.Memory >= RequestMemory",
         "This autocluster currently has 3 running and 1 completed jobs.",
         "Why it waits: the pool has no slots",
         "What helps: condor_who tells whether a startd runs; condor_on starts it"]),
    ],
)  # fmt: skip
def test_the_end_of_an_analysis(spool: Spool, words: str, last: list[str]) -> None:
    lines = [line for line in printed(spool, f"condor_q -better-analyze {words}").splitlines() if line]
    assert lines[-len(last) - 1 :] == [*last, "[0]"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("1.2", "      3 slots are rejected by your job's requirements"),
        (
            "1.2",
            "It will never run here: no slot is large enough: memory: wants 48.8 GB, there is 1000 MB on slot1@lab",
        ),
        ("9.0", "WARNING: Analysis is only meaningful for Grid universe jobs using matchmaking."),
        ("8.0", "   No machines matched the job's constraints"),
        ("-machine slot3@lab 1.1", "    TARGET.Memory = 1000 (mb)"),
        ("-machine slot3@lab 1.1", "001.001:  Run analysis summary ignoring user priority.  Of 1 slots on 1 machines,"),
    ],
)
def test_a_line_of_an_analysis(spool: Spool, words: str, line: str) -> None:
    assert line in printed(spool, f"condor_q -better-analyze {words}").splitlines()


def test_who_would_have_a_factor_by_another(spool: Spool) -> None:
    told = printed(spool, "condor_userprio -whatif bea@example.net=2*physics.ann@example.net").splitlines()
    assert told[2].split() == ["bea@example.net", "1000.00", "1500.00", "50.00%", "50.00%", "50.00%"]
    assert told[-2] == "To make it so: condor_userprio -setfactor bea@example.net 1500"


def test_groups_of_ads_of_the_status(spool: Spool) -> None:
    groups = printed(spool, "condor_status -group-by State").split("\n\n")[-5:-1]
    assert [group.splitlines()[-4:] for group in groups] == [
        [f"Count = {len(slots.split())}", f"Id = {number}", f'Members = "{slots}"', f'State = "{state}"']
        for number, (slots, state) in enumerate((
            ("slot1@lab", "Unclaimed"), ("slot1_1@lab slot1_2@lab", "Claimed"), ("slot2@lab", "Owner"),
            ("slot3@lab", "Drained"),
        ), 1)
    ]  # fmt: skip


def test_how_an_access_point_and_a_dag_are(spool: Spool) -> None:
    assert printed(spool, "htcondor ap status").splitlines()[:2] == [
        "E| Access Point   Health   DutyCycle", "E| lab            Good     12.50%",
    ]  # fmt: skip
    told = printed(spool, "htcondor dag status 5").splitlines()
    assert (told[0], told[-3:-1]) == (
        "E| DAG 5 [d.dag] has been running for 00:10:00",
        ["E| DAG is running normally. Only 85.71% of the DAG can complete.",
         "E| [################################!!!!!!] DAG is 42.86% complete."],
    )  # fmt: skip
