"""Which executor runs a job, and what its program sees of the machine."""

from __future__ import annotations

import os
import pwd
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from condor_py.daemons.starter import executors
from condor_py.daemons.starter.executors import chirp_address, cover_of, executor_of
from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.daemons.starter.starterfacts import add_home
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd
from condor_py.machine.probes import machine
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.job import read_job
from condor_py.machine.run.means import Means
from condor_py.machine.run.namespaces import Namespaces
from condor_py.machine.run.processes import Cover
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.model.settings.containers import DefaultContainer, DockerSettings, SingularitySettings
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings

DOCKER, SINGULARITY, PROCESS, VM = "DockerExecutor", "SingularityExecutor", "ProcessExecutor", "VmExecutor"


def chosen(job: str, slot: str = "", log: list[str] | None = None, **settings: Any) -> tuple[str, ClassAd]:
    """The name of the executor of a job, and its ad afterwards."""
    ad = ClassAd(f"[{job}]")
    made = StarterSettings("/nowhere", base_cgroup="", **settings)
    slot_ad = ClassAd(f"[{slot}]")
    setup = StarterSetup("c", "slot1@here", slot_ad, "/nowhere", "/bin", "h", "h", (), LogSettings(""), made)
    family = JobFamily(made, "slot1@here", slot_ad)
    found = executor_of(setup, family, ad, log.append if log is not None else print)
    return type(found).__name__, ad


@pytest.mark.parametrize(
    ("job", "slot", "executor"),
    [
        ("", "", PROCESS),
        ("JobUniverse = 5", "HasDocker = true", PROCESS),
        ("JobUniverse = 13; VM_Type = \"kvm\"", "", VM),
        ("WantDocker = true; DockerImage = \"i\"", "", DOCKER),
        ("WantDocker = false", "", PROCESS),
        ("WantDockerImage = true; DockerImage = \"i\"", "", DOCKER),
        ("WantDockerImage = true; DockerImage = \"i\"", "HasDocker = true", DOCKER),
        ("WantDockerImage = true; DockerImage = \"i\"", "HasDocker = true; HasSingularity = true", DOCKER),
        ("WantDockerImage = true; DockerImage = \"i\"", "HasSingularity = true", SINGULARITY),
        ("WantDockerImage = true; DockerImage = \"i\"", "HasSingularity = true; HasDocker = false", SINGULARITY),
        ("WantSIF = true; ContainerImage = \"i.sif\"", "HasDocker = true", SINGULARITY),
        ("WantSandboxImage = true; ContainerImage = \"i\"", "HasDocker = true", SINGULARITY),
        ("WantSIF = \"yes\"", "", PROCESS),
    ],
)  # fmt: skip
def test_the_ad_of_a_job_and_its_slot_choose(job: str, slot: str, executor: str) -> None:
    assert chosen(job, slot)[0] == executor


@pytest.mark.parametrize(
    ("knob", "job", "executor"),
    [
        ("", "JobUniverse = 5", PROCESS),
        ("false", "JobUniverse = 5", PROCESS),
        ("true", "JobUniverse = 5", SINGULARITY),
        ("true", "", SINGULARITY),
        ("true", "JobUniverse = 11", SINGULARITY),
        ("true", "JobUniverse = 7", PROCESS),
        ("MY.Box && TARGET.Wish", "Wish = true", SINGULARITY),
        ("MY.Box && TARGET.Wish", "Wish = false", PROCESS),
        ("MY.Box &&", "Wish = true", PROCESS),
    ],
)
def test_jobs_of_singularity_job_run_in_a_container_unasked(knob: str, job: str, executor: str) -> None:
    assert chosen(job, "Box = true", singularity=SingularitySettings(job=knob))[0] == executor


NO_IMAGE = "USE_DEFAULT_CONTAINER is true, but DEFAULT_CONTAINER_IMAGE is no string: no container for this job"


