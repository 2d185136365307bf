"""The scenario files of etc/examples/simulations run, and a wrong one is explained."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.simulate.__main__ import main
from condor_py.simulate.scenario import BadScenario, read_scenario

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted((ROOT / "etc" / "examples" / "simulations").glob("*.toml"))


Done = subprocess.CompletedProcess[str]
Simulate = Callable[..., Done]


@pytest.fixture
def simulate(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Simulate:
    """Runs the simulator in this process, as a command with these words."""

    def run(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["simulate", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Done(words, ended.value.code, *capsys.readouterr())

    return run


def simulate_alone(*words: str) -> Done:
    """Runs the simulator in a process of its own."""
    command = [sys.executable, "-m", "condor_py.simulate", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(simulate: Simulate, path: Path) -> None:
    done = simulate(str(path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[3].split()[:2] == ["User", "Factor"]


def test_the_same_seed_gives_the_same_table(simulate: Simulate) -> None:
    path = str(ROOT / "etc" / "examples" / "simulations" / "newcomer.toml")
    shown = simulate(path)
    assert shown.stdout
    alone = simulate_alone(path)
    assert (shown.returncode, shown.stdout, shown.stderr) == (alone.returncode, alone.stdout, alone.stderr)


def test_every_scenario_is_in_the_table() -> None:
    text = (ROOT / "etc" / "examples" / "simulations" / "README.md").read_text()
    assert all(f"| {path.name} |" in text for path in SCENARIOS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cores = ", "Invalid value"),
        ('[[submit]]\nuser = "a"\njobs = 1\n', "submit entry 1 needs mean, seconds, or low and high"),
        ('[[submit]]\nuser = "a"\njobs = 1\nmean = 3\ncolour = 1\n', "colour"),
    ],
)
def test_a_wrong_file_is_explained(simulate: Simulate, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    done = simulate(str(path))
    assert done.returncode == 1
    assert said in done.stderr
    assert str(path) in done.stderr
    assert "Traceback" not in done.stderr


GROUPS = """
cores = 8
[knobs]
GROUP_NAMES = "physics, chemistry"
GROUP_QUOTA_physics = 6
GROUP_QUOTA_chemistry = 2
[[submit]]
user = "ann"
group = "physics"
jobs = 60
seconds = 100
[[submit]]
user = "ben"
group = "chemistry"
jobs = 20
seconds = 100
"""


def test_a_scenario_has_groups_with_quotas(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(GROUPS)
    simulation, until, _ = read_scenario(str(tmp_path / "s.toml"))
    seen = []
    simulation.after_cycle = lambda pool, done: seen.append(Counter(match.submitter for match in done.plan.matches))
    simulation.run(until if until is not None else 50.0)
    assert sorted(seen[0].values()) == [2, 6]


def test_knobs_of_a_scenario_are_checked(tmp_path: Path) -> None:
    for text, said in (("GRUOP_NAMES = 1", "there is no GRUOP_NAMES"), ('PREEMPTION_REQUIREMENTS = "1 +"', "PREEMP")):
        (tmp_path / "s.toml").write_text(f"[knobs]\n{text}\n")
        with pytest.raises(BadScenario, match=said):
            read_scenario(str(tmp_path / "s.toml"))


def test_the_command_line_is_read_by_typer(simulate: Simulate) -> None:
    wrong = simulate("-x")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.splitlines()[-1] == "Error: No such option: -x"
    assert simulate().returncode == 2
    helped = simulate("--help")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith("Usage: python -m condor_py.simulator ")
    gone = simulate_alone("/nowhere/gone.toml")
    assert (gone.returncode, gone.stderr) == (1, "/nowhere/gone.toml: No such file or directory\n")
