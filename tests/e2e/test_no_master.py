"""Without a condor_master nothing will ever start: people are told so, programs are not disturbed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pool import MAIN, PersonalPool
from screen import on_terminal

WORD = "No condor_master is running on this machine: start it with condor_master\n"


@pytest.fixture
def waiting(stopped_pool: PersonalPool) -> PersonalPool:
    stopped_pool.submit("executable = /bin/true\nqueue\n")
    return stopped_pool


@pytest.mark.parametrize("words", [("condor_submit", "job.sub"), ("condor_q",), ("condor_q", "-better-analyze", "1.0")])
def test_people_are_told(words: tuple[str, ...], waiting: PersonalPool) -> None:
    (waiting.work / "job.sub").write_text("executable = /bin/true\nqueue\n")
    code, shown = on_terminal(waiting, *words)
    assert code == 0
    assert shown.endswith(WORD)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("condor_drain", "localhost"), 1),
        (("condor_off",), 1),
        (("condor_reschedule",), 1),
        (("condor_ssh_to_job", "1.0"), 1),
        (("condor_status",), 1),
        (("condor_submit", "-interactive"), 1),
        (("condor_who",), 0),
    ],
)
def test_people_who_look_for_a_daemon_are_told(words: tuple[str, ...], code: int, waiting: PersonalPool) -> None:
    done, shown = on_terminal(waiting, *words)
    assert done == code
    assert shown.endswith(WORD)


def test_programs_read_what_they_always_read(waiting: PersonalPool) -> None:
    for words in (("condor_q",), ("condor_q", "-af", "ClusterId"), ("condor_submit", "-terse", "job.sub")):
        (waiting.work / "job.sub").write_text("executable = /bin/true\nqueue\n")
        done = waiting.tool(*words)
        assert "condor_master" not in done.stdout + done.stderr


@pytest.mark.parametrize("words", [("condor_run", "true"), ("condor_submit", "-wait", "job.sub")])
def test_a_tool_that_waits_for_jobs_says_that_none_starts(words: tuple[str, ...], waiting: PersonalPool) -> None:
    (waiting.work / "job.sub").write_text("executable = /bin/true\nqueue\n")
    with subprocess.Popen(
        [sys.executable, "-I", str(MAIN), *words],
        env=waiting.environment, cwd=waiting.work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as tool:  # fmt: skip
        assert tool.stderr is not None
        assert WORD in tool.stderr
        tool.terminate()


def test_with_a_master_nothing_is_said(pool: PersonalPool) -> None:
    assert "condor_master" not in on_terminal(pool, "condor_q")[1]