@pytest.mark.parametrize(
    ("wanted", "image", "job", "executor", "attributes", "told"),
    [
        ("", '"docker://x"', "", PROCESS, {}, []),
        ("true", '"docker://x/y"', "", DOCKER, {"DockerImage": '"x/y"', "WantDockerImage": "true"}, "docker://x/y"),
        ("true", '"docker:x"', "", DOCKER, {"DockerImage": '"x"', "WantDockerImage": "true"}, "docker:x"),
        ("true", '"/i/a.sif"', "", SINGULARITY, {"ContainerImage": '"/i/a.sif"', "WantSIF": "true"}, "/i/a.sif"),
        ("true", '"/i/a"', "", SINGULARITY, {"ContainerImage": '"/i/a"', "WantSandboxImage": "true"}, "/i/a"),
        ("true", "TARGET.I", 'I = "/i/a"', SINGULARITY, {"WantSandboxImage": "true", "WantSIF": None}, "/i/a"),
        ("MY.Box", "Pictures", "", SINGULARITY, {"ContainerImage": '"/slot"'}, "/slot"),
        ("TARGET.Wish", '"/i/a"', "Wish = false", PROCESS, {"ContainerImage": None}, []),
        ("TARGET.Wish &&", '"/i/a"', "Wish = true", PROCESS, {}, []),
        ("true", "5", "", PROCESS, {}, [NO_IMAGE]),
        ("true", '""', "", PROCESS, {}, [NO_IMAGE]),
        ("true", '"a" +', "", PROCESS, {}, [NO_IMAGE]),
        ("true", '"/i/a"', "WantContainer = true", PROCESS, {"ContainerImage": None}, []),
        ("true", '"/i/a"', 'WantDocker = true; DockerImage = "mine"', DOCKER, {"DockerImage": '"mine"'}, []),
        ("true", '"/i/a"', "JobUniverse = 7", PROCESS, {"ContainerImage": None}, []),
    ],
)
def test_the_default_container_is_for_jobs_that_ask_for_none(
    wanted: str, image: str, job: str, executor: str, attributes: dict[str, str | None], told: str | list[str]
) -> None:
    log: list[str] = []
    slot = 'Box = true; Pictures = "/slot"'
    name, ad = chosen(job, slot, log, default_container=DefaultContainer(wanted, image))
    assert name == executor
    assert {attribute: ad.text(attribute) for attribute in attributes} == attributes
    text = f"USE_DEFAULT_CONTAINER is true, the job runs in {told}"
    assert log == (told if isinstance(told, list) else [text])


@pytest.fixture
def execution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Execution:
    """A job whose starter is below tmp_path/execute, on a machine that can isolate everything."""
    monkeypatch.setattr(executors, "means", lambda: Means(mounts=True, processes=True, network=True))
    root = tmp_path / "execute" / "dir_1"
    (root / "scratch").mkdir(parents=True)
    for name in ("one", "two", "work"):
        (tmp_path / name).mkdir()
    ad = ClassAd(f'[ClusterId = 1; ProcId = 0; Cmd = "/bin/true"; Iwd = "{tmp_path}/work"; ShouldTransferFiles = "NO"]')
    ad.set_str("Owner", "root")
    return Execution(read_job(ad, "here"), Place("s", "h", Sandbox(str(root)), "", {}), str(root), None)


def covered(execution: Execution, job: str = "", log: list[str] | None = None, **settings: Any) -> Cover | None:
    made = StarterSettings("/nowhere", **settings)
    return cover_of(made, ClassAd(f"[{job}]"), log.append if log is not None else print, execution)


def pair(execution: Execution, place: Path) -> tuple[str, str]:
    return f"{execution.place.sandbox.scratch}{place}", str(place)


