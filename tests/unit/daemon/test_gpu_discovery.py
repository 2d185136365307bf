"""Whether a startd looks for GPUs, and what it makes of what it is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.daemons.common.condorids import Home
from condor_py.daemons.startd import startdprograms as inventories
from condor_py.lang.config import load
from condor_py.model.settings.startd import StartdSettings

FOUND = 'echo "DetectedGPUs=\\"GPU-a, GPU-b\\""'


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[list[str], list[str]]]:
    """What a machine with signs of a GPU finds under a value of STARTD_DETECT_GPUS, and what its log says."""
    program = tmp_path / "condor_gpu_discovery"
    program.write_text(f"#!/bin/sh\n{FOUND}\n")
    program.chmod(0o755)
    monkeypatch.setattr(inventories, "_SIGNS", (os.devnull,))

    def found(value: str) -> tuple[list[str], list[str]]:
        knobs = {"_CONDOR_LIBEXEC": str(tmp_path), "_CONDOR_STARTD_DETECT_GPUS": value}
        config = load({"CONDOR_CONFIG": "ONLY_ENV", **knobs})
        log: list[str] = []
        settings = inventories.with_inventories(StartdSettings(), config, Home(None, str(tmp_path)), log.append)
        return [f"{each.name} {each.quantity:g}" for each in settings.resources], log

    return found


def test_false_keeps_a_machine_from_looking_for_gpus(machine: Callable[[str], tuple[list[str], list[str]]]) -> None:
    assert machine("-properties") == (["GPUs 2"], [])
    assert machine("False") == ([], [])
    assert machine("0") == ([], [])


def test_true_is_told_to_mean_nothing(machine: Callable[[str], tuple[list[str], list[str]]]) -> None:
    found, log = machine("TRUE")
    assert found == []
    assert log == ["STARTD_DETECT_GPUS is TRUE, not arguments of condor_gpu_discovery or false: no GPU is looked for"]
