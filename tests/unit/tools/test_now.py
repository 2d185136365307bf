"""condor_now: what the schedd is asked, and what is said when it refuses."""

from __future__ import annotations

import io
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import now
from condor_py.client.wire import WireError
from condor_py.model.errors import CondorError
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.wakeups import Done

USAGE = """Usage: condor_now [-name <scheduler> [-pool <central-manager]] [-debug]
       JOB-TO-RUN-NOW JOB-TO-VACATE [ANOTHER-JOB-TO-VACATE ...]
   or: condor_now -help
"""


class Terminal(io.StringIO):
    """Standard error where a person reads it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def schedd(monkeypatch: pytest.MonkeyPatch, spool: Spool) -> dict[str, Any]:
    """A schedd that answers ``answer``, and what it was asked."""
    found: dict[str, Any] = {"answer": Done(), "asked": []}

    def ask(pool: object, daemon: str, request: Any, timeout: float = 30.0) -> Any:
        found["asked"].append((daemon, str(request.job), [str(job) for job in request.victims]))
        if isinstance(found["answer"], Exception):
            raise found["answer"]
        return found["answer"]

    monkeypatch.setattr("condor_py.client.pool.Pool.ask", ask)
    return found


@pytest.mark.parametrize(
    ("words", "job", "victims"),
    [
        ("12.0 10.3 10.4", "12.0", ["10.3", "10.4"]),
        ("12 10", "12.0", ["10.0"]),
        ("-debug 12.1x 10.", "12.1", ["10.0"]),
    ],
)
def test_what_the_schedd_is_asked(
    spool: Spool, schedd: dict[str, Any], words: str, job: str, victims: list[str]
) -> None:
    assert spool.run("condor_now", *words.split()) == ("", "", 0)
    assert schedd["asked"] == [("schedd", job, victims)]


@pytest.mark.parametrize("words", ["", "12.0", "12.0 x", "x 1.0", "1:0 2.0"])
def test_anything_else_gets_the_usage(spool: Spool, schedd: dict[str, Any], words: str) -> None:
    done = spool.run("condor_now", *words.split())
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(USAGE)
    assert schedd["asked"] == []


def test_what_the_schedd_refuses_is_told_with_the_states_of_the_jobs(
    spool: Spool, schedd: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.add(10, 1, JobStatus="2")
    spool.add(11, 1, JobStatus="6")
    schedd["answer"] = Refused("the now-job does not wait")
    error = "Unable to reassign slot: the now-job does not wait.\n"
    assert spool.run("condor_now", "12.0", "10.0") == ("", error, 1)
    said = Terminal()
    monkeypatch.setattr("sys.stderr", said)
    with pytest.raises(CondorError, match=r"^Unable to reassign slot: the now-job does not wait"):
        now.main(["12.0", "10.0", "11"])
    assert said.getvalue().splitlines() == [
        "The now-job 12.0 is not in the queue",
        "The vacate-job 10.0 is running",
        "The vacate-job 11.0 is transferring output",
    ]


def test_a_schedd_that_does_not_answer(spool: Spool, schedd: dict[str, Any]) -> None:
    schedd["answer"] = WireError("nobody is there")
    assert spool.run("condor_now", "12.0", "10.0").err == ("Unable to reassign slot: failed to connect to schedd.\n")
    assert spool.run("condor_now", "-name", "elsewhere", "1.0", "2.0").err == (
        "Unable to locate schedd 'elsewhere' in local pool, aborting.\n"
    )


def test_the_version_and_the_help(spool: Spool) -> None:
    assert spool.run("condor_now", "-version").out.startswith("$CondorVersion: ")
    done = spool.run("condor_now", "-help")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("Usage: condor_now ")
