"""condor_adstash as a daemon of the master: what it does between rounds, on signals, and when the master is gone."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import adstash
from condor_py.daemons.common.service import PARENT_FD


class Rounds:
    """What happens in the rounds of the daemon, one after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *deeds: Callable[[], None]) -> None:
        self.deeds = list(deeds)
        self.wanted: list[dict[str, Any]] = []
        monkeypatch.setattr(adstash, "_round", self.round)
        monkeypatch.setattr(adstash, "_SHORTEST_SLEEP", 0.0)

    def round(self, pool: object, wanted: dict[str, Any], log: object) -> bool:
        self.wanted.append(wanted)
        self.deeds.pop(0)()
        return True


def lines(spool: Spool) -> list[str]:
    text = (spool.path.parent.parent / "log" / "adstash.log").read_text()
    return [line.split(" ", 2)[-1] for line in text.splitlines() if "**" not in line]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
def test_signals_end_it(spool: Spool, monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    monkeypatch.setenv("_CONDOR_ADSTASH_SAMPLE_INTERVAL", "1000")
    rounds = Rounds(monkeypatch, lambda: os.kill(os.getpid(), number))
    assert spool.run("condor_adstash") == ("", "", 0)
    assert rounds.deeds == []
    assert lines(spool)[-1].endswith(f"Got signal {number.name}: Exiting.")


def test_a_hangup_reads_the_configuration_and_begins_the_next_round(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_ADSTASH_SAMPLE_INTERVAL", "1000")

    def change() -> None:
        monkeypatch.setenv("_CONDOR_ADSTASH_SAMPLE_INTERVAL", "2000")
        os.kill(os.getpid(), signal.SIGHUP)

    def spoil() -> None:
        monkeypatch.setenv("_CONDOR_ADSTASH_SAMPLE_INTERVAL", "never")
        os.kill(os.getpid(), signal.SIGHUP)

    rounds = Rounds(monkeypatch, change, spoil, lambda: os.kill(os.getpid(), signal.SIGTERM))
    done = spool.run("condor_adstash")
    assert (done.out, done.code) == ("", 0)
    assert [wanted["sample_interval"] for wanted in rounds.wanted] == [1000, 2000, 2000]
    told = lines(spool)
    assert sum("Got signal SIGHUP: Refreshing config and running next loop." in line for line in told) == 2
    assert any("the old configuration stays in force: " in line for line in told)
    assert "the old configuration stays in force: " in done.err


def test_it_ends_with_the_master(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_ADSTASH_SAMPLE_INTERVAL", "1000")
    reading, writing = os.pipe()
    monkeypatch.setenv(PARENT_FD, str(reading))
    Rounds(monkeypatch, lambda: os.close(writing))
    assert spool.run("condor_adstash").code == 0
    os.close(reading)
    assert lines(spool)[-1].endswith("The condor_master is gone: Exiting.")


def test_rounds_follow_each_other(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_ADSTASH_SAMPLE_INTERVAL", "1")
    clock = iter(range(0, 1000, 5))
    monkeypatch.setattr(adstash.time, "monotonic", lambda: float(next(clock)))
    rounds = Rounds(monkeypatch, lambda: None, lambda: None, lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert spool.run("condor_adstash").code == 0
    assert len(rounds.wanted) == 3


@pytest.mark.parametrize("value", ["true", "YES", "1"])
def test_a_variable_asks_for_one_round(spool: Spool, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ADSTASH_STANDALONE", value)
    rounds = Rounds(monkeypatch, lambda: None)
    assert spool.run("condor_adstash") == ("", "", 0)
    assert rounds.deeds == []


def test_a_variable_that_is_no_truth_value(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADSTASH_STANDALONE", "perhaps")
    done = spool.run("condor_adstash")
    assert (done.err, done.code) == ("condor_adstash: ADSTASH_STANDALONE must be a boolean (got: perhaps)\n", 1)
