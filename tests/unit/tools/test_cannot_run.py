"""Jobs that no slot of a pool will ever run: what they need and the pool has not."""

from __future__ import annotations

import pytest

from condor_py.classad import ClassAd
from condor_py.tools.cannot_run import cannot_run, may_lack

PLAIN = ClassAd('[ SlotID = 1; HasFileTransfer = true; HasFileTransferPluginMethods = "data,https,HTTP" ]')
DOCKER = ClassAd("[ SlotID = 2; HasDocker = true; HasContainer = true; HasDockerURL = true ]")


def job(requirements: str = "true", universe: int = 5, more: str = "") -> ClassAd:
    return ClassAd(f"[ JobUniverse = {universe}; Requirements = {requirements}; {more} ]")


@pytest.mark.parametrize(("universe", "name"), [(11, "parallel"), (8, "MPI"), (1, "standard")])
def test_universes_that_the_pool_does_not_have(universe: int, name: str) -> None:
    assert cannot_run(job(universe=universe), []) == f"this pool runs no jobs of the {name} universe"


@pytest.mark.parametrize("universe", [5, 7, 12])
def test_universes_that_it_has(universe: int) -> None:
    assert not cannot_run(job(universe=universe), [PLAIN])


@pytest.mark.parametrize(
    ("requirements", "word"),
    [
        ('(TARGET.Arch == "X86_64") && TARGET.HasDocker && (TARGET.Memory >= RequestMemory)', "docker or podman"),
        ("TARGET.HasContainer && TARGET.HasDockerURL", "containers"),
        ("(TARGET.HasVM is true) && (Memory > 1)", "virtual machines"),
        ("((TARGET.HasJava)) && true", "Java"),
        ('(TARGET.HasFileTransfer && stringListIMember("s3",TARGET.HasFileTransferPluginMethods))', "for s3://"),
        ('stringListIMember("gs", HasFileTransferPluginMethods) && stringListMember("S3",HasFileTransferPluginMethods)',
         "for gs:// and s3://"),
    ],
)  # fmt: skip
def test_abilities_that_no_slot_has(requirements: str, word: str) -> None:
    assert word in cannot_run(job(requirements), [PLAIN])


@pytest.mark.parametrize(
    "requirements",
    [
        "TARGET.HasDocker",  # another slot has it
        "TARGET.HasJava || true",  # asked for, but not needed
        '(FileSystemDomain == "here") || stringListIMember("s3",TARGET.HasFileTransferPluginMethods)',
        'stringListIMember("http",TARGET.HasFileTransferPluginMethods)',
        "TARGET.HasJava is undefined",
        "!TARGET.HasJava",
    ],
)
def test_jobs_that_a_slot_may_run(requirements: str) -> None:
    assert not cannot_run(job(requirements), [PLAIN, DOCKER])


def test_checkpoints_need_their_plugin_too() -> None:
    assert "osdf://" in cannot_run(job(more='CheckpointDestination = "osdf://a/b"'), [PLAIN])
    assert not cannot_run(job(more='CheckpointDestination = "https://a/b"'), [PLAIN])


def test_nothing_is_said_of_abilities_while_no_slot_is_known() -> None:
    assert not cannot_run(job("TARGET.HasDocker"), [])


def test_plain_jobs_need_no_look_at_the_slots() -> None:
    plain = '(TARGET.Arch == "X86_64") && (TARGET.HasFileTransfer)'
    assert not may_lack({"jobuniverse": "5", "requirements": plain})
    assert may_lack({"jobuniverse": "11", "requirements": plain})
    assert may_lack({"jobuniverse": "5", "requirements": plain + " && TARGET.HasDocker"})
    assert may_lack({"jobuniverse": "5", "checkpointdestination": '"s3://a"'})
