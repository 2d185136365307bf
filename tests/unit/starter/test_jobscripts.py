"""PreCmd and PostCmd of a job: who may have them, how they are run, and what follows from their ends."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons.starter import jobscripts
from condor_py.daemons.starter.jobscripts import JobScripts, scripts_wanted, wanted_status
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.job import read_job
from condor_py.model.states import HoldCode

FAILED = {"Pre": int(HoldCode.PRE_SCRIPT_FAILED), "Post": int(HoldCode.POST_SCRIPT_FAILED)}


@pytest.mark.parametrize(
    ("allowed", "ad", "wanted", "said"),
    [
        ("true", '[ PreCmd = "a" ]', True, False),
        ("true", '[ PostCmd = "a" ]', True, False),
        ("true", "[ A = 1 ]", False, False),
        ("true", '[ PreCmd = "" ]', False, False),
        ("true", '[ PreCmd = "a"; JobUniverse = 7 ]', False, False),
        ("false", '[ PreCmd = "a" ]', False, True),
        ("", '[ PreCmd = "a" ]', False, True),
        ("TARGET.Trusted && MY.Slot == 1", '[ PreCmd = "a"; Trusted = true ]', True, False),
        ("TARGET.Trusted && MY.Slot == 2", '[ PreCmd = "a"; Trusted = true ]', False, True),
        ("undefined", '[ PreCmd = "a" ]', False, True),
    ],
)
def test_who_may_have_scripts(allowed: str, ad: str, wanted: bool, said: bool) -> None:
    log: list[str] = []
    assert scripts_wanted(allowed, ClassAd({"Slot": 1}), ClassAd(ad), log.append) is wanted
    told = "STARTER_ALLOW_JOB_PRE_AND_POST_CMD evaluated to false, PreCmd and PostCmd will be ignored"
    assert log == ([told] if said else [])


@pytest.mark.parametrize(
    ("ad", "status"),
    [
        ("[ A = 1 ]", None),
        ("[ SuccessPreExitCode = 3 ]", 3),
        ("[ SuccessPostExitCode = 3 ]", None),
        ("[ SuccessPreExitSignal = 9; SuccessPreExitBySignal = true ]", -9),
        ("[ SuccessPreExitSignal = 9 ]", 0),
        ("[ SuccessPreExitCode = 3; SuccessPreExitBySignal = true ]", 0),
    ],
)
def test_the_end_of_a_successful_script(ad: str, status: int | None) -> None:
    assert wanted_status(ClassAd(ad), "Pre") == status


class World:
    """A run in a directory, with the loop and the family of a starter."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = str(directory)
        self.owner = None
        self.job = read_job(ClassAd('[ ClusterId = 7; ProcId = 0; Cmd = "/bin/true" ]'), "here")
        self.place = SimpleNamespace(base_environment={"BASE": "1"}, sandbox=None)
        self.log: list[str] = []
        self.told: list[dict[str, str]] = []
        self.refused: list[tuple[Any, ...]] = []
        self.held: list[tuple[Any, ...]] = []
        self.given_up: list[str] = []
        self.calls: list[str] = []
        self.ending = SimpleNamespace(exit_code=5, exit_signal=None)

        def environment(base: dict[str, str], job: Any, owner: object, sandbox: object) -> dict[str, str]:
            return {**base, **job.environment}

        monkeypatch.setattr(jobscripts, "job_environment", environment)

    def scripts(self, **attributes: object) -> JobScripts:
        """The scripts of a job with these attributes."""
        family: Any = SimpleNamespace(
            prepare=lambda job: self.calls.append("prepare"),
            join=lambda *_: None,
            kill_family=lambda members: self.calls.append("kill"),
            descendants=lambda pid: set(),
        )
        run: Any = SimpleNamespace(
            directory=self.directory, job=self.job, owner=self.owner, place=self.place,
            give_away=lambda: self.calls.append("give away"), program_ended=lambda: self.ending,
            refuse=lambda *words: self.refused.append(words), hold=lambda *words: self.held.append(words),
            give_up=self.given_up.append,
        )  # fmt: skip
        loop: Any = SimpleNamespace(on_exit=self._wait)
        return JobScripts(
            loop, family, self.log.append, run, ClassAd(attributes), lambda run, more: self.told.append(more)
        )

    def _wait(self, pid: int, ended: Callable[[int], None]) -> None:
        ended(os.waitpid(pid, 0)[1])


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def script(world: World, text: str) -> None:
    path = Path(world.directory) / "script"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def before(world: World, **attributes: object) -> bool:
    """Return whether the program may start."""
    answers: list[bool] = []
    world.scripts(**attributes).before(answers.append)
    (answer,) = answers
    return answer


def test_a_job_without_a_script_starts_at_once(world: World) -> None:
    assert before(world, PostCmd="script")
    assert (world.calls, world.log) == ([], [])


def test_a_script_runs_in_the_directory_of_the_job(world: World) -> None:
    script(world, 'echo "$0|$1|$2|$BASE|$OWN|$JOBS|$(pwd)|$(nice)" > seen')
    world.job = replace(world.job, environment={"JOBS": "1"})
    assert before(world, PreCmd="script", PreArguments="one 'two three'", PreEnvironment="OWN=2")
    seen = (Path(world.directory) / "seen").read_text().strip().split("|")
    assert seen[1:7] == ["one", "two three", "1", "2", "", world.directory]
    assert int(seen[7]) == max(10, os.nice(0))
    assert world.calls == ["give away", "prepare"]
    assert world.log == [
        f"About to exec Pre script: {world.directory}/script one two' 'three", "Pre script ended with status 0",
    ]  # fmt: skip
    assert (world.told, world.refused) == ([], [])


