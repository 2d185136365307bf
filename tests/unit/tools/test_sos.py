"""condor_sos: which command it runs, and with how much patience."""

from __future__ import annotations

import pytest
from tool_runner import Spool, run

from condor_py.client.pool import Pool


def test_a_command_gets_more_time(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_TIMEOUT_MULTIPLIER", "1")  # it is as it was after the test
    waited: list[float] = []

    def ask(path: str, request: object, timeout: float) -> object:
        waited.append(timeout)
        raise KeyboardInterrupt

    monkeypatch.setattr("condor_py.client.wire.ask", ask)
    assert run("condor_sos", "-timeoutmult", "5", "condor_reschedule").code == 130
    assert waited == [150.0]


def test_the_command_gets_its_words(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_TIMEOUT_MULTIPLIER", "1")
    spool.add(1, 2)
    assert run("condor_sos", "-debug:D_FULLDEBUG", "condor_q", "-af", "ProcId").out == "0\n1\n"
    assert Pool("TOOL").config.integer("TIMEOUT_MULTIPLIER", 0) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "Error: no condor command specified"),
        ("ls", "Error: unrecognized argument ls"),
        ("-timeoutmult many condor_q", "Error: argument -timeoutmult requires an integer argument"),
        ("-timeoutmult condor_q", "Error: argument -timeoutmult requires an integer argument"),
        ("-timeoutmult +5 condor_q", "Error: argument -timeoutmult requires an integer argument"),
        ("-timeoutmult \u0663 condor_q", "Error: argument -timeoutmult requires an integer argument"),
        ("-pool x condor_q", "Neither -pool nor -name arguments are allowed"),
        ("condor_nosuch", "Failed to spawn condor_nosuch: No such file or directory"),
        ("-wrong condor_q", "Error: unrecognized argument -wrong"),
    ],
)
def test_what_is_refused(spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, told: str) -> None:
    monkeypatch.setenv("_CONDOR_TIMEOUT_MULTIPLIER", "1")
    done = run("condor_sos", *words.split())
    assert (done.code, told in done.err) == (1, True), done
