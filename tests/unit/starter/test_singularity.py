"""The executor of singularity's containers, whose program is a script or is not started. The command line is in
test_singularitywords.py."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import singularity
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.job import read_job
from condor_py.machine.run.process import Ending, StartError, Streams
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.session import SessionPlace, SessionRequest
from condor_py.machine.run.singularity import SingularityExecutor
from condor_py.machine.run.singularitywords import launcher
from condor_py.model.report import ExitReport
from condor_py.model.settings.containers import SingularitySettings

ENDED = Ending(3, None, False, 0.1, 0.2, 5)


class Family:
    """The processes of a slot: ``inner`` is the first one inside the container."""

    def __init__(self) -> None:
        self.inner = 0
        self.asked: list[int] = []

    def innermost(self, pid: int) -> int:
        self.asked.append(pid)
        return self.inner

    def prepare(self, ad: ClassAd) -> None:
        """Limit nothing."""

    def within(self, ad: ClassAd) -> str:
        return "within"

    def judge(self, report: ExitReport) -> ExitReport:
        return report.but(error="judged")


class World:
    """An executor in a directory of a test; ``begun`` are the programs that it would have started."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch, script: str = "exit 0", **knobs: Any) -> None:
        self.top, self.scratch = top, top / "root" / "scratch"
        self.scratch.mkdir(parents=True, exist_ok=True)
        command = top / "apptainer"
        command.write_text(f'#!/bin/sh\ntop={top}\necho "$*" >>$top/calls\n{script}\n')
        command.chmod(0o755)
        self.command, self.family, self.said = str(command), Family(), list[str]()
        self.begun: list[tuple[Execution, Mapping[str, str]]] = []
        monkeypatch.setattr(
            ProcessExecutor, "start", lambda _self, execution, variables: self.begun.append((execution, variables))
        )
        monkeypatch.setattr(ProcessExecutor, "collect", lambda _self: ENDED)
        settings = SingularitySettings(self.command, **knobs)
        self.ad = ClassAd({"ContainerImage": "/images/small", "MountUnderScratch": "/tmp"})
        slot = ClassAd({"SingularityVersion": "apptainer version 1.3", "Name": "slot1@here"})
        self.made = SingularityExecutor(settings, cast(Any, self.family), slot, self.ad, self.said.append, 2.5)
        job = {"Iwd": str(top), "Cmd": "prog", "Args": "x", "ShouldTransferFiles": "YES", "Environment": "OWN=1"}
        place = Place("slot1@here", "there", Sandbox(str(top / "root")), "", {"PATH": "/bin:/usr/bin"})
        self.execution = Execution(read_job(ClassAd(job), "here"), place, str(self.scratch), None)

    def calls(self) -> list[str]:
        path = self.top / "calls"
        return path.read_text().splitlines() if path.exists() else []


def test_an_image_is_tried_before_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch, "env >$top/env; pwd >$top/pwd; umask >$top/umask")
    assert world.made.fetches_much, "the trial may bring it"
    world.made.fetch(world.execution)
    (call,) = world.calls()
    assert call.startswith("-s -q test ")
    assert call.endswith(" /images/small")
    variables = (tmp_path / "env").read_text().splitlines()
    assert "APPTAINERENV_OWN=1" in variables
    assert f"APPTAINER_CACHEDIR={world.scratch}" in variables
    assert (tmp_path / "pwd").read_text() == f"{world.scratch}\n"
    assert (tmp_path / "umask").read_text() == "0022\n"
    assert not Path(launcher(str(tmp_path / "root"))).exists()


def test_an_image_need_not_be_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch, tests_image=False, uses_launcher=True)
    assert not world.made.fetches_much
    world.made.fetch(world.execution)
    assert world.calls() == []
    assert Path(launcher(str(tmp_path / "root"))).exists()


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo INFO: x; echo FATAL: bad >&2; exit 255", "FATAL: bad"), ("exit 1", "it says nothing"),
        ("printf '\\377'; exit 1", "\ufffd"), ("exec sleep 1000", "it took more than 0.05 seconds"),
    ],
)  # fmt: skip
def test_an_image_that_does_not_pass_holds_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, told: str
) -> None:
    world = World(tmp_path, monkeypatch, script, test_timeout=0.05 if "sleep" in script else 30)
    with pytest.raises(StartError) as caught:
        world.made.fetch(world.execution)
    assert (caught.value.code, caught.value.subcode) == (45, -1000)
    assert str(caught.value) == f"Singularity test failed:{told}"