@pytest.mark.parametrize(
    ("text", "wanted", "ok", "told"),
    [
        ("exit 3", {}, True, None),
        ("exit 3", {"SuccessPreExitCode": 3}, True, None),
        ("exit 3", {"SuccessPreExitCode": 0}, False,
         {"PreExitBySignal": "false", "PreExitCode": "3", "ExitCode": "3"}),
        ("kill -9 $$", {"SuccessPreExitCode": 0}, False,
         {"PreExitBySignal": "true", "PreExitSignal": "9", "PreExitReason": '"died on signal 9 (Killed)"'}),
        ("kill -9 $$", {"SuccessPreExitSignal": 9, "SuccessPreExitBySignal": True}, True, None),
    ],
)  # fmt: skip
def test_what_follows_from_the_end_of_a_script(
    world: World, text: str, wanted: dict[str, object], ok: bool, told: dict[str, str] | None
) -> None:
    script(world, text)
    assert before(world, PreCmd="script", **wanted) is ok
    if told is None:
        assert (world.told, world.refused) == ([], [])
        return
    (found,) = world.told
    assert told.items() <= found.items()
    assert ("ExitCode" in found) is ("ExitCode" in told)
    assert {"PreJobPid", "PreJobStartDate", "PreJobDuration"} <= set(found)
    assert 0 <= float(found["PreJobDuration"]) < 3600
    assert world.refused == [(FAILED["Pre"], "Pre script failed.", 0)]
    assert world.calls[-1] == "kill"
    assert world.log[-1] == "Pre script failed, putting job on hold."


@pytest.mark.parametrize(
    ("attributes", "reason", "subcode"),
    [
        ({"PreCmd": "nowhere"}, "Failed to execute '{here}/nowhere': No such file or directory", 2),
        ({"PreCmd": "script", "PreArguments": "'a"},
         "Failed to execute '{here}/script': PreArguments cannot be read: Unbalanced quote starting here: 'a", 0),
    ],
)  # fmt: skip
def test_a_script_that_cannot_be_started(
    world: World, attributes: dict[str, object], reason: str, subcode: int
) -> None:
    script(world, "exit 0")
    assert not before(world, **attributes)
    ((code, why, number),) = world.refused
    assert (code, number) == (int(HoldCode.FAILED_TO_CREATE_PROCESS), subcode)
    assert why.startswith(reason.format(here=world.directory)[: len(world.directory) + 40])


def test_a_script_for_which_the_machine_has_no_process_holds_no_job(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the program: the run is given up, and tried again. After the program it would run twice."""

    def refuse(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(jobscripts, "start", refuse)
    assert not before(world, PreCmd="script")
    assert world.given_up == [f"Failed to execute '{world.directory}/script': Resource temporarily unavailable"]
    assert world.refused == []
    done: list[str] = []
    world.scripts(PostCmd="script").after(lambda: done.append("then"))
    assert (done, world.held[0][0]) == (["then"], int(HoldCode.FAILED_TO_CREATE_PROCESS))


@pytest.mark.parametrize(
    ("ending", "variable"),
    [((5, None), "_CONDOR_MAINJOB_EXIT_CODE=5"), ((None, 11), "_CONDOR_MAINJOB_EXIT_SIGNAL=11")],
)
def test_the_script_after_the_program_knows_its_end(
    world: World, ending: tuple[int | None, int | None], variable: str
) -> None:
    """It tells its own end always, and a failure holds the job that has run."""
    script(world, "env | grep MAINJOB > seen; exit 4")
    world.ending = SimpleNamespace(exit_code=ending[0], exit_signal=ending[1])
    done: list[str] = []
    world.scripts(PostCmd="script").after(lambda: done.append("then"))
    assert (Path(world.directory) / "seen").read_text() == f"{variable}\n"
    assert {"PostExitBySignal": "false", "PostExitCode": "4"}.items() <= world.told[0].items()
    assert "ExitCode" not in world.told[0]
    assert (done, world.held, world.refused) == (["then"], [], [])
    world.scripts(PostCmd="script", SuccessPostExitCode=0).after(lambda: done.append("again"))
    assert (done[1:], world.held) == (["again"], [(FAILED["Post"], "Post script failed.", 0)])


def test_a_script_that_runs_is_killed_with_what_it_has_started(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    script(world, "sleep 3600 & sleep 3600")
    pids: list[int] = []
    answers: list[bool] = []
    monkeypatch.setattr(world, "_wait", lambda pid, ended: pids.append(pid))
    scripts = world.scripts(PreCmd="script", SuccessPreExitCode=0)
    scripts.stop()
    scripts.before(answers.append)
    assert answers == []
    scripts.stop()
    code = os.waitstatus_to_exitcode(os.waitpid(pids[0], 0)[1])
    assert code in (-signal.SIGKILL, 128 + signal.SIGKILL), "the shell was killed, or has seen its sleep killed"
