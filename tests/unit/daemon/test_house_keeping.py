"""The house keeping that the master starts: PREEN, PREEN_ARGS and PREEN_INTERVAL."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons.master.daemon import MasterDaemon
from condor_py.model.settings.master import OWN_PREEN, MasterSettings


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were started."""
    found: list[list[str]] = []

    def start(command: list[str], **how: Any) -> SimpleNamespace:
        found.append(command)
        return SimpleNamespace(pid=7)

    monkeypatch.setattr(subprocess, "Popen", start)
    return found


def house_keeping(tmp_path: Path, **knobs: Any) -> None:
    with (tmp_path / "log").open("w") as log:
        master: Any = SimpleNamespace(knobs=MasterSettings(**knobs), stopping=False, log=log, _preening=None)
        master._preen = partial(MasterDaemon._preen, master)
        master._refuse_if_open = partial(MasterDaemon._refuse_if_open, master)
        MasterDaemon._preen_in_turn(master)


@pytest.mark.parametrize("program", [OWN_PREEN, f"/usr/sbin/{OWN_PREEN}"])
def test_a_program_of_its_name_is_our_own(tmp_path: Path, started: list[list[str]], program: str) -> None:
    house_keeping(tmp_path, preen=program, preen_arguments=("-r",))
    ((*_, last_but_one, last),) = started
    assert (last_but_one, last) == (OWN_PREEN, "-r")


def test_a_site_may_have_another_program(tmp_path: Path, started: list[list[str]]) -> None:
    house_keeping(tmp_path, preen="/site/tidy", preen_arguments=("a b",))
    assert started == [["/site/tidy", "a b"]]


@pytest.mark.parametrize("knobs", [{"preen": ""}, {"preen_interval": 0}, {"preen_interval": -1}])
def test_there_need_be_none(tmp_path: Path, started: list[list[str]], knobs: dict[str, Any]) -> None:
    house_keeping(tmp_path, **knobs)
    assert started == []