def test_what_cannot_be_run_is_the_fault_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch)
    os.unlink(world.command)
    with pytest.raises(OSError, match=f"cannot run {world.command}: No such file or directory") as caught:
        world.made.fetch(world.execution)
    assert caught.value.errno == 2
    odd = World(tmp_path, monkeypatch, extra_arguments='"a')
    for act in (odd.made.fetch, lambda execution: odd.made.start(execution, {})):
        with pytest.raises(OSError, match="SINGULARITY_EXTRA_ARGUMENTS: ") as caught:
            act(odd.execution)
        assert caught.value.errno == 22
    assert odd.begun == []


def test_the_program_of_the_job_is_singularitys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch)
    world.made.prepare(world.execution)
    assert world.made._within == "within"  # type: ignore[comparison-overlap]
    world.made.start(world.execution, {"A": "1"})
    execution, variables = world.begun[0]
    assert (execution.job.cmd, execution.job.transfer_executable) == (world.command, False)
    assert execution.job.arguments[:2] == ("-s", "exec")
    assert variables["APPTAINERENV_A"] == "1"
    assert world.said == ["Running job via singularity."]
    assert world.made.look_interval == 2.5
    assert world.made.collect() is ENDED
    assert not world.made.refused
    assert world.made.judge(ExitReport("c", "7.3", 1)).error == "judged"
    world.made.dismiss()


@pytest.mark.parametrize(("places", "tmp"), [("/tmp", "/tmp"), ("/var/tmp", "")])
def test_where_temporary_files_go_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: str, tmp: str
) -> None:
    monkeypatch.setattr(singularity.Inside, "scratch_places", lambda inside, execution: [places])
    world = World(tmp_path, monkeypatch)
    world.made.prepare(world.execution)
    assert world.made.tmp == tmp


def test_a_launcher_leaves_a_mark_when_the_program_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch, uses_launcher=True)
    mark = world.scratch / singularity.LAUNCHED_NAME
    world.made.prepare(world.execution)
    mark.touch()
    world.made.start(world.execution, {})
    assert not mark.exists(), "that was the run before"
    world.made.start(world.execution, {})
    world.made.collect()
    assert world.made.refused
    report = world.made.judge(ExitReport("c", "7.3", 1))
    assert report.error.startswith("The container was not started: ")
    for known in ({"hold_code": 3}, {"vacated": True}):
        assert world.made.judge(replace(ExitReport("c", "7.3", 1), **known)).error == "judged"
    mark.symlink_to("nothing")
    world.made.collect()
    assert not world.made.refused
    without = World(tmp_path, monkeypatch, uses_launcher=True)
    without.execution = replace(without.execution, job=replace(without.execution.job, cmd=""))
    without.made.prepare(without.execution)
    without.made.collect()
    assert not without.made.refused, "a program of the image leaves no mark"


def test_sessions_enter_what_is_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, monkeypatch)
    begun: list[Any] = []
    monkeypatch.setattr(singularity, "start_inside", lambda *words: begun.append(words) or "session")
    request, place = SessionRequest("", (), False), SessionPlace("/", {}, (), "slot1@here", "9.1")
    streams = Streams(0, 1, 2)
    world.made.pid = 20
    assert not world.made.ready
    with pytest.raises(OSError, match="the container is not there") as caught:
        world.made.enter(request, place, streams, None)
    assert (caught.value.errno, begun) == (3, [])
    world.family.inner = 25
    assert world.made.ready
    assert world.made.enter(request, place, streams, None) == "session"  # type: ignore[comparison-overlap]
    assert begun[0][:5] == (request, place, streams, None, 25)
    assert set(world.family.asked) == {20}
