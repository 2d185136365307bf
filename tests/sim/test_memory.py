"""Memory in simulations: jobs that need more than their slots have, and requests that are found from the history."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.simulate.durations import Constant, Uniform
from condor_py.simulate.memory import comparison
from condor_py.simulate.pool import machine
from condor_py.simulate.report import span
from condor_py.simulate.scenario import BadScenario, read_scenario
from condor_py.simulate.simulation import Simulation


def _simulation(auto: bool, asked: int, low: float, high: float, jobs: int = 60) -> Simulation:
    simulation = Simulation(facts=machine(8, 16384), seed=5, auto=auto, check_every=50)
    simulation.submit("ann", jobs, Constant(600), memory=asked, uses=Uniform(low, high))
    return simulation


def test_jobs_that_ask_for_too_little_are_held_or_tried_again() -> None:
    fixed = _simulation(False, 512, 400, 800)
    report = fixed.run()
    assert fixed.on_hold == fixed.memory.starved == 60 - report.finished > 0
    found = _simulation(True, 512, 400, 800)
    report = found.run()
    assert (report.finished, found.on_hold) == (60, 0)
    assert 0 < found.memory.starved <= 2 * 8, "the first that run at once do not know better; the others do"


def test_jobs_that_ask_for_too_much_run_in_larger_numbers() -> None:
    fixed, found = _simulation(False, 8192, 900, 1000), _simulation(True, 8192, 900, 1000)
    slow, quick = fixed.run(), found.run()
    assert slow.finished == quick.finished == 60
    assert slow.seconds > 3 * quick.seconds
    lines = list(comparison((quick, found.memory, 0), (slow, fixed.memory, 0), span))
    assert lines[0].split() == ["from", "the", "history", "as", "asked"]
    assert lines[2].split()[-2:] == ["60", "60"]
    assert len({len(line) for line in lines}) == 1


TRACE = """# QDate Owner RemoteWallClockTime RequestCpus RequestMemory ResidentSetSize_RAW Cmd
1000 ann 600.5 1 4096 512000 /home/ann/my fit
1000 ann 600.5 1 4096 512000 /home/ann/my fit
1010 ben 60 undefined undefined undefined /bin/true
1020 ben 60 2
1030 cleo 0 1 128 1 /bin/false
"""


def test_a_trace_with_memory(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(TRACE)
    (tmp_path / "s.toml").write_text('trace = "t"\nrequests = "auto"\ncores = 4\n')
    simulation, until, _ = read_scenario(str(tmp_path / "s.toml"))
    report = simulation.run(until)
    assert (report.submitted, report.finished, simulation.is_auto) == (4, 4, True)
    assert read_scenario(str(tmp_path / "s.toml"), as_asked=True)[0].is_auto is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('requests = "often"', 'requests = "often" is neither'),
        ('[[submit]]\nuser = "a"\njobs = 1\nseconds = 1\nuses_low = 5\n', "uses, uses_low and uses_high"),
        ('trace = "t"', "line 1: QDate"),
    ],
)
def test_wrong_memory_is_explained(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "t").write_text("1 ann 5 1 128\n")
    (tmp_path / "s.toml").write_text(text + "\n")
    with pytest.raises(BadScenario) as raised:
        read_scenario(str(tmp_path / "s.toml"))
    assert said in str(raised.value)
