"""Devices that a job may not open: in the control groups of this machine, and which ones those are."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.daemons.starter import jobfamily
from condor_py.lang.classad import ClassAd
from condor_py.machine.probes import jobgroup
from condor_py.machine.probes.gpu.devicefiles import others
from condor_py.model.settings.starter import StarterSettings

#: /dev/zero and /dev/full, which nobody misses.
ZERO, FULL = (1, 5), (1, 7)
_BASE = f"condor_py_devices_{os.getpid()}"


@pytest.fixture
def removed() -> Iterator[None]:
    yield
    for place in jobgroup.hierarchies(devices=True).values():
        if os.path.isdir(f"{place}/{_BASE}"):
            os.rmdir(f"{place}/{_BASE}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hides devices")
@pytest.mark.usefixtures("removed")
@pytest.mark.parametrize("kind", ["devices", "unified"])
def test_a_hidden_device_cannot_be_opened(kind: str) -> None:
    found = jobgroup.hierarchies(devices=True)
    if kind not in found:
        pytest.skip(f"no hierarchy {kind} here")
    group = jobgroup.create(_BASE, "job", {kind: found[kind]}, hidden=(ZERO, FULL))
    if group is None:
        pytest.skip("groups may not be made here")
    try:
        script = "head -c 1 /dev/zero | wc -c; (: < /dev/full); : < /dev/null && head -c 3 /dev/urandom | wc -c"
        done = subprocess.run(
            ["/bin/sh", "-c", script], preexec_fn=group.join, capture_output=True, text=True, check=True
        )
    finally:
        group.clear()
    assert done.stdout.split() == ["0", "3"]
    assert "/dev/full" in done.stderr


@pytest.fixture
def driver(tmp_path: Path) -> str:
    """What the driver tells of two GPUs, and of one that it does not know."""
    for number, (uuid, minor) in enumerate((("GPU-aa", "0"), ("GPU-BB", "3"), ("GPU-??", "x"))):
        directory = tmp_path / f"0000:0{number}:00.0"
        directory.mkdir()
        text = f"Model: \t\t NVIDIA A100\nIRQ:   \t\t 42\nGPU UUID: \t {uuid}\nDevice Minor: \t {minor}\n"
        (directory / "information").write_text(text)
    return str(tmp_path)


def test_the_gpus_of_others(driver: str) -> None:
    zero = "/dev/zero"  # any device: its major number counts
    assert others([], driver, zero) == ((1, 0), (1, 3))
    assert others(["GPU-bb"], driver, zero) == ((1, 0),)
    assert others(["gpu-AA", "GPU-BB"], driver, zero) == ()
    assert others(["MIG-aa"], driver, zero) == ()
    assert others([], driver, "/no/such/device") == ()


@pytest.mark.parametrize(
    ("assigned", "hidden"),
    [("", ["aa", "BB"]), ("GPU-aa", ["BB"]), ("GPU-aa,GPU-zz", [])],
    ids=["none", "one", "one that is not known"],
)
def test_a_slot_sees_its_own(assigned: str, hidden: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[str]] = []

    def note(uuids: Iterator[str]) -> tuple[tuple[int, int], ...]:
        asked.append(set(uuids))
        return ((195, 0),)

    monkeypatch.setattr(jobfamily, "others", note)
    items = [("GPUs_GPU_aa", '[DeviceUuid = "aa"; Id = "GPU-aa"]')]
    slot = ClassAd.from_text_items([*items, ("AssignedGPUs", f'"{assigned}"')] if assigned else items)
    found = jobfamily._others_gpus(slot)
    assert bool(found) is bool(hidden)
    assert asked == ([] if not hidden else [{"GPU-aa"} if assigned else set()])


@pytest.mark.parametrize("hides", [True, False], ids=["wanted", "not wanted"])
def test_gpus_that_cannot_be_hidden_are_told(hides: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no control group: a job may open what is not its."""
    monkeypatch.setattr(jobfamily, "others", lambda uuids: ((195, 0),))
    settings = StarterSettings("/nowhere", base_cgroup="", starter_hide_gpu_devices=hides)
    told = jobfamily.JobFamily(settings, "slot1@here", ClassAd()).warning
    assert ("may open GPUs of other slots" in told) is hides


def test_gpus_that_are_hidden_need_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobfamily, "others", lambda uuids: ())
    assert jobfamily.JobFamily(StarterSettings("/nowhere", base_cgroup=""), "slot1@here", ClassAd()).warning == ""
