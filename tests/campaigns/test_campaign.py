"""What every campaign prints, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Campaign, CannotRun, main


def _half(campaign: Campaign) -> None:
    campaign.step(3)
    os.kill(os.getpid(), signal.SIGUSR1)
    campaign.step(2)
    campaign.found("a stone")


def _impossible(_: Campaign) -> None:
    raise CannotRun("no disk")


def _killed(campaign: Campaign) -> None:
    campaign.step(4)
    os.kill(os.getpid(), signal.SIGTERM)


def test_how_far_it_is_and_what_it_has_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(_half, name="half", about=None, unit="steps", size=5, arguments=["-seed", "9"]) == 1
    out, err = capsys.readouterr()
    middle, end = map(json.loads, out.splitlines())
    assert [(told["steps"], told["findings"]) for told in (middle, end)] == [(3, 0), (5, 1)]
    assert (end["campaign"], end["asked"], end["seed"]) == ("half", 5, 9)
    assert err == "half: a stone\n"


def test_what_could_not_run_is_no_clean_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(_impossible, name="half", about=None, unit="steps", size=5, arguments=[]) == 2
    assert capsys.readouterr() == ("", "half: cannot run here: no disk\n")
    assert main(_killed, name="half", about=None, unit="steps", size=5, arguments=["-n", "8"]) == 130
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (told["steps"], told["asked"], err) == (4, 8, "half: stopped\n")
