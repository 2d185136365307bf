"""The benchmarks: figures of a real core, and how the programs tell them."""

from __future__ import annotations

import sys

import pytest

from condor_py.cli.entry import main as run_program
from condor_py.machine.probes import benchmark

extension = pytest.importorskip("condor_py.machine.probes._benchmark")


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "_SECONDS", 0.02)
    monkeypatch.setattr(benchmark, "_TIMES", 1)


def test_the_equations_are_solved() -> None:
    operations, error = extension.flops(0.01)
    assert operations > 1e7
    assert error < 1e-9


@pytest.mark.parametrize(("program", "attribute"), [("condor_mips", "Mips"), ("condor_kflops", "KFlops")])
def test_programs(program: str, attribute: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_program(program, []) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{attribute} = ")
    assert int(first.split()[2]) > 1000
    assert second == "--"


def test_without_the_extension(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "condor_py.machine.probes._benchmark", None)
    assert run_program("condor_mips", []) == 1
    assert "is not built" in capsys.readouterr().err