def test_directories_are_covered_with_those_of_the_job(execution: Execution, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for text in (f"{one} {two}", f'"{one}, {two}/"', "TARGET_ME", f"{one},{two},{one}"):
        cover = covered(execution, f'TARGET_ME = "{one} {two}/../two"', mount_under_scratch=text)
        assert cover == Cover(Namespaces((pair(execution, one), pair(execution, two)), shared_memory=True), "")
        assert cover is not None
        assert all(os.path.isdir(directory) for directory, _ in cover.own.covers)
    mode = os.stat(pair(execution, one)[0]).st_mode & 0o777
    assert mode == 0o700
    cover = covered(execution, mount_under_scratch=str(one), mount_private_dev_shm=False)
    assert cover == Cover(Namespaces((pair(execution, one),)), "")


def test_the_home_directory_of_the_owner_may_be_covered() -> None:
    owner = pwd.getpwuid(os.geteuid())
    for text, home in (('strcat(OSHomeDir, ",/tmp")', owner.pw_dir), ("/tmp", None)):
        ad = ClassAd()
        add_home(StarterSettings("/nowhere", mount_under_scratch=text), ad, owner.pw_name)
        assert ad.eval_str("OSHomeDir", None) == home
    ad = ClassAd()
    add_home(StarterSettings("/nowhere", mount_under_scratch="OsHomeDir"), ad, "no such account")
    assert ad.eval_str("OSHomeDir", None) is None


def test_what_cannot_be_covered_stays_and_the_log_says_why(execution: Execution, tmp_path: Path) -> None:
    log: list[str] = []
    (tmp_path / "link").symlink_to(tmp_path / "execute")
    places = f"nowhere {tmp_path}/none {tmp_path}/execute {tmp_path}/link {tmp_path}/work"
    assert covered(execution, log=log, mount_under_scratch=places) is None
    said = "MOUNT_UNDER_SCRATCH: {} stays that of the machine: {}"
    assert log == [
        said.format("nowhere", "there is no such directory"),
        said.format(tmp_path / "none", "there is no such directory"),
        said.format(tmp_path / "execute", "the scratch directory is in it"),
        said.format(tmp_path / "link", "the scratch directory is in it"),
        said.format(tmp_path / "work", "the job works in it"),
    ]
    moved = replace(execution, job=replace(execution.job, transfer=True))
    cover = covered(moved, mount_under_scratch=f"{tmp_path}/work")
    assert cover is not None


@pytest.mark.parametrize(
    ("job", "settings", "able", "expected"),
    [
        ("", {}, (1, 1, 1), None),
        ("", {"use_pid_namespaces": True}, (1, 1, 1), Namespaces((), shared_memory=True, processes=True)),
        ("", {"use_pid_namespaces": True}, (1, 0, 1), None),
        ("", {"use_pid_namespaces": True, "mount_private_dev_shm": False}, (1, 1, 1), Namespaces(processes=True)),
        ("", {"use_pid_namespaces": True, "per_job_namespaces": False}, (1, 1, 1), None),
        ("", {"no_job_networking": True}, (1, 1, 1), Namespaces(network=True)),
        ("", {"no_job_networking": True}, (1, 1, 0), None),
        ("JobUniverse = 7", {"no_job_networking": True}, (1, 1, 1), None),
        ("JobUniverse = 5", {"no_job_networking": True}, (1, 1, 1), Namespaces(network=True)),
        ("JobUniverse = 11", {"no_job_networking": True}, (1, 1, 1), Namespaces(network=True)),
        ("JobUniverse = 11", {"use_pid_namespaces": True}, (1, 1, 1), Namespaces(processes=True)),
        ("", {"mount_under_scratch": "ONE"}, (0, 1, 1), None),
        ("", {"mount_under_scratch": "ONE", "per_job_namespaces": False}, (1, 1, 1), None),
    ],
)
def test_a_job_is_as_isolated_as_configuration_and_machine_allow(
    execution: Execution,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    job: str,
    settings: dict[str, Any],
    able: tuple[int, int, int],
    expected: Namespaces | None,
) -> None:
    monkeypatch.setattr(executors, "means", lambda: Means(*map(bool, able)))
    if "mount_under_scratch" in settings:
        settings = {**settings, "mount_under_scratch": str(tmp_path / "one")}
    found = covered(execution, job, **settings)
    assert found == (None if expected is None else Cover(expected, ""))


def test_temporary_files_of_an_encrypted_job_are_in_its_scratch_directory(
    execution: Execution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sandbox, "encrypted", property(lambda self: True))
    monkeypatch.setattr(executors, "_unfit", lambda place, execution: "")
    cover = covered(execution, mount_under_scratch=str(tmp_path / "one"))
    places = [Path("/tmp"), Path("/var/tmp"), tmp_path / "one"]
    assert cover == Cover(Namespaces(tuple(pair(execution, place) for place in places), shared_memory=True), "/tmp")


@pytest.mark.parametrize(
    ("job", "docker", "address"),
    [
        ("WantDocker = true", {}, "10.9.8.7"),
        ('WantDocker = true; DockerNetworkType = "nat"', {}, "10.9.8.7"),
        ('WantDocker = true; DockerNetworkType = "host"', {}, "127.0.0.1"),
        ('WantDocker = true; DockerNetworkType = "none"', {}, "127.0.0.1"),
        ("WantSIF = true", {}, "127.0.0.1"),
        ("WantDocker = true", {"networkless": True}, "127.0.0.1"),
        ("WantDocker = true", {"network_name": "no-such"}, "127.0.0.1"),
        ("", {}, "127.0.0.1"),
    ],
)
def test_where_a_job_reaches_chirp(
    monkeypatch: pytest.MonkeyPatch, job: str, docker: dict[str, Any], address: str
) -> None:
    found = machine.Interface("10.9.8.7", "", "", "docker0")
    monkeypatch.setattr(machine, "interface", lambda name: found if name == "docker0" else machine.LOOPBACK)
    made = StarterSettings("/nowhere", docker=DockerSettings(**docker))
    setup = StarterSetup("c", "slot1@here", ClassAd(), "/nowhere", "/bin", "h", "h", (), LogSettings(""), made)
    told: list[str] = []
    assert chirp_address(setup, ClassAd(f"[{job}]"), told.append) == address
    assert told == (["Failed to find Docker network 'no-such' for IO Proxy."] if docker.get("network_name") else [])
